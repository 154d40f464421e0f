"""`--html FILE`: where a page goes, looked at before anything is run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from codeopt.core.errors import UsageError


def add_html_argument(parser: argparse._ActionsContainer) -> None:
    """The flag."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one self-contained page as well")


def require_writable(target: Path) -> None:
    """Refuse before anything is run what could not be written after it. Raises UsageError."""
    if target.is_dir():
        raise UsageError(f"cannot write {target}: it is a directory")
    if target.exists() and not target.is_file():  # a device or a pipe, which is written to and not replaced
        return
    folder = target.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {target}: there is no directory {folder}")
    for path in (folder, target):
        if path.exists() and not os.access(path, os.W_OK):
            raise UsageError(f"cannot write {target}: {path} is read-only for you (-o FILE writes elsewhere)")


def write_page(path: Path, pieces: Iterable[str]) -> None:
    """The page, piece by piece. Raises UsageError when it cannot be written."""
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
