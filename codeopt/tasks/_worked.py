"""Short ways to write down the measurements of worked examples."""

from __future__ import annotations

from collections.abc import Sequence

from codeopt_sandbox.compare import CaseTimes, Comparison, Decision
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run
from codeopt_sandbox.profile import HotLine, Profile

TOO_SHORT = "the run was too short for the Python/native split"


def run(seconds: float, peak_mib: float = 9.4, stdout: bytes = b"") -> Run:
    """A run that ended well."""
    peak = int(peak_mib * 2**20)
    return Run(exit=0, signal=None, wall_s=seconds, cpu_s=seconds, peak_bytes=peak, stdout=stdout, stderr=b"")


def passed(cases: Sequence[Case], seconds: Sequence[float], peak_mib: float = 9.4) -> tuple[Outcome, ...]:
    """Right on every case, in `seconds` each."""
    pairs = zip(cases, seconds, strict=True)
    return tuple(Outcome(case=case.name, verdict=CaseVerdict.AC, run=run(each, peak_mib)) for case, each in pairs)


def wrong(case: Case, stdout: bytes, detail: str, seconds: float = 0.001) -> Outcome:
    """A wrong answer on one case."""
    return Outcome(case=case.name, verdict=CaseVerdict.WA, run=run(seconds, stdout=stdout), detail=detail)


def compared(
    decision: Decision, ratio: tuple[float, float, float], case: Case, old_s: float, new_s: float
) -> Comparison:
    """A comparison by 21 interleaved pairs; `ratio` is the median with its 99 % interval by order statistics."""
    return Comparison(
        decision=decision,
        ratio=ratio[0],
        ci_low=ratio[1],
        ci_high=ratio[2],
        pairs=21,
        metric="cpu",
        confidence=0.99,
        alpha=0.01,
        method="median of paired ratios, interval by order statistics",
        cases=(CaseTimes(case.name, (old_s,), (new_s,)),),
    )


def profiled(source: str, case: Case, seconds: float, hot: Sequence[tuple[int, float, int]]) -> Profile:
    """Hot lines as (line, share, hits)."""
    text = source.splitlines()
    lines = [HotLine(line, share, hits, share * seconds, text[line - 1]) for line, share, hits in hot]
    return Profile(case.name, tuple(lines), (), None, None, None, None, None, (), (TOO_SHORT,))
