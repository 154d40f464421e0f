"""The interface of a writer of drafts, for workloads and the loop, and the reasons why one wrote none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from codeopt.core.history import Candidate, Critique, Draft, History


@dataclass(frozen=True)
class Refusal:
    """One reason why rules left hot lines as they are."""

    reason: str
    lines: tuple[str, ...] = ()
    """`12`; of a project `shop/store.py:12`."""
    rules: tuple[str, ...] = ()
    """Names of the rules that found their pattern there."""


class Proposer(Protocol):
    """Writer of critiques and drafts. It never runs code."""

    @property
    def name(self) -> str:
        """Display name: `rules`, or a model's name."""
        ...

    def critique(self, history: History) -> Critique:
        """The critique of the newest candidate, made with all of them in view."""
        ...

    def refine(self, history: History) -> Draft:
        """The next draft, made from the newest candidate and its critique."""
        ...

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Several drafts of the same critique, each as soon as it is there; fewer where no more can be had."""
        ...

    def preferred(self, history: History) -> Candidate | None:
        """Return the candidate that it would keep regardless of the others' figures. None: the task's score decides."""
        ...


def variants(proposer: Proposer, history: History, count: int, first: Draft | None = None) -> Iterator[Draft]:
    """The drafts of a round; a single one is asked for by `refine`. first: one that came with the critique."""
    if first is not None:
        yield first
        count -= 1
    if count == 1:
        yield proposer.refine(history)
    elif count:
        yield from proposer.variants(history, count)
