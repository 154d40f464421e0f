"""Modules of its project that a program imports and git does not track: those not yet added are shown with it, as it
cannot run without them; those that git ignores are named."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from codeopt.core.git import unadded_files
from codeopt.core.run_inputs import is_secret

MOST = 400
"""Modules that are read to find what they import: about two seconds; only where there are files not yet added."""
_MISSING = re.compile(r"No module named '([\w.]+)'")


def imported_unadded(program: Path, root: Path, roots: tuple[Path, ...]) -> list[Path]:
    """Python files, relative to the project, that the program imports, itself or by what it imports, and that git
    neither tracks nor ignores; without git, any."""
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


def missing_module(said: str, program: Path, roots: tuple[Path, ...]) -> str:
    """Advice about a module that a run did not find, by its file where the user has it; empty where they have not."""
    for name in reversed(_MISSING.findall(said)):
        found = list(_files(name.split("."), (program.resolve().parent, *roots)))
        if found:
            path = os.path.relpath(found[-1])
            return f"it imports {path}, which a run has not: --with {path}"
    return ""


def _unadded(root: Path) -> set[Path] | None:
    """Files that git knows nothing of; None where there is no git. Raises UsageError where git refuses to say."""
    found = unadded_files(root)
    return None if found is None else {path for path in found if path.suffix == ".py"}


def _imports(path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Files that a module's imports, wherever in it, would load."""
    with suppress(OSError):
        yield from imported_files(path.read_bytes(), path, roots)


def imported_files(text: str | bytes, path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Files that the imports of a module's text, wherever in it, would load. path: where the module stands."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(alias.name.split("."), roots)
        elif isinstance(node, ast.ImportFrom):
            home = node.module.split(".") if node.module else []
            places = (path.parents[node.level - 1],) if 0 < node.level <= len(path.parents) else roots
            for alias in node.names:
                yield from _files([*home, alias.name], places)


def _files(parts: list[str], roots: tuple[Path, ...]) -> Iterator[Path]:
    """`a/__init__.py` and `a/b.py` for `a.b`; a name that is no module is one of the module before it."""
    for root in roots:
        last = root.joinpath(*parts)
        whole = [each for each in (last.with_suffix(".py"), last / "__init__.py") if each.is_file()]
        before = [root.joinpath(*parts[:end]) for end in range(1, len(parts))]
        packages = [path for each in before for path in (each / "__init__.py", each.with_suffix(".py"))]
        yield from (*(path for path in packages if path.is_file()), *whole)
