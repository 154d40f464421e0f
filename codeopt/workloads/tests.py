"""Which files hold the project's tests, and which of them are nearest to a function."""

from __future__ import annotations

import ast
import configparser
import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from codeopt.analysis.nodes import Definition, bound_names, functions, mentioned
from codeopt.workloads.sandbox_view.view import Module
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit
from codeopt.workloads.source.module_graph import NAMED_PATH, importers, module_name, read_module, steps_to
from codeopt_sandbox.plain_files import read_bytes

# Test files of a project: by the names of pytest, unittest and Django, by pytest's settings, by the files that
# runners name, and by the classes in a file.

PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
SETTINGS = (*PYTEST_FILES, "pyproject.toml", "tox.ini", "setup.cfg")
RECIPE_FILES = frozenset({"Makefile", "makefile", "GNUmakefile", "tox.ini", "noxfile.py", "tasks.py", "justfile"})
USUAL = ("test_*.py", "*_test.py", "tests.py", "tests_*.py", "*_tests.py", "conftest.py")
"""Names of pytest and Django, and their plurals, which people run by their paths."""
FLAG = "python_files="
_TEST = re.compile(rb"^(?:\s*(?:async\s+)?def test|class \w*Test)", re.M)


def find_test_files(files: Mapping[str, bytes], words: Sequence[str] = ()) -> tuple[str, ...]:
    """Paths, but of what the command itself names. words: of the command."""
    settings = [pattern for path, content in files.items() for pattern in _patterns(path, content)]
    given = [each for word in words if FLAG in word for each in word.rpartition(FLAG)[2].split()]
    patterns = tuple(dict.fromkeys([*USUAL, *settings, *given]))
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


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Compare in the way of pytest: a pattern with a slash matches against the whole path."""
    name = PurePosixPath(path).name
    return any(fnmatchcase(path if "/" in each else name, f"*{each}" if "/" in each else each) for each in patterns)


def decides_tests(path: str) -> bool:
    """Return True if a file, by its path in the project, may hold tests or name the files that do."""
    name = PurePosixPath(path)
    at_top = len(name.parts) == 1 and (path in RECIPE_FILES or name.suffix in (".sh", ".yml"))
    return name.suffix == ".py" or name.name in SETTINGS or at_top


def _named_by_runners(files: Mapping[str, bytes]) -> Iterator[str]:
    """Python files that a Makefile, tox, nox, settings or a script at the top names."""
    for path, content in files.items():
        if "/" not in path and decides_tests(path):
            for found in NAMED_PATH.findall(content):
                yield found.decode().removeprefix("./")


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
        text = content.decode()
        found = _of_toml(text) if path.endswith(".toml") else _of_ini(text)
    except (ValueError, configparser.Error):
        found = None
    return {} if found is None and name in PYTEST_FILES else found


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


# Order of a project's test files for a change: first those that reach a changed function.
#
# What reaches what is read off the texts, by names and imports. To run a large suite under a hook takes longer than the
# tests that it would save.

FAR = 1_000
"""Distance of a test file from which no import, or no call, leads to the change."""
MOST_CALLS = 8
"""Calls between a test and a changed function that are followed. Names that many functions share lead everywhere."""
_WORD = re.compile(rb"[^\W\d]\w*")
_INDIRECT = re.compile(
    rb"\b(subprocess|multiprocessing|runpy|import_module|__import__|pexpect|entry_points|django|self\.client)\b"
)
"""Words of a test that may reach a module without an import of it: it starts a process, or a framework imports it."""


@dataclass(frozen=True)
class NearestTests:
    """Test files in the order in which they are run for a change."""

    calling: tuple[str, ...] = ()
    """Those that may reach a changed function by a call."""
    importing: tuple[str, ...] = ()
    """Others from which imports lead to its file."""
    perhaps: tuple[str, ...] = ()
    """Others that may reach its file without an import."""
    others: tuple[str, ...] = ()

    @property
    def reaching(self) -> tuple[str, ...]:
        """All that may reach the file."""
        return (*self.calling, *self.importing, *self.perhaps)


@dataclass(frozen=True)
class ProjectTests:
    """Test files of the project of a module, read when they are first asked for."""

    module: Module
    folder: Path
    """Folder in which the project's files are read."""
    names: Sequence[Path]
    """Paths of the project's files, relative to it."""

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """Content of the project's Python files, and of those that name tests, by path."""
        paths = [path for path in self.names if decides_tests(path.as_posix())]
        return {path.as_posix(): read_bytes(self.folder / path) for path in paths if (self.folder / path).is_file()}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All test files."""
        return find_test_files(self.files)

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """The files that import a file, which takes reading all of the project's."""
        root = self.module.root
        roots = (each.relative_to(root).as_posix() for each in self.module.roots if each.is_relative_to(root))
        return importers(self.files, [each for each in roots if each != "."])

    def nearest(self, modules: Sequence[Module], function: str = OUTSIDE) -> NearestTests:
        """Sort them by their distance to a function of some modules. OUTSIDE: to all of their code."""
        if not self.paths:  # then who imports what need not be known, for which all files are parsed
            return NearestTests()
        homes = (module.path.relative_to(self.module.root).as_posix() for module in modules)
        return nearest_tests([CodeEdit(home, function) for home in homes], self.paths, self.files, self.users)


def nearest_tests(
    changed: Sequence[CodeEdit], tests: Sequence[str], files: Mapping[str, bytes], users: Mapping[str, set[str]]
) -> NearestTests:
    """Sort test files by their distance to a change.

    A test file reaches a changed function if imports lead from it to the function's file, and if it mentions the
    function's name or that of a function that calls it, over some calls. The fixtures of a `conftest.py` count as those
    of each test below its folder. Among those, and among the others, come first the ones that are named after a changed
    file, then the fewest calls, the fewest imports and the most common folders.

    Args:
        changed: The changed functions.
        tests: Paths of the test files.
        files: All files of the project by path.
        users: The files that import a file, by its path: see importers.
    """
    homes = tuple(dict.fromkeys(edit.file for edit in changed))
    steps = steps_to([home for home in homes if home in files], users)
    everywhere = any(edit.qualname == OUTSIDE for edit in changed)  # what runs at the import acts without a call
    words = {path: frozenset(_WORD.findall(files[path])) for path in {*steps, *tests} if path in files}
    code = {path: words[path] for path in steps if path in words and path not in tests}
    calls = {} if everywhere else _calls_to([edit.qualname for edit in changed], code, files)
    names = {name for home in homes for name in (module_name(home), PurePosixPath(home).name) if len(name) > 3}
    # `import package` may be enough for `package.module.function()`, whatever imports the module.
    parts = {re.escape(part).encode() for home in homes for part in module_name(home).split(".")}
    imports = rb"^[ \t]*(?:from|import)[ \t][^\n]*\b(?:%s)\b" % b"|".join(sorted(parts))
    mentions = (re.escape(name.encode()) for name in sorted(names))
    perhaps = re.compile(b"|".join([_INDIRECT.pattern, imports, *mentions]), re.M)

    def place(path: str) -> tuple[int, bool, int, int, int, str]:
        """Group of a test file, and its place in it."""
        above = [(folder / "conftest.py").as_posix() for folder in PurePosixPath(path).parents]
        read = [path, *(each for each in above if each in files)]
        near = min((calls[word] for each in read for word in words.get(each, ()) if word in calls), default=FAR)
        far = min(steps.get(each, FAR) for each in read)
        group = 2 if perhaps.search(files.get(path, b"")) else 3
        if far < FAR:
            group = 0 if everywhere or near < FAR else 1
        stem = re.sub("^tests?_|_tests?$", "", PurePosixPath(path).stem)
        named = any(stem.strip("_") == PurePosixPath(home).stem.strip("_") for home in homes)
        shared = (posixpath.commonpath([posixpath.dirname(path), posixpath.dirname(home)]) for home in homes)
        common = max((len(PurePosixPath(each).parts) for each in shared), default=0)
        return group, not named, near, far, -common, path

    places = sorted(map(place, tests))
    calling, importing, may, others = (tuple(each[-1] for each in places if each[0] == group) for group in range(4))
    return NearestTests(calling, importing, may, others)


def _calls_to(
    qualnames: Sequence[str], words: Mapping[str, frozenset[bytes]], files: Mapping[str, bytes]
) -> dict[bytes, int]:
    """Name -> number of calls that may lead from what it names to one of some functions.

    words: of the files of code.
    """
    calls = {_called_name(name): 0 for name in qualnames}
    # Who builds an object may call its methods without naming them, as a property, or by way of another object.
    calls |= {name.split(".")[-2].encode(): 1 for name in qualnames if "." in name if not _is_special(name)}
    names = set(calls)
    for count in range(1, MOST_CALLS + 1):
        callers = set[bytes]()
        for path in words:
            if names & words[path]:
                body = read_module(files[path]).body
                for name, node in functions(body):
                    if not names.isdisjoint(map(str.encode, mentioned(node))):
                        callers.add(_called_name(name))
                plain = (node for node in body if not isinstance(node, Definition | ast.Import | ast.ImportFrom))
                for statement in plain:  # `main = partial(f)`, a table of functions
                    if not names.isdisjoint(map(str.encode, mentioned(statement))):
                        callers |= {name.encode() for name in bound_names(statement)}
        names = callers - calls.keys()
        if not names:
            break
        calls |= dict.fromkeys(names, count)
    return calls


def _called_name(qualname: str) -> bytes:
    """The name by which code mentions a function; of a special method that of its class."""
    *owners, name = qualname.split(".")
    return (owners[-1] if owners and _is_special(qualname) else name).encode()


def _is_special(qualname: str) -> bool:
    name = qualname.rpartition(".")[2]
    return name.startswith("__") and name.endswith("__")
