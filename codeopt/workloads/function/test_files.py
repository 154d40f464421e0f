"""Test files of a project, and those of them that may reach a module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codeopt.analysis.import_steps import importers, steps_to
from codeopt.analysis.positions import bound_names
from codeopt.workloads.sandbox_view.view import Module, tracked
from codeopt.workloads.source.functions import Function
from codeopt_sandbox.plain_files import read_bytes, read_text

_TEST = re.compile(r"tests?_.*\.py|.*_tests?\.py|tests\.py")
_INDIRECT = re.compile(
    r"\b(subprocess|multiprocessing|runpy|import_module|__import__|pexpect|entry_points|django|self\.client)\b"
)
"""Words of a test that may reach a module without an import of it."""
FAR = 1_000
"""Number of imports that no chain has."""
MOST_FILES = 8
"""Maximum number of test files that are run for a module."""


@dataclass(frozen=True)
class TestFiles:
    """Test files of the project of a module, read when they are first asked for."""

    __test__ = False

    module: Module
    folder: Path
    """Folder in which the project's files are read."""

    @cached_property
    def files(self) -> Mapping[Path, Path]:
        """Python files of the project, by their path below the root."""
        paths = [path for path in tracked(self.module) if path.suffix == ".py"]
        return {path: self.folder / path for path in paths if (self.folder / path).is_file()}

    @cached_property
    def texts(self) -> Mapping[Path, str]:
        """Text of each test file, by its path below the root."""
        named = {path: file for path, file in self.files.items() if _TEST.fullmatch(path.name)}
        return {path: read_text(file, "replace") for path, file in named.items()}

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """The files that import a file, which takes reading all of the project's."""
        return importers({path.as_posix(): read_bytes(file) for path, file in self.files.items()})

    def that_call(self, module: Module, function: Function, most: int = MOST_FILES) -> tuple[Path, ...]:
        """Return test files that import the module or its users, and name something that reaches the function.

        A name in a conftest.py of theirs counts. The nearest files are first.
        """
        own = {function.name} if not function.name.startswith("__") else set()  # every class may have one of that name
        names = sorted(own | self._names_reaching(module, function))
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
        named = {path for path in self.texts if any(pattern.search(text) for text in self._read_by(path))}
        return tuple(path for path in self.that_import([module], len(self.texts)) if path in named)[:most]

    def _names_reaching(self, module: Module, function: Function) -> set[str]:
        """Names of definitions that mention the function, or a method's class, in its module and in what imports it,
        also by way of each other."""
        *classes, name = function.qualname.split(".")
        found = set(classes or [name])
        home = module.path.relative_to(module.root).as_posix()
        steps = steps_to([home], self.users)
        users = sorted((path for path in steps if path != home), key=lambda path: (steps[path], path))
        read = [self.files[Path(path)] for path in users if Path(path) in self.files]
        for text in (function.source, *(read_text(file, "replace") for file in read)):
            definitions = _definitions(text)
            while more := {name for name, words in definitions.items() if words & found} - found:
                found |= more
        return found

    def _read_by(self, path: Path) -> Iterator[str]:
        """Text of a test file, and of each conftest.py whose fixtures it may use."""
        yield self.texts[path]
        for other in _with_conftest(path)[1:]:
            if Path(other) in self.files:
                yield read_text(self.files[Path(other)], "replace")

    def that_import(self, modules: Sequence[Module], most: int = MOST_FILES) -> tuple[Path, ...]:
        """Test files that import one of some modules, the nearest first. most: of one module."""
        return tuple(dict.fromkeys(path for module in modules for path in self._nearest(module, most)))

    def that_may_reach(self, modules: Sequence[Module]) -> tuple[Path, ...]:
        """Return all test files, the nearest of each module first.

        Then come those that may reach a module without an import: they start processes, name its file, or belong to
        Django.
        """
        direct = dict.fromkeys([*self.that_import(modules), *self.that_import(modules, most=len(self.texts))])
        names = {name for module in modules for name in (module.name, module.path.name) if len(name) > 3}
        others = [
            (_shared_folders(path, modules), path)
            for path, text in self.texts.items()
            if path not in direct and (_INDIRECT.search(text) or any(name in text for name in names))
        ]
        return (*direct, *(path for _, path in sorted(others, key=lambda each: (-each[0], each[1]))))

    def _nearest(self, module: Module, most: int) -> list[Path]:
        """Return the tests that import a module. If they are few, add tests that import its users.

        For example, a test client reaches modules that no test names. Imports of a test's conftest.py count as the
        test's.
        """
        package, last = module.name.partition(".")[0], module.name.rpartition(".")[2]
        imports = re.compile(rf"^\s*(from|import)\s+.*\b({re.escape(package)}|{re.escape(last)})\b", re.MULTILINE)
        importing = ((path, text) for path, text in self.texts.items() if imports.search(text))
        direct = sorted((_distance(path, text, module), path) for path, text in importing)
        found = [path for _, path in direct][:most]
        if len(found) < min(most, len(self.texts)):
            steps = steps_to([module.path.relative_to(module.root).as_posix()], self.users)
            nearest = ((min(steps.get(each, FAR) for each in _with_conftest(path)), path) for path in self.texts)
            found += [path for far, path in sorted(nearest) if far < FAR and path not in found]
        return found[:most]


def _definitions(text: str) -> dict[str, set[str]]:
    """Names that the top of a module binds, each with the names in what binds it; none of a text that is no Python."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, set[str]] = {}
    for node in body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            words = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            words |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            for name in bound_names(node):
                found.setdefault(name, set()).update(words)
    return found


def _with_conftest(path: Path) -> list[str]:
    """A test file, and the files whose fixtures it may use."""
    return [path.as_posix(), *((folder / "conftest.py").as_posix() for folder in path.parents)]


def _distance(path: Path, text: str, module: Module) -> int:
    """Distance of a test from a module, the nearest first: by its name, by what it imports, by where it lies."""
    last = module.name.rpartition(".")[2]
    near = module.path.parent in (module.root / path).parents
    named = path.stem.strip("_") in (f"test_{last.strip('_')}", f"{last.strip('_')}_test")
    return 4 * (not named) + 2 * (module.name not in text) + (not near)


def _shared_folders(path: Path, modules: Sequence[Module]) -> int:
    """Number of folders that a test has in common with the nearest module."""
    homes = [module.path.relative_to(module.root).parent.parts for module in modules]
    return max((sum(a == b for a, b in zip(path.parent.parts, home, strict=False)) for home in homes), default=0)
