"""The parts that the answers of several commands share: each is built from what the house measured, then dumped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.task_score import TaskScore
from codeopt.report.outcomes import SCREENED, About, FailureKind, failure_of, is_screened, verdict_of, why
from codeopt_sandbox.caveat import Caveat, CaveatKind, Tier
from codeopt_sandbox.compare import Comparison, Decision

Rounded = Annotated[float, AfterValidator(lambda value: round(value, 4))]
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


class AnswerFields(BaseModel):
    """One object; fields may be added. It is built from keywords, from JSON, or from an object's attributes."""

    model_config = ConfigDict(
        extra="allow", from_attributes=True, ser_json_inf_nan="constants", serialize_by_alias=True
    )

    @classmethod
    def of(cls, found: Any) -> Self:
        """The answer's part that says `found`, by the attributes of the same names."""
        return cls.model_validate(found)

    @classmethod
    def each(cls, found: Iterable[Any]) -> list[Self]:
        return [cls.of(one) for one in found]

    def to_json(self) -> dict[str, Any]:
        """The fields that were given, as they are printed and saved."""
        return self.model_dump(mode="json", exclude_unset=True)


class PythonFields(AnswerFields):
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


class MachineFields(AnswerFields):
    """The machine that was measured on; a ratio from one is no promise for another."""

    cpu: str
    cores: int
    system: str
    python: str


class FiguresFields(AnswerFields):
    """The figures of one comparison."""

    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int = Field(description="Timed pairs of runs")


class CaseFields(AnswerFields):
    """One timed case."""

    case: str
    ratio: Rounded
    before: float = Field(description="Median of the original's timed pairs, in `unit` of the comparison")
    after: float = Field(description="The same of the new version")


class SpeedupFields(FiguresFields):
    """A comparison with its clock and method."""

    before: float | None = Field(None, description="Median of the original's timed pairs, in `unit`")
    after: float | None = Field(None, description="The same of the new version")
    unit: Literal["s", "bytes"] = "s"
    confidence: float = Field(description="Confidence of the interval, 0 to 1")
    metric: Literal["cpu", "wall", "memory"] = Field(description="memory: the ratio is of peaks, not of times")
    method: str
    sandbox_instances: int = Field(
        1, description="Fresh guests that the pairs come from; the interval holds what they differ in"
    )
    cases: list[CaseFields]

    @classmethod
    def of(cls, found: Comparison) -> Self:
        """A comparison's figures; an end of the interval that is not known is null."""
        return cls(**_figures(found))

    @classmethod
    def maybe(cls, found: Comparison | None) -> Self | None:
        """Return the figures. None if nothing was compared."""
        return None if found is None else cls.of(found)


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
        "cases": [
            CaseFields(case=case.case, ratio=case.ratio, before=case.before / passes, after=case.after / passes)
            for case in found.cases
            if case.original
        ],
    }


class AgainstBestFields(SpeedupFields):
    """A draft against the best one before it."""

    round: int = Field(description="The round of the best one before it")


class CaveatFields(AnswerFields):
    """One difference on an unusual input."""

    kind: str
    input: str
    expected: str
    got: str
    tier: str
    cause: str
    reproduce: str = Field(description="Python line that shows it again")
    max_float_difference: float
    count: int = Field(1, description="Number of inputs that show the same for the same reason")
    lines: list[int] = Field([], description="Lines of the original or of the change that no input runs")

    @property
    def caveat(self) -> Caveat:
        return Caveat(
            CaveatKind(self.kind), self.input, self.expected, self.got, self.cause, self.reproduce,
            tier=Tier(self.tier), max_float_difference=self.max_float_difference, count=self.count,
            lines=tuple(self.lines),
        )  # fmt: skip


class DiagnosticFields(AnswerFields):
    """Something that could not be run, looked at or made."""

    message: str
    cause: str
    hint: str


class SettingFields(AnswerFields):
    """A setting of the whole process that a draft leaves changed."""

    name: str
    before: str
    after: str
    when: str


class HotLineFields(AnswerFields):
    """One hot line of a result."""

    line: int
    share: Rounded = Field(description="Share of the time, 0 to 1")
    text: str
    place: str = Field("", description="`file.py:12`, if the result has several files, else left out")

    @classmethod
    def of(cls, found: Any) -> Self:
        """The line; its place only where it has one."""
        place = {"place": found.place} if found.place else {}
        return cls(line=found.line, share=found.share, text=found.text, **place)


class RefusalFields(AnswerFields):
    """One reason why rules left hot lines as they are."""

    reason: str
    lines: list[str] = Field(description="`12`; of a project `file.py:12`")
    rules: list[str] = Field(description="The rules that found their pattern there")

    @classmethod
    def of(cls, found: Any) -> Self:
        """The reason as a list of lines and rules."""
        return cls(reason=found.reason, lines=list(found.lines), rules=list(found.rules))


class ProfiledLineFields(AnswerFields):
    """One line of a profile."""

    line: int
    share: float = Field(description="Share of the time, 0 to 1")
    hits: int
    seconds: float
    text: str
    place: str


class HotFunctionFields(AnswerFields):
    """One function of a profile."""

    name: str
    line: int
    share: float
    hits: int | None = Field(description="Calls; null: not counted")


class MemoryLineFields(AnswerFields):
    """One line that allocated."""

    line: int
    peak_mib: float
    growth_mib: float


class ScoreFields(AnswerFields):
    """The score on the task's own scale."""

    name: str
    before: Rounded
    after: Rounded


class MeasureFields(ScoreFields):
    """One figure that a score is made of."""

    unit: str


class TaskScoreFields(ScoreFields):
    """The score of a candidate, and the other thing that decided."""

    remark: str


class ScoredFields(AnswerFields):
    """A task's own score of a draft, in addition to its speedup."""

    task_score: TaskScoreFields | None
    task_measures: list[MeasureFields]


def scored(found: TaskScore | None) -> dict[str, Any]:
    """The fields of ScoredFields; those of a task whose measure is the speedup are empty."""
    if found is None:
        return {"task_score": None, "task_measures": []}
    return {"task_score": TaskScoreFields.of(found), "task_measures": MeasureFields.each(found.measures)}


class SiblingFields(AnswerFields):
    """Another draft of the same critique."""

    round: int
    relative_time: float = Field(description="Its time relative to this draft's")


class RoundFields(ScoredFields):
    """One draft, judged."""

    round: int
    verdict: Decision | Literal["screened"] = Field(description="screened: right, and timed only next to other drafts")
    inconclusive_about: InconclusiveAbout
    failure: FailureKind | None = Field(
        description="How it is wrong. guard: its results are right, and a guard rejects it; `rejection` says why"
    )
    summary: str
    changes: list[str]
    ablations: dict[str, float] = Field(description="Time without each change, relative to this draft")
    turn: int
    parents: list[int]
    chain: int
    model: str | None
    siblings: list[SiblingFields]
    effort: dict[str, float]
    rejection: str = Field(description="Why it is wrong or rejected; empty for others")
    settings: list[SettingFields]
    verdicts: dict[str, int]
    speedup: SpeedupFields | None
    against_best: AgainstBestFields | None
    critique: str
    hot_lines: list[HotLineFields]

    @classmethod
    def of(cls, found: Candidate) -> Self:
        (decision, about), best, screened = verdict_of(found), found.against_best, is_screened(found)
        return cls(
            round=found.round,
            verdict=SCREENED if screened else decision,
            inconclusive_about=None if screened else about,
            failure=failure_of(found),
            summary=found.summary,
            changes=list(found.changes),
            ablations=dict(found.ablation),
            turn=found.turn,
            parents=list(found.parents),
            chain=found.chain,
            model=found.model or None,
            siblings=[SiblingFields(round=number, relative_time=ratio) for number, ratio in found.siblings],
            effort=found.effort.to_json(),
            rejection=why(found),
            settings=SettingFields.each(found.settings),
            verdicts=dict(Counter(str(outcome.verdict) for outcome in found.outcomes)),
            speedup=SpeedupFields.maybe(found.comparison),
            against_best=AgainstBestFields(round=best.round, **_figures(best.comparison)) if best else None,
            **scored(found.task_score),
            critique=found.critique,
            hot_lines=HotLineFields.each(found.profile.lines[:5] if found.profile else ()),
        )
