"""Where in a module's text a function, an import or a constant stands, or is put."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.workloads.source.functions import Def, first_line


def functions_of(text: str) -> dict[str, str]:
    """By qualified name, those inside of functions left out: they belong to them."""
    tree = ast.parse(text)
    return {name: lines_of(text, node) for name, node in outer_functions(tree.body)}


def outer_functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Def]]:
    """Functions and methods with their qualified names, without those inside of functions."""
    for node in body:
        if isinstance(node, Def):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from outer_functions(node.body, f"{prefix}{node.name}.")
        else:
            for name in ("body", "orelse", "finalbody"):
                yield from outer_functions(getattr(node, name, []), prefix)


def lines_of(text: str, node: ast.stmt) -> str:
    """A statement's lines, decorators included."""
    return "".join(text.splitlines(keepends=True)[first_of(node) - 1 : node.end_lineno])


def first_of(node: ast.stmt) -> int:
    """The number of its first line, decorators included; 1-based."""
    return first_line(node) if isinstance(node, Def | ast.ClassDef) else node.lineno


def span_of(text: str, qualname: str) -> tuple[int, int] | None:
    """First and last line of a function or class."""
    body: list[ast.stmt] = ast.parse(text).body
    node: ast.stmt | None = None
    for name in qualname.split("."):
        node = next(
            (n for n in reversed(list(_flat(body))) if isinstance(n, Def | ast.ClassDef) and n.name == name), None
        )
        if node is None:
            return None
        body = node.body
    assert isinstance(node, Def | ast.ClassDef)
    return first_line(node), node.end_lineno or node.lineno


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, name, []))


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    """The text with other lines in place of those from the first to the last of a span."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: span[0] - 1], _ended(new), *lines[span[1] :]])


def added(text: str, qualname: str, new: str) -> str:
    """A method at the end of its class, a function at the end of the module."""
    owner = qualname.rpartition(".")[0]
    span = span_of(text, owner) if owner else None
    lines = text.splitlines(keepends=True)
    at = span[1] if span else len(lines)
    return "".join([*lines[:at], "\n" if owner else "\n\n", _ended(new), *lines[at:]])


def above_functions(text: str, new: str) -> str:
    """Above the first definition: what it needs of the module is only looked up when it is called."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    first = next((node for node in tree.body if isinstance(node, Def | ast.ClassDef)), None)
    at = first_line(first) - 1 if first else len(lines)
    while at and lines[at - 1].startswith("#"):
        at -= 1
    return "".join([*lines[:at], _ended(new), "\n\n", *lines[at:]])


def below_imports(text: str, new: str, node: ast.stmt) -> str:
    """Behind the last import: an import right there, a constant below it; blank lines as is usual."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    imports = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    first = tree.body[0] if tree.body else None
    text_first = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = (imports[-1].end_lineno or 0) if imports else (first.end_lineno or 0) if first and text_first else 0
    above = "" if not at or (isinstance(node, ast.Import | ast.ImportFrom) and imports) else "\n"
    following = next((each for each in tree.body if first_of(each) > at), None)
    usual = 2 if isinstance(following, Def | ast.ClassDef) else 1
    rest = lines[at:]
    there = next((number for number, line in enumerate(rest) if line.strip()), usual)
    return "".join([*lines[:at], above, _ended(new), "\n" * (usual - there), *rest])


def bound_in(text: str, node: ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) -> tuple[int, int] | None:
    """Where the module has the same import, or binds the same name."""
    names = _names(node)
    for each in ast.parse(text).body:
        if type(each) is type(node) and (ast.dump(each) == ast.dump(node) or (names and names == _names(each))):
            return each.lineno, each.end_lineno or each.lineno
    return None


def _names(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [ast.unparse(target) for target in targets]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
