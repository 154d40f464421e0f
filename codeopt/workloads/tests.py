"""The tests of a project, and which of them are nearest to a function."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from codeopt.analysis.nodes import Definition, bound_names, functions, mentioned
from codeopt.workloads.sandbox_view.view import Module
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit
from codeopt.workloads.source.module_graph import importers, module_name, read_module, steps_to
from codeopt.workloads.source.test_files import decides_tests, find_test_files
from codeopt_sandbox.plain_files import read_bytes

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
    calls = {called_name(name).encode(): 0 for name in qualnames}
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
                        callers.add(called_name(name).encode())
                plain = (node for node in body if not isinstance(node, Definition | ast.Import | ast.ImportFrom))
                for statement in plain:  # `main = partial(f)`, a table of functions
                    if not names.isdisjoint(map(str.encode, mentioned(statement))):
                        callers |= {name.encode() for name in bound_names(statement)}
        names = callers - calls.keys()
        if not names:
            break
        calls |= dict.fromkeys(names, count)
    return calls


def called_name(qualname: str) -> str:
    """The name by which code mentions a function; of a method that Python calls that of its class."""
    *owners, name = qualname.split(".")
    return owners[-1] if owners and _is_special(qualname) else name


def _is_special(qualname: str) -> bool:
    name = qualname.rpartition(".")[2]
    return name.startswith("__") and name.endswith("__")
