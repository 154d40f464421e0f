"""Calls one function of a module given as text: the harness of `sandbox.calls`, which puts SPEC, SOURCE and
values.py above.

Three processes, so that the code under test never runs where its time is taken and what it did is written down:

warden   reads the calls, takes the times of the others by the kernel's books, writes the answer. Never imports the
module.
keeper   imports the module under test, once; forks a
caller   for each pass: gets the calls only now, makes fresh arguments, says "ready", calls when told "go", says
"done", and
         shows the outcomes. Nothing that a pass leaves in memory is there in the next.

stdin:   one line `# {header}` (a Python dictionary), then one call a line: `f(1, [2])`, `CALLS[0]`.
         mode  check: each call by itself, twice, the second time after its first result was changed by its caller
               time: all calls of a pass between two readings of the clock; header: passes, warm, iterators
               cover: as check, with the lines of the function that were run
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

START_SECONDS = 60.0
LATER = "takes longer than %g s"
_SIDE_EFFECTS = {
    "socket.connect": "uses the network", "socket.bind": "uses the network", "socket.sendto": "uses the network",
    "socket.getaddrinfo": "uses the network", "subprocess.Popen": "starts a process", "os.system": "starts a process",
    "os.exec": "starts a process", "os.fork": "starts a process", "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process", "os.remove": "changes files", "os.rename": "changes files",
    "os.mkdir": "changes files", "os.rmdir": "changes files", "os.chmod": "changes files", "os.link": "changes files",
    "os.symlink": "changes files", "os.truncate": "changes files", "shutil.rmtree": "changes files",
    "os.putenv": "changes the environment", "os.unsetenv": "changes the environment", "os.chdir": "changes the folder",
    "os.kill": "sends signals", "signal.pthread_kill": "sends signals", "sqlite3.connect": "opens a database",
    "ctypes.dlopen": "loads a library", "winreg.SetValue": "changes files",
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
monotonic = time.monotonic
os_read, os_write, os_fork, os_exit, os_kill, waitpid = os.read, os.write, os.fork, os._exit, os.kill, os.waitpid


class Channel:
    """Frames over two pipes: four bytes of length, one letter, the data."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def send(self, letter, text=""):
        data = text.encode("utf-8", "surrogatepass")
        data = len(data).to_bytes(4, "big") + letter + data
        while data:
            data = data[os_write(self.writer, data) :]

    def receive(self):
        """The next (letter, text); ("", "") when the other side is gone."""
        head = self.exactly(5)
        if len(head) < 5:
            return b"", ""
        return head[4:], self.exactly(int.from_bytes(head[:4], "big")).decode("utf-8", "surrogatepass")

    def exactly(self, size):
        parts = []
        while size:
            part = os_read(self.reader, min(size, 1 << 20))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


# --- the keeper ----------------------------------------------------------------------------------------------------


class _Loader:
    """Gives the module under test from SOURCE, and leaves all others to the usual importers."""

    def find_spec(self, name, path=None, target=None):
        if name != SPEC["module"]:
            return None
        make = sys.modules["_frozen_importlib_external"].spec_from_file_location
        folders = [SPEC["file"].rpartition("/")[0]] if SPEC["file"].endswith("/__init__.py") else None
        return make(name, SPEC["file"], loader=self, submodule_search_locations=folders)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(SOURCE, SPEC["file"], "exec", dont_inherit=True), module.__dict__)


def import_target():
    """The module under test and the function to call."""
    sys.path[:0] = SPEC["paths"]
    sys.argv[1:] = []
    sys.meta_path.insert(0, _Loader())
    __import__(SPEC["module"])
    return find_target(sys.modules[SPEC["module"]])


def find_target(module):
    """(module, what to call): functions and static methods as they are, methods with `self` as their first argument."""
    owner = module
    *classes, name = SPEC["qualname"].split(".")
    for part in classes:
        owner = getattr(owner, part)
    found = getattr(owner, name)
    if classes:
        raw = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
        if isinstance(raw, property):
            found = raw.fget
        elif type(raw).__name__ == "cached_property":
            found = raw.func
    if not callable(found):
        raise TypeError("{} is not callable".format(SPEC["qualname"]))
    return module, found


def keeper(channel):
    """Import, then fork a caller for each pass."""
    try:
        module, function = import_target()
    except BaseException as error:
        channel.send(b"X", f"{type(error).__name__}: {error}")
        os_exit(1)
    import gc

    gc.collect()
    gc.freeze()  # the caller then shares these pages instead of copying them
    channel.send(b"I")
    while channel.receive()[0] == b"P":
        pid = os_fork()
        if not pid:
            status = 1
            try:
                Caller(channel, module, function).serve()
                status = 0
            finally:
                os_exit(status)
        channel.send(b"P", str(pid))
        channel.send(b"E", str(waitpid(pid, 0)[1]))
    os_exit(0)


# --- the caller ----------------------------------------------------------------------------------------------------


class Caller:
    """One pass of calls."""

    def __init__(self, channel, module, function):
        self.channel, self.module, self.function = channel, module, function
        self.names = Names(SPEC["calls_file"])
        self.makers = {kind.__name__: kind for kind in (set, frozenset, bytearray, range, slice, iter, complex)}
        self.effects = []
        self.armed = False
        self.lines = set()
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
        sys.addaudithook(self.hear)
        if any("CALLS[" in call or "BIG[" in call for call, _ in self.codes):
            self.names.user_namespace()
        before = self.state()
        dice = self.dice()
        for _, code in self.codes:
            first, result, took = self.outcome(code)
            text = first
            if took < 0.5 and self.header["mode"] == "check":
                spoil(result, 3)
                again = self.outcome(code)[0]
                if again != first:
                    text += " | called again, after its result was changed: " + cut(again)
            self.channel.send(b"T", repr(took))
            self.channel.send(b"O", text)
        after = self.state()
        changed = [name + " becomes " + after[name] for name in after if after[name] != before.get(name)]
        changed += ["the state of random changes"] * (self.dice() != dice)
        if self.header["mode"] == "cover":
            self.channel.send(b"V", repr([sorted(self.lines), executable(self.function)]))
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
        self.effects.clear()
        old, sys.stdout = sys.stdout, StringIO()
        started = monotonic()
        result = None
        try:
            if self.header["mode"] == "cover":
                sys.settrace(self.trace)
            self.armed = True
            result = self.invoke(args, kwargs)
            text = "returns " + shower.show(result)
        except BaseException as error:
            self.armed = False
            sys.settrace(None)
            text = "raises " + shower.name_of(type(error))[1:-1]
        self.armed = False
        sys.settrace(None)
        took = monotonic() - started
        printed, sys.stdout = getattr(sys.stdout, "getvalue", str)(), old
        text = cut(text)
        after = Shower(SPEC["module"]).show_arguments(args, kwargs, rest=True)
        if after != before:
            text += " | arguments become " + cut(after)
        if printed:
            text += " | prints " + cut(repr(printed))
        if self.effects:
            text += " | " + ", ".join(sorted(set(self.effects)))
        if shower.has_iterator:
            text += " | yields"
        return text, result, took

    def hear(self, event, arguments):
        """An audit hook: what reaches out of the process."""
        if not self.armed:
            return
        if event in _SIDE_EFFECTS:
            self.effects.append(_SIDE_EFFECTS[event])
        elif event == "open" and type(arguments[2]) is int and arguments[2] & _WRITES and arguments[0] != "/dev/null":
            self.effects.append("changes files")

    def trace(self, frame, event, argument):
        """A trace function: the lines of the target's file that run."""
        if frame.f_code.co_filename != SPEC["file"]:
            return None
        if event == "line":
            self.lines.add(frame.f_lineno)
        return self.trace

    def dice(self):
        """The state of the random numbers that a module shares with all others."""
        return sys.modules["random"].getstate() if "random" in sys.modules else None

    def state(self):
        """What calls can leave behind: the original's global data, the random numbers' state, the environment."""
        found = {}
        for name in SPEC["globals"]:
            value = self.module.__dict__.get(name)
            if not isinstance(value, (*NAMED, types.ModuleType)):
                found["global " + name] = cut(Shower(SPEC["module"]).show_small(value))
        for name in SPEC["classes"]:
            for key, value in sorted(vars(self.module.__dict__.get(name, object)).items()):
                if type(value) in (int, float, str, bool, list, dict, set) and not key.startswith("__"):
                    found[f"class attribute {name}.{key}"] = cut(Shower(SPEC["module"]).show_small(value))
        found["the environment"] = sha256(repr(sorted(os.environ.items())).encode("utf-8", "replace")).hexdigest()
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

    # list

    def list_calls(self):
        """The calls of the calls file: as expressions of plain values, else by their place in it."""
        for name in ("CALLS", "BIG"):
            for at, entry in enumerate(self.names.user_namespace().get(name, ())):
                self.channel.send(b"O", call_text(*as_call(entry)) or f"{name}[{at}]")
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


def spoil(value, depth):
    """Change a result as its owner may: whoever kept it for the next caller is found out."""
    kind = type(value)
    if depth and kind in (list, tuple, dict):
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


def executable(function):
    """Lines of a function with code of their own, the `def` line left out."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return []
    found, todo = set(), [code]
    while todo:
        code = todo.pop()
        found |= {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
        todo += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    decorated = {line for line in found if line < SPEC["first_line"]}
    return sorted(found - decorated)


def make_calls(module):
    """For a profiler: every call on standard input, in this process."""
    caller = Caller(None, *find_target(module))
    caller.header = {}
    head, *calls = read_all().rstrip("\n").split("\n")
    prepared = [caller.fresh(compile(call, "call", "eval")) for call in calls]
    for args, kwargs in prepared:
        try:
            read(caller.invoke(args, kwargs), True)
        except Exception:
            continue
