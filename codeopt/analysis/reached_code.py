"""Code that a function can reach by the names it uses, in its own module and those that it imports, as text.

A name is followed where one of the modules binds it, so more is found than is run, and nothing that is run by name
is missed. Statements of a module that do not only bind names, such as an `if`, a `try` or a call, always belong to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from codeopt.analysis.nodes import Def, bound_name, first_line, is_bare_constant, mentioned
from codeopt.analysis.syntax import physical_lines

BY_TEXT = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "getattr", "attrgetter", "methodcaller", "import_module"}
    | {"importlib", "__import__", "__dict__", "__subclasses__"}
)
"""Names of what reaches code by a text that is not known: then everything counts as reached."""
BY_NAME = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__repr__", "__str__"})
"""Special methods that belong to their class; any other is called by an operator, on an object whose class no name
tells."""

GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


@dataclass(frozen=True)
class Piece:
    """A statement of a module, a method, or a class without its methods."""

    module: str
    text: str
    binds: frozenset[str]
    """Names by which it is reached."""
    names: frozenset[str]
    """Names that it uses."""
    always: bool = False
    """Run when the module is loaded, even if none of its names is used."""


def pieces_of(module: str, text: str) -> tuple[Piece, ...]:
    """The pieces of a module's text. Raises SyntaxError, ValueError, RecursionError."""
    return tuple(_pieces(module, physical_lines(text), ast.parse(text).body, frozenset()))


def reached_code(pieces: Iterable[Piece], begin: Iterable[str]) -> list[tuple[str, str]]:
    """Module and text of each piece that can be reached from some names, in an order that does not depend on places.

    begin: name of the function, and of the classes around it.
    """
    left, found, names = list(pieces), list[Piece](), set(begin)
    while True:
        everything = bool(names & BY_TEXT)
        taken = [each for each in left if everything or each.always or names & each.binds]
        if not taken:
            return sorted((each.module, each.text) for each in found)
        left = [each for each in left if not (everything or each.always or names & each.binds)]
        found += taken
        names.update(*(each.names for each in taken))


def names_in(node: ast.AST) -> frozenset[str]:
    """Names that a tree uses: variables, attributes, what is imported, and texts that could be names."""
    found = set(mentioned(node))
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            found.add(each.value)
        elif isinstance(each, ast.alias):
            found.update(each.name.split("."))
    return frozenset(found)


def _pieces(module: str, lines: list[str], body: Iterable[ast.stmt], around: frozenset[str]) -> Iterator[Piece]:
    """around: name of the class whose body it is; empty for a module."""
    for node in body:
        text = "".join(lines[first_line(node) - 1 : node.end_lineno])
        if isinstance(node, Def):
            special = bool(around) and node.name.startswith("__") and node.name.endswith("__")
            binds = frozenset({node.name}) | (around if special else frozenset())
            yield Piece(module, text, binds, names_in(node), always=special and node.name not in BY_NAME)
        elif isinstance(node, ast.ClassDef):
            yield from _class(module, lines, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            origin = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            always = origin == "__future__" or any(alias.name == "*" for alias in node.names)
            names = names_in(node) | frozenset(origin.split("."))
            yield Piece(module, text, frozenset(map(bound_name, node.names)), names, always)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and (bound := _bound(node)):
            yield Piece(module, text, bound | around, names_in(node))
        elif isinstance(node, ast.If) and ast.unparse(node.test) in GUARDS:
            continue  # not run where the module is imported
        elif not is_bare_constant(node):
            yield Piece(module, text, around, names_in(node), always=not around)


def _class(module: str, lines: list[str], node: ast.ClassDef) -> Iterator[Piece]:
    head = "".join(lines[first_line(node) - 1 : first_line(node.body[0]) - 1]) or lines[node.lineno - 1]
    parts: list[ast.expr] = [*node.bases, *node.decorator_list, *(word.value for word in node.keywords)]
    names = frozenset().union(*map(names_in, parts))
    yield Piece(module, head, frozenset({node.name}), names)
    yield from _pieces(module, lines, node.body, frozenset({node.name}))


def _bound(node: ast.Assign | ast.AnnAssign) -> frozenset[str]:
    """Names that an assignment binds; empty where it changes something else as well."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    inner = [each for target in targets for each in ast.walk(target)]
    if any(isinstance(each, ast.Attribute | ast.Subscript) for each in inner):
        return frozenset()
    return frozenset(each.id for each in inner if isinstance(each, ast.Name))
