"""Pages from templates: what goes in as text comes out escaped, and what would steer or hide text is made visible."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError

from codeopt.core.cache import machine
from codeopt.core.sanitize import printable
from codeopt.core.version import __version__
from codeopt.core.words import utc


def page(template: str, title: str, footer: str, **values: Any) -> Iterator[str]:
    """Yield a page in pieces, so that one of any length can be written without holding it.

    Raises KeyError if a value lacks a field that the template shows: a saved result of another shape.
    """
    style, script = _asset("page.css"), _asset("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # The page loads and runs its own style and script, and nothing else.
    policy = Markup(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'")
    found = _environment().get_template(template)
    try:
        yield from found.generate(title=title, footer=footer, style=style, script=script, policy=policy, **values)
    except UndefinedError as error:
        raise KeyError(str(error)) from error


def made() -> str:
    """`codeopt 0.1.0; CPU, system; 2026-03-01T12:30:00Z`: the version, the machine and the time of a page."""
    where = machine()
    return f"codeopt {__version__}; {where.cpu}, {where.system}; {utc(time.time())}"


def _asset(name: str) -> Markup:
    return Markup(files("codeopt.report.html").joinpath(name).read_text("utf-8"))


def part(name: str, *values: Any, **named: Any) -> Markup:
    """A part that parts.html defines."""
    parts: Any = _environment().get_template("parts.html").module
    return Markup(vars(parts)[name](*values, **named))


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("codeopt.report.html"), autoescape=True, finalize=_visible, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.filters["code"] = code
    return found


def code(text: str) -> Markup:
    """Format a sentence with code between backticks, such as the reason of a rule."""
    parts = text.split("`")
    return join(text if len(parts) % 2 == 0 else (tag("code", p) if at % 2 else p for at, p in enumerate(parts)))


def _visible(value: Any) -> Any:
    """Plain text with its control characters visible; markup as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[Child]], class_: str = "") -> Markup:
    """Rows whose first cell names them; a caption that only screen readers read."""
    return part("table", caption, names, rows, class_)


def scrolls(name: str, *children: Child) -> Markup:
    """Wide content in a box that moves under a finger or the arrow keys; the page itself stays."""
    return part("scrolls", name, join(*children))


def folded(title: str, *children: Child | Sequence[Child], open: bool = False) -> Markup:
    """A part that opens at a click."""
    return part("folded", title, join(*children), open=open)


# HTML and SVG from Python: what goes in as text comes out escaped, so that no program writes into the page.


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
    given = [(key, value) for key, value in attributes.items() if value is not None and value is not False]
    pairs = "".join(_attribute(*pair) for pair in given)
    # elements that hold nothing
    if name in {"meta", "br", "hr", "input", "line", "rect", "circle", "path", "polyline", "polygon"} and not children:
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
