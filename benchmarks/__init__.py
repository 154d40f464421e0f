"""Speed and error rates, as ratios within one run. Nothing here gates a test: machines are noisy."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

NOT_RUN = 77
"""Exit status of a benchmark whose data or packages are missing. Automake and Meson also read it so."""


def not_run(why: str) -> NoReturn:
    """End with one line that says what is missing."""
    print(f"not run: {why}", file=sys.stderr)
    raise SystemExit(NOT_RUN)


def git(root: Path, *words: str) -> None:
    """Run git with a user name, which a fresh machine lacks."""
    who = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost")
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def commit_all(root: Path, message: str) -> None:
    """Make a repository of a folder with all of its files committed."""
    for words in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-qm", message)):
        git(root, *words)


def cpu_of_children() -> float:
    """CPU seconds of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def kept_lines(path: Path | None, kind: str = "line of JSON") -> Iterator[Any]:
    """Objects of a file of JSON lines; half a line of a run that was killed is said and left out.

    kind: of what a line is, in words.
    """
    lines = path.read_text("utf-8").splitlines() if path and path.is_file() else ()
    for number, text in enumerate(lines, 1):
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            print(f"{path}:{number} is no {kind}, and is left out", file=sys.stderr)


def keep_line(path: Path | None, row: Mapping[str, Any]) -> None:
    """Append an object to a file of JSON lines; behind half a line of a run that was killed it begins a new one."""
    if path is None:
        return
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0)
        cut = "" if (text := file.read()).endswith("\n") or not text else "\n"
        file.write(f"{cut}{json.dumps(row)}\n")


def extract(sdist: Path, to: Path) -> None:
    """What a source distribution holds, without what would lead out of the folder, where this Python can tell: from
    3.11.4 on, and Debian 12 has 3.11.2."""
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(to)
