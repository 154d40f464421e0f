"""This machine's own share of false alarms: identical programs and functions through the judge that judges drafts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.target import as_target
from codeopt.core.words import counted
from codeopt.engine.doctor.exam_row import ExamRow, Health
from codeopt.engine.judge import Judge
from codeopt.workloads import WorkloadRequest, kind_of
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule
from codeopt_sandbox.outcome import CaseVerdict

STATED = 2 * StoppingRule().alpha
"""Share of identical pairs that a comparison may call faster or slower."""
UNLIKELY = 0.01
"""Chance of that many false positives on a machine that keeps STATED. Below it the machine is reported."""
SURE = 0.95
"""Confidence of the reported bound."""
MOST = 60

PROGRAM = "n = int(input())\ntotal = 0\nfor i in range(n):\n    total += i * i % 7\nprint(total)\n"
FUNCTION = '''\
def weighted(values: list[int]) -> int:
    """Sum of the values by their places."""
    total = 0
    for place, value in enumerate(values):
        total += place * value % 7
    return total
'''
CALLS = """\
CALLS = [(([1, 2, 3],), {}), (([5] * 7,), {}), (([],), {}), ((list(range(100)),), {})]
BIG = [((list(range(base, base + 30_000)),), {}) for base in range(3)]
"""
CASES = {"small": 1000, "large": 60_000}
TARGETS = {"programs": "one.py", "functions": "one.py::weighted"}


@dataclass(frozen=True)
class FalseAlarms:
    """Comparisons of identical code, and how many of them found a difference."""

    kind: str
    """`programs` or `functions`."""
    comparisons: tuple[Comparison, ...]
    problem: str = ""
    """Cause if there are no rates. Empty otherwise."""

    @property
    def false(self) -> int:
        """Comparisons that called one of two identical sides faster."""
        return sum(each.decision in (Decision.FASTER, Decision.SLOWER) for each in self.comparisons)

    @property
    def upper_bound(self) -> float:
        """The share of false alarms at SURE confidence (Clopper and Pearson, Biometrika 26, 1934)."""
        low, high = 0.0, 1.0
        for _ in range(40):
            share = (low + high) / 2
            low, high = (share, high) if up_to(self.false, len(self.comparisons), share) > 1 - SURE else (low, share)
        return high

    def finding(self) -> ExamRow:
        subject, tried = f"timing of {self.kind}", len(self.comparisons)
        if not tried:
            return ExamRow(subject, Health.FAIL, self.problem, "fix what the other lines name, and run it again")
        found = f"{counted(self.false, 'false positive')} in {counted(tried, 'comparison')} of identical code"
        if self.false and 1 - up_to(self.false - 1, tried, STATED) < UNLIKELY:
            hint = "close other programs or use --metric cpu, and run it again"
            return ExamRow(subject, Health.FAIL, f"{found}, where {STATED:.0%} is the stated rate", hint)
        return ExamRow(subject, Health.OK, found)

    def to_json(self) -> dict[str, float | int | str]:
        """The row of `codeopt doctor --json`."""
        ratios = [each.ratio for each in self.comparisons]
        return {
            "kind": self.kind, "comparisons": len(ratios), "false_positives": self.false, "stated_rate": STATED,
            "upper_bound": round(self.upper_bound, 4) if ratios else 1.0, "confidence": SURE, "problem": self.problem,
            "least_ratio": round(min(ratios), 4) if ratios else 0.0,
            "largest_ratio": round(max(ratios), 4) if ratios else 0.0,
        }  # fmt: skip


def up_to(count: int, tries: int, share: float) -> float:
    """Chance of at most `count` in so many tries, each with this share: the binomial distribution."""
    return sum(math.comb(tries, k) * share**k * (1 - share) ** (tries - k) for k in range(count + 1))


def false_alarms(
    kind: str, options: ImproveOptions, session: Session, seconds: float, notify: Callable[[str], None]
) -> FalseAlarms:
    """Compare identical code as often as fits in so many seconds, once at least. Raises CodeoptError, SandboxError."""
    until = time.monotonic() + seconds
    with TemporaryDirectory(prefix="codeopt-doctor-") as name:
        folder = Path(name)
        _write(folder, kind)
        target = as_target(str(folder / TARGETS[kind]))
        if kind == "functions":
            options = replace(options, calls=folder / "calls.py")
        workload_kind = kind_of(target, options)
        request = WorkloadRequest(
            target, workload_kind.read(target), options, session, StoppingRule(metric=options.metric)
        )
        with workload_kind.open_workload(request) as opened:
            judge = Judge(opened.measure().timed())
            text = judge.original.revision.text
            candidate = judge.known(Revision.of(text + "# the same\n"), "the same")
            if not candidate.correct:
                wrong = next(each for each in candidate.outcomes if each.verdict is not CaseVerdict.AC)
                return FalseAlarms(kind, (), f"identical code has a wrong result: {wrong.words}")
            return FalseAlarms(kind, tuple(_compared(judge, candidate, until, notify)))


def _compared(judge: Judge, same: Candidate, until: float, notify: Callable[[str], None]) -> list[Comparison]:
    found: list[Comparison] = []
    while len(found) < MOST and (not found or time.monotonic() < until):
        notify(f"comparing identical code, {len(found)} times so far")
        comparison = judge.time(same, seed=len(found)).comparison
        assert comparison is not None  # it is right
        found.append(comparison)
    return found


def _write(folder: Path, kind: str) -> None:
    (folder / "one.py").write_text(PROGRAM if kind == "programs" else FUNCTION)
    if kind == "functions":
        (folder / "calls.py").write_text(CALLS)
        return
    for name, count in CASES.items():
        (folder / f"{name}.in").write_text(f"{count}\n")
        (folder / f"{name}.out").write_text(f"{sum(i * i % 7 for i in range(count))}\n")
