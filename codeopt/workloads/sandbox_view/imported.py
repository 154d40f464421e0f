"""Modules of its project that a module imports: those that git does not track, and their bytecode."""

from __future__ import annotations

import ast
import py_compile
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import takewhile
from pathlib import Path

from codeopt.core.git import unadded_files
from codeopt.core.run_inputs import is_secret
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox.plain_files import read_bytes

MOST_READ = 400
"""Modules that are read to find what they import: about two seconds; only where there are files not yet added."""


def imported_unadded(program: Path, root: Path, roots: tuple[Path, ...]) -> list[Path]:
    """Return Python files that the program imports and git neither tracks nor ignores, relative to the project.

    Indirect imports count. Without git any imported file is returned.
    """
    unadded = unadded_files(root)  # None without git
    there = None if unadded is None else {path for path in unadded if path.suffix == ".py"}
    found: list[Path] = []
    waiting, seen = [program], {program}
    while there != set() and waiting and len(seen) <= MOST_READ:
        path, imported = waiting.pop(), list[Path]()
        with suppress(OSError):
            imported += imported_files(read_bytes(path), path, (program.parent, *roots))
        for each in imported:
            if each in seen or not each.is_relative_to(root):
                continue
            seen.add(each)
            waiting.append(each)
            name = each.relative_to(root)
            if not is_secret(name) and (there is None or name in there):
                found.append(name)
    return found


def imported_files(text: str | bytes, path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that the imports in a text load, at any place in it. `path` is the module's path."""

    @cache  # most imports are of other folders: each folder is read once for all of them
    def names(folder: Path) -> frozenset[str]:
        try:
            return frozenset(each.name for each in folder.iterdir())
        except OSError:
            return frozenset()

    for name, places in dict.fromkeys(_imported_names(read_module(text), path, roots)):
        yield from module_files(name, [place for place in places if names(place) & {name[0], f"{name[0]}.py"}])


def _imported_names(
    tree: ast.Module, path: Path, roots: tuple[Path, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[Path, ...]]]:
    """Yield the parts of each imported name, and the folders that the name is searched in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((tuple(alias.name.split(".")), roots) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = node.module.split(".") if node.module else []
            places = (path.parents[node.level - 1],) if 0 < node.level <= len(path.parents) else roots
            yield from (((*home, alias.name), places) for alias in node.names)


def module_files(parts: Sequence[str], roots: Iterable[Path]) -> Iterator[Path]:
    """`a/__init__.py` and `a/b.py` for `a.b`; a name that is no module is one of the module before it."""
    for root in roots:
        last = root.joinpath(*parts)
        whole = [each for each in (last.with_suffix(".py"), last / "__init__.py") if each.is_file()]
        before = [root.joinpath(*parts[:end]) for end in range(1, len(parts))]
        packages = [path for each in before for path in (each / "__init__.py", each.with_suffix(".py"))]
        yield from (*(path for path in packages if path.is_file()), *whole)


# The project's copy with compiled modules: it is read-only for a run, and each run would compile them again.

MOST_COMPILED = 3000
"""Maximum number of modules that are compiled."""
MOST_S = 20.0
"""Time limit of compiling them, seconds."""


def compile_imports(first: Path, roots: tuple[Path, ...]) -> None:
    """Compile the modules of its own project that a module imports, directly or indirectly. No code of them runs.

    `roots` are the folders on sys.path. The sandbox ignores files that were compiled for another Python.
    """
    until = time.monotonic() + MOST_S
    around = takewhile(lambda folder: folder not in roots, first.parents)  # packages, which are imported before it
    todo, seen = [first, *(path for folder in around if (path := folder / "__init__.py").is_file())], set[Path]()
    while todo and len(seen) < MOST_COMPILED and time.monotonic() < until:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                todo += imported_files(read_bytes(path), path, roots)
                py_compile.compile(str(path), quiet=2)
        except OSError:
            continue
