"""The file whose function is recorded, with any path and name under which a program loads it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class WatchedFile:
    """A file by its real path; the last part of a name is compared first, which is quick."""

    def __init__(self, path: str) -> None:
        self.path = path
        folder, _, base = path.rpartition("/")
        self.base = base
        stem = base.rpartition(".")[0]
        self.name = folder.rpartition("/")[2] if stem == "__init__" else stem

    def is_at(self, path: Any) -> bool:
        """Return True if a path leads to the file. A link may have another name."""
        if not isinstance(path, str) or not (path.endswith(self.base) or os.path.islink(path)):  # noqa: PTH114  quick
            return False
        return os.path.realpath(path) == self.path

    def may_be(self, module: str) -> bool:
        """Return True if a module of that name can be the file."""
        return module.rpartition(".")[2] == self.name
