"""Profile of a function: the module is imported, the timed calls are made, and both are looked at as programs are."""

from __future__ import annotations

from dataclasses import replace

from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.timing.plan import Timed
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import Mode, Profile, profile

SECONDS = 0.1
"""The calls are repeated until the original would take this long, and drafts make as many: under the profiler each
line takes some twenty times as long, and the whole may take five seconds."""
MOST_TEXT = 20_000_000
"""Characters of the calls, repeated; those of large objects are long."""
OWN = "<module>"


HEIGHT = 4096
"""Bytes below which a line is not reported."""


def profile_function(
    harness: FunctionHarness, timed: Timed, source: str, modes: tuple[Mode, ...] = ("lines",), *, memory: bool = False
) -> Profile:
    """The timed calls, as often as the original's, in one process that has imported the module as its users do.

    memory: the same calls once more, each of them once, for the lines that hold most.
    """
    calls = timed.batch.calls[timed.batch.warm :]
    repeats = timed.passes(SECONDS, max(1, min(200, MOST_TEXT // sum(map(len, calls)))))
    found = _profiled(harness, source, calls * repeats, modes)
    if memory:
        held = _profiled(harness, source, calls, ("allocated",))
        lines = tuple(line for line in held.memory if line.peak_mib * 2**20 >= HEIGHT)
        found = replace(found, memory=lines, notes=(*found.notes, *held.notes))
    return replace(
        found,
        lines=tuple(line for line in found.lines if line.text.strip()),
        functions=tuple(f for f in found.functions if f.name != OWN and f.share),
    )


def _profiled(harness: FunctionHarness, source: str, calls: tuple[str, ...], modes: tuple[Mode, ...]) -> Profile:
    limits = replace(harness.sandbox.limits, seconds=harness.sandbox.limits.seconds * 4 + 80)
    return profile(
        lambda driver, stdin: harness.sandbox.run(driver, stdin, mode="exec", limits=limits),
        source,
        Case("timed", CallBatch(calls, "time").stdin()),
        modes=modes,
        function=harness.target,
    )
