"""Patterns of a project's test files: pytest's `python_files`, and the names of pytest, unittest and Django.

Classes of `unittest` count in files with any name.
"""

from __future__ import annotations

import ast
import configparser
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
USUAL = ("test_*.py", "*_test.py", "tests.py", "conftest.py")
SETTINGS = (*PYTEST_FILES, "pyproject.toml", "tox.ini", "setup.cfg")
FLAG = "python_files="


def file_patterns(files: Mapping[str, bytes], words: Sequence[str]) -> tuple[str, ...]:
    """Names of test files, by the settings of every folder and by `-o python_files=...` of a command."""
    found = [pattern for path, content in files.items() if _is_settings(path) for pattern in _patterns(path, content)]
    given = (word.rpartition(FLAG)[2] for word in words if FLAG in word)
    return tuple(dict.fromkeys([*USUAL, *found, *(each for text in given for each in text.split())]))


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Compare in the way of pytest: a pattern with a slash matches against the whole path."""
    name = PurePosixPath(path).name
    return any(fnmatchcase(path if "/" in each else name, f"*{each}" if "/" in each else each) for each in patterns)


def has_test_cases(tree: ast.Module) -> bool:
    """Return True if a module has a class with tests that derives from unittest's or a framework's."""
    return any(
        isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("TestCase") for base in node.bases)
        and any(
            isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test")
            for each in node.body
        )
        for node in ast.walk(tree)
    )


def _is_settings(path: str) -> bool:
    return PurePosixPath(path).name in SETTINGS


def pytest_settings(path: str, content: bytes | None) -> Mapping[str, Any] | None:
    """Return pytest's settings in a file. None if the file decides nothing for pytest, or cannot be read.

    An empty `pytest.ini` or empty section decides also: pytest then reads that file alone.
    """
    if content is None or not _is_settings(path):
        return None
    try:
        text = content.decode()
        found = _of_toml(text) if path.endswith(".toml") else _of_ini(text)
    except (ValueError, configparser.Error):
        found = None
    return {} if found is None and PurePosixPath(path).name in PYTEST_FILES else found


def _patterns(path: str, content: bytes) -> list[str]:
    found = (pytest_settings(path, content) or {}).get("python_files") or []
    return found.split() if isinstance(found, str) else [str(each) for each in found]


def _of_toml(text: str) -> Mapping[str, Any] | None:
    whole = tomllib.loads(text)
    tables: list[Mapping[str, Any]] = []
    for names in (("pytest",), ("tool", "pytest"), ("tool", "pytest", "ini_options")):
        found: Any = whole
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        tables += [found] if isinstance(found, dict) else []
    return {key: value for table in tables for key, value in table.items()} if tables else None


def _of_ini(text: str) -> Mapping[str, Any] | None:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    sections = [name for name in ("pytest", "tool:pytest") if parser.has_section(name)]
    return {key: value for name in sections for key, value in parser.items(name)} if sections else None
