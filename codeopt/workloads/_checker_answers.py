"""Answers of a user's own checker. It runs in the sandbox, in a process where no draft ever runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Generic, TypeVar

from codeopt.core.words import end_of_run
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest_bundle import GuestProgram

PATIENCE = 6
"""Most times of the limit of a run that the checker has for several questions, which it answers one after another."""
Q = TypeVar("Q")
"""A question: what was given, what is expected, and what is there in its place."""


@dataclass
class CheckerAnswers(Generic[Q]):
    """Reasons of refusal; each question is asked once."""

    sandbox: Sandbox
    program: Callable[[tuple[Q, ...]], GuestProgram]
    """Makes the program that asks the checker."""
    known: dict[bytes, str] = field(default_factory=dict)
    """Reasons so far, empty where accepted, by digest of the question: its texts may be long."""

    def reasons(self, questions: Sequence[Q]) -> list[str]:
        """The reason of refusal for each, empty where accepted; new ones are asked in one run."""
        keys = [sha256(repr(each).encode("utf-8", "surrogatepass")).digest() for each in questions]
        new = {key: each for key, each in zip(keys, questions, strict=True) if key not in self.known}
        if new:
            limits = self.sandbox.limits
            patience = replace(limits, seconds=limits.seconds * min(len(new), PATIENCE))
            run = self.sandbox.run(self.program(tuple(new.values())), mode="exec", limits=patience)
            try:
                self.known.update(zip(new, map(str, json.loads(run.stdout)), strict=True))
            except (ValueError, TypeError):  # it ended, or wrote something else in its place
                self.known.update(dict.fromkeys(new, f"the checker gives no answer: {end_of_run(run)}"))
        return [self.known[key] for key in keys]
