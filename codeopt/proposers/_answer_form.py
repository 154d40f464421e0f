"""The form of a model's answer: prose with one fenced program, or a JSON object by a schema.

A program inside JSON is escaped text, which strong models write worse than plain text. A schema helps small models,
which forget fences, on servers that enforce it. Every answer is read in both forms (`models/_reply`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from string import Template
from typing import Literal

from codeopt.core.briefing import Briefing
from codeopt.core.history import Candidate
from codeopt.core.model import AnswerSchema
from codeopt.core.sanitize import fenced

Step = Literal["critique", "refine"]

VERDICT = """\
End with one line that holds nothing but `VERDICT: IMPROVE` when something is left that is worth a try, or
`VERDICT: DONE` when nothing is."""
IN_WORDS: dict[Step, str] = {
    # With a program and a verdict on it, one request does what three did that each repeated the history.
    "critique": f"""\
If you know the next program already, write it below the critique, which spares a request: one line `SUMMARY: ...` that
says what you change and why it helps, then $draft, in one block fenced as ```python. The verdict is then on that
program, and is believed if it is measured to be right and better.
{VERDICT}""",
    "refine": """\
Answer with one line `SUMMARY: ...` that says what you change and why it helps, then $draft, in one block
fenced as ```python, and nothing else.""",
}
SCHEMAS: dict[Step, tuple[tuple[str, str], ...]] = {
    "critique": (
        ("critique", "what to improve, and why"),
        ("verdict", "IMPROVE when something is left that is worth a try, DONE when nothing is"),
    ),
    "refine": (
        ("summary", "one line that says what you change and why it helps"),
        ("program", "$draft, in Python, without a fence"),
    ),
}


@dataclass(frozen=True)
class AnswerForm:
    """The wording and the schema of the answer to each step."""

    draft: str = "the whole program"
    structured: bool = False

    @classmethod
    def of(cls, briefing: Briefing, *, structured: bool = False) -> AnswerForm:
        return cls(briefing.answer_format or cls.draft, structured)

    def words(self, step: Step) -> str:
        """The part of the prompt that says the form."""
        schema = self.schema(step)
        if schema is None:
            return Template(IN_WORDS[step]).substitute(draft=self.draft)
        fields = "; ".join(f"`{name}`: {about}" for name, about in schema.fields)
        return f"Answer with one JSON object and nothing else. {fields}."

    def schema(self, step: Step) -> AnswerSchema | None:
        """The JSON schema of the answer to a step; None where prose is asked for."""
        if not self.structured:
            return None
        fields = tuple((name, Template(about).substitute(draft=self.draft)) for name, about in SCHEMAS[step])
        return AnswerSchema(step, fields)

    def critique(self, text: str) -> str:
        """The critique of a worked example, in this form."""
        words, _, verdict = text.rpartition("VERDICT: ")
        return json.dumps({"critique": words.strip(), "verdict": verdict.strip()}) if self.structured else text

    def program(self, candidate: Candidate) -> str:
        """The program of a worked example, in this form."""
        if self.structured:
            return json.dumps({"summary": candidate.summary, "program": candidate.source})
        return f"SUMMARY: {candidate.summary}\n\n{fenced(candidate.source, 'python')}"
