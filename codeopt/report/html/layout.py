"""The parts of every page: the document around it, tiles, cards, tables; no script, no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from codeopt.report.html.markup import Child, Markup, join, tag

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Even a text that slipped through could load and run nothing."""


def document(title: str, body: Iterable[Child], footer: str) -> Iterator[str]:
    """A page in pieces, so that one of any length can be written without holding it."""
    yield "<!doctype html>\n<html lang='en'>"
    yield tag("head", _head(title))
    yield "<body><main>"
    yield from (join(part) for part in body)
    yield "</main>"
    yield tag("footer", footer)
    yield "</body></html>\n"


def _head(title: str) -> list[Child]:
    style = files("codeopt.report.html").joinpath("page.css").read_text("utf-8")
    return [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"codeopt: {title}"),
        tag("style", Markup(style)),
    ]


def tile(label: str, value: str, span: str = "") -> Markup:
    """One figure with its name, and its interval or what else belongs to it."""
    parts = (("label", label), ("value", value), ("range", span))
    return tag("div", [tag("div", text, class_=name) for name, text in parts], class_="tile")


def card(title: str, how: str, *children: Child | Sequence[Child]) -> Markup:
    """A part of the page under a heading; `how` says how its figures were made."""
    return tag("section", tag("h2", title), tag("p", how, class_="how") if how else None, *children, class_="card")


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[Child]], class_: str = "") -> Markup:
    """Rows whose first cell names them; a caption that only screen readers read."""
    head = tag("tr", [tag("th", name, scope="col") if name else tag("td") for name in names])
    body = [tag("tr", tag("th", cells[0], scope="row"), [tag("td", cell) for cell in cells[1:]]) for cells in rows]
    caption_of = tag("caption", caption, class_="unseen")
    found = tag("table", caption_of, tag("thead", head), tag("tbody", body), class_=class_ or None)
    return scrolls(caption, found)


def scrolls(name: str, *children: Child) -> Markup:
    """Wide content in a box that moves under a finger or the arrow keys; the page itself stays."""
    return tag("div", *children, class_="scrolls", tabindex="0", role="group", aria_label=name)


def folded(title: str, *children: Child | Sequence[Child], open: bool = False) -> Markup:
    """A part that opens at a click."""
    return tag("details", tag("summary", title), *children, open=open)
