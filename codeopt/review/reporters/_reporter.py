"""The shape of a reporter: a function that answers a review as text, made by `@reporter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeopt.core import plugins
from codeopt.review.suggestion import Review

GROUP = "codeopt.reporters"


@dataclass(frozen=True)
class Reporter:
    """A reporter; made by `@reporter`."""

    function: Callable[[Review], str]

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which nobody would call."""
        if self.function.__name__ != "render":
            raise ValueError(f"@reporter makes a reporter of render(review), not of {self.function.__name__}")

    def __call__(self, review: Review) -> str:
        return self.function(review)


def reporter(function: Callable[[Review], str]) -> Reporter:
    """Make a reporter of `render(review: Review) -> str`.

    Raises:
        ValueError: The function has another name.
    """
    return Reporter(function)


def open_reporter(name: str) -> Reporter:
    """The reporter behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return plugins.made_by(plugins.load(GROUP, name), "reporter", "render", Reporter, "@reporter")
