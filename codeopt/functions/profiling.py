"""Where a function's time goes: the module as a program that makes the timed calls, profiled as programs are."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from codeopt.console import Console
from codeopt.functions.bench import Bench, open_bench
from codeopt.functions.flags import chosen
from codeopt.functions.learn import learn
from codeopt.functions.target import read_function, split_target
from codeopt.functions.timing import Timed, choose
from sandbox import Sandbox
from sandbox.calls import Batch, script
from sandbox.outcome import Case
from sandbox.profile import Mode, Profile, profile

SECONDS = 0.5
"""The calls are repeated until the original would take this long."""
MOST_TEXT = 20_000_000
"""Characters of the calls, repeated; those of large objects are long."""
OWN = "<module>"


def profile_target(
    arguments: argparse.Namespace, console: Console, open_from: Callable[..., Sandbox]
) -> tuple[Profile, str]:
    """For `codeopt profile FILE::FUNCTION`: where the time of its longest calls goes, and the module's source."""
    function = read_function(*split_target(str(arguments.target)))
    options = chosen(arguments)

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_from(arguments, own_code_only=True, notify=console.warn, mounts=mounts)

    with open_bench(function, open_with, options.tests) as bench:
        bench, evidence = learn(bench, options, console.progress)
        timed = choose(bench, evidence, notify=console.progress)
        console.progress("profiling")
        return profile_function(bench, timed, bench.source, ("lines", "scalene")), function.source


def profile_function(bench: Bench, timed: Timed, source: str, modes: tuple[Mode, ...] = ("lines",)) -> Profile:
    """One pass of the timed calls, repeated where it is short; lines of the module are counted as they stand in its
    file."""
    text, after = script(bench.target, source)
    calls = timed.batch.calls[timed.batch.warm :]
    repeats = max(1, min(200, round(SECONDS / max(timed.seconds, 1e-5)), MOST_TEXT // sum(map(len, calls))))
    case = Case("timed", Batch(calls * repeats, "time").stdin())
    limits = replace(bench.sandbox.limits, seconds=bench.sandbox.limits.seconds * 4 + 20)
    found = profile(
        lambda driver, stdin: bench.sandbox.run(driver, stdin, mode="exec", limits=limits),
        text,
        case,
        modes=modes,
        late=True,
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
