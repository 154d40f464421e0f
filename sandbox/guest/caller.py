"""Calls one function of a module given as text: the harness of `sandbox.calls`, which puts SPEC, SOURCE and
the other parts around.

Three processes, so that the code under test never runs where its time is taken and what it did is written down:

warden   reads the calls, takes the times of the others by the kernel's books, writes the answer. Never imports the
         module.
keeper   imports the module under test, once; forks a
caller   for each pass: gets the calls only now, makes fresh arguments, says "ready", calls when told "go", says
         "done", and shows the outcomes. Nothing that a pass leaves in memory is there in the next.

stdin:   one line `# {header}` (a Python dictionary), then one call a line: `f(1, [2])`, `CALLS[0]`.
         mode  check: each call by itself, twice, the second time after its first result was changed by its caller
               time: all calls of a pass between two readings of the clock; header: passes, warm, iterators
               cover: as check, with the lines of the function that were run
               show: each call in words, none is made
         list: the calls file's CALLS and BIG as expressions
stdout:  one line of JSON with what was measured, then the outcome of each call in one line, then the state that was
         left.

Standard library only. Names are bound before the module is imported, so that it cannot patch what we use.
"""

import os
import sys
import time
import types
from io import StringIO

monotonic = time.monotonic


class Caller:
    """One pass of calls."""

    def __init__(self, channel, module, function):
        self.channel, self.module, self.function = channel, module, function
        self.names = Names(SPEC["calls_file"])
        self.makers = {kind.__name__: kind for kind in (set, frozenset, bytearray, range, slice, iter, complex)}
        self.effects, self.printed = None, None
        self.lines = Lines(SPEC["file"])
        self.events = None

    def serve(self):
        """Take the calls and do with them what the header says."""
        letter, text = self.channel.receive()
        head, *calls = text.split("\n")
        self.header = eval(head[2:], {"__builtins__": {}})
        if SPEC["calls_file"] is not None and self.header["mode"] == "list":
            self.list_calls()
            return
        self.codes = [(call, compile(call, "call", "eval")) for call in calls]
        if self.header["mode"] == "time":
            self.time()
        elif self.header["mode"] == "show":
            self.show()
        else:
            self.check()
        self.channel.send(b"F")

    def fresh(self, code):
        """New arguments for a call."""
        return eval(code, {"__builtins__": self.makers}, self.names)

    def invoke(self, args, kwargs):
        """Call; an asynchronous function is run to its end."""
        found = self.function(*args, **kwargs)
        kind = type(found)
        if kind is types.CoroutineType:
            return self.loop().run_until_complete(found)
        if kind is types.AsyncGeneratorType:
            return iter(self.loop().run_until_complete(gather(found)))
        return found

    def loop(self):
        """An event loop of this process."""
        if self.events is None:
            import asyncio

            self.events = asyncio.new_event_loop()
        return self.events

    # check

    def check(self):
        self.limit_memory()
        self.effects, self.printed = Effects(), Printed()
        if any("CALLS[" in call or "BIG[" in call for call, _ in self.codes):
            self.names.user_namespace()
        before = self.state()
        dice = self.dice()
        for _, code in self.codes:
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
            self.channel.send(b"V", repr([sorted(self.lines.found), executable(self.function)]))
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
        args, kwargs = self.fresh(code)
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
            result = self.invoke(args, kwargs)
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

    # time

    def time(self):
        warm = self.header.get("warm", 0)
        made = [self.fresh(code) for _, code in self.codes]
        before = [Shower(SPEC["module"]).show_arguments(*call) for call in made]
        sys.stdout = StringIO()
        run = self.consume if self.header.get("iterators") else self.plain
        if SPEC["asynchronous"]:
            self.loop()
        run(made[:warm])
        timed = made[warm:]
        self.channel.send(b"R")
        self.channel.receive()
        results = run(timed)
        self.channel.send(b"D")
        self.channel.receive()
        for (args, kwargs), result, was in zip(timed, results, before[warm:], strict=True):
            shower = Shower(SPEC["module"], [("args", args), ("kwargs", kwargs)])
            if type(result) is Raised:
                text = "raises " + shower.name_of(type(result.error))[1:-1]
            else:
                text = "returns " + shower.show(result)
            after = Shower(SPEC["module"]).show_arguments(args, kwargs, rest=True)
            self.channel.send(b"O", cut(text) + (" | arguments become " + cut(after) if after != was else ""))

    def plain(self, calls):
        """Results of calls that return no iterators."""
        function = self.function if not SPEC["asynchronous"] else lambda *a, **k: self.invoke(a, k)
        results = []
        for args, kwargs in calls:
            try:
                results.append(function(*args, **kwargs))
            except BaseException as error:
                results.append(Raised(error))
        return results

    def consume(self, calls):
        """Results of calls that return iterators, read to their ends."""
        results = []
        for args, kwargs in calls:
            try:
                results.append(read(self.invoke(args, kwargs), self.header["iterators"] == "nested"))
            except BaseException as error:
                results.append(Raised(error))
        return results

    # show

    def show(self):
        """Each call in words."""
        for _, code in self.codes:
            text = call_in_words(*self.fresh(code))
            self.channel.send(b"T", "0.0")
            self.channel.send(b"O", text)

    # list

    def list_calls(self):
        """The calls of the calls file: as expressions of plain values, else by their place in it."""
        seen = set()
        for name in ("CALLS", "BIG"):
            for at, entry in enumerate(self.names.user_namespace().get(name, ())):
                text = call_text(*as_call(entry))
                shown = text or Shower(SPEC["module"]).show_arguments(*as_call(entry))
                certain = text or not any(mark in shown for mark in ("<code>", "<iterator>", NOT_COMPARABLE))
                if not certain or (name, shown) not in seen:  # never the same arguments twice in one process
                    self.channel.send(b"O", text or f"{name}[{at}]")
                seen.add((name, shown))
            if name == "CALLS":
                self.channel.send(b"O", "")
        self.channel.send(b"F")


def call_text(args, kwargs):
    """`f(...)`, or None when an argument is of no plain type or is shared with another."""
    parts = [express(value) or express_name(value) for value in args]
    pairs = [(name, express(value) or express_name(value)) for name, value in kwargs.items()]
    if None in parts or any(text is None or not name.isidentifier() for name, text in pairs):
        return None
    return "f(" + ", ".join(parts + [name + "=" + text for name, text in pairs]) + ")"


async def gather(generator):
    """What an asynchronous generator yields."""
    found = []
    async for item in generator:
        found.append(item)
        if len(found) > ITEMS:
            break
    return found


def read(value, nested):
    """An iterator's items; inner iterators are read before the next item is asked for."""
    if not is_iterator(value):
        return value
    if not nested:
        return list(islice(value, ITEMS + 1))
    return [read(item, True) for item in islice(value, ITEMS + 1)]


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


def make_calls(module):
    """For a profiler: every call on standard input, in this process."""
    caller = Caller(None, *find_target(module))
    caller.header = {}
    head, *calls = read_all().rstrip("\n").split("\n")
    prepared = [caller.fresh(compile(call, "call", "eval")) for call in calls]
    vars(module).get("__begin__", tuple)()  # neither the import nor the making of arguments is the function's
    for args, kwargs in prepared:
        try:
            read(caller.invoke(args, kwargs), True)
        except Exception:
            continue
