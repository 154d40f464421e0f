"""Constants of a module that callers may set, and classes that they may derive from. The text is read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from codeopt.workloads.source.class_shapes import base_names
from codeopt.workloads.source.functions import Function, dotted

_MAKERS = {"__init__", "__new__", "__slots__", "__setattr__"}


def settings(function: Function) -> dict[str, Any]:
    """Another value for each public constant of the module that a function reads, or what it calls."""
    tree = ast.parse(function.source)
    reads = _names_read(tree, function.qualname.partition(".")[0])
    state = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    given = [(name, value) for name, value in _constants(tree) if name in reads - state and not name.startswith("_")]
    others = {name: _another(value) for name, value in given}
    return {name: value for name, value in others.items() if value is not None}


def subclasses(source: str) -> list[tuple[str, str]]:
    """Names of a class and of one derived from it that overrides a method and is made in the same way."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    return [
        (base, name)
        for name, node in classes.items()
        for base in base_names(node)
        if base in classes and _methods(node) & _methods(classes[base]) and not _is_made_otherwise(node)
    ]


def _constants(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """Names that the module sets to a plain value, those left out that are final."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(value)):
                yield name, value
            case ast.AnnAssign(ast.Name(name), hint, ast.Constant(value)) if "Final" not in ast.unparse(hint):
                yield name, value


def _names_read(tree: ast.Module, name: str) -> set[str]:
    """Names in a function or class of the module, and in those that it names."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    defined = {node.name: node for node in tree.body if isinstance(node, kinds)}
    found: set[str] = set()
    left = [name]
    while left:
        node = defined.get(left.pop())
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node is not None else set()
        left += names - found
        found |= names
    return found


def _another(value: Any) -> Any:
    """Another value of the same type; None if no such value means something."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value // 2 if abs(value) > 1 else value + 1
    if isinstance(value, float):
        return value / 2 or 1.0
    if isinstance(value, str):
        return value[::-1] if value != value[::-1] else f"{value}x"
    return None


def _methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def _is_made_otherwise(node: ast.ClassDef) -> bool:
    """Return True if the objects of a class may need other parts than those of its base."""
    names = {name.id for each in node.body if isinstance(each, ast.Assign) for name in each.targets
             if isinstance(name, ast.Name)}  # fmt: skip
    return bool((names | _methods(node)) & _MAKERS) or any(isinstance(each, ast.AnnAssign) for each in node.body)


def imported_names(source: str) -> tuple[str, ...]:
    """Return dotted names that a text may import or reach by an import, in any place: `scipy` and `scipy.signal`.

    Some are not modules, such as `math.sqrt`. The tuple is empty for a text that cannot be parsed.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    known = {alias: name for node in ast.walk(tree) for alias, name in _of(node)}
    chains = (dotted(node).partition(".") for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    reached = [f"{known[root]}.{rest}" for root, _, rest in chains if root in known]
    return tuple(dict.fromkeys([*known.values(), *reached]))


def _of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement binds, each with its dotted name."""
    if isinstance(node, ast.Import):
        for each in node.names:
            top = each.name.partition(".")[0]
            yield from ([(each.asname, each.name)] if each.asname else [(top, top), (each.name, each.name)])
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            yield each.asname or each.name, node.module if each.name == "*" else f"{node.module}.{each.name}"
