"""The README is a short way in: it names each command, leads to each document, and fits a terminal."""

from __future__ import annotations

import re

from codeopt.core import plugins
from tests.support.documents import DOCUMENTS, README, ROOT, blocks

TEXT = README.read_text("utf-8")
LONGEST = 135
"""Lines; what is longer belongs into docs/."""


def test_every_command_is_named() -> None:
    assert [name for name in plugins.names("codeopt.commands") if f"`codeopt {name}" not in TEXT] == []


def test_links_lead_to_files() -> None:
    assert [path for path in re.findall(r"\]\(([^):]+)\)", TEXT) if not (ROOT / path).exists()] == []


def test_every_document_is_linked() -> None:
    """The index is the site's own way in, and leads to the pages of start/."""
    docs = ROOT / "docs"
    names = [path.name for path in DOCUMENTS if path.parent == docs and path != docs / "index.md"]
    assert [name for name in names if f"(docs/{name})" not in TEXT] == []


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= LONGEST


def test_no_line_is_longer_than_a_terminal() -> None:
    shown = [line for block in blocks(README) for line in block.text.splitlines()]
    assert [line for line in shown if len(line) > 112] == []
