"""Does a draft behave as the original on inputs that nobody has seen? Mutants are run on both; outputs must agree.

How much a difference counts depends on how well the valid inputs are known. On 40 contest problems with about ten cases
each, the human's own faster program differed from the slow one on some mutant of 17, nearly always on an input that
the problem's limits forbid (a sign, a size, a graph that is no tree). So:

strict   one difference is enough. For programs with few cases and no generator: nothing else shows what is valid, and
         behaving as the original is what was promised.
lenient  most mutants in the range of the known inputs must agree: finds answers that were learnt by heart.
off      fresh inputs from a generator do this better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from codeopt.mutants import mutants
from sandbox import Sandbox
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Outcome, Verdict

MANY_CASES = 8
MOST = 0.6
"""Lenient: a draft that differs on more than this share of the mutants has learnt the cases by heart."""
MAX_MUTANTS = 44
RUN_S, ALL_CPU_S, ALL_S = 1.0, 6.0, 60.0
"""What the original may take on one mutant, and on all: its CPU time, so that a busy machine asks as many."""


class Strictness(StrEnum):
    """How much a difference on a mutant counts."""

    AUTO = "auto"
    STRICT = "strict"
    LENIENT = "lenient"
    OFF = "off"


@dataclass(frozen=True)
class Challenge:
    """Mutants that the original takes, with what it prints."""

    cases: tuple[Case, ...]
    strictness: Strictness

    def run(self, sandbox: Sandbox, source: str, check: Checker) -> tuple[Outcome, ...]:
        """The outcomes that count against a draft; none when it behaves as the original."""
        wrong = []
        for number, case in enumerate(self.cases):
            run = sandbox.run(source, case.stdin, mode="exec", hash_seed=1 + number % 3)
            outcome = judge(case, run, check)
            if outcome.verdict is not Verdict.AC:
                wrong.append(replace(outcome, detail=_explained(case, outcome)))
                if self.strictness is Strictness.STRICT:
                    break
        if self.strictness is Strictness.LENIENT and len(wrong) <= MOST * len(self.cases):
            return ()
        return tuple(wrong[:1])


def _explained(case: Case, outcome: Outcome) -> str:
    shown = case.stdin if len(case.stdin) <= 80 else case.stdin[:80] + b"..."
    text = shown.decode("utf-8", "backslashreplace")
    return (
        f"on the changed input {text!r}: {outcome.detail or outcome.verdict}" if not case.held_back else outcome.detail
    )


def choose(strictness: Strictness, cases: Sequence[Case], *, generated: bool) -> Strictness:
    """What `auto` means for a program with these cases."""
    if strictness is not Strictness.AUTO:
        return strictness
    if generated:
        return Strictness.OFF
    return Strictness.LENIENT if len(cases) >= MANY_CASES else Strictness.STRICT


def make_challenge(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    check: Checker,
    strictness: Strictness,
    *,
    seed: int,
    also_known: Sequence[Case] = (),
    held_back: bool = False,
    notify: Callable[[str], None] = lambda line: None,
) -> Challenge:
    """Mutants of `cases` that the original ends well on and prints the same twice, in two orders of its sets.

    also_known: cases that are not changed, but say what is large and long: mutants shall go beyond those too.
    """
    if strictness is Strictness.OFF:
        return Challenge((), strictness)
    found: list[Case] = []
    limits = replace(sandbox.limits, seconds=min(RUN_S, sandbox.limits.seconds))
    spent, deadline = 0.0, time.monotonic() + ALL_S
    for mutant in mutants([case.stdin for case in cases], seed=seed, also_known=[case.stdin for case in also_known]):
        if len(found) >= MAX_MUTANTS or spent > ALL_CPU_S or time.monotonic() > deadline:
            break
        if mutant.beyond and strictness is Strictness.LENIENT:
            continue
        notify(f"changing inputs, {len(found)} that the original takes")
        run = sandbox.run(source, mutant.stdin, limits=limits)
        spent += run.cpu_s
        if run.exit != 0 or run.stop or run.stderr:
            continue
        case = Case(f"changed.{mutant.name}", mutant.stdin, run.stdout, held_back)
        again = judge(case, sandbox.run(source, mutant.stdin, mode="exec", limits=limits, hash_seed=1), check)
        spent += again.run.cpu_s
        if again.verdict is Verdict.AC:
            found.append(case)
    return Challenge(tuple(found), strictness)
