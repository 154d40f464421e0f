"""Imported modules of a program's project that git does not track.

Files that are not yet added are shown with the program, as it needs them. Ignored ones are only named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from codeopt.core.git import unadded_files
from codeopt.core.run_inputs import is_secret
from codeopt_sandbox.plain_files import read_bytes

MOST = 400
"""Modules that are read to find what they import: about two seconds; only where there are files not yet added."""


def imported_unadded(program: Path, root: Path, roots: tuple[Path, ...]) -> list[Path]:
    """Return Python files that the program imports and git neither tracks nor ignores, relative to the project.

    Indirect imports count. Without git any imported file is returned.
    """
    there = _unadded(root)
    found: list[Path] = []
    waiting, seen = [program], {program}
    while there != set() and waiting and len(seen) <= MOST:
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
