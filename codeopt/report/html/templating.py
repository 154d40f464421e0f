"""Pages from templates: what goes in as text comes out escaped, and what would steer or hide text is made visible."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError

from codeopt.core.machine import machine
from codeopt.core.sanitize import printable
from codeopt.core.version import __version__
from codeopt.core.words import utc
from codeopt.report.html.markup import Child, Markup, join, tag


def page(template: str, title: str, footer: str, **values: Any) -> Iterator[str]:
    """Yield a page in pieces, so that one of any length can be written without holding it.

    Raises KeyError if a value lacks a field that the template shows: a saved result of another shape.
    """
    style, script = _asset("page.css"), _asset("page.js")
    found = _environment().get_template(template)
    try:
        yield from found.generate(
            title=title, footer=footer, style=style, script=script, policy=_policy(script), **values
        )
    except UndefinedError as error:
        raise KeyError(str(error)) from error


def made() -> str:
    """`codeopt 0.1.0; CPU, system; 2026-03-01T12:30:00Z`: the version, the machine and the time of a page."""
    where = machine()
    return f"codeopt {__version__}; {where['cpu']}, {where['system']}; {utc(time.time())}"


def _asset(name: str) -> Markup:
    return Markup(files("codeopt.report.html").joinpath(name).read_text("utf-8"))


def _policy(script: str) -> Markup:
    """The policy under which a page loads and runs its own style and script, and nothing else."""
    return Markup(f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_hash(script)}'")


def _hash(script: str) -> str:
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


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
