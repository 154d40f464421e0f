"""All calls of a pass between two readings of the clock. Part of the harness program (caller.py)."""

import sys
from io import StringIO


def time_calls(caller):
    """Say "ready" when the arguments are made, call when told to, say "done", and only then show the outcomes."""
    warm = caller.header.get("warm", 0)
    made = [caller.fresh(code) for _, code in caller.codes]
    before = [Shower(SPEC["module"]).show_arguments(*call) for call in made]
    sys.stdout = StringIO()
    run = consume if caller.header.get("iterators") else plain
    if SPEC["asynchronous"]:
        caller.loop()
    run(caller, made[:warm])
    timed = made[warm:]
    caller.channel.send(b"R")
    caller.channel.receive()
    results = run(caller, timed)
    caller.channel.send(b"D")
    caller.channel.receive()
    for (args, kwargs), result, was in zip(timed, results, before[warm:], strict=True):
        shower = Shower(SPEC["module"], [("args", args), ("kwargs", kwargs)])
        if type(result) is Raised:
            text = "raises " + shower.name_of(type(result.error))[1:-1]
        else:
            text = "returns " + shower.show(result)
        after = Shower(SPEC["module"]).show_arguments(args, kwargs, rest=True)
        caller.channel.send(b"O", cut(text) + (" | arguments become " + cut(after) if after != was else ""))


def plain(caller, calls):
    """Results of calls that return no iterators."""
    function = caller.function if not SPEC["asynchronous"] else lambda *a, **k: caller.invoke(a, k)
    results = []
    for args, kwargs in calls:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            results.append(Raised(error))
    return results


def consume(caller, calls):
    """Results of calls that return iterators, read to their ends."""
    results = []
    for args, kwargs in calls:
        try:
            results.append(read(caller.invoke(args, kwargs), caller.header["iterators"] == "nested"))
        except BaseException as error:
            results.append(Raised(error))
    return results


def read(value, nested):
    """An iterator's items; inner iterators are read before the next item is asked for."""
    if not is_iterator(value):
        return value
    if not nested:
        return list(islice(value, ITEMS + 1))
    return [read(item, True) for item in islice(value, ITEMS + 1)]
