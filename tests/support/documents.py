"""Reads the documents: their blocks of code, and the commands in them that a reader would type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<mark>.*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Reason(Enum):
    """Why a block that could be run is not; written `<!-- not run: REASON: what exactly -->` on the line before it."""

    KEY = "key"
    """It asks a language model."""
    NETWORK = "network"
    """It needs a server of somebody's."""
    ENGINE = "engine"
    """It needs a Docker engine or a runtime of it."""
    ELSEWHERE = "elsewhere"
    """Another step of CI, which is named, runs it."""
    LONG = "long"
    """It takes minutes, or does not end."""
    FRAGMENT = "fragment"
    """It is a part of a file."""


@dataclass(frozen=True)
class Block:
    """A block of code of a document."""

    document: Path
    line: int
    language: str
    """`sh` for commands, `python`, `toml`, ...; empty for what is shown."""
    text: str
    mark: str
    """Why it is not run, as it stands there; empty where it is."""

    def __str__(self) -> str:
        return f"{self.document.name}:{self.line}"

    @property
    def reason(self) -> Reason | None:
        """Why it is not run; a ValueError where that is no reason."""
        return Reason(self.mark.partition(":")[0]) if self.mark else None

    @property
    def commands(self) -> list[list[str]]:
        """Each line as a shell would split it, without its comment."""
        return [words for line in self.text.splitlines() if (words := shlex.split(line, comments=True))]


def blocks(document: Path) -> Iterator[Block]:
    """The document's blocks of code, in order."""
    text = document.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("language")) + 1
        yield Block(document, line, found["language"], found["text"], found["mark"] or "")


def all_blocks(language: str) -> list[Block]:
    """The blocks of all documents that are in this language."""
    return [block for document in DOCUMENTS for block in blocks(document) if block.language == language]
