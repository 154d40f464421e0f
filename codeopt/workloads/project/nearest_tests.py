"""Order of a project's test files for a change: first those that reach a changed function.

What reaches what is read off the texts, by names and imports. To run a large suite under a hook takes longer than the
tests that it would save.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from codeopt.analysis.import_steps import import_steps
from codeopt.analysis.positions import functions
from codeopt.workloads.project.edits import OUTSIDE, CodeEdit
from codeopt.workloads.project.module_graph import read_module

FAR = 1_000
"""Distance of a test file from which no import, or no call, leads to the change."""
MOST_CALLS = 8
"""Calls between a test and a changed function that are followed. Names that many functions share lead everywhere."""
_WORD = re.compile(rb"[^\W\d]\w*")


@dataclass(frozen=True)
class NearestTests:
    """Test files in the order in which they are run for a change."""

    paths: tuple[str, ...]
    reaching: int
    """Number of the first ones, which may reach a changed function. The others are not known to."""


def nearest_tests(changed: Sequence[CodeEdit], tests: Iterable[str], files: Mapping[str, bytes]) -> NearestTests:
    """Sort test files by their distance to a change.

    A test file reaches a changed function if imports lead from it to the function's file, and if it mentions the
    function's name or that of a function that calls it, over some calls. Among those, and among the others, come first
    the ones that are named after a changed file, then the fewest calls, the fewest imports and the most common folders.

    Args:
        changed: The changed functions.
        tests: Paths of the test files.
        files: All files of the project by path.
    """
    tests = tuple(tests)
    homes = tuple(dict.fromkeys(edit.file for edit in changed))
    steps = import_steps(files, homes)
    everywhere = any(edit.qualname == OUTSIDE for edit in changed)  # what runs at the import acts without a call
    words = {path: frozenset(_WORD.findall(content)) for path, content in files.items() if path.endswith(".py")}
    calls = _calls_to({_called_name(edit.qualname) for edit in changed}, words, files, frozenset(tests))

    def place(path: str) -> tuple[bool, bool, int, int, int, str]:
        near = min((calls[word] for word in words.get(path, ()) if word in calls), default=FAR)
        reaches = steps.get(path, FAR) < FAR and (everywhere or near < FAR)
        stem = re.sub("^tests?_|_tests?$", "", PurePosixPath(path).stem)
        named = any(stem == PurePosixPath(home).stem for home in homes)
        common = max((_common_folders(path, home) for home in homes), default=0)
        return not reaches, not named, near, steps.get(path, FAR), -common, path

    places = sorted(map(place, tests))
    return NearestTests(tuple(path for *_, path in places), sum(not far for far, *_ in places))


def _calls_to(
    names: set[bytes], words: Mapping[str, frozenset[bytes]], files: Mapping[str, bytes], tests: frozenset[str]
) -> dict[bytes, int]:
    """Name of a function -> number of calls that may lead from it to one of `names`."""
    calls = dict.fromkeys(names, 0)
    for count in range(1, MOST_CALLS + 1):
        callers = set[bytes]()
        for path in words.keys() - tests:
            if names & words[path]:
                for name, node in functions(read_module(files[path]).body):
                    if not names.isdisjoint(_mentioned(node)):
                        callers.add(_called_name(name))
        names = callers - calls.keys()
        if not names:
            break
        calls |= dict.fromkeys(names, count)
    return calls


def _mentioned(tree: ast.AST) -> Iterator[bytes]:
    """Names and attributes of code, without its texts and comments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id.encode()
        elif isinstance(node, ast.Attribute):
            yield node.attr.encode()


def _called_name(qualname: str) -> bytes:
    """The name by which code mentions a function; of a special method that of its class."""
    *owners, name = qualname.split(".")
    special = name.startswith("__") and name.endswith("__") and owners
    return (owners[-1] if special else name).encode()


def _common_folders(one: str, other: str) -> int:
    """Number of folders at the beginning of both."""
    pairs = zip(PurePosixPath(one).parts[:-1], PurePosixPath(other).parts[:-1], strict=False)
    count = 0
    for a, b in pairs:
        if a != b:
            break
        count += 1
    return count
