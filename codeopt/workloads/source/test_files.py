"""Test files of a project: by the names of pytest, unittest and Django, by pytest's settings, by the files that runners
name, and by the classes in a file."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from codeopt.workloads.source.module_graph import NAMED_PATH, read_module
from codeopt_sandbox.guest.tests.outcomes import SETTINGS

READ_BY_PYTEST = ("conftest.py", *SETTINGS)
RECIPE_FILES = frozenset({"Makefile", "makefile", "GNUmakefile", "tox.ini", "noxfile.py", "tasks.py", "justfile"})
USUAL = ("test_*.py", "*_test.py", "tests.py", "tests_*.py", "*_tests.py", "conftest.py")
"""Names of pytest and Django, and their plurals, which people run by their paths."""
FLAG = "python_files="
_TEST = re.compile(rb"^(?:\s*(?:async\s+)?def test|class \w*Test)", re.M)


def find_test_files(files: Mapping[str, bytes], words: Sequence[str] = ()) -> tuple[str, ...]:
    """Paths, but of what the command itself names. words: of the command."""
    patterns = [*USUAL]
    # Python files that a Makefile, tox, nox, settings or a script at the top names
    named = set[str]()
    for path, content in files.items():
        given = (pytest_settings(path, content) or {}).get("python_files") or []
        patterns += given.split() if isinstance(given, str) else map(str, given)
        if "/" not in path and decides_tests(path):
            named |= {found.decode().removeprefix("./") for found in NAMED_PATH.findall(content)}
    patterns += [each for word in words if FLAG in word for each in word.rpartition(FLAG)[2].split()]
    found = (
        path
        for path, content in files.items()
        if path.endswith(".py")
        and PurePosixPath(path).name not in ("conftest.py", "setup.py")
        and path not in words
        and (matches(path, patterns) or (path in named and _TEST.search(content)) or _has_cases(content))
    )
    return tuple(sorted(found))


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Compare in the way of pytest: a pattern with a slash matches against the whole path."""
    name = PurePosixPath(path).name
    return any(fnmatchcase(path if "/" in each else name, f"*{each}" if "/" in each else each) for each in patterns)


def decides_tests(path: str) -> bool:
    """Return True if a file, by its path in the project, may hold tests or name the files that do."""
    name = PurePosixPath(path)
    at_top = len(name.parts) == 1 and (path in RECIPE_FILES or name.suffix in (".sh", ".yml"))
    return name.suffix == ".py" or name.name in SETTINGS or at_top


def _has_cases(content: bytes) -> bool:
    """Return True if a module has a class with tests that derives from unittest's or a framework's."""
    if b"TestCase" not in content or not _TEST.search(content):
        return False
    return any(
        isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("TestCase") for base in node.bases)
        and any(
            isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test")
            for each in node.body
        )
        for node in ast.walk(read_module(content))
    )


def pytest_settings(path: str, content: bytes | None) -> Mapping[str, Any] | None:
    """Return pytest's settings in a file. None if the file decides nothing for pytest, or cannot be read.

    An empty `pytest.ini` or empty section decides also: pytest then reads that file alone.
    """
    name = PurePosixPath(path).name
    if content is None or name not in SETTINGS:
        return None
    try:
        text, tables = content.decode(), list[Mapping[str, Any]]()
        if path.endswith(".toml"):
            for names in (("pytest",), ("tool", "pytest"), ("tool", "pytest", "ini_options")):
                found: Any = tomllib.loads(text)
                for part in names:
                    found = found.get(part) if isinstance(found, dict) else None
                tables += [found] if isinstance(found, dict) else []
        else:
            parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
            parser.read_string(text)
            tables += [parser[part] for part in ("pytest", "tool:pytest") if parser.has_section(part)]
    except (ValueError, configparser.Error):
        tables = []
    decides = bool(tables) or "pytest." in name
    return {key: value for table in tables for key, value in table.items()} if decides else None
