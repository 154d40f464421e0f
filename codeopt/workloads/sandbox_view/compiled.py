"""The project's copy with compiled modules: it is read-only for a run, and each run would compile them again."""

from __future__ import annotations

import ast
import py_compile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from codeopt_sandbox.plain_files import read_bytes

MOST = 3000
"""Maximum number of modules that are compiled."""
MOST_S = 20.0
"""Time limit of compiling them, seconds."""


def compile_imports(first: Path, roots: tuple[Path, ...]) -> None:
    """Compile the modules of its own project that a module imports, directly or indirectly. No code of them runs.

    `roots` are the folders on sys.path. The sandbox ignores files that were compiled for another Python.
    """
    until = time.monotonic() + MOST_S
    todo, seen = [first, *_parents(first, roots)], set[Path]()
    while todo and len(seen) < MOST and time.monotonic() < until:
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
