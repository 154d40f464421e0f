"""Folders of files that a test starts from, and repositories of them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts by their paths below a folder, which is made where it is missing; the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def make_repository(folder: Path, files: Mapping[str, str], message: str = "") -> Path:
    """A new repository whose files git tracks, also where it would ignore them; committed where there is a message."""
    write_files(folder, files)
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    if message:
        git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git there; what it prints."""
    names = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(folder), *names, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")
