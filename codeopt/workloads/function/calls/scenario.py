"""Calls that are made together, as a value and as text, and what they do if each answers as it does alone."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.calls import Answer
from codeopt_sandbox.guest.calls import scenarios as steps

if TYPE_CHECKING:
    from codeopt_sandbox.guest.calls.scenarios import Steps

_AS_ALONE: Mapping[Steps, tuple[int, ...]] = {
    steps.AGAIN: (0, 0),
    steps.OFTEN: (0,),
    steps.JOINED: (0,),
    steps.CHANGED: (0, 1),
    steps.ORDER: (0, 1),
    steps.TURN: (0, 1),
    steps.GATHERED: (0, 1),
    steps.HALVES: (1, 0),
    steps.LEFT: (1,),
    steps.INSIDE: (0, 1),
    steps.TRACED: (0,),
    steps.THREADS: (0, 1),
}
"""Calls that the original must answer as it does alone, in the order of the answers. In other scenarios what the caller
does is meant to change what it answers."""


@dataclass(frozen=True)
class Scenario:
    """Calls that are made together."""

    steps: Steps
    calls: tuple[str, ...]
    because: str = ""
    """Reason why the scenario is unusual for known callers. Empty if it is usual."""

    @property
    def text(self) -> str:
        """Text that the sandbox reads."""
        return f"{steps.SCENARIO}({self.steps!r}, {', '.join(self.calls)})"

    @property
    def as_alone(self) -> tuple[str, ...]:
        """The calls that must be answered as they are alone, in the order of the answers."""
        return tuple(self.calls[at] for at in _AS_ALONE.get(self.steps, ()))

    def holds(self, answer: Answer, alone: Mapping[str, Answer]) -> bool:
        """Return True if the calls that nothing should change answer as on their own, and other calls do not fail."""
        answers = [alone[call].observed() for call in self.as_alone]
        found = [step.observed() for step in answer.steps]
        if answers:
            return found == answers or (self.steps == steps.TRACED and found[:1] == answers)
        return bool(found) and all(step.kind == Kind.RETURNS for step in answer.steps)


def read_scenario(text: str) -> Scenario | None:
    """The scenario in a text; None when it is a call."""
    if not text.startswith(f"{steps.SCENARIO}("):
        return None
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    source = text.encode()
    calls = tuple(source[arg.col_offset : arg.end_col_offset].decode() for arg in node.args[1:])
    return Scenario(ast.literal_eval(node.args[0]), calls)
