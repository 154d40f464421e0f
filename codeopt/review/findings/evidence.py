"""Digest of the evidence that a function or program is judged by, found by reading alone."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from codeopt.core.options import ImproveOptions
from codeopt.review.changed_functions import is_test
from codeopt.workloads.function.corpus.existing_tests import MOST_FILES
from codeopt.workloads.function.recording import left_out, recorded_calls
from codeopt.workloads.sandbox_view.view import SETTINGS, Module, tracked
from codeopt.workloads.source.functions import Function, read_function
from codeopt.workloads.source.module_graph import imported_files
from codeopt.workloads.tests import ProjectTests
from codeopt_sandbox.plain_files import read_bytes

CASES = ("cases", "in", "out")
"""Folders next to a program that hold its cases."""
MAX_CASE_BYTES = 64 << 20
"""Size of a program's cases together up to which they are read, bytes."""


@dataclass
class Evidence:
    """The evidence of one project's functions and programs; test files are read once."""

    options: ImproveOptions
    _tests: dict[Path, ProjectTests] = field(default_factory=dict)

    def digest(self, module: Module, function: str) -> str | None:
        """SHA-256 in hexadecimal. None if the evidence is more than can be read. Raises OSError, UsageError."""
        if not function:
            found = _cases(module.path, self.options)
            return None if found is None else _digest_of(found)
        known = read_function(module.path, function)
        recorded = [*recorded_calls(known), left_out(known)]
        files = dict(self._files(module, known))
        return _digest_of({**files, "recorded": "\n".join(recorded).encode("utf-8", "surrogatepass")})

    def _files(self, module: Module, function: Function) -> Iterator[tuple[str, bytes]]:
        if self.options.calls is not None:
            yield "calls", read_bytes(self.options.calls)
        if not self.options.use_tests:
            return
        for path in self._closure(module, self._begin(module, function)):
            inside = path.is_relative_to(module.root)
            yield path.relative_to(module.root).as_posix() if inside else path.name, _content(path)

    def _begin(self, module: Module, function: Function) -> list[Path]:
        """Test files that are run: those that the user names, else those that are found."""
        if self.options.tests:
            named = [path.absolute() for path in self.options.tests]
            return [file for path in named for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
        if module.root not in self._tests:
            self._tests[module.root] = ProjectTests(module, module.root, tracked(module))
        near = self._tests[module.root].nearest([module], function.qualname)
        found = near.calling[:MOST_FILES] or near.importing[:MOST_FILES] or near.perhaps
        return [module.root / path for path in found]

    def _closure(self, module: Module, begin: Iterable[Path]) -> list[Path]:
        """The tests with what they import of other tests' files, and what pytest reads."""
        waiting, found = list(begin), set[Path]()
        while waiting:
            path = waiting.pop()
            if path in found or not path.is_file():
                continue
            found.add(path)
            above = [parent for parent in path.parents if parent.is_relative_to(module.root)]
            waiting += (folder / name for folder in above for name in SETTINGS)
            if path.suffix == ".py":
                imported = imported_files(read_bytes(path), path, (path.parent, *module.roots))
                here = (each for each in imported if each.is_relative_to(module.root))
                waiting += (each for each in here if is_test(each.relative_to(module.root).as_posix()))
        return sorted(found)


def _content(path: Path) -> bytes:
    """Part of a file that counts: of a project file what pytest and codeopt read there, and not its version."""
    text = read_bytes(path)
    if path.name != "pyproject.toml":
        return text
    try:
        tools = tomllib.loads(text.decode()).get("tool", {})
    except ValueError:
        return text
    return repr([(name, tools.get(name)) for name in ("pytest", "codeopt")]).encode()


def _cases(program: Path, options: ImproveOptions) -> dict[str, bytes] | None:
    """Files that may hold a program's cases, by name. None if they are too large."""
    folder = options.cases.absolute() if options.cases else program.parent
    beside = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and (path.name == "generate.py" or path.suffix in (".txt", ".in", ".out", ".args"))
    ]
    below = [folder] if options.cases else [folder / name for name in CASES]
    files = [*beside, *(path for each in below for path in _below(each))]
    found: dict[str, bytes] = {}
    size = 0
    for path in dict.fromkeys(files):
        size += path.stat().st_size
        if size > MAX_CASE_BYTES:
            return None
        found[os.path.relpath(path, folder)] = read_bytes(path)
    return found


def _below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


def _digest_of(files: Mapping[str, bytes]) -> str:
    total = sha256()
    for name, text in sorted(files.items()):
        for each in (name.encode("utf-8", "surrogateescape"), text):
            total.update(b"%d:%b" % (len(each), each))
    return total.hexdigest()
