"""The part of a command's output that counts: what is the same in each run of the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from codeopt.core.errors import UsageError

PATTERN = "re:"
"""Begins an --ignore-output that is an expression for parts of the output, and no pattern of files."""
HIDDEN = b"(ignored)"
ALWAYS = (
    "*.pyc", "*/__pycache__/*", ".pytest_cache/*", "*/.pytest_cache/*", ".coverage", ".benchmarks/*", ".codeopt*",
)  # fmt: skip
"""Files that tools leave, and that are no output."""


@dataclass(frozen=True)
class StableOutput:
    """Compares what can be compared."""

    given: tuple[re.Pattern[bytes], ...] = ()
    """The user's."""
    changing: tuple[re.Pattern[bytes], ...] = ()
    """Lines that the original prints otherwise in each run: times, addresses."""
    nothing: bool = False
    """Not even the number of lines is the same: the output is not compared."""
    files: tuple[str, ...] = ALWAYS
    """Patterns of files that do not count."""

    def seen(self, output: bytes) -> bytes:
        """The part of an output that counts."""
        if self.nothing:
            return b""
        for pattern in self.given:
            output = pattern.sub(HIDDEN, output)
        if not self.changing:
            return output
        return b"\n".join(self._line(line) for line in output.split(b"\n"))

    def _line(self, line: bytes) -> bytes:
        found = next((pattern for pattern in self.changing if pattern.fullmatch(line)), None)
        return found.pattern if found else line

    @property
    def words(self) -> str:
        """Description of what is not compared; empty where everything is."""
        if self.nothing:
            return "the output is another one in each run and is not compared"
        if self.changing:
            return f"{len(self.changing)} line{'s' * (len(self.changing) != 1)} of the output change from run to run"
        return ""


def given_steady(patterns: Sequence[str]) -> StableOutput:
    """Patterns of --ignore-output. Raises UsageError."""
    try:
        given = tuple(re.compile(text[len(PATTERN) :].encode()) for text in patterns if text.startswith(PATTERN))
    except re.error as error:
        raise UsageError(f"--ignore-output: {error}") from error
    return StableOutput(given, files=(*ALWAYS, *(text for text in patterns if not text.startswith(PATTERN))))


def found_steady(first: StableOutput, outputs: Sequence[bytes]) -> StableOutput:
    """With what is not the same in several outputs of the same command."""
    rows = [first.seen(output).split(b"\n") for output in outputs]
    if len({len(row) for row in rows}) > 1:
        return StableOutput(first.given, (), True, first.files)
    differing = [lines for lines in zip(*rows, strict=True) if len(set(lines)) > 1]
    patterns = dict.fromkeys(_pattern(lines) for lines in differing)
    changing = tuple(re.compile(pattern) for pattern in patterns)
    steady = StableOutput(first.given, changing, False, first.files)
    same = len({steady.seen(output) for output in outputs}) == 1
    return steady if same else StableOutput(first.given, (), True, first.files)


def _pattern(lines: Sequence[bytes]) -> bytes:
    """Pattern of lines that differ in some of their words; numbers of any length stand for numbers."""
    words = [re.split(rb"(\s+)", line) for line in lines]
    if len({len(each) for each in words}) > 1:
        return b".*"
    parts = [re.escape(same[0]) if len(set(same)) == 1 else _space_or_word(same) for same in zip(*words, strict=True)]
    return b"".join(parts)


def _space_or_word(same: Sequence[bytes]) -> bytes:
    return rb"\s+" if not same[0].strip() else rb"\S+"
