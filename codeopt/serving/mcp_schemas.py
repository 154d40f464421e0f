"""The answers of the tools: the fields of the commands' JSON that an agent decides by, and what only a tool adds."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from codeopt.report.answer_fields import AnswerFields, InconclusiveAbout, Outcome, Ratio, Rows
from codeopt_sandbox.limit_test import LimitTest


class ToolAnswer(AnswerFields):
    target: str = Field("", description="What was asked about")


class ProfileAnswer(ToolAnswer):
    """The hot lines and functions."""

    lines: Rows = Field(description="Hottest first; of a command each with its file, line and own_share")
    functions: Rows = Field(description="Largest share first")
    notes: tuple[str, ...] = Field(description="What could not be measured, and why")


class CompareAnswer(ToolAnswer):
    """The verdict on a change: is it right, and faster?"""

    verdict: Outcome
    inconclusive_about: InconclusiveAbout
    ratio: Ratio
    ci_low: float | None
    ci_high: float | None
    pairs: int = Field(description="Timed pairs of runs")
    reason: str = Field(description="Why, with the counterexample where there is one")
    limit: LimitTest | None = Field(None, description="Whether the limit holds that fail_if_slower sets")
    caveats: Rows = Field(description="Differences on unusual inputs")
    evidence: dict[str, Any] | None = Field(description="By what calls and tests it was judged")
    diagnostics: Rows = Field(description="What could not be run")
    notes: tuple[str, ...]
    diff: str


class ImproveAnswer(ToolAnswer):
    """The result of a run."""

    accepted: bool = Field(description="A candidate is right and, twice, faster with statistical confidence")
    reason: str
    speedup: dict[str, Any] | None = Field(description="ratio, ci_low, ci_high, pairs, before, after, unit")
    caveats: Rows
    rounds: Rows = Field(description="Each candidate with its verdict")
    cost_usd: float | None
    diff: str = Field(description="Unified; empty where nothing was accepted")
    new_source: str | None = Field(description="The whole file with the change; of a project's command see diff")
    written: bool = Field(description="It was written to the files, as `write` asked")


class CheckAnswer(ToolAnswer):
    """The functions that are slow under their tests, and what the built-in rules would make of them."""

    improved: int = Field(description="How many can be faster, verified")
    functions: Rows = Field(
        description="file, line, function, share of the tests' time, speedup, changes, new_source, or the reason why "
        "nothing is suggested"
    )
    diagnostics: Rows = Field(description="What could not be run")
    not_checked_reason: str = Field(description="Why nothing could be looked at; empty where something was")


class RecordAnswer(ToolAnswer):
    """Calls of a function that were recorded."""

    calls: int = Field(description="Different calls that were seen")
    kept: int
    status: int = Field(description="How the command ended")
    file: str = Field(description="Where they are kept")
    messages: list[str]
