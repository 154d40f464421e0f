"""Lines of a program that are worth changing, by its profile."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from codeopt.core.revision import Revision
from codeopt_sandbox.profile import Profile

MIN_HOT_SHARE = 0.005
"""Least share of the time by which a line is worth changing. Flat profiles have dozens of lines at 2 %."""


@dataclass(frozen=True)
class Hot:
    """The 1-based lines worth changing, hottest first. Empty: nothing was measured, so every line may be."""

    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, profile: Profile | None) -> Hot:
        """The lines that took a measurable share of the time."""
        if profile is None:
            return cls()
        return cls(tuple(h.line for h in profile.lines if h.share >= MIN_HOT_SHARE))

    def touches(self, first: int, last: int) -> bool:
        """Return whether some line from `first` to `last` is worth changing."""
        return not self.lines or any(first <= line <= last for line in self.lines)

    def moved(self, old: str, new: str) -> Hot:
        """The same lines in a rewritten text. Every line of a changed block is hot when one of the old block was."""
        if not self.lines:
            return self
        before, after = ([line.strip() for line in text.splitlines()] for text in (old, new))
        place: dict[int, list[int]] = {}
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            for i in range(i1, i2):
                place[i + 1] = [j1 + i - i1 + 1] if tag == "equal" else list(range(j1 + 1, j2 + 1))
        return Hot(tuple(dict.fromkeys(line for old_line in self.lines for line in place.get(old_line, ()))))


@dataclass(frozen=True)
class HotFiles:
    """The lines worth changing of each file of a revision."""

    files: tuple[tuple[str, Hot], ...] = ()
    """Hot lines by path. A file without any is left out."""

    @classmethod
    def of(cls, profile: Profile | None, least: float = MIN_HOT_SHARE) -> HotFiles:
        """The lines that took at least this share of the time."""
        lines: dict[str, tuple[int, ...]] = {}
        for line in profile.lines if profile else ():
            if line.share >= least:
                lines[line.file] = (*lines.get(line.file, ()), line.line)
        return cls(tuple((path, Hot(numbers)) for path, numbers in lines.items()))

    def at(self, path: str) -> Hot:
        """The hot lines of one file."""
        return dict(self.files).get(path, Hot())

    def moved(self, old: Revision, new: Revision) -> HotFiles:
        """The same lines in a rewritten revision."""
        return HotFiles(tuple((path, hot.moved(old[path], new[path])) for path, hot in self.files if path in new))
