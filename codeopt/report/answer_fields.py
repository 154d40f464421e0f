"""The parts that the answers of several commands share: each is built from what the house measured, then dumped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter

from codeopt.core.evidence import PatchEvidence
from codeopt.core.history import Candidate, TaskScore, TestsRun
from codeopt.core.interpreter import Interpreter
from codeopt.core.words import Speedup
from codeopt.report.verdict import (
    SCREENED,
    About,
    FailureKind,
    Verdict,
    failure_of,
    is_screened,
    so_far,
    verdict_of,
    why,
)
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import ChangedSetting

T = TypeVar("T")
SERIALIZED = ConfigDict(
    extra="allow", from_attributes=True, ser_json_inf_nan="constants", serialize_by_alias=True,
    use_attribute_docstrings=True,
)  # fmt: skip
"""Rules by which each answer and each part of one becomes JSON: a part is any frozen dataclass of the house."""
Rounded = Annotated[float, PlainSerializer(lambda value: round(value, 4), return_type=float)]
Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]
Outcome = Annotated[
    Decision,
    Field(
        description="wrong: it does something else, `reason` has the input, what was expected and what came. "
        "same: right, and as fast"
    ),
]
InconclusiveAbout = Annotated[
    About | None,
    Field(
        description="Of `inconclusive`. result: it could not be judged to the end. speed: it is right, and its pairs "
        "could not decide. null: of any other verdict"
    ),
]
TimedCommand = Annotated[str, Field(description="`the command`, or the larger one that is timed as it is too short")]
HotRegion = Annotated[
    dict[str, Any] | None,
    Field(description="Apart from start and imports: OLD's apart_s and whole_s, ratio, ci_low, ci_high, or why_not"),
]
Rows = list[dict[str, Any]]
_OF_EVIDENCE = ("timed", "timed_sizes", "input_seed", "libraries")
"""Fields of WorkloadEvidence that have the same names in an answer."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(tuple[kind], config=SERIALIZED)  # pydantic refuses a config for a bare dataclass


def serialize(part: Any) -> Any:
    """A frozen dataclass as the JSON of an answer has it."""
    return _adapter(cast(Hashable, type(part))).dump_python((part,), mode="json")[0]


def read(kind: type[T], dumped: Any) -> T:
    """The part that was dumped. Raises pydantic.ValidationError for anything else."""
    part: T = _adapter(cast(Hashable, kind)).validate_python((dumped,))[0]
    return part


class AnswerFields(BaseModel):
    """One object; fields may be added. It is built from keywords or from JSON."""

    model_config = ConfigDict(**SERIALIZED, defer_build=True)  # all answers' schemas take half a second

    def to_json(self) -> dict[str, Any]:
        """The fields that were given, as they are printed and saved."""
        return self.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True, kw_only=True)
class AnswerPart:
    """A part of an answer that is shown in another form than it was measured in."""

    @classmethod
    def of(cls, value: Any) -> Self:
        """The part that shows `value`, by the attributes of the same names."""
        return cls(**{field.name: getattr(value, field.name) for field in fields(cls)})

    @classmethod
    def each(cls, found: Iterable[Any]) -> tuple[Self, ...]:
        """The parts of several values, in order."""
        return tuple(map(cls.of, found))


@dataclass(frozen=True, kw_only=True)
class PythonFields(AnswerPart):
    """The interpreter that ran the programs."""

    path: str
    version: str | None
    pytest: str | None
    origin: str

    @classmethod
    def maybe(cls, found: Interpreter | None) -> PythonFields | None:
        """Return the interpreter. None if it was an image's own, or if nothing was run."""
        if found is None:
            return None
        return cls(path=found.path, version=found.version, pytest=found.pytest_version, origin=found.origin)


@dataclass(frozen=True, kw_only=True)
class MachineFields(AnswerPart):
    """The machine that was measured on; a ratio from one is no promise for another."""

    cpu: str
    cores: int
    system: str
    python: str


def figures(speedup: Speedup | None) -> dict[str, Any]:
    """The fields of a comparison's figures; only the bound where the new version was given up."""
    if speedup is None:
        return {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    known = vars(speedup)
    return known if speedup.pairs else {name: known[name] for name in ("ratio", "ci_low", "ci_high", "pairs", "metric")}


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """The fields of a verdict and its evidence that the answers of all commands share, by the names of the schema."""
    evidence = verdict.evidence
    return {
        "verdict": verdict.outcome,
        "inconclusive_about": verdict.about,
        "reason": verdict.reason,
        "caveats": verdict.caveats,
        "notes": verdict.notes,
        "evidence": serialize(evidence.checked) if evidence.checked else None,
        "tests": evidence.cases,
        "diagnostics": evidence.gaps,
        **{name: getattr(evidence, name) for name in _OF_EVIDENCE},
        **(vars(evidence.command) if evidence.command else {}),
    }


def read_verdict(answer: Mapping[str, Any]) -> Verdict:
    """The verdict in an object of `codeopt improve --json`. Raises ValueError or KeyError for another object."""
    command = {field.name: answer[field.name] for field in fields(PatchEvidence) if field.name in answer}
    evidence = {
        "checked": answer["evidence"],
        "cases": answer["tests"],
        "gaps": answer["diagnostics"],
        "command": command if command.get("command") else None,
        **{name: answer[name] for name in _OF_EVIDENCE},
    }
    known = {name: answer[name] for name in ("reason", "speedup", "caveats", "notes")}
    known |= {"outcome": answer["verdict"], "about": answer["inconclusive_about"], "evidence": evidence}
    return read(Verdict, {**known, "by_size": answer.get("by_size", {})})  # no run before 0.1.0 has them


@dataclass(frozen=True, kw_only=True)
class AgainstBestFields(Speedup):
    """A draft against the best one before it."""

    round: int
    """The round of the best one before it."""


@dataclass(frozen=True, kw_only=True)
class HotLineFields(AnswerPart):
    """One hot line of a result."""

    line: int
    share: Rounded
    """Share of the time, 0 to 1."""
    text: str
    place: str = ""
    """`file.py:12`, if the result has several files; else empty."""


@dataclass(frozen=True, kw_only=True)
class HotFunctionFields(AnswerPart):
    """One function of a profile."""

    name: str
    line: int
    share: float
    hits: int | None
    """Calls; null: not counted."""
    cut: bool = False
    """Counting was cut: the number is a lower bound."""


@dataclass(frozen=True, kw_only=True)
class ScoreFields(AnswerPart):
    """The score on the task's own scale."""

    name: str
    before: Rounded
    after: Rounded


@dataclass(frozen=True, kw_only=True)
class MeasureFields(ScoreFields):
    """One figure that a score is made of."""

    unit: str


@dataclass(frozen=True, kw_only=True)
class TaskScoreFields(ScoreFields):
    """The score of a candidate, and the other thing that decided."""

    remark: str


@dataclass(frozen=True, kw_only=True)
class ScoredFields(AnswerPart):
    """A task's own score of a draft, in addition to its speedup."""

    task_score: TaskScoreFields | None
    task_measures: tuple[MeasureFields, ...]


def scored(score: TaskScore | None) -> dict[str, Any]:
    """The fields of ScoredFields; those of a task whose measure is the speedup are empty."""
    if score is None:
        return {"task_score": None, "task_measures": ()}
    return {"task_score": TaskScoreFields.of(score), "task_measures": MeasureFields.each(score.measures)}


@dataclass(frozen=True, kw_only=True)
class SiblingFields(AnswerPart):
    """Another draft of the same critique."""

    round: int
    relative_time: float
    """Time of the sibling relative to this draft's."""


@dataclass(frozen=True, kw_only=True)
class RoundFields(ScoredFields):
    """One draft, judged."""

    round: int
    verdict: Decision | Literal["screened"]
    """screened: right, and timed only next to other drafts."""
    inconclusive_about: InconclusiveAbout
    failure: FailureKind | None
    """Kind of failure. guard: its results are right, and a guard rejects it; `rejection` says why."""
    summary: str
    changes: tuple[str, ...]
    ablations: Mapping[str, float]
    """Time without each change, relative to this draft."""
    turn: int
    parents: tuple[int, ...]
    chain: int
    model: str | None
    siblings: tuple[SiblingFields, ...]
    effort: Mapping[str, float]
    rejection: str
    """Why it is wrong or rejected; empty for others."""
    settings: tuple[ChangedSetting, ...]
    verdicts: Mapping[str, int]
    speedup: Speedup | None
    against_best: AgainstBestFields | None
    critique: str
    hot_lines: tuple[HotLineFields, ...]
    unfinished: str
    """What is known of one that was not judged to its end; empty for others."""
    project_tests: TestsRun | None
    """Test files of the project and tests that passed so far; null if none was asked for."""
    diff: str
    """To the original."""

    @classmethod
    def of(cls, candidate: Candidate, diff: str = "") -> Self:
        (decision, about), best, screened = verdict_of(candidate), candidate.against_best, is_screened(candidate)
        return cls(
            round=candidate.round,
            verdict=SCREENED if screened else decision,
            inconclusive_about=None if screened else about,
            failure=failure_of(candidate),
            summary=candidate.summary,
            changes=candidate.changes,
            ablations=dict(candidate.ablation),
            turn=candidate.turn,
            parents=candidate.parents,
            chain=candidate.chain,
            model=candidate.model or None,
            siblings=tuple(SiblingFields(round=number, relative_time=ratio) for number, ratio in candidate.siblings),
            effort=candidate.effort.to_json(),
            rejection=why(candidate),
            settings=candidate.settings,
            verdicts=dict(Counter(str(outcome.verdict) for outcome in candidate.outcomes)),
            speedup=Speedup.of(candidate.comparison) if candidate.comparison else None,
            against_best=AgainstBestFields(**vars(Speedup.of(best.comparison)), round=best.round) if best else None,
            **scored(candidate.task_score),
            critique=candidate.critique,
            hot_lines=HotLineFields.each(candidate.profile.lines[:5] if candidate.profile else ()),
            unfinished=so_far(candidate) if candidate.step else "",
            project_tests=candidate.tests,
            diff=diff,
        )
