"""OLD against NEW, both written by a person: is NEW right, is it faster, by how much, and how sure are we?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.cache import machine
from codeopt.core.console import Console
from codeopt.core.errors import NotVerifiable
from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, TargetFiles
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.step_error import STEP_ERRORS, error_in_words
from codeopt.core.words import Speedup, counted
from codeopt.engine.guards.forbidden import newly_touched
from codeopt.engine.judge import Judge, answered, granted, more_pairs, said_of_long_runs
from codeopt.report.verdict import About, Verdict, why
from codeopt.workloads import OpenTarget, OtherTarget, Workload, WorkloadRequest, kind_of
from codeopt_sandbox.compare import Decision, StoppingRule
from codeopt_sandbox.outcome import Case, Outcome
from codeopt_sandbox.sequential_test import LimitAnswer

if TYPE_CHECKING:
    from codeopt.report.answers import CompareJson

ENOUGH_S = 0.1
"""Seconds that OLD takes on the timed cases: cases are added until then, so that the verdict rests on several."""


TYPICAL_TIMES: Mapping[str, float] = {"original": 1.0, "check": 0.6, "time": 1.0}
"""Stages of a comparison, with their times over that of the original's."""


@dataclass(frozen=True)
class PairResult:
    """One comparison: its verdict, and where it was made."""

    verdict: Verdict
    backend: str = ""
    description: str = ""
    interpreter: Interpreter | None = None
    """The interpreter that ran both. None if that was an image's own, or if nothing was run."""
    interrupted: bool = False
    """A signal came when NEW was known to be right: what was left of the timing is not known."""
    next_step: str = ""
    """Advice where nothing could be judged, or the pairs could not decide."""

    @staticmethod
    def not_judged(reason: str) -> PairResult:
        """NEW could not be judged to the end."""
        return PairResult(Verdict.not_judged(reason))

    @property
    def exit_status(self) -> int:
        return self.verdict.exit_status

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt compare --json` prints; fields may be added."""
        return answer(self).to_json()


def answer(found: PairResult, path: str = "", function: str = "") -> CompareJson:
    """The object that `codeopt compare --json` prints. path, function: of one of several."""
    from codeopt.report.answers import CompareJson, figures, gather_judged

    place: dict[str, Any] = {"path": path, "function": function} if path else {}
    return gather_judged(
        CompareJson,
        found.verdict,
        found,
        schema="codeopt.compare/1",
        **place,
        **figures(found.verdict.speedup),
        sandbox=found.backend,
        runtime=found.description,
        python=found.interpreter,
        machine=machine(),
    )


def compare(
    old: Target,
    new: Target,
    options: ImproveOptions,
    session: Session,
    *,
    programs: tuple[TargetFiles, TargetFiles] | None = None,
    limit: float | None = None,
    separately: Sequence[Target] = (),
) -> PairResult:
    """Compare two programs, or two functions. Raises CodeoptError, SandboxError.

    Args:
        old: The version before the change.
        new: The version after it.
        options: Options of the comparison.
        session: Console, cache, and whether smaller inputs are timed.
        programs: Contents of the two files. None: read them.
        limit: Largest allowed increase of time, as a share, which is also tested. None: no limit.
        separately: Functions of NEW's project that have a comparison of their own.
    """
    session.console.plan(tuple(TYPICAL_TIMES), TYPICAL_TIMES)
    kind = kind_of(old, options)
    first, second = programs or (kind.read(old), kind.read(new))
    options, interpreter = _interpreter(options, session, (old.path, new.path))
    rule = StoppingRule(metric=options.metric, enough_seconds=ENOUGH_S)
    if options.min_gain is not None:
        rule = replace(rule, worth_having=1 + options.min_gain)
    early = _EarlyCheck(session.console.progress)
    request = WorkloadRequest(
        old, first, options, session, granted(rule, options, limit),
        other=OtherTarget(new, second, tuple(separately), early), interpreter=interpreter,
    )  # fmt: skip
    with kind.open_workload(request) as opened:
        found, workload = _compared(opened, request, early)
        sandbox, verdict = opened.sandbox, found.verdict
        found = replace(
            found, verdict=replace(verdict, limit=answered(limit, verdict)), backend=sandbox.backend,
            description=sandbox.description, interpreter=interpreter,
        )  # fmt: skip
        found = replace(found, next_step=_next(found, request.rule))
        return _with_sizes(found, workload, opened, session.console) if workload and session.extras else found


def _next(found: PairResult, rule: StoppingRule) -> str:
    """Return advice: what is known if none was timed, else more pairs if these could not decide."""
    verdict, final = found.verdict, rule.final()
    if verdict.speedup is None or verdict.is_bound or found.interrupted:
        return found.next_step
    pairs = verdict.speedup.pairs
    if verdict.limit and verdict.limit.answer is LimitAnswer.INCONCLUSIVE and final.limit:
        return more_pairs(pairs, final.limit.max_pairs, final.limit.max_seconds)
    return more_pairs(pairs, final.max_pairs, final.max_seconds) if verdict.outcome is Decision.INCONCLUSIVE else ""


def _interpreter(
    options: ImproveOptions, session: Session, places: Sequence[Path]
) -> tuple[ImproveOptions, Interpreter | None]:
    """The Python of the first of some places that has one: NEW is a version of what OLD is. Raises UsageError."""
    for folder in dict.fromkeys(place if place.is_dir() else place.parent for place in places):
        found = session.find_interpreter(options, folder)
        if found[1] is None or found[1].origin is not Origin.OWN:
            return found
    return found


def why_wrong(request: WorkloadRequest, draft: Revision) -> str:
    """Return the reason why another text of a target's file is wrong for the target. Empty if it is right.

    The reason is a case or call with a different result, or a test that fails. Raises CodeoptError, SandboxError.
    """
    with kind_of(request.target, request.options).open_workload(request) as opened:
        judge = Judge(opened.measure(), notify=request.notify)
        return why(judge.check(draft, "another text of the file"))


AT_ONCE = "wrong on a known input: nothing else was tried"
"""Note on a verdict that needed no more."""


class _WrongEarly(Exception):
    """NEW gives another answer on a known case or call: nothing else need be asked."""

    def __init__(self, workload: Workload, candidate: Candidate) -> None:
        super().__init__(workload, candidate)
        self.workload, self.candidate = workload, candidate


@dataclass
class _EarlyCheck:
    """A first look that raises _WrongEarly. What only took too long is left to the whole judgement."""

    notify: Callable[[str], None]
    cases: tuple[Case, ...] = ()
    """Cases on which NEW is right."""
    outcomes: tuple[Outcome, ...] = ()

    def __call__(self, workload: Workload, draft: Revision) -> None:
        found = Judge(workload, notify=self.notify).known(draft, "the new one")
        if found.correct:
            self.cases, self.outcomes = workload.suite.cases, found.outcomes
        elif workload.bound(found) is None:
            raise _WrongEarly(workload, found)

    def known(self, workload: Workload) -> tuple[Outcome, ...]:
        """Return the outcomes of the first cases of the workload, as far as they are the same ones."""
        pairs = zip(self.cases, workload.suite.cases, strict=False)
        same = takewhile(lambda pair: pair[0] == pair[1], pairs)
        return tuple(outcome for _, outcome in zip(same, self.outcomes, strict=False))


def _compared(opened: OpenTarget, request: WorkloadRequest, early: _EarlyCheck) -> tuple[PairResult, Workload | None]:
    """Return the result without limit and times by size, and the workload if both were timed on it to a verdict."""
    console, strict = request.session.console, request.options.strict
    notify = console.progress
    try:
        workload = opened.measure()
    except _WrongEarly as wrong:
        found = _verdict(wrong.workload, wrong.candidate)
        return PairResult(replace(found, notes=(*found.notes, AT_ONCE))), None
    except NotVerifiable as error:
        gaps = WorkloadEvidence(gaps=error.diagnostics)
        return PairResult(Verdict.not_judged(str(error), evidence=gaps), next_step=error.hint), None
    assert opened.other is not None  # the request names one
    console.stage("check")
    candidate = _checked(Judge(workload, notify=notify, strict=strict), opened.other, early.known(workload))
    if candidate.correct:
        known = [candidate]
        try:
            console.stage("time")
            judge = Judge(workload.timed(), notify=notify, strict=strict)
            workload = judge.workload
            if said := said_of_long_runs(workload.plan, workload.rule.final()):
                console.print(said)
            candidate = judge.time(candidate, keep=known.append)
        except KeyboardInterrupt:
            timed = known[-1].comparison
            when = f"after {counted(timed.pairs, 'pair')}" if timed else "before it was timed"
            reason = f"interrupted {when}: NEW is right on all that was tried"
            return PairResult(_not_timed(workload, known[-1], reason), interrupted=True), None
        except STEP_ERRORS as error:
            return PairResult(_not_timed(workload, known[-1], f"nothing differs, but {error_in_words(error)}")), None
    verdict = _verdict(workload, candidate)
    return PairResult(verdict), None if verdict.speedup is None or verdict.is_bound else workload


def _not_timed(workload: Workload, candidate: Candidate, reason: str) -> Verdict:
    """NEW is right on all that was tried, and was not timed to a verdict."""
    known, evidence = Verdict.of(candidate, WorkloadEvidence()), workload.evidence()
    notes = (*evidence.remarks, *known.notes)
    known = replace(known, outcome=Decision.INCONCLUSIVE, about=About.RESULT, reason=reason)
    return replace(known, evidence=evidence, notes=notes)


def _checked(judge: Judge, draft: Revision, known: tuple[Outcome, ...]) -> Candidate:
    """The checked candidate; one that was stopped for taking too long is checked once more: it may have been the
    machine. known: outcomes of the known cases, where they were run before."""
    found = judge.check(draft, "the new one", known=known)
    return found if judge.workload.bound(found) is None else judge.check(draft, "the new one")


def _verdict(workload: Workload, candidate: Candidate) -> Verdict:
    evidence, bound = workload.evidence(), workload.bound(candidate)
    notes = evidence.remarks
    notes += tuple(f"NEW newly uses {name}" for name in newly_touched(candidate.revision, workload.baseline.revision))
    if bound is None:
        return Verdict.of(candidate, evidence, notes=(*notes, *candidate.notes))
    figures = Speedup(bound, None, bound, 0, "wall")
    return Verdict(Decision.SLOWER, why(candidate), speedup=figures, notes=notes, evidence=evidence)


def _with_sizes(found: PairResult, workload: Workload, opened: OpenTarget, console: Console) -> PairResult:
    verdict = found.verdict
    assert opened.other is not None
    assert verdict.speedup is not None
    console.stage("")
    try:
        by_size = Judge(workload, notify=console.progress).by_size(opened.other, verdict.speedup)
        return replace(found, verdict=replace(verdict, by_size=by_size))
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    except STEP_ERRORS as error:
        note = f"the time of smaller inputs is not known: {error_in_words(error)}"
        return replace(found, verdict=replace(verdict, notes=(*verdict.notes, note)))
