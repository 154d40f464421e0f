"""Plain files: no link stands for them, or on the way to them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def is_plain(path: Path) -> bool:
    """Whether a path is a file, without a link on the way to it."""
    return path.is_file() and path == Path(os.path.realpath(path))


def copied_plain(root: Path, path: Path | str, folder: Path, place: Path | None = None) -> bool:
    """Copy a plain file of one folder to a place in another, None: to the same; False where it is no plain file, or the
    place lies outside."""
    source, target = root.resolve() / path, folder / (place or path)
    if not is_plain(source) or not target.resolve().is_relative_to(folder.resolve()):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return True
