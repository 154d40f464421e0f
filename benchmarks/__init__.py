"""Speed and error rates, as ratios within one run. Nothing here gates a test: machines are noisy."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NoReturn

NOT_RUN = 77
"""The exit status of a benchmark whose data or packages are not here; Automake and Meson read it so, too."""


def not_run(why: str) -> NoReturn:
    """End with one line that says what is missing."""
    print(f"not run: {why}", file=sys.stderr)
    raise SystemExit(NOT_RUN)


def git(root: Path, *words: str) -> None:
    """Run git with a name, which a fresh machine has none of."""
    who = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost")
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def commit_all(root: Path, message: str) -> None:
    """Make a repository of a folder with all of its files committed."""
    for words in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-qm", message)):
        git(root, *words)


def extract(sdist: Path, to: Path) -> None:
    """What a source distribution holds, without what would lead out of the folder, where this Python can tell: from
    3.11.4 on, and Debian 12 has 3.11.2."""
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(to)
