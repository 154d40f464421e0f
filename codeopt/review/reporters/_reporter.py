"""The shape of a reporter: a function that answers a review as text, and one that sends it, made by `@reporter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

from codeopt.core import plugins
from codeopt.review.suggestion import Review

GROUP = "codeopt.reporters"
RENDER = "render"
POST = "post"
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Reporting(Generic[P, R]):
    """One function of a reporter; made by `@reporter`."""

    function: Callable[P, R]

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which nobody would call."""
        if self.verb not in (RENDER, POST):
            raise ValueError(f"@reporter makes a reporter of {RENDER}(review) or {POST}(review), not of {self.verb}")

    @property
    def verb(self) -> str:
        """`render` or `post`."""
        return self.function.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)


def reporter(function: Callable[P, R]) -> Reporting[P, R]:
    """Make a part of a reporter of `render(review: Review) -> str` or `post(review: Review)`.

    Raises:
        ValueError: The function has another name.
    """
    return Reporting(function)


@dataclass(frozen=True)
class Reporter:
    """Functions of a module of this folder, or of the group `codeopt.reporters`."""

    render: Callable[[Review], str]
    """Answers the review as text."""
    post: Callable[..., Any] | None = None
    """Sends the review to a server. None: the reporter has no server."""


def open_reporter(name: str) -> Reporter:
    """The reporter behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return Reporter(**plugins.decorated(plugins.load(GROUP, name), "reporter", "@reporter", Reporting, RENDER, POST))
