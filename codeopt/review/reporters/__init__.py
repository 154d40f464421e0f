"""Where a review goes, one reporter a file: `render(review)` gives text, `post(review, ...)` sends it to a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeopt.core import plugins
from codeopt.review.suggestion import Review

GROUP = "codeopt.reporters"


@dataclass(frozen=True)
class Reporter:
    """Functions of a module of this folder, or of the group `codeopt.reporters`."""

    render: Callable[[Review], str]
    """Answers the review as text."""
    post: Callable[..., Any] | None = None
    """Sends the review to a server; None: it has none."""


def open_reporter(name: str) -> Reporter:
    """The reporter behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return Reporter(**plugins.functions(plugins.load(GROUP, name), "reporter", "render", "post"))
