"""OLD against NEW, both written by a person: is NEW right, is it faster, by how much, and how sure are we?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.machine import machine
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TargetFiles
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.comparison_progress import said_of_long_runs
from codeopt.engine.guards.forbidden import newly_touched
from codeopt.engine.judge import Judge
from codeopt.engine.limit import answered, with_limit
from codeopt.report.result import why
from codeopt.workloads import OpenTarget, Workload, WorkloadRequest, kind_of
from codeopt.workloads.function.corpus.corpus import NotVerifiable
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.growth import UNKNOWN, GrowthPair
from codeopt_sandbox.limit_test import LimitAnswer, LimitTest
from codeopt_sandbox.outcome import ChangedSetting

if TYPE_CHECKING:
    from codeopt.report.answers import CompareJson

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
    interrupted: bool = False
    """A signal came when NEW was known to be right: what was left, timing or growth, is not known."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that NEW leaves changed and OLD does not: why it is rejected."""

    limit: LimitTest | None = None
    """Answer about the limit that was asked about; None where there is none."""

    @property
    def breaks_limit(self) -> bool:
        """Slower by more than the limit, with confidence."""
        return self.limit is not None and self.limit.answer is LimitAnswer.BROKEN

    @property
    def exit_status(self) -> int:
        """1: NEW is wrong or breaks the limit. 5: that cannot be told. 0: neither."""
        if self.verdict is PairVerdict.REJECTED or self.breaks_limit:
            return 1
        unknown = self.limit is not None and self.limit.answer is LimitAnswer.UNKNOWN
        return ProgramError.exit_status if unknown or self.verdict is PairVerdict.NOT_VERIFIED else 0

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt compare --json` prints; fields may be added."""
        return answer(self).to_json()


def answer(found: PairResult) -> CompareJson:
    """The object that `codeopt compare --json` prints."""
    from codeopt.report import answer_fields as fields
    from codeopt.report.answers import CompareJson, GrowthFields, LimitFields

    facts = {"evidence": None, "timed": None, "shortfalls": (), **found.facts}
    for name in ("calls_text", "remarks"):
        facts.pop(name, None)
    facts["shortfalls"] = fields.DiagnosticFields.each(facts["shortfalls"])
    return CompareJson(
        schema="codeopt.compare/1",
        verdict=found.verdict.value,
        reason=found.reason,
        **_figures(found),
        limit=LimitFields.maybe(found.limit),
        growth=GrowthFields.of(found.growth),
        **facts,
        settings=fields.SettingFields.each(found.settings),
        notes=list(found.notes),
        caveats=fields.CaveatFields.each(found.caveats),
        sandbox=found.backend,
        runtime=found.description,
        python=fields.PythonFields.maybe(found.interpreter),
        machine=fields.MachineFields.of(machine()),
    )


def _figures(found: PairResult) -> dict[str, Any]:
    """Figures of the timed pairs; only the bound where NEW was given up."""
    if found.bound is not None:
        return {"ratio": found.bound, "ci_low": None, "ci_high": found.bound, "pairs": 0, "clock": "wall"}
    if found.comparison is None or found.verdict is PairVerdict.REJECTED:
        return {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    from codeopt.report import answer_fields as fields

    return dict(fields.SpeedupFields.of(found.comparison))


def compare(
    old: Target,
    new: Target,
    options: ImproveOptions,
    session: Session,
    *,
    own_code_only: bool = True,
    programs: tuple[TargetFiles, TargetFiles] | None = None,
    limit: float | None = None,
) -> PairResult:
    """Compare two programs, or two functions. Raises CodeoptError, SandboxError.

    limit: largest allowed increase of time, as a share, which is tested as well; None: there is none.
    programs: what the two files are taken to hold; None: what they hold.
    """
    kind = kind_of(old, options)
    first, second = programs or (kind.read(old), kind.read(new))
    options, interpreter = _interpreter(options, session, (old.path, new.path))
    rule = StoppingRule(max_pairs=options.max_pairs, clock=options.clock, enough_seconds=ENOUGH_S)
    if options.min_gain is not None:
        rule = replace(rule, worth_having=1 + options.min_gain)
    request = WorkloadRequest(
        old, first, options, session, with_limit(rule, limit), own_code_only=own_code_only, other=new,
        other_program=second, interpreter=interpreter, first_look=_refuser(session.console.progress),
    )  # fmt: skip
    with kind.open_workload(request) as opened:
        found = _compared(opened, request)
        sandbox = opened.sandbox
        found = replace(found, backend=sandbox.backend, description=sandbox.description, interpreter=interpreter)
    return replace(found, limit=answered(limit, found.comparison, found.bound))


def _interpreter(
    options: ImproveOptions, session: Session, places: Sequence[Path]
) -> tuple[ImproveOptions, Interpreter | None]:
    """The Python of the first of some places that has one: NEW is a version of what OLD is. Raises UsageError."""
    for place in places:
        found = session.find_interpreter(options, place)
        if found[1] is None or found[1].origin is not Origin.OWN:
            return found
    return found


def why_wrong(request: WorkloadRequest, draft: Revision) -> str:
    """Why another text of a target's file is not right for the target: a case or call that is answered otherwise, a
    test that fails. Empty when it is. Raises CodeoptError, SandboxError."""
    with kind_of(request.target, request.options).open_workload(request) as opened:
        judge = Judge(opened.measure(), notify=request.session.console.progress)
        return why(judge.check(draft, "another text of the file"))


AT_ONCE = "refused by the first known calls: no more were made up, and no test was run"
"""Note on a verdict that needed no more."""


class _WrongAtOnce(Exception):
    """NEW answers one of the first known calls otherwise: nothing else need be asked."""

    def __init__(self, workload: Workload, candidate: Candidate) -> None:
        super().__init__(workload, candidate)
        self.workload, self.candidate = workload, candidate


def _refuser(notify: Callable[[str], None]) -> Callable[[Workload, Revision], None]:
    """A first look that raises _WrongAtOnce. What only took too long is left to the whole judgement."""

    def look(workload: Workload, draft: Revision) -> None:
        found = Judge(workload, notify=notify).known(draft, "the new one")
        if not found.correct and workload.bound(found) is None:
            raise _WrongAtOnce(workload, found)

    return look


def _compared(opened: OpenTarget, request: WorkloadRequest) -> PairResult:
    notify, strict = request.session.console.progress, request.options.strict
    try:
        workload = opened.measure()
    except _WrongAtOnce as wrong:
        found = _verdict(wrong.workload, wrong.candidate, notify)
        return replace(found, notes=(*found.notes, AT_ONCE))
    except NotVerifiable as error:
        return PairResult(PairVerdict.NOT_VERIFIED, str(error), facts={"shortfalls": error.shortfalls})
    assert opened.other is not None  # the request names one
    candidate = _checked(Judge(workload, notify=notify, strict=strict), opened.other)
    if candidate.correct:
        try:
            judge = Judge(workload.timed(), notify=notify, strict=strict)
            workload = judge.workload
            if said := said_of_long_runs(workload.plan, workload.rule.final()):
                request.session.console.print(said)
            candidate = judge.time(candidate, request.options.seed)
        except KeyboardInterrupt:
            known = "interrupted before it was timed: NEW is right on all that was tried"
            return replace(_not_timed(workload, candidate, known), interrupted=True)
        except (OriginalUnsteady, NotVerifiable) as error:
            return _not_timed(workload, candidate, f"nothing differs, but {error}")
    return _verdict(workload, candidate, notify)


def _not_timed(workload: Workload, candidate: Candidate, reason: str) -> PairResult:
    """NEW is right on all that was tried, and was not timed."""
    facts = workload.facts()
    notes = (*facts.get("remarks", ()), *candidate.notes)
    return PairResult(PairVerdict.NOT_VERIFIED, reason, facts=facts, notes=notes, caveats=candidate.caveats)


def _checked(judge: Judge, draft: Revision) -> Candidate:
    """The checked candidate; one that was stopped for taking too long is checked once more: it may have been the
    machine."""
    found = judge.check(draft, "the new one")
    return found if judge.workload.bound(found) is None else judge.check(draft, "the new one")


def _verdict(workload: Workload, candidate: Candidate, notify: Callable[[str], None]) -> PairResult:
    facts, comparison = workload.facts(), candidate.comparison
    notes = tuple(facts.get("remarks", ()))
    notes += tuple(f"NEW newly uses {name}" for name in newly_touched(candidate.revision, workload.baseline.revision))
    bound = workload.bound(candidate)
    wrong = why(candidate)
    if bound is not None:
        return PairResult(PairVerdict.SLOWER, wrong, bound=bound, facts=facts, notes=notes)
    if wrong or comparison is None:
        return PairResult(PairVerdict.REJECTED, wrong, facts=facts, notes=notes, settings=candidate.settings)
    decided = comparison.decision in (Decision.FASTER, Decision.SLOWER)
    verdict = PairVerdict(comparison.decision) if decided else PairVerdict.SAME
    found = PairResult(
        verdict, comparison.reason, comparison, None, UNKNOWN, (*notes, *candidate.notes), candidate.caveats, facts
    )
    try:
        return replace(found, growth=Judge(workload, notify=notify).growth(candidate.revision) or UNKNOWN)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
