"""The parts of every page, by their templates: the document around it, tiles, cards, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from codeopt.report.html.markup import Child, Markup, join
from codeopt.report.html.templating import page, part


def document(title: str, body: Iterable[Child], footer: str) -> Iterator[str]:
    """A page in pieces, so that one of any length can be written without holding it."""
    return page("page.html", title, footer, body=map(join, body))


def tile(label: str, value: str, span: str = "") -> Markup:
    """One figure with its name, and its interval or what else belongs to it."""
    return part("tile", label, value, span)


def card(title: str, how: str, *children: Child | Sequence[Child]) -> Markup:
    """A part of the page under a heading; `how` says how its figures were made."""
    return part("card", title, how, join(*children))


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[Child]], class_: str = "") -> Markup:
    """Rows whose first cell names them; a caption that only screen readers read."""
    return part("table", caption, names, rows, class_)


def scrolls(name: str, *children: Child) -> Markup:
    """Wide content in a box that moves under a finger or the arrow keys; the page itself stays."""
    return part("scrolls", name, join(*children))


def folded(title: str, *children: Child | Sequence[Child], open: bool = False) -> Markup:
    """A part that opens at a click."""
    return part("folded", title, join(*children), open=open)
