"""Calls that are made together, as a value and as text, and what they do if each answers as it does alone."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from codeopt_sandbox.guest.calls.scenarios import AGAIN, KINDS, LEFT, THEN, TRACED


@dataclass(frozen=True)
class Scenario:
    """Calls that are made together."""

    kind: str
    calls: tuple[str, ...]
    because: str = ""
    """Why it goes beyond what is known of callers; empty where it does not."""

    @property
    def text(self) -> str:
        """Text that the sandbox reads."""
        return f"{self.kind}({', '.join(self.calls)})"

    def holds(self, answer: str, alone: Mapping[str, str]) -> bool:
        """Whether each call answers as it does alone."""
        answers = [alone[call] for call in self.calls]
        if self.kind == TRACED:
            return answer.startswith(answers[0] + THEN)
        wanted = answers * 2 if self.kind == AGAIN else answers[1:] if self.kind == LEFT else answers
        return answer == THEN.join(wanted)


def read_scenario(text: str) -> Scenario | None:
    """The scenario in a text; None when it is a call."""
    if text.startswith("f(") or text.partition("(")[0] not in KINDS:
        return None
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    source = text.encode()
    calls = tuple(source[arg.col_offset : arg.end_col_offset].decode() for arg in node.args)
    return Scenario(text.partition("(")[0], calls)
