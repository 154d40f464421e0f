"""Which class, or which other type, a name in an annotation stands for: modules of the project are read, none is
imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.workloads.source.functions import dotted

FAR = 6
"""Maximum number of imports followed from one name to another."""


@dataclass(frozen=True)
class Scope:
    """The names of one module."""

    module: str
    """Dotted name of the module."""
    is_package: bool
    tree: ast.Module
    roots: tuple[Path, ...]
    """Folders that modules of the project are imported from."""

    @cached_property
    def names(self) -> dict[str, ast.stmt]:
        """Statements by the names that classes, assignments and imports bind, wherever they stand outside of
        functions."""
        found: dict[str, ast.stmt] = {}
        for node in _statements(self.tree.body):
            for name in _bound(node):
                found.setdefault(name, node)
        return found

    def look_up(self, name: str, far: int = FAR) -> tuple[Scope, ast.stmt] | None:
        """Scope and statement that define a dotted name, a class or an assignment; None for what is not the
        project's."""
        first, _, rest = name.partition(".")
        node = self.names.get(first)
        if node is None or not far:
            return None
        if isinstance(node, ast.ImportFrom):
            return self._imported(node, first, rest, far)
        if isinstance(node, ast.Import):
            return self._within(node, name, far)
        if isinstance(node, ast.ClassDef) and rest:
            inner = next((n for n in node.body if isinstance(n, ast.ClassDef) and n.name == rest), None)
            return (self, inner) if inner else None
        return None if rest else (self, node)

    def _imported(self, node: ast.ImportFrom, first: str, rest: str, far: int) -> tuple[Scope, ast.stmt] | None:
        """Target of `from home import first`: a name of that module, or a module in it."""
        home = self._absolute(node)
        real = next(alias.name for alias in node.names if (alias.asname or alias.name) == first)
        scope = read_scope(home, self.roots)
        if scope is not None and (found := scope.look_up(f"{real}.{rest}" if rest else real, far - 1)):
            return found
        inner = read_scope(f"{home}.{real}", self.roots) if rest else None
        return inner.look_up(rest, far - 1) if inner else None

    def _within(self, node: ast.Import, name: str, far: int) -> tuple[Scope, ast.stmt] | None:
        """Target of `t.Name` after `import a.b as t`, and of `a.b.Name` after `import a.b`."""
        for alias in node.names:
            known = alias.asname or alias.name
            if name.startswith(f"{known}.") and (scope := read_scope(alias.name, self.roots)):
                return scope.look_up(name[len(known) + 1 :], far - 1)
        return None

    def _absolute(self, node: ast.ImportFrom) -> str:
        """The module that an import names, relative ones from here."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        base = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*base, *([node.module] if node.module else [])])

    def bases(self, node: ast.ClassDef) -> list[tuple[Scope, ast.ClassDef]]:
        """A class and those of the project that it inherits from, nearest first; each once, even in circles."""
        found: dict[tuple[str, str], tuple[Scope, ast.ClassDef]] = {}
        todo: list[tuple[Scope, ast.stmt]] = [(self, node)]
        while todo:
            scope, each = todo.pop()
            if not isinstance(each, ast.ClassDef) or (scope.module, each.name) in found:
                continue
            found[scope.module, each.name] = scope, each
            names = (dotted(base.value if isinstance(base, ast.Subscript) else base) for base in reversed(each.bases))
            todo += [place for name in names if name and (place := scope.look_up(name))]
        return list(found.values())

    def heirs(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Classes of this module that inherit from a class by name, those of its heirs too."""
        found: dict[str, ast.ClassDef] = {}
        todo = [node]
        while todo:
            name = todo.pop(0).name
            for other in self.names.values():
                inherits = isinstance(other, ast.ClassDef) and any(dotted(base) == name for base in other.bases)
                if isinstance(other, ast.ClassDef) and inherits and other.name not in found and other is not node:
                    found[other.name] = other
                    todo.append(other)
        return list(found.values())


def read_scope(module: str, roots: Sequence[Path], source: str | None = None) -> Scope | None:
    """The names of a module of the project; None when there is none of that name, or it cannot be read."""
    parts = module.split(".")
    for root in roots:
        for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
            if module and path.is_file():
                try:
                    tree = ast.parse(source if source is not None else read_program(path).source)
                except (UsageError, SyntaxError, ValueError):
                    return None
                return Scope(module, path.name == "__init__.py", tree, tuple(roots))
    return None


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, those of `if TYPE_CHECKING` and `try` included."""
    for node in body:
        yield node
        for part in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(node, ast.If | ast.Try):
                inner = getattr(node, part, [])
                yield from _statements([s for n in inner for s in (n.body if part == "handlers" else [n])])


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
