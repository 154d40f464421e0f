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

import types


class Caller:
    """One pass of calls."""

    def __init__(self, channel, module, function):
        self.channel, self.module, self.function = channel, module, function
        self.names = Names(SPEC["calls_file"])
        self.makers = {kind.__name__: kind for kind in (set, frozenset, bytearray, range, slice, iter, complex)}
        self.events = None

    def serve(self):
        """Take the calls and do with them what the header says."""
        letter, text = self.channel.receive()
        head, *calls = text.split("\n")
        self.header = eval(head[2:], {"__builtins__": {}})
        if SPEC["calls_file"] is not None and self.header["mode"] == "list":
            list_calls(self)
            return
        self.codes = [(call, compile(call, "call", "eval")) for call in calls]
        if self.header["mode"] == "time":
            time_calls(self)
        elif self.header["mode"] == "show":
            show_calls(self)
        else:
            Check(self).all()
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


async def gather(generator):
    """What an asynchronous generator yields."""
    found = []
    async for item in generator:
        found.append(item)
        if len(found) > ITEMS:
            break
    return found


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
