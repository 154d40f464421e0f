"""Plain files: neither they nor a folder on the way to them is a link."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def is_plain(path: Path) -> bool:
    """Return whether a path is a file, without a link on the way to it."""
    return path.is_file() and path == Path(os.path.realpath(path))


def copied_plain(root: Path, path: Path | str, folder: Path, place: Path | None = None) -> bool:
    """Copy a plain file of one folder to a place in another, None for the same place.

    Return False if it is not a plain file, or if the place lies outside.
    """
    source, target = root.resolve() / path, folder / (place or path)
    if not is_plain(source) or not target.resolve().is_relative_to(folder.resolve()):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return True
