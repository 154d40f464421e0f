"""What the tools answer, as schemas: the fields that an agent decides by; the JSON of the commands has more."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]


class ToolAnswer(BaseModel):
    """Fields may be added."""

    model_config = ConfigDict(extra="allow")

    target: str = Field("", description="What was asked about")


class HotLineAnswer(BaseModel):
    """One line of a profile."""

    model_config = ConfigDict(extra="allow")

    line: int
    share: float = Field(description="Of the time, 0 to 1")
    hits: int
    text: str


class ProfileAnswer(ToolAnswer):
    """Where the time goes."""

    lines: list[HotLineAnswer] | list[dict[str, Any]] = Field(
        description="Hottest first; of a command each with its file, line and own_share"
    )
    functions: list[dict[str, Any]] = Field(description="Largest share first")
    notes: list[str] = Field(description="What could not be measured, and why")


class CompareAnswer(ToolAnswer):
    """Whether a change is right, and faster."""

    verdict: Literal["faster", "slower", "same", "rejected", "not verified"] = Field(
        description="rejected: it does something else, `reason` has the input, what was expected and what came. "
        "same: right, and no difference in speed that can be told. not verified: too little is known to judge it"
    )
    reason: str = Field(description="Why, with the counterexample where there is one")
    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int = Field(description="Timed pairs of runs")
    caveats: list[dict[str, Any]] = Field(description="Differences on inputs beyond the known ones")
    evidence: dict[str, Any] | None = Field(description="By what calls and tests it was judged")
    shortfalls: list[dict[str, Any]] = Field(description="What could not be run")
    notes: list[str]
    diff: str


class ImproveAnswer(ToolAnswer):
    """What was found."""

    accepted: bool = Field(description="A draft is right and, twice, faster with statistical confidence")
    reason: str
    speedup: dict[str, Any] | None = Field(description="ratio, ci_low, ci_high, pairs")
    diff: str = Field(description="Unified; empty where nothing was accepted")
    new_source: str | None = Field(description="The whole file with the change; of a project's command see diff")
    written: bool = Field(description="It was put in place, as `write` asked")
    caveats: list[dict[str, Any]]
    rounds: list[dict[str, Any]] = Field(description="Each draft with its verdict")
    cost_usd: float | None


class CheckAnswer(ToolAnswer):
    """Which functions are slow under their tests, and what the built-in rules would make of them."""

    gains: int = Field(description="How many can be faster, verified")
    functions: list[dict[str, Any]] = Field(
        description="file, line, function, share of the tests' time, speedup, changes, new_source, or the reason why "
        "nothing is suggested"
    )
    shortfalls: list[dict[str, Any]] = Field(description="What could not be run")
    blind: str = Field(description="Why nothing could be looked at; empty where something was")


class RecordAnswer(ToolAnswer):
    """Calls of a function that were recorded."""

    calls: int = Field(description="Different calls that were seen")
    kept: int
    status: int = Field(description="How the command ended")
    file: str = Field(description="Where they are kept")
    said: list[str]
