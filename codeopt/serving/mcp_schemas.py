"""The answers of the tools: the fields of the commands' JSON that an agent decides by, and what only a tool adds."""

from __future__ import annotations

from pydantic import Field

from codeopt.report.answer_fields import AnswerFields
from codeopt.report.answers import CheckedFields, ComparedFields, ImprovedFields, ProfiledFields


class ToolAnswer(AnswerFields):
    target: str = Field("", description="What was asked about")


class ProfileAnswer(ProfiledFields, ToolAnswer):
    """The hot lines and functions."""


class CompareAnswer(ComparedFields, ToolAnswer):
    """The verdict on a change: is it right, and faster?"""

    diff: str


class ImproveAnswer(ImprovedFields, ToolAnswer):
    """The result of a run."""

    diff: str = Field(description="Unified; empty where nothing was accepted")
    new_source: str | None = Field(description="The whole file with the change; of a project's command see diff")
    written: bool = Field(description="It was written to the files, as `write` asked")


class CheckAnswer(CheckedFields, ToolAnswer):
    """The functions that are slow under their tests, and what the built-in rules would make of them."""


class RecordAnswer(ToolAnswer):
    """Calls of a function that were recorded."""

    calls: int = Field(description="Different calls that were seen")
    kept: int
    status: int = Field(description="How the command ended")
    file: str = Field(description="Where they are kept")
    messages: list[str]
