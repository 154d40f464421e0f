"""Modules of its project that a module imports: those that git does not track, and their bytecode."""

from __future__ import annotations

import ast
import py_compile
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from codeopt.core.git import unadded_files
from codeopt.core.run_inputs import is_secret
from codeopt_sandbox.plain_files import read_bytes

MOST_READ = 400
"""Modules that are read to find what they import: about two seconds; only where there are files not yet added."""


def imported_unadded(program: Path, root: Path, roots: tuple[Path, ...]) -> list[Path]:
    """Return Python files that the program imports and git neither tracks nor ignores, relative to the project.

    Indirect imports count. Without git any imported file is returned.
    """
    there = _unadded(root)
    found: list[Path] = []
    waiting, seen = [program], {program}
    while there != set() and waiting and len(seen) <= MOST_READ:
        for each in _imports(waiting.pop(), (program.parent, *roots)):
            if each in seen or not each.is_relative_to(root):
                continue
            seen.add(each)
            waiting.append(each)
            name = each.relative_to(root)
            if not is_secret(name) and (there is None or name in there):
                found.append(name)
    return found


def _unadded(root: Path) -> set[Path] | None:
    """Return the untracked Python files. None without git. Raises UsageError if git fails."""
    found = unadded_files(root)
    return None if found is None else {path for path in found if path.suffix == ".py"}


def _imports(path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that a module's imports load, at any place in it."""
    with suppress(OSError):
        yield from imported_files(read_bytes(path), path, roots)


def imported_files(text: str | bytes, path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that the imports in a text load, at any place in it. `path` is the module's path."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = cache(_names_in)  # most imports are of other folders: each folder is read once for all of them
    for name, places in dict.fromkeys(_imported_names(tree, path, roots)):
        yield from module_files(name, [place for place in places if _may_hold(names(place), name[0])])


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


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(each.name for each in folder.iterdir())
    except OSError:
        return frozenset()


def _may_hold(names: frozenset[str], module: str) -> bool:
    return module in names or f"{module}.py" in names


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
    todo, seen = [first, *_parents(first, roots)], set[Path]()
    while todo and len(seen) < MOST_COMPILED and time.monotonic() < until:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(read_bytes(path))
                py_compile.compile(str(path), quiet=2)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
            continue
        todo += [found for name in _imported(tree, path, roots) for found in _files(name, roots)]


def _parents(path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The packages around a module, which are imported before it."""
    for folder in path.parents:
        if folder in roots:
            break
        if (folder / "__init__.py").is_file():
            yield folder / "__init__.py"


def _imported(tree: ast.Module, path: Path, roots: tuple[Path, ...]) -> Iterator[str]:
    """Dotted names; of `from a import b` both a and a.b, which may be a module."""
    root = next((root for root in roots if root in path.parents), path.parent)
    package = path.relative_to(root).parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join([*home, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _files(name: str, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Paths at which a module of this name would be, and the packages around it."""
    parts = name.split(".")
    for root in roots:
        base = root.joinpath(*parts)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                yield path
                yield from _parents(path, roots)
