"""Test files of a project, and those of them that may reach a module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codeopt.analysis.import_steps import importers, steps_to
from codeopt.workloads.sandbox_view.view import Module, tracked

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
        return {path: file.read_text("utf-8", "replace") for path, file in named.items()}

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """The files that import a file, which takes reading all of the project's."""
        return importers({path.as_posix(): file.read_bytes() for path, file in self.files.items()})

    def that_import(
        self, modules: Sequence[Module], pattern: str | None = None, most: int = MOST_FILES
    ) -> tuple[Path, ...]:
        """Test files that import one of some modules, the nearest first. pattern: what else a test holds. most: of one
        module."""
        named = {path: text for path, text in self.texts.items() if pattern is None or re.search(pattern, text)}
        return tuple(dict.fromkeys(path for module in modules for path in self._nearest(module, named, most)))

    def that_may_reach(self, modules: Sequence[Module]) -> tuple[Path, ...]:
        """All of them, the nearest of each module first, then those that may reach one without an import: they start
        processes, name its file, or are Django's."""
        direct = dict.fromkeys([*self.that_import(modules), *self.that_import(modules, most=len(self.texts))])
        names = {name for module in modules for name in (module.name, module.path.name) if len(name) > 3}
        others = [
            (_shared_folders(path, modules), path)
            for path, text in self.texts.items()
            if path not in direct and (_INDIRECT.search(text) or any(name in text for name in names))
        ]
        return (*direct, *(path for _, path in sorted(others, key=lambda each: (-each[0], each[1]))))

    def _nearest(self, module: Module, texts: Mapping[Path, str], most: int) -> list[Path]:
        """The tests that import a module; where these are few also those that import what imports it: a test client
        reaches what no test names. What the conftest of a test imports counts as imported by the test."""
        package, last = module.name.partition(".")[0], module.name.rpartition(".")[2]
        imports = re.compile(rf"^\s*(from|import)\s+.*\b({re.escape(package)}|{re.escape(last)})\b", re.MULTILINE)
        direct = sorted((_distance(path, text, module), path) for path, text in texts.items() if imports.search(text))
        found = [path for _, path in direct][:most]
        if len(found) < min(most, len(texts)):
            steps = steps_to([module.path.relative_to(module.root).as_posix()], self.users)
            nearest = ((min(steps.get(each, FAR) for each in _with_conftest(path)), path) for path in texts)
            found += [path for far, path in sorted(nearest) if far < FAR and path not in found]
        return found[:most]


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
