"""OLD against NEW, both written by a person: is NEW right, is it faster, by how much, and how sure are we?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from codeopt.core.diagnostic import as_rows
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.machine import machine
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Program
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.guards.forbidden import newly_touched
from codeopt.engine.judge import Judge
from codeopt.report.result import speedup, why
from codeopt.workloads import OpenTarget, Stage, Workload, WorkloadRequest, kind_of
from codeopt.workloads.function.corpus.corpus import NotVerifiable
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule
from codeopt_sandbox.growth import UNKNOWN, GrowthPair
from codeopt_sandbox.outcome import ChangedSetting

SCHEMA = "codeopt.compare/1"
ENOUGH_S = 0.1
"""Cases are added until OLD takes this long: the verdict should not hang on one alone."""


class PairVerdict(StrEnum):
    """Verdict on NEW."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    REJECTED = "rejected"
    NOT_VERIFIED = "not verified"


@dataclass(frozen=True)
class PairResult:
    """One comparison."""

    verdict: PairVerdict
    reason: str = ""
    comparison: Comparison | None = None
    bound: float | None = None
    """NEW was given up: it is at most so many times as fast as OLD."""
    growth: GrowthPair = UNKNOWN
    notes: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    """Differences beyond the known inputs."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts of the workload, as fields of a JSON object."""
    backend: str = ""
    description: str = ""
    """Description of the sandbox."""
    interpreter: Interpreter | None = None
    """The interpreter that ran both; None where that was an image's own, and where nothing was run."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that NEW leaves changed and OLD does not: why it is rejected."""

    def is_slower(self, limit: float) -> bool:
        """Slower with confidence, and by more than `limit`."""
        ratio = self.bound if self.bound is not None else self.comparison.ratio if self.comparison else 1.0
        return self.verdict is PairVerdict.SLOWER and ratio < 1 / (1 + limit)

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt compare --json` prints; fields may be added."""
        figures: dict[str, Any] = {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
        if self.bound is not None:
            figures |= {"ratio": self.bound, "ci_high": self.bound, "clock": "wall"}
        elif self.comparison is not None and self.verdict is not PairVerdict.REJECTED:
            figures = speedup(self.comparison)
        return {
            "schema": SCHEMA,
            "verdict": str(self.verdict),
            "reason": self.reason,
            **figures,
            "growth": {"old": self.growth.old, "new": self.growth.new, "text": self.growth.text},
            "evidence": None,
            "timed": None,
            "shortfalls": [],
            **{name: value for name, value in self.facts.items() if name != "calls_text"},
            "settings": [each.to_json() for each in self.settings],
            "notes": list(self.notes),
            "caveats": [caveat.to_json() for caveat in self.caveats],
            "sandbox": self.backend,
            "runtime": self.description,
            "python": self.interpreter.to_json() if self.interpreter else None,
            "machine": machine(),
        }


def compare(
    old: Target,
    new: Target,
    options: ImproveOptions,
    session: Session,
    *,
    own_code_only: bool = True,
    programs: tuple[Program, Program] | None = None,
) -> PairResult:
    """Compare two programs, or two functions. Raises CodeoptError, SandboxError.

    programs: what the two files are taken to hold; None: what they hold.
    """
    kind = kind_of(old, options)
    first, second = programs or (kind.read(old), kind.read(new))
    options, interpreter = session.find_interpreter(options, new.path)
    rule = StoppingRule(max_pairs=options.max_pairs, clock=options.clock, enough_seconds=ENOUGH_S)
    request = WorkloadRequest(
        old, first, options, session, rule, own_code_only=own_code_only, other=new, other_program=second,
        interpreter=interpreter,
    )  # fmt: skip
    with kind.open_workload(request) as opened:
        found = _compared(opened, request)
        sandbox = opened.sandbox
        return replace(found, backend=sandbox.backend, description=sandbox.description, interpreter=interpreter)


def why_wrong(request: WorkloadRequest, source: str) -> str:
    """Why another text of a target's file is not right for the target: a case or call that is answered otherwise, a
    test that fails. Empty when it is. Raises CodeoptError, SandboxError."""
    with kind_of(request.target, request.options).open_workload(request) as opened:
        judge = Judge(opened.measure(), notify=request.session.console.progress)
        wrong = why(judge.check(source, "another text of the file"))
        return wrong or judge.workload.check(source, Stage.ROUND).rejection


def _compared(opened: OpenTarget, request: WorkloadRequest) -> PairResult:
    notify, strict = request.session.console.progress, request.options.strict
    try:
        workload = opened.measure()
    except NotVerifiable as error:
        return PairResult(PairVerdict.NOT_VERIFIED, str(error), facts={"shortfalls": as_rows(error.shortfalls)})
    candidate = _checked(Judge(workload, notify=notify, strict=strict), opened.other)
    if candidate.correct:
        try:
            judge = Judge(workload.timed(), notify=notify, strict=strict)
            workload = judge.workload
            candidate = judge.time(candidate, request.options.seed)
        except NotVerifiable as error:
            return PairResult(PairVerdict.NOT_VERIFIED, f"no call differs, but {error}", facts=workload.facts())
    return _verdict(workload, candidate, notify)


def _checked(judge: Judge, source: str) -> Candidate:
    """The checked candidate; one that was stopped for taking too long is checked once more: it may have been the
    machine."""
    found = judge.check(source, "the new one")
    return found if judge.workload.bound(found) is None else judge.check(source, "the new one")


def _verdict(workload: Workload, candidate: Candidate, notify: Callable[[str], None]) -> PairResult:
    facts, comparison = workload.facts(), candidate.comparison
    notes = tuple(f"NEW newly uses {name}" for name in newly_touched(candidate.source, workload.baseline.source))
    bound = workload.bound(candidate)
    wrong = why(candidate)
    if bound is not None:
        return PairResult(PairVerdict.SLOWER, wrong, bound=bound, facts=facts, notes=notes)
    if wrong or comparison is None:
        return PairResult(PairVerdict.REJECTED, wrong, facts=facts, notes=notes, settings=candidate.settings)
    decided = comparison.decision in (Decision.FASTER, Decision.SLOWER)
    verdict = PairVerdict(comparison.decision) if decided else PairVerdict.SAME
    growth = Judge(workload, notify=notify).growth(candidate.source) or UNKNOWN
    return PairResult(
        verdict, comparison.reason, comparison, None, growth, (*notes, *candidate.notes), candidate.caveats, facts
    )
