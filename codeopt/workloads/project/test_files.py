"""Test files of a project, by its settings and by what its runners name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from codeopt.workloads.project.module_graph import NAMED_PATH, read_module
from codeopt.workloads.project.test_settings import SETTINGS, file_patterns, has_test_cases, matches

RECIPE_FILES = frozenset({"Makefile", "makefile", "GNUmakefile", "tox.ini", "noxfile.py", "tasks.py", "justfile"})
_TEST = re.compile(rb"^(?:\s*(?:async\s+)?def test|class \w*Test)", re.M)


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
