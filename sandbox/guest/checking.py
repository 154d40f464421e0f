"""Each call by itself: what it returns, raises, changes, prints and leaves behind. Part of the harness (caller.py)."""

import os
import sys
import time
import types

monotonic = time.monotonic
NO_ARGUMENTS = "has no arguments: "
"""How what stands for a call begins whose arguments cannot be made."""


class Check:
    """The checking of one caller's calls."""

    def __init__(self, caller):
        self.caller, self.channel, self.header, self.module = caller, caller.channel, caller.header, caller.module
        self.effects, self.printed, self.lines = Effects(), Printed(), Lines(SPEC["file"])

    def all(self):
        """Each call, then the state that all of them leave."""
        self.limit_memory()
        if any("CALLS[" in call or "BIG[" in call for call, _ in self.caller.codes):
            self.caller.names.user_namespace()
        before = self.state()
        dice = self.dice()
        for _, code in self.caller.codes:
            first, result, took = self.outcome(code)
            text = first
            self.channel.send(b"T", repr(took))
            if took < 0.5 and self.header["mode"] == "check":
                spoil(result, 3)
                again, other, _ = self.outcome(code)
                if again != first:
                    text += " | called again, after its result was changed: " + cut(again)
                if set(owned(result, 3)) & set(owned(other, 3)):
                    text += " | called again, it gives out the same object"
            self.channel.send(b"O", text)
        after = self.state()
        changed = [name + " becomes " + after[name][0] for name in after if after[name] != before.get(name)]
        changed += ["the state of random changes"] * (self.dice() != dice)
        if self.header["mode"] == "cover":
            found = [sorted(self.lines.found), executable(self.caller.function), begins(self.caller.function)]
            self.channel.send(b"V", repr(found))
        self.channel.send(b"S", "state: " + (cut("; ".join(changed)) if changed else "unchanged"))

    def limit_memory(self):
        """A call that asks for too much fails by itself, instead of ending the run with all other calls."""
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[5]) * resource.getpagesize()
        if SPEC["memory_bytes"]:
            resource.setrlimit(resource.RLIMIT_DATA, (used + SPEC["memory_bytes"],) * 2)

    def outcome(self, code):
        """(the text, the result, seconds) of one call with fresh arguments."""
        dice = self.dice()
        try:
            args, kwargs = self.caller.fresh(code)
        except Exception as error:  # a class does not take the arguments that were made up for it
            return f"{NO_ARGUMENTS}{type(error).__name__}", None, 0.0
        if dice is not None and dice != self.dice():
            sys.modules["random"].setstate(dice)
        before = Shower(SPEC["module"]).show_arguments(args, kwargs)
        shower = Shower(SPEC["module"], [("args", args), ("kwargs", kwargs)])
        self.printed.start()
        started = monotonic()
        result = None
        try:
            if self.header["mode"] == "cover":
                self.lines.start()
            self.effects.arm()
            result = self.caller.invoke(args, kwargs)
            text = "returns " + shower.show(result)
        except BaseException as error:
            self.effects.armed = False
            self.lines.stop()
            text = "raises " + shower.name_of(type(error))[1:-1]
        self.effects.armed = False
        self.lines.stop()
        took = monotonic() - started
        printed = self.printed.stop()
        text = cut(text)
        after = Shower(SPEC["module"]).show_arguments(args, kwargs, rest=True)
        if after != before:
            text += " | arguments become " + cut(after)
        if printed:
            text += " | prints " + cut(repr(printed))
        if self.effects.found:
            text += " | " + ", ".join(sorted(self.effects.found))
        if shower.has_iterator:
            text += " | yields"
        return text, result, took

    def dice(self):
        """The state of the random numbers that a module shares with all others."""
        return sys.modules["random"].getstate() if "random" in sys.modules else None

    def state(self):
        """What calls can leave behind: the original's global data, the random numbers' state, the environment."""
        found = {}
        for name in SPEC["globals"]:
            value = self.module.__dict__.get(name)
            if not isinstance(value, (*NAMED, types.ModuleType)):
                found["global " + name] = cut(Shower(SPEC["module"]).show_small(value)), 0
        for name in SPEC["classes"]:
            for key, value in sorted(vars(self.module.__dict__.get(name, object)).items()):
                if type(value) in (int, float, str, bool, list, dict, set) and not key.startswith("__"):
                    found[f"class attribute {name}.{key}"] = cut(Shower(SPEC["module"]).show_small(value)), 0
                elif type(value) in (types.FunctionType, property, classmethod, staticmethod):
                    found[f"class attribute {name}.{key}"] = "another " + type(value).__name__, id(value)
        found["the environment"] = sha256(repr(sorted(os.environ.items())).encode("utf-8", "replace")).hexdigest(), 0
        return found


def owned(value, depth):
    """Ids of a result and of its parts that can be changed, those that are taken for their value left out."""
    kind = type(value)
    if kind is list or kind is tuple or kind is dict:
        for item in list(value.values() if kind is dict else value)[:100] if depth else ():
            yield from owned(item, depth - 1)
    by_identity = kind.__hash__ is None or kind.__hash__ is object.__hash__
    alone = value is None or value is Ellipsis or value is NotImplemented
    if kind is not tuple and by_identity and not alone and not isinstance(value, NAMED):
        yield id(value)


def spoil(value, depth):
    """Change a result as its owner may: whoever kept it for the next caller is found out."""
    kind = type(value)
    if depth and (kind is list or kind is tuple or kind is dict):
        for item in list(value.values() if kind is dict else value)[:100]:
            spoil(item, depth - 1)
    if kind is list:
        value.append("spoiled")
    elif kind is dict:
        value["spoiled"] = "spoiled"
    elif kind is set:
        value.add("spoiled")
    elif kind is bytearray:
        value.extend(b"spoiled")
