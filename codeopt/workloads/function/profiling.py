"""Where a function's time goes: the module as a program that makes the timed calls, profiled as programs are."""

from __future__ import annotations

from dataclasses import replace

from codeopt.workloads.function.bench import Bench
from codeopt.workloads.function.timing import Timed
from sandbox.calls import CallBatch, module_as_program
from sandbox.outcome import Case
from sandbox.profile import Mode, Profile, profile

SECONDS = 0.5
"""The calls are repeated until the original would take this long."""
MOST_TEXT = 20_000_000
"""Characters of the calls, repeated; those of large objects are long."""
OWN = "<module>"


def profile_function(bench: Bench, timed: Timed, source: str, modes: tuple[Mode, ...] = ("lines",)) -> Profile:
    """One pass of the timed calls, repeated where it is short; lines of the module are counted as they stand in its
    file."""
    text, after = module_as_program(bench.target, source)
    calls = timed.batch.calls[timed.batch.warm :]
    repeats = max(1, min(200, round(SECONDS / max(timed.seconds, 1e-5)), MOST_TEXT // sum(map(len, calls))))
    case = Case("timed", CallBatch(calls * repeats, "time").stdin())
    limits = replace(bench.sandbox.limits, seconds=bench.sandbox.limits.seconds * 4 + 20)
    found = profile(
        lambda driver, stdin: bench.sandbox.run(driver, stdin, mode="exec", limits=limits),
        text,
        case,
        modes=modes,
        late=True,
        function=bench.target,
    )
    return _in_module(found, after, source.count("\n") + 1)


def _in_module(found: Profile, after: int, last: int) -> Profile:
    """Without the line that was put in below line `after`, and without what was put at the end."""
    inside = [line for line in found.lines if line.line != after + 1 and line.line <= last + 1 and line.text.strip()]
    total = sum(line.share for line in inside) or 1.0
    lines = tuple(replace(line, line=line.line - (line.line > after), share=line.share / total) for line in inside)
    functions = tuple(
        replace(f, line=f.line - (f.line > after))
        for f in found.functions
        if f.name != OWN and f.line <= last + 1 and f.share
    )
    return replace(found, lines=lines, functions=functions)
