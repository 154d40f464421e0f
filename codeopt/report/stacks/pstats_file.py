"""Dumps of cProfile: pstats reads them in a sandbox, as a manipulated file can crash its `marshal`.

They know who calls whom and for how long, not stacks. As gprof does, a function's own time is divided among its callers
by the time of each in it; what is below a thousandth of all time is not followed further up.
"""

from __future__ import annotations

from collections.abc import Sequence

from codeopt.core.words import error_line
from codeopt_sandbox import SandboxError, open_sandbox

TO_COLLAPSED = b"""
import pstats

def shown(place):
    file, line, name = place
    return (name if file == "~" else f"{name} ({file}:{line})").replace(";", ",").replace("\\n", " ")

functions = pstats.Stats("dump").stats
least = sum(row[2] for row in functions.values()) / 1000
print("# unit: microseconds")
for place, row in functions.items():
    waiting = [((place,), row[2])]
    while waiting:
        stack, seconds = waiting.pop()
        callers = {each: max(spent[3], 1e-12) for each, spent in functions[stack[0]][4].items() if each in functions}
        callers = {each: spent for each, spent in callers.items() if each not in stack}
        if not callers or len(stack) >= 40 or seconds < least:
            print(";".join(map(shown, stack)), format(seconds * 1e6, ".3f"))
        else:
            whole = sum(callers.values())
            waiting += [((each, *stack), seconds * spent / whole) for each, spent in callers.items()]
"""


def pstats_lines(data: bytes) -> Sequence[str]:
    """The stacks of a dump as collapsed ones. Raises ValueError if it is none, or if nothing can isolate it."""
    try:
        with open_sandbox("auto") as sandbox:
            run = sandbox.run(TO_COLLAPSED, files=(("dump", data),))
    except SandboxError as error:
        raise ValueError(f"a dump of cProfile is read in a sandbox: {error}") from error
    if run.exit != 0:
        raise ValueError(f"it is no dump of cProfile: {error_line(run.stderr.decode('utf-8', 'replace'))}")
    return run.stdout.decode("utf-8", "replace").splitlines()
