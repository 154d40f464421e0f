"""The models of what `--json` and the tools for agents answer: fields may be added, these stay.

`codeopt schema NAME` prints the JSON Schema of one. A tool's answer shows an agent the fields that it decides by
(`ComparedFields`, `ImprovedFields`, ...); the command's has those and all others.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]
Rows = list[dict[str, Any]]


class AnswerFields(BaseModel):
    """One object; fields may be added."""

    model_config = ConfigDict(extra="allow")


class PythonFields(AnswerFields):
    """The interpreter that ran the programs."""

    path: str
    version: str | None
    pytest: str | None
    origin: str


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


class CaseRatioFields(AnswerFields):
    """The ratio of one timed case."""

    case: str
    ratio: float


class SpeedupFields(FiguresFields):
    """A comparison with its clock and method."""

    confidence: float = Field(description="Confidence of the interval, 0 to 1")
    clock: Literal["cpu", "wall", "memory"] = Field(description="memory: the ratio is of peaks, not of times")
    method: str
    decision: str
    cases: list[CaseRatioFields]


class CaveatFields(AnswerFields):
    """One difference beyond the known inputs."""

    subject: str
    input: str
    expected: str
    got: str
    tier: str
    because: str
    again: str = Field(description="Python line that shows it again")
    apart: float


class DiagnosticFields(AnswerFields):
    """Something that could not be run, looked at or made."""

    what: str
    why: str
    remedy: str


class HotLineFields(AnswerFields):
    """One hot line of a result."""

    line: int
    share: float = Field(description="Share of the time, 0 to 1")
    text: str


class ProfiledLineFields(HotLineFields):
    """One line of a profile."""

    hits: int


class RoundFields(AnswerFields):
    """One draft, judged."""

    round: int
    verdict: str = Field(description="As `status`, in the words of earlier releases: tried, right, refused")
    status: str = Field(
        description="screened, correct, rejected; faster, slower, same, undecided; WA, RE, TLE, MLE, OLE"
    )
    summary: str
    changes: list[str]
    ablations: dict[str, float] = Field(description="Time without each change, relative to this draft")
    beside: dict[str, float] = Field(description="As `ablations`: the name in earlier releases", deprecated=True)
    turn: int
    parents: list[int]
    chain: int
    model: str | None
    siblings: Rows = Field(description="Drafts of the same critique: round, and time relative to this draft")
    effort: dict[str, float]
    rejection: str
    settings: Rows
    verdicts: dict[str, int]
    speedup: SpeedupFields | None
    against_best: dict[str, Any] | None
    task_score: dict[str, Any] | None
    task_measures: Rows
    critique: str
    hot_lines: list[HotLineFields]


class InputsFields(AnswerFields):
    """The cases that a result was judged on."""

    total: int
    held_out: int = Field(description="Cases that no proposer saw")
    held_back: int = Field(description="As `held_out`: the name in earlier releases", deprecated=True)
    confirmed_runs: int
    inputs: int | None


class ImprovedFields(AnswerFields):
    """The result of a run, as far as an agent decides by it."""

    accepted: bool = Field(description="A draft is right and, twice, faster with statistical confidence")
    reason: str
    speedup: dict[str, Any] | None = Field(description="ratio, ci_low, ci_high, pairs")
    caveats: Rows
    rounds: Rows = Field(description="Each draft with its verdict")
    cost_usd: float | None


class ImproveJson(ImprovedFields):
    """The object of `codeopt improve --json`, and `result.json` of a saved run."""

    schema_: Literal["codeopt.improve/1"] = Field(alias="schema")
    codeopt_version: str
    file: str
    target: str
    folder: str
    task: str
    model: str
    sandbox: str
    isolation: str
    python: PythonFields | None
    stopped: str
    speedup: SpeedupFields | None  # type: ignore[assignment]  # the same, told in full
    task_score: dict[str, Any] | None
    task_measures: Rows
    best_round: int | None
    sha256_before: str
    sha256_after: str | None
    tests: InputsFields
    input_seed: int | None
    evidence: dict[str, Any] | None
    recording: dict[str, Any] | None
    notes: list[str]
    caveats: list[CaveatFields]  # type: ignore[assignment]
    growth: str
    shortfalls: list[DiagnosticFields]
    remaining_hot_spots: list[HotLineFields]
    memory_now: Rows
    next: str
    rounds: list[RoundFields]  # type: ignore[assignment]
    tokens: dict[str, Any]
    effort: dict[str, float]
    seconds: float = Field(description="Wall-clock seconds from start to end, all sittings together")
    seconds_by_step: dict[str, float] = Field(description="The same by step; the sum is `seconds`")
    machine: MachineFields
    run: str


class ComparedFields(FiguresFields):
    """The verdict on a change: is it right, and faster?"""

    verdict: Literal["faster", "slower", "same", "rejected", "not verified"] = Field(
        description="rejected: it does something else, `reason` has the input, what was expected and what came. "
        "same: right, and no difference in speed that can be told. not verified: too little is known to judge it"
    )
    reason: str = Field(description="Why, with the counterexample where there is one")
    caveats: Rows = Field(description="Differences on inputs beyond the known ones")
    evidence: dict[str, Any] | None = Field(description="By what calls and tests it was judged")
    shortfalls: Rows = Field(description="What could not be run")
    notes: list[str]


class CompareJson(ComparedFields):
    """The object of `codeopt compare --json`; with the other fields of `SpeedupFields` where both were timed."""

    schema_: Literal["codeopt.compare/1"] = Field(alias="schema")
    growth: dict[str, str]
    timed: str | None
    caveats: list[CaveatFields]  # type: ignore[assignment]
    shortfalls: list[DiagnosticFields]  # type: ignore[assignment]
    settings: Rows
    sandbox: str
    runtime: str
    python: PythonFields | None
    machine: MachineFields


class CheckedFields(AnswerFields):
    """The functions that are slow under their tests, and what the built-in rules would make of them."""

    gains: int = Field(description="How many can be faster, verified")
    functions: Rows = Field(
        description="file, line, function, share of the tests' time, speedup, changes, new_source, or the reason why "
        "nothing is suggested"
    )
    shortfalls: Rows = Field(description="What could not be run")
    blind: str = Field(description="Why nothing could be looked at; empty where something was")


class CheckedFunctionFields(AnswerFields):
    """One function or program of a check."""

    path: str
    function: str
    share: float | None
    seconds: float
    speedup: SpeedupFields | None
    changes: list[str]
    caveats: list[CaveatFields]
    reason: str


class CheckJson(CheckedFields):
    """The object of `codeopt check --json`."""

    stopped: str = Field(description="Why some functions were not tried; empty where all were")
    schema_: Literal["codeopt.check/1"] = Field(alias="schema")
    python: PythonFields | None
    functions: list[CheckedFunctionFields]  # type: ignore[assignment]
    shortfalls: list[DiagnosticFields]  # type: ignore[assignment]


class SuggestionFields(AnswerFields):
    """One verified change of a review."""

    path: str
    function: str
    task: str
    speedup: SpeedupFields | None
    evidence: dict[str, Any]
    growth: str
    changes: list[str]
    caveats: list[CaveatFields]
    together: int = Field(description="Suggestions for the same file that were judged together")
    share: float | None
    sha256_before: str
    sha256_after: str
    diff: str


class SkippedFields(AnswerFields):
    """One function that nothing is suggested for, and why."""

    path: str
    function: str
    reason: str


class ReviewJson(AnswerFields):
    """The object of `codeopt review --format json`."""

    schema_: Literal["codeopt.review/1"] = Field(alias="schema")
    codeopt_version: str
    base: str
    head: str
    suggestions: list[SuggestionFields]
    skipped: list[SkippedFields]
    notices: list[str]
    shortfalls: list[DiagnosticFields]
    blind: str
    machine: MachineFields
    python: PythonFields | None
    cost_usd: float | None


class ProfiledFields(AnswerFields):
    """The hot lines and functions."""

    lines: list[ProfiledLineFields] | Rows = Field(
        description="Hottest first; of a command each with its file, line and own_share"
    )
    functions: Rows = Field(description="Largest share first")
    notes: list[str] = Field(description="What could not be measured, and why")


class ProfileJson(ProfiledFields):
    """The object of `codeopt profile --json`."""

    schema_: Literal["codeopt.profile/1"] = Field(alias="schema")
    case: str
    python: PythonFields | None
    split: dict[str, float | None]
    memory: dict[str, Any]


class RecordedFields(AnswerFields):
    """Calls of a function that were recorded."""

    calls: int = Field(description="Different calls that were seen")
    kept: int
    status: int = Field(description="How the command ended")
    file: str = Field(description="Where they are kept")
    said: list[str]


PRINTED: dict[str, type[AnswerFields]] = {
    "check": CheckJson,
    "compare": CompareJson,
    "improve": ImproveJson,
    "profile": ProfileJson,
    "review": ReviewJson,
}
"""The object that each command prints with --json."""
