"""Test files of a project, by its settings and by what its runners name, the nearest to the hot code first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from codeopt.analysis.import_steps import import_steps
from codeopt.workloads.project.module_graph import NAMED_PATH, read_module
from codeopt.workloads.project.test_settings import SETTINGS, file_patterns, has_test_cases, matches

RECIPE_FILES = frozenset({"Makefile", "makefile", "GNUmakefile", "tox.ini", "noxfile.py", "tasks.py", "justfile"})
_TEST = re.compile(rb"^(?:\s*(?:async\s+)?def test|class \w*Test)", re.M)
FAR = 1_000
"""Distance of a file from which no import leads to the hot code."""


def find_test_files(files: Mapping[str, bytes], words: Sequence[str] = ()) -> tuple[str, ...]:
    """Paths, but of what the command itself names. words: of the command."""
    patterns = file_patterns(files, words)
    named = set(_named_by_runners(files))
    found = (
        path
        for path, content in files.items()
        if path.endswith(".py")
        and PurePosixPath(path).name not in ("conftest.py", "setup.py")
        and path not in words
        and (matches(path, patterns) or (path in named and _TEST.search(content)) or _has_cases(content))
    )
    return tuple(sorted(found))


def _named_by_runners(files: Mapping[str, bytes]) -> Iterator[str]:
    """Python files that a Makefile, tox, nox, settings or a script at the top names."""
    for path, content in files.items():
        name = PurePosixPath(path)
        if len(name.parts) == 1 and (path in {*RECIPE_FILES, *SETTINGS} or name.suffix in (".py", ".sh", ".yml")):
            for found in NAMED_PATH.findall(content):
                yield found.decode().removeprefix("./")


def _has_cases(content: bytes) -> bool:
    return b"TestCase" in content and bool(_TEST.search(content)) and has_test_cases(read_module(content))


def nearest_first(tests: Iterable[str], files: Mapping[str, bytes], hot: Sequence[str]) -> tuple[str, ...]:
    """Sort test files by their distance to some files, the hottest first.

    First come tests that are named after a file and lie in its folder. Then the number of imports between them counts,
    then the number of common folders.
    """
    steps = import_steps(files, hot)
    return tuple(sorted(tests, key=lambda path: (*_nearness(path, steps, hot), path)))


def _nearness(path: str, steps: Mapping[str, int], hot: Sequence[str]) -> tuple[bool, int, int]:
    stem = re.sub("^tests?_|_tests?$", "", PurePosixPath(path).stem)
    named = any(stem == PurePosixPath(each).stem for each in hot)
    common = max((_common(path, each) for each in hot), default=0)
    return not named, steps.get(path, FAR), -common


def _common(one: str, other: str) -> int:
    """Number of folders at the beginning of both."""
    pairs = zip(PurePosixPath(one).parts[:-1], PurePosixPath(other).parts[:-1], strict=False)
    count = 0
    for a, b in pairs:
        if a != b:
            break
        count += 1
    return count
