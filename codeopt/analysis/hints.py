"""Meaning of type hints of parameters and variables: builtin types are taken at their word, all others are unknown."""

from __future__ import annotations

import ast

from codeopt.analysis.facts import Facts
from codeopt.analysis.values import ANY, BOOL, BYTES, INT, NONE, NUMBERS, STR, Values, union

SCALAR: dict[str, Values] = {
    "int": INT | BOOL,
    "float": NUMBERS,  # PEP 484: an int is as good
    "complex": NUMBERS | {"complex"},
    "bool": BOOL,
    "str": STR,
    "bytes": BYTES,
}
KINDS = {
    **dict.fromkeys(("list", "typing.List"), "list"),
    **dict.fromkeys(("set", "frozenset", "typing.Set", "typing.FrozenSet"), "set"),
    **dict.fromkeys(("tuple", "typing.Tuple"), "tuple"),
    **dict.fromkeys(("dict", "typing.Dict"), "dict"),
    **dict.fromkeys(("collections.deque", "typing.Deque"), "deque"),
}
"""Kind of container by hint. Sequence and Iterable are left out: they may be text, an array or a generator."""


def hinted(facts: Facts, hint: ast.expr | None) -> Values:
    """The values that a hint promises. Their containers belong to others also, who keep to the hint."""
    match hint:
        case None:
            return ANY
        case ast.Constant(None):
            return NONE
        case ast.BinOp(left, ast.BitOr(), right):
            return hinted(facts, left) | hinted(facts, right)
        case ast.Subscript(name, inside):
            parts = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
            return _generic(facts, hint, _path(facts, name), parts)
    path = _path(facts, hint)
    return SCALAR.get(path) or _container(facts, hint, path, ANY, ANY)


def _generic(facts: Facts, hint: ast.expr, path: str, parts: list[ast.expr]) -> Values:
    parts = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is ...)]
    inside = [hinted(facts, part) for part in parts]
    if path == "typing.Optional":
        return union(inside) | NONE
    if path == "typing.Union":
        return union(inside)
    if KINDS.get(path) == "dict":
        return _container(facts, hint, path, inside[1], inside[0]) if len(inside) == 2 else ANY
    return _container(facts, hint, path, union(inside), frozenset())


def _container(facts: Facts, hint: ast.expr, path: str, elements: Values, keys: Values) -> Values:
    kind = KINDS.get(path)
    if kind is None:
        return ANY
    # A dict may be a defaultdict, to which reading adds.
    return facts.make(hint, kind, elements, keys if kind == "dict" else (), grows=kind == "dict", escaped=True)


def _path(facts: Facts, node: ast.expr) -> str:
    """The dotted path of a hint, such as `list` or `typing.List`; empty where a name may mean something else."""
    scopes = facts.program.scopes
    match node:
        case ast.Attribute(ast.Name() as module, attribute):
            return f"{_path(facts, module)}.{attribute}"
        case ast.Name(name) if scopes.is_builtin(node):
            return name
        case ast.Name():
            match [(use.node, scopes.parent[use.node]) for use in scopes.stores(scopes.variable(node))]:
                case [(ast.alias(imported), ast.ImportFrom(module=str(source), level=0))]:
                    return f"{source}.{imported}"
                case [(ast.alias(imported), ast.Import())]:
                    return imported
    return ""


def is_hinted(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether each parameter has a type hint or a default, the object of a method apart. False without parameters."""
    by_position, by_name = [*node.args.posonlyargs, *node.args.args], node.args.kwonlyargs
    needed = by_position[: len(by_position) - len(node.args.defaults)]
    needed += [each for each, default in zip(by_name, node.args.kw_defaults, strict=True) if default is None]
    bare = [each.arg for each in needed if each.annotation is None and each.arg not in ("self", "cls")]
    return bool(by_position or by_name) and not bare
