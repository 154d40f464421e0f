"""The parts that the answers of several commands share: each is built from what the house measured, then dumped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter

from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.task_score import TaskScore
from codeopt.core.words import Speedup
from codeopt.report.outcomes import SCREENED, About, FailureKind, failure_of, is_screened, verdict_of, why
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import ChangedSetting

T = TypeVar("T")
SERIALIZED = ConfigDict(
    extra="allow", from_attributes=True, ser_json_inf_nan="constants", serialize_by_alias=True,
    use_attribute_docstrings=True,
)  # fmt: skip
"""Rules by which each answer and each part of one becomes JSON: a part is any frozen dataclass of the house."""
Rounded = Annotated[float, PlainSerializer(lambda value: round(value, 4), return_type=float)]
Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]
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


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(tuple[kind], config=SERIALIZED)  # pydantic refuses a config for a bare dataclass


def serialize(part: Any) -> Any:
    """A frozen dataclass as the JSON of an answer has it."""
    return _adapter(cast(Hashable, type(part))).dump_python((part,), mode="json")[0]


def read(kind: type[T], found: Any) -> T:
    """The part that was dumped. Raises pydantic.ValidationError for anything else."""
    part: T = _adapter(cast(Hashable, kind)).validate_python((found,))[0]
    return part


class AnswerFields(BaseModel):
    """One object; fields may be added. It is built from keywords or from JSON."""

    model_config = SERIALIZED

    def to_json(self) -> dict[str, Any]:
        """The fields that were given, as they are printed and saved."""
        return self.model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True, kw_only=True)
class AnswerPart:
    """A part of an answer that is shown in another form than it was measured in."""

    @classmethod
    def of(cls, found: Any) -> Self:
        """The part that says `found`, by the attributes of the same names."""
        return cls(**{each.name: getattr(found, each.name) for each in fields(cls)})

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


@dataclass(frozen=True, kw_only=True)
class CaseFields(AnswerPart):
    """One timed case."""

    case: str
    ratio: Rounded
    before: float
    """Median of the original's timed pairs, in `unit` of the comparison."""
    after: float
    """The same of the new version."""


@dataclass(frozen=True, kw_only=True)
class SpeedupFields(AnswerPart):
    """The figures of one comparison, with its metric and method."""

    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int
    """Timed pairs of runs."""
    before: float | None = None
    """Median of the original's timed pairs, in `unit`."""
    after: float | None = None
    """The same of the new version."""
    unit: Literal["s", "bytes"] = "s"
    confidence: float
    """Confidence of the interval, 0 to 1."""
    metric: Literal["cpu", "wall", "memory"]
    """memory: the ratio is of peaks, not of times."""
    method: str
    sandbox_instances: int = 1
    """Fresh guests that the pairs come from; the interval holds what they differ in."""
    cases: tuple[CaseFields, ...]

    @classmethod
    def of(cls, found: Comparison) -> Self:
        """A comparison's figures; an end of the interval that is not known is null."""
        return cls(**_figures(found))

    @classmethod
    def maybe(cls, found: Comparison | None) -> Self | None:
        """Return the figures. None if nothing was compared."""
        return None if found is None else cls.of(found)

    @property
    def figures(self) -> Speedup:
        """The figures as they are written for people."""
        return Speedup.from_json(vars(self))


def _figures(found: Comparison) -> dict[str, Any]:
    passes = 1 if found.metric == "memory" else found.passes
    return {
        "ratio": round(found.ratio, 4),
        "ci_low": round(found.ci_low, 4) if found.ci_low > 0 else None,
        "ci_high": round(found.ci_high, 4) if math.isfinite(found.ci_high) else None,
        "confidence": found.confidence,
        "pairs": found.pairs,
        "before": found.before,
        "after": found.after,
        "unit": "bytes" if found.metric == "memory" else "s",
        "metric": found.metric,
        "method": found.method,
        "sandbox_instances": found.guests,
        "cases": tuple(
            CaseFields(case=case.case, ratio=case.ratio, before=case.before / passes, after=case.after / passes)
            for case in found.cases
            if case.original
        ),
    }


@dataclass(frozen=True, kw_only=True)
class AgainstBestFields(SpeedupFields):
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


def scored(found: TaskScore | None) -> dict[str, Any]:
    """The fields of ScoredFields; those of a task whose measure is the speedup are empty."""
    if found is None:
        return {"task_score": None, "task_measures": ()}
    return {"task_score": TaskScoreFields.of(found), "task_measures": MeasureFields.each(found.measures)}


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
    speedup: SpeedupFields | None
    against_best: AgainstBestFields | None
    critique: str
    hot_lines: tuple[HotLineFields, ...]

    @classmethod
    def of(cls, found: Candidate) -> Self:
        (decision, about), best, screened = verdict_of(found), found.against_best, is_screened(found)
        return cls(
            round=found.round,
            verdict=SCREENED if screened else decision,
            inconclusive_about=None if screened else about,
            failure=failure_of(found),
            summary=found.summary,
            changes=found.changes,
            ablations=dict(found.ablation),
            turn=found.turn,
            parents=found.parents,
            chain=found.chain,
            model=found.model or None,
            siblings=tuple(SiblingFields(round=number, relative_time=ratio) for number, ratio in found.siblings),
            effort=found.effort.to_json(),
            rejection=why(found),
            settings=found.settings,
            verdicts=dict(Counter(str(outcome.verdict) for outcome in found.outcomes)),
            speedup=SpeedupFields.maybe(found.comparison),
            against_best=AgainstBestFields(round=best.round, **_figures(best.comparison)) if best else None,
            **scored(found.task_score),
            critique=found.critique,
            hot_lines=HotLineFields.each(found.profile.lines[:5] if found.profile else ()),
        )
