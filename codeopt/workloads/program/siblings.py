"""Modules of its own project that a script imports: shown read-only, where `python script.py` would find them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from codeopt.target import Target
from codeopt.workloads.function.project import View, locate, open_view
from sandbox import Run, Sandbox

_FROM = re.compile(rb"from\s*(\.+)\s*([\w.]*)\s+import\b")


def open_siblings(target: Target, source: str) -> View | None:
    """A copy of what git tracks of the project, where the program imports something of it. Raises UsageError."""
    module = locate(target.path)
    names = set(_imported(source))
    roots = (target.path.resolve().parent, *module.roots)
    own = any((root / f"{name}.py").is_file() or (root / name).is_dir() for root in roots for name in names)
    return open_view(module) if own or target.module else None


def search_path(view: View, target: Target) -> str:
    """PYTHONPATH for a run: the script's folder first, unless it is run as a module; what is not there is not looked
    at, so that one text serves the sandboxes that isolate and those that do not."""
    folders = view.module.roots if target.module else (target.path.resolve().parent, *view.module.roots)
    inside = [view.inside(folder, isolated) for isolated in (True, False) for folder in folders]
    return ":".join(dict.fromkeys(inside))


def _imported(source: str) -> Iterator[str]:
    """Top-level names of what it imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


class InPackage:
    """A sandbox in which programs run as `python -m` runs them: a relative import finds the package's modules."""

    def __init__(self, inner: Sandbox, module: str) -> None:
        self._inner = inner
        self._module = module

    def run(self, program: Any, *args: Any, **options: Any) -> Run:
        """As Sandbox.run."""
        return self._inner.run(self.prepared(program), *args, **options)

    def prepared(self, program: Any) -> Any:
        """A text with absolute imports in place of relative ones, each in its own line; other programs as they are."""
        return absolute_imports(program, self._module) if isinstance(program, str) else program

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def absolute_imports(source: str, package: str) -> str:
    """`from .core import main` of a module in `package`, as `from package.core import main`."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    parts = package.split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(parts):
            home = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
            line = lines[node.lineno - 1]
            head, rest = line[: node.col_offset], line[node.col_offset :]
            lines[node.lineno - 1] = head + _FROM.sub(f"from {home} import".encode(), rest, count=1)
    return b"\n".join(lines).decode("utf-8", "surrogatepass")
