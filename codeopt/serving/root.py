"""The folder that a client may name paths in: a path that leads out of it, also by a symbolic link, is refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError

MAX_TREE_FILES = 20_000
"""Most files and folders in a folder that a client names."""


@dataclass(frozen=True)
class Root:
    """A workspace, its path resolved."""

    path: Path

    @classmethod
    def of(cls, path: Path) -> Root:
        """Make the root of a folder. Raises UsageError where it does not exist, or is the whole machine."""
        if not path.is_dir():
            raise UsageError(f"--root {path} is not a directory")
        found = path.resolve()
        if found == Path(found.anchor):
            raise UsageError(f"--root {path} is everything on this machine", hint="name the project's own folder")
        return cls(found)

    def inside(self, given: str) -> str:
        """Resolve a path, relative to the root and without links. Raises UsageError where it leads out."""
        if "\0" in given:
            raise UsageError("a path holds a null character")
        try:
            found = (self.path / given).resolve()
        except (OSError, RuntimeError) as error:  # a link that leads to itself, a name that is too long
            raise UsageError(f"{given[:200]}: that is no path: {error}") from error
        if not found.is_relative_to(self.path):
            raise UsageError(f"{given[:200]} leads out of {self.path}, the root of this server")
        return found.relative_to(self.path).as_posix()

    def tree(self, given: str) -> str:
        """Resolve a folder that is read whole, links followed. Raises UsageError where one of them leads out."""
        found = self.inside(given)
        for number, path in enumerate(_links(self.path / found)):
            if number > MAX_TREE_FILES:
                raise UsageError(f"{given[:200]} holds more than {MAX_TREE_FILES} files", hint="name a smaller folder")
            if path.is_symlink():
                self.inside(str(path))
        return found

    def target(self, given: str) -> str:
        """Resolve a folder, FILE, or FILE::FUNCTION, and check the cases of a program. Raises UsageError."""
        path, mark, name = given.partition("::")
        found = self.inside(path)
        if not name and not (self.path / found).is_dir():
            folder = (self.path / found).parent
            for beside in _beside(folder):
                self.inside(str(beside))
            if (folder / "cases").is_dir():
                self.tree(str(folder / "cases"))
        return f"{found}{mark}{name}"

    def arguments(self, given: Iterable[str]) -> tuple[str, ...]:
        """Check the arguments of a program, since a file that one names is copied. Raises UsageError."""
        found = tuple(given)
        for word in found:
            for part in {word, word.partition("=")[2]} - {""}:
                if "\0" not in part and os.path.lexists(self.path / part):
                    self.inside(part)  # of a folder links are left out, see codeopt.core.run_inputs
        return found


def _links(folder: Path) -> Iterator[Path]:
    """Paths of everything below a folder, links not followed."""
    for here, folders, files in os.walk(folder):
        yield from (Path(here, name) for name in (*folders, *files))


def _beside(folder: Path) -> Iterator[Path]:
    """Paths of files next to a program that are read as its cases."""
    for pattern in ("input*", "output*", "*.in", "*.out", "*.args", "generate.py"):
        yield from folder.glob(pattern)
