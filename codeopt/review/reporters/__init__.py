"""Formats of a review, one reporter a file: `render(review)` gives its text.

A reporter is a module of this folder, an entry point of the group `codeopt.reporters`, or a dotted path, with

    @reporter
    def render(review: Review) -> str: ...
"""

from __future__ import annotations

from codeopt.review.reporters._finding import Reporter as Reporter
from codeopt.review.reporters._finding import open_reporter as open_reporter
from codeopt.review.reporters._finding import reporter as reporter
