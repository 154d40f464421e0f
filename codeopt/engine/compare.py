"""OLD against NEW, both written by a person: is NEW right, is it faster, by how much, and how sure are we?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.errors import NotVerifiable
from codeopt.core.evidence import CallEvidence, WorkloadEvidence
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.machine import machine
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TargetFiles
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.step_error import STEP_ERRORS, error_in_words
from codeopt.core.target import Target
from codeopt.core.words import counted
from codeopt.engine.comparison_progress import more_pairs, said_of_long_runs
from codeopt.engine.guards.forbidden import newly_touched
from codeopt.engine.judge import Judge
from codeopt.engine.limit import answered, granted
from codeopt.report.outcomes import LIMITS, OUTCOMES, About, verdict_of, why
from codeopt.workloads import OpenTarget, Workload, WorkloadRequest, kind_of
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule
from codeopt_sandbox.growth import UNKNOWN, GrowthPair
from codeopt_sandbox.limit_test import LimitAnswer, LimitTest
from codeopt_sandbox.outcome import ChangedSetting

if TYPE_CHECKING:
    from codeopt.report.answers import CompareJson

ENOUGH_S = 0.1
"""Seconds that OLD takes on the timed cases: cases are added until then, so that the verdict rests on several."""


@dataclass(frozen=True)
class PairResult:
    """One comparison."""

    verdict: Decision
    reason: str = ""
    inconclusive_about: About | None = None
    """Subject of an inconclusive verdict. None for any other verdict."""
    comparison: Comparison | None = None
    bound: float | None = None
    """NEW was given up: an upper bound of OLD over NEW."""
    growth: GrowthPair = UNKNOWN
    notes: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    """Differences on unusual inputs."""
    evidence: WorkloadEvidence = WorkloadEvidence()
    backend: str = ""
    description: str = ""
    interpreter: Interpreter | None = None
    """The interpreter that ran both. None if that was an image's own, or if nothing was run."""
    interrupted: bool = False
    """A signal came when NEW was known to be right: what was left, timing or growth, is not known."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that NEW leaves changed and OLD does not: why it is rejected."""

    limit: LimitTest | None = None
    """Answer about the requested limit. None without a limit."""
    next_step: str = ""
    """Advice where nothing could be judged, or the pairs could not decide."""

    @property
    def judged(self) -> bool:
        """NEW was judged to the end."""
        return self.inconclusive_about is not About.RESULT

    @property
    def breaks_limit(self) -> bool:
        """Slower by more than the limit, with confidence."""
        return self.limit is not None and self.limit.answer is LimitAnswer.FAIL

    @property
    def exit_status(self) -> int:
        """Return the exit status by the tables of outcomes and limits; of both 1 counts before 5."""
        outcome = OUTCOMES[self.verdict, self.inconclusive_about].exit_status
        limit = LIMITS[self.limit.answer].exit_status if self.limit else 0
        return min(filter(None, (outcome, limit)), default=0)

    @staticmethod
    def not_judged(reason: str, **known: Any) -> PairResult:
        """NEW could not be judged to the end. known: other fields."""
        return PairResult(Decision.INCONCLUSIVE, reason, About.RESULT, **known)

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt compare --json` prints; fields may be added."""
        return answer(self).to_json()


def answer(found: PairResult, path: str = "", function: str = "") -> CompareJson:
    """The object that `codeopt compare --json` prints. path, function: of one of several."""
    from codeopt.report import answer_fields as fields
    from codeopt.report.answers import CompareJson

    place: dict[str, Any] = {"path": path, "function": function} if path else {}
    return CompareJson(
        schema="codeopt.compare/1",
        **place,
        verdict=found.verdict,
        inconclusive_about=found.inconclusive_about,
        reason=found.reason,
        **_figures(found),
        limit=found.limit,
        growth=found.growth,
        **_evidence(found.evidence),
        settings=found.settings,
        notes=found.notes,
        caveats=found.caveats,
        sandbox=found.backend,
        runtime=found.description,
        python=fields.PythonFields.maybe(found.interpreter),
        machine=fields.read(fields.MachineFields, machine()),
        next_step=found.next_step,
    )


def _evidence(found: WorkloadEvidence) -> dict[str, Any]:
    """The fields of the evidence; those of another kind of target are left out."""
    from codeopt.report.answer_fields import serialize

    known: dict[str, Any] = {"evidence": serialize(found.checked) if found.checked else None, "timed": found.timed}
    if isinstance(found.checked, CallEvidence):
        known |= {"timed_sizes": found.timed_sizes, "libraries": found.libraries}
    if found.cases:
        known["tests"] = found.cases
    if found.input_seed is not None:
        known["input_seed"] = found.input_seed
    return {**known, **(vars(found.command) if found.command else {}), "diagnostics": found.gaps}


def _figures(found: PairResult) -> dict[str, Any]:
    """Figures of the timed pairs; only the bound where NEW was given up."""
    if found.bound is not None:
        return {"ratio": found.bound, "ci_low": None, "ci_high": found.bound, "pairs": 0, "metric": "wall"}
    if found.comparison is None or found.verdict is Decision.WRONG:
        return {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    from codeopt.report import answer_fields as fields

    return vars(fields.SpeedupFields.of(found.comparison))


def compare(
    old: Target,
    new: Target,
    options: ImproveOptions,
    session: Session,
    *,
    own_code_only: bool = True,
    programs: tuple[TargetFiles, TargetFiles] | None = None,
    limit: float | None = None,
    beside: Sequence[Target] = (),
) -> PairResult:
    """Compare two programs, or two functions. Raises CodeoptError, SandboxError.

    limit: largest allowed increase of time, as a share, which is also tested. None: no limit. programs: contents to use
    for the two files. None: read them. beside: functions of NEW's project that are compared on their own.
    """
    kind = kind_of(old, options)
    first, second = programs or (kind.read(old), kind.read(new))
    options, interpreter = _interpreter(options, session, (old.path, new.path))
    rule = StoppingRule(metric=options.metric, enough_seconds=ENOUGH_S)
    if options.min_gain is not None:
        rule = replace(rule, worth_having=1 + options.min_gain)
    request = WorkloadRequest(
        old, first, options, session, granted(rule, options, limit), own_code_only=own_code_only,
        other=new, other_program=second, beside=tuple(beside), interpreter=interpreter,
        early_check=_early_check(session.console.progress),
    )  # fmt: skip
    with kind.open_workload(request) as opened:
        found = _compared(opened, request)
        sandbox = opened.sandbox
        found = replace(found, backend=sandbox.backend, description=sandbox.description, interpreter=interpreter)
    found = replace(found, limit=answered(limit, found.comparison, found.bound))
    return replace(found, next_step=_next(found, request.rule))


def _next(found: PairResult, rule: StoppingRule) -> str:
    """Return advice: what is known if none was timed, else more pairs if these could not decide."""
    timed, final = found.comparison, rule.final()
    if timed is None or found.bound is not None or found.interrupted:
        return found.next_step
    if found.limit and found.limit.answer is LimitAnswer.INCONCLUSIVE and final.limit:
        return more_pairs(timed, final.limit.max_pairs, final.limit.max_seconds)
    return more_pairs(timed, final.max_pairs, final.max_seconds) if timed.decision is Decision.INCONCLUSIVE else ""


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
    """Return the reason why another text of a target's file is wrong for the target. Empty if it is right.

    The reason is a case or call with a different result, or a test that fails. Raises CodeoptError, SandboxError.
    """
    with kind_of(request.target, request.options).open_workload(request) as opened:
        judge = Judge(opened.measure(), notify=request.session.console.progress)
        return why(judge.check(draft, "another text of the file"))


AT_ONCE = "wrong on a known input: nothing else was tried"
"""Note on a verdict that needed no more."""


class _WrongEarly(Exception):
    """NEW gives another answer on a known case or call: nothing else need be asked."""

    def __init__(self, workload: Workload, candidate: Candidate) -> None:
        super().__init__(workload, candidate)
        self.workload, self.candidate = workload, candidate


def _early_check(notify: Callable[[str], None]) -> Callable[[Workload, Revision], None]:
    """A first look that raises _WrongAtOnce. What only took too long is left to the whole judgement."""

    def look(workload: Workload, draft: Revision) -> None:
        found = Judge(workload, notify=notify).known(draft, "the new one")
        if not found.correct and workload.bound(found) is None:
            raise _WrongEarly(workload, found)

    return look


def _compared(opened: OpenTarget, request: WorkloadRequest) -> PairResult:
    notify, strict = request.session.console.progress, request.options.strict
    try:
        workload = opened.measure()
    except _WrongEarly as wrong:
        found = _verdict(wrong.workload, wrong.candidate, notify)
        return replace(found, notes=(*found.notes, AT_ONCE))
    except NotVerifiable as error:
        return PairResult.not_judged(
            str(error), next_step=error.hint, evidence=WorkloadEvidence(gaps=error.diagnostics)
        )
    assert opened.other is not None  # the request names one
    candidate = _checked(Judge(workload, notify=notify, strict=strict), opened.other)
    if candidate.correct:
        known = [candidate]
        try:
            judge = Judge(workload.timed(), notify=notify, strict=strict)
            workload = judge.workload
            if said := said_of_long_runs(workload.plan, workload.rule.final()):
                request.session.console.print(said)
            candidate = judge.time(candidate, request.options.seed, known.append)
        except KeyboardInterrupt:
            timed = known[-1].comparison
            when = f"after {counted(timed.pairs, 'pair')}" if timed else "before it was timed"
            reason = f"interrupted {when}: NEW is right on all that was tried"
            return replace(_not_timed(workload, known[-1], reason), interrupted=True)
        except STEP_ERRORS as error:
            return _not_timed(workload, known[-1], f"nothing differs, but {error_in_words(error)}")
    return _verdict(workload, candidate, notify)


def _not_timed(workload: Workload, candidate: Candidate, reason: str) -> PairResult:
    """NEW is right on all that was tried, and was not timed to a verdict."""
    evidence = workload.evidence()
    notes = (*evidence.remarks, *candidate.notes)
    return PairResult.not_judged(
        reason, comparison=candidate.comparison, notes=notes, caveats=candidate.caveats, evidence=evidence
    )


def _checked(judge: Judge, draft: Revision) -> Candidate:
    """The checked candidate; one that was stopped for taking too long is checked once more: it may have been the
    machine."""
    found = judge.check(draft, "the new one")
    return found if judge.workload.bound(found) is None else judge.check(draft, "the new one")


def _verdict(workload: Workload, candidate: Candidate, notify: Callable[[str], None]) -> PairResult:
    evidence, comparison = workload.evidence(), candidate.comparison
    notes = evidence.remarks
    notes += tuple(f"NEW newly uses {name}" for name in newly_touched(candidate.revision, workload.baseline.revision))
    bound = workload.bound(candidate)
    wrong = why(candidate)
    if bound is not None:
        return PairResult(Decision.SLOWER, wrong, bound=bound, evidence=evidence, notes=notes)
    if wrong or comparison is None:
        return PairResult(
            Decision.WRONG, wrong, notes=(*notes, *candidate.notes), caveats=candidate.caveats, evidence=evidence,
            settings=candidate.settings,
        )  # fmt: skip
    verdict, about = verdict_of(candidate)
    found = PairResult(
        verdict, comparison.reason, about, comparison, notes=(*notes, *candidate.notes), caveats=candidate.caveats,
        evidence=evidence,
    )  # fmt: skip
    try:
        return replace(found, growth=Judge(workload, notify=notify).growth(candidate.revision) or UNKNOWN)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    except STEP_ERRORS as error:
        return replace(found, notes=(*found.notes, f"how the time grows is not known: {error_in_words(error)}"))
