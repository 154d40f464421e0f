"""The models of what `--json` and the tools for agents answer: fields may be added, these stay.

`codeopt schema NAME` prints the JSON Schema of one. A tool's answer shows an agent the fields that it decides by
(`Compared`, `Improved`, ...); the command's has those and all others.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Ratio = Annotated[float | None, Field(description="Speedup, OLD over NEW; below 1: slower. null: not measured")]
Rows = list[dict[str, Any]]


class Answer(BaseModel):
    """One object; fields may be added."""

    model_config = ConfigDict(extra="allow")


class Python(Answer):
    """The interpreter that ran the programs."""

    path: str
    version: str | None
    pytest: str | None
    origin: str


class Machine(Answer):
    """The machine that was measured on; a ratio from one is no promise for another."""

    cpu: str
    cores: int
    system: str
    python: str


class Figures(Answer):
    """The figures of one comparison."""

    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int = Field(description="Timed pairs of runs")


class CaseRatio(Answer):
    """The ratio of one timed case."""

    case: str
    ratio: float


class Speedup(Figures):
    """A comparison with its clock and method."""

    confidence: float = Field(description="Confidence of the interval, 0 to 1")
    clock: Literal["cpu", "wall", "memory"] = Field(description="memory: the ratio is of peaks, not of times")
    method: str
    decision: str
    cases: list[CaseRatio]


class Caveat(Answer):
    """One difference beyond the known inputs."""

    subject: str
    input: str
    expected: str
    got: str
    tier: str
    because: str
    again: str = Field(description="Python line that shows it again")
    apart: float


class Diagnostic(Answer):
    """Something that could not be run, looked at or made."""

    what: str
    why: str
    remedy: str


class HotLine(Answer):
    """One hot line of a result."""

    line: int
    share: float = Field(description="Share of the time, 0 to 1")
    text: str


class ProfiledLine(HotLine):
    """One line of a profile."""

    hits: int


class Round(Answer):
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
    speedup: Speedup | None
    against_best: dict[str, Any] | None
    task_score: dict[str, Any] | None
    task_measures: Rows
    critique: str
    hot_lines: list[HotLine]


class Inputs(Answer):
    """The cases that a result was judged on."""

    total: int
    held_out: int = Field(description="Cases that no proposer saw")
    held_back: int = Field(description="As `held_out`: the name in earlier releases", deprecated=True)
    confirmed_runs: int
    inputs: int | None


class Improved(Answer):
    """The result of a run, as far as an agent decides by it."""

    accepted: bool = Field(description="A draft is right and, twice, faster with statistical confidence")
    reason: str
    speedup: dict[str, Any] | None = Field(description="ratio, ci_low, ci_high, pairs")
    caveats: Rows
    rounds: Rows = Field(description="Each draft with its verdict")
    cost_usd: float | None


class ImproveResult(Improved):
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
    python: Python | None
    stopped: str
    speedup: Speedup | None  # type: ignore[assignment]  # the same, told in full
    task_score: dict[str, Any] | None
    task_measures: Rows
    best_round: int | None
    sha256_before: str
    sha256_after: str | None
    tests: Inputs
    input_seed: int | None
    evidence: dict[str, Any] | None
    recording: dict[str, Any] | None
    notes: list[str]
    caveats: list[Caveat]  # type: ignore[assignment]
    growth: str
    shortfalls: list[Diagnostic]
    hot_now: list[HotLine]
    memory_now: Rows
    next: str
    rounds: list[Round]  # type: ignore[assignment]
    tokens: dict[str, Any]
    effort: dict[str, float]
    seconds: float
    machine: Machine
    run: str


class Compared(Figures):
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


class CompareResult(Compared):
    """The object of `codeopt compare --json`; with the other fields of `Speedup` where both were timed."""

    schema_: Literal["codeopt.compare/1"] = Field(alias="schema")
    growth: dict[str, str]
    timed: str | None
    caveats: list[Caveat]  # type: ignore[assignment]
    shortfalls: list[Diagnostic]  # type: ignore[assignment]
    settings: Rows
    sandbox: str
    runtime: str
    python: Python | None
    machine: Machine


class Checked(Answer):
    """The functions that are slow under their tests, and what the built-in rules would make of them."""

    gains: int = Field(description="How many can be faster, verified")
    functions: Rows = Field(
        description="file, line, function, share of the tests' time, speedup, changes, new_source, or the reason why "
        "nothing is suggested"
    )
    shortfalls: Rows = Field(description="What could not be run")
    blind: str = Field(description="Why nothing could be looked at; empty where something was")


class CheckedFunction(Answer):
    """One function or program of a check."""

    path: str
    function: str
    share: float | None
    seconds: float
    speedup: Speedup | None
    changes: list[str]
    caveats: list[Caveat]
    reason: str


class CheckResult(Checked):
    """The object of `codeopt check --json`."""

    schema_: Literal["codeopt.check/1"] = Field(alias="schema")
    python: Python | None
    functions: list[CheckedFunction]  # type: ignore[assignment]
    shortfalls: list[Diagnostic]  # type: ignore[assignment]


class Suggestion(Answer):
    """One verified change of a review."""

    path: str
    function: str
    task: str
    speedup: Speedup | None
    evidence: dict[str, Any]
    growth: str
    changes: list[str]
    caveats: list[Caveat]
    together: int = Field(description="Suggestions for the same file that were judged together")
    share: float | None
    sha256_before: str
    sha256_after: str
    diff: str


class Skipped(Answer):
    """One function that nothing is suggested for, and why."""

    path: str
    function: str
    reason: str


class ReviewResult(Answer):
    """The object of `codeopt review --format json`."""

    schema_: Literal["codeopt.review/1"] = Field(alias="schema")
    codeopt_version: str
    base: str
    head: str
    suggestions: list[Suggestion]
    skipped: list[Skipped]
    notices: list[str]
    shortfalls: list[Diagnostic]
    blind: str
    machine: Machine
    python: Python | None
    cost_usd: float | None


class Profiled(Answer):
    """The hot lines and functions."""

    lines: list[ProfiledLine] | Rows = Field(
        description="Hottest first; of a command each with its file, line and own_share"
    )
    functions: Rows = Field(description="Largest share first")
    notes: list[str] = Field(description="What could not be measured, and why")


class ProfileResult(Profiled):
    """The object of `codeopt profile --json`."""

    schema_: Literal["codeopt.profile/1"] = Field(alias="schema")
    case: str
    python: Python | None
    split: dict[str, float | None]
    memory: dict[str, Any]


class Recorded(Answer):
    """Calls of a function that were recorded."""

    calls: int = Field(description="Different calls that were seen")
    kept: int
    status: int = Field(description="How the command ended")
    file: str = Field(description="Where they are kept")
    said: list[str]


PRINTED: dict[str, type[Answer]] = {
    "check": CheckResult,
    "compare": CompareResult,
    "improve": ImproveResult,
    "profile": ProfileResult,
    "review": ReviewResult,
}
"""The object that each command prints with --json."""
