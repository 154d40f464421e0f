"""Parts of pages that are made outside of a template, by the same macros."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codeopt.report.html.markup import Child, Markup, join
from codeopt.report.html.templating import part


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[Child]], class_: str = "") -> Markup:
    """Rows whose first cell names them; a caption that only screen readers read."""
    return part("table", caption, names, rows, class_)


def scrolls(name: str, *children: Child) -> Markup:
    """Wide content in a box that moves under a finger or the arrow keys; the page itself stays."""
    return part("scrolls", name, join(*children))


def folded(title: str, *children: Child | Sequence[Child], open: bool = False) -> Markup:
    """A part that opens at a click."""
    return part("folded", title, join(*children), open=open)
