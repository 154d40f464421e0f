"""Classes and other types for names in annotations. Modules of the project are read and not imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.workloads.source.functions import dotted

FAR = 6
"""Maximum number of imports followed from one name to another."""


@dataclass(frozen=True)
class Scope:
    module: str
    is_package: bool
    tree: ast.Module
    other: Callable[[str], Scope | None]
    """Returns another module of the project, which is read once. None if it does not exist or cannot be read."""
    owner: str = ""
    """Qualified name of the class around the annotations. Empty for the module itself."""

    @cached_property
    def names(self) -> dict[str, ast.stmt]:
        """Return statements by the names that classes, assignments and imports bind outside of functions."""
        found: dict[str, ast.stmt] = {}
        for node in _statements(self.tree.body):
            for name in _bound(node):
                found.setdefault(name, node)
        return found

    def look_up(self, name: str, far: int = FAR) -> tuple[Scope, ast.stmt] | None:
        """Scope and statement that define a dotted name, a class or an assignment; None for what is not the
        project's."""
        if not far:
            return None
        if (own := _inner(self.classes.get(self.owner), name)) is not None:
            return self, own
        first, _, rest = name.partition(".")
        node = self.names.get(first)
        if node is None:
            return None
        if isinstance(node, ast.ImportFrom):
            return self._imported(node, first, rest, far)
        if isinstance(node, ast.Import):
            return self._within(node, name, far)
        if isinstance(node, ast.ClassDef) and rest:
            inner = _inner(node, rest)
            return (self, inner) if inner is not None else None
        return None if rest else (self, node)

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """All classes of the module outside of functions by their qualified names, inner ones too."""
        found: dict[str, ast.ClassDef] = {}
        todo: list[tuple[str, ast.AST]] = [("", self.tree)]
        while todo:
            prefix, node = todo.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    found.setdefault(prefix + child.name, child)
                    todo.append((f"{prefix}{child.name}.", child))
                elif isinstance(child, ast.If | ast.Try):
                    todo.append((prefix, child))
        return found

    def qualified(self, node: ast.ClassDef) -> str:
        """The name that leads to a class from its module."""
        return next((name for name, each in self.classes.items() if each is node), node.name)

    def inside(self, node: ast.ClassDef) -> Scope:
        """The scope of annotations in a class's body, which may name its inner classes alone."""
        return replace(self, owner=self.qualified(node))

    def _imported(self, node: ast.ImportFrom, first: str, rest: str, far: int) -> tuple[Scope, ast.stmt] | None:
        """Target of `from home import first`: a name of that module, or a module in it."""
        home = self._absolute(node)
        real = next(alias.name for alias in node.names if (alias.asname or alias.name) == first)
        scope = self.other(home)
        if scope is not None and (found := scope.look_up(f"{real}.{rest}" if rest else real, far - 1)):
            return found
        inner = self.other(f"{home}.{real}") if rest else None
        return inner.look_up(rest, far - 1) if inner else None

    def _within(self, node: ast.Import, name: str, far: int) -> tuple[Scope, ast.stmt] | None:
        """Target of `t.Name` after `import a.b as t`, and of `a.b.Name` after `import a.b`."""
        for alias in node.names:
            known = alias.asname or alias.name
            if name.startswith(f"{known}.") and (scope := self.other(alias.name)):
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
            if not isinstance(each, ast.ClassDef) or (scope.module, scope.qualified(each)) in found:
                continue
            found[scope.module, scope.qualified(each)] = scope, each
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


def _inner(node: ast.ClassDef | None, name: str) -> ast.ClassDef | None:
    """A class in the body of another one, by its dotted name."""
    for part in name.split("."):
        body = node.body if node is not None else []
        node = next((each for each in body if isinstance(each, ast.ClassDef) and each.name == part), None)
    return node


def scopes_below(roots: Sequence[Path]) -> Callable[[str], Scope | None]:
    """Return a reader of the project's modules by dotted name. It returns None for a module that does not exist or
    cannot be read.

    roots: Folders that modules of the project are imported from.
    """

    @cache
    def read(module: str) -> Scope | None:
        parts = module.split(".")
        for root in roots:
            for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
                if module and path.is_file():
                    try:
                        return Scope(module, path.name == "__init__.py", ast.parse(read_program(path).source), read)
                    except (UsageError, SyntaxError, ValueError):
                        return None
        return None

    return read


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
