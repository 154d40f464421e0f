"""HTML and SVG from Python: what goes in as text comes out escaped, so that no program writes into the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from codeopt.core.sanitize import printable

VOID = frozenset({"meta", "br", "hr", "input", "line", "rect", "circle", "path", "polyline", "polygon"})
"""Elements that hold nothing."""


class Markup(str):
    """Text that is markup already; only this module and the style sheet make it."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself: a template does not escape it again."""
        return self


Child = Markup | str | None
Value = str | int | float | bool | None


def tag(name: str, /, *children: Child | Iterable[Child], **attributes: Value) -> Markup:
    """An element. Attributes: `class_` for class, `stroke_width` for stroke-width; None and False are left out."""
    pairs = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    if name in VOID and not children:
        return Markup(f"<{name}{pairs}/>")
    return Markup(f"<{name}{pairs}>{join(*children)}</{name}>")


def join(*children: Child | Iterable[Child]) -> Markup:
    """Children one after the other; plain text is escaped, characters that steer or hide text are made visible."""
    return Markup("".join(_child(child) for child in children))


def _child(child: Child | Iterable[Child]) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(printable(child))
    return "".join(_child(each) for each in child)


def _attribute(key: str, value: Value) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return f' {name}="{escape(printable(text))}"'
