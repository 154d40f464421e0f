"""How values flow through expressions: one small function a kind of expression. Part of the types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codeopt.rules import _library as library
from codeopt.rules._calls import call
from codeopt.rules._values import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    STR,
    UNKNOWN,
    Code,
    Container,
    Values,
    arithmetic,
    union,
)

if TYPE_CHECKING:
    from codeopt.rules._types import Types

CONSTANTS: dict[type, Values] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    str: STR,
    bytes: BYTES,
    type(None): NONE,
    complex: frozenset({"complex"}),
}
LIST_OR_TUPLE = (frozenset({"list"}), frozenset({"tuple"}))


def _constant(types: Types, node: ast.Constant) -> Values:
    return CONSTANTS.get(type(node.value), ANY)


def _f_string(types: Types, node: ast.JoinedStr) -> Values:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            types.value(part.value)
    return STR


def _display(types: Types, node: ast.List | ast.Tuple | ast.Set) -> Values:
    inside = []
    for part in node.elts:
        if isinstance(part, ast.Starred):
            inside.append(types.elements(types.value(part.value)))
        else:
            inside.append(types.value(part))
    return types.make(node, type(node).__name__.lower(), union(inside))


def _dict(types: Types, node: ast.Dict) -> Values:
    keys, values = [], []
    for key, value in zip(node.keys, node.values, strict=True):
        found = types.value(value)
        keys.append(types.value(key) if key else types.escape(found))
        values.append(found if key else ANY)
    return types.make(node, "dict", union(values), union(keys))


def _comprehension(types: Types, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Values:
    for generator in node.generators:
        types.bind(generator.target, types.elements(types.value(generator.iter)))
        for test in generator.ifs:
            types.value(test)
    if isinstance(node, ast.DictComp):
        return types.make(node, "dict", types.value(node.value), types.value(node.key))
    kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}[type(node)]
    return types.make(node, kind, types.value(node.elt))


def _binary(types: Types, node: ast.BinOp) -> Values:
    left, right = types.value(node.left), types.value(node.right)
    return binary(types, node, node.op, left, right, is_positive(node.right))


def binary(types: Types, node: ast.AST, operator: ast.operator, left: Values, right: Values, positive: bool) -> Values:
    """`left operator right`; `positive`: the right side is a whole number that is not negative."""
    simple = arithmetic(operator, left, right, positive)
    if simple is not None:
        return simple
    kinds = frozenset(v.kind if isinstance(v, Container) else v for v in left | right)
    inside = union(frozenset(v.elements) for v in left | right if isinstance(v, Container))
    if isinstance(operator, ast.Add) and kinds in LIST_OR_TUPLE:
        return types.make(node, "list" if "list" in kinds else "tuple", inside)
    if isinstance(operator, ast.Mult) and kinds - {"int", "bool"} in LIST_OR_TUPLE:
        return types.make(node, "list" if "list" in kinds else "tuple", inside)
    if kinds == {"set"}:
        return types.make(node, "set", inside)
    return types.escape(left, right)


def is_positive(node: ast.expr) -> bool:
    """A whole number that is written down, and not negative."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0


def _unary(types: Types, node: ast.UnaryOp) -> Values:
    values = types.value(node.operand)
    if isinstance(node.op, ast.Not):
        return BOOL
    if values <= NUMBERS:
        return frozenset("int" if value == "bool" else value for value in values)
    return types.escape(values)


def _bool(types: Types, node: ast.BoolOp) -> Values:
    return union([types.value(part) for part in node.values])


def _conditional(types: Types, node: ast.IfExp) -> Values:
    types.value(node.test)
    return types.value(node.body) | types.value(node.orelse)


def _compare(types: Types, node: ast.Compare) -> Values:
    values = [types.value(part) for part in [node.left, *node.comparators]]
    known = all(isinstance(o, ast.Is | ast.IsNot | ast.In | ast.NotIn) for o in node.ops)
    return BOOL if known or not any(UNKNOWN in v for v in values) else ANY


def _walrus(types: Types, node: ast.NamedExpr) -> Values:
    values = types.value(node.value)
    types.bind(node.target, values)
    return values


def _lambda(types: Types, node: ast.Lambda) -> Values:
    from codeopt.rules._statements import parameters  # statements hold expressions, and lambdas parameters

    parameters(types, node, node.args)
    returned = types.returned.setdefault(node, set())
    types.join(returned, types.value(node.body))
    if node in types.loose:
        types.escape(frozenset(returned))
    return frozenset({Code(node)})


def _slice(types: Types, node: ast.Slice) -> Values:
    for bound in (node.lower, node.upper, node.step):
        if bound:
            types.value(bound)
    return NONE


def unfollowed(types: Types, node: ast.expr) -> Values:
    """Generators, await, starred: what goes in is lost, what comes out unknown."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            types.escape(types.value(child))
    if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
        types.give_back(node, ANY)
    return ANY


def load(types: Types, node: ast.expr) -> Values:
    """A name, an element or an attribute, also where it is the target of an assignment."""
    match node:
        case ast.Name(name):
            return _name(types, node, name)
        case ast.Subscript(value, index):
            return _item(types, node, types.value(value), index)
        case ast.Attribute(value, attribute):
            return union([_attribute(types, one, attribute) for one in types.value(value)])
    return ANY


def _name(types: Types, node: ast.Name, name: str) -> Values:
    scopes = types.module.scopes
    variable = scopes.variable(node)
    if variable.scope is None:
        known = scopes.is_builtin(node) and not name.startswith("__")
        path = name if known else scopes.star_path(name)
        return library.VALUES.get(path, frozenset({f"@{path}"})) if path else ANY
    if variable.scope is types.module.tree and scopes.star_hides(name):
        return ANY
    return frozenset(types.variables.get(variable, ()))


def _attribute(types: Types, value: object, attribute: str) -> Values:
    if isinstance(value, str) and value.startswith("@"):
        path = f"{value[1:]}.{attribute}"
        return library.VALUES.get(path, frozenset({f"@{path}"}))
    return types.escape(frozenset({value}))


def _item(types: Types, node: ast.expr, values: Values, index: ast.expr) -> Values:
    types.value(index)
    return union([_item_of(types, node, value, isinstance(index, ast.Slice)) for value in values])


def _item_of(types: Types, node: ast.expr, value: object, sliced: bool) -> Values:
    match value:
        case Container(kind="iterator"):  # only a range has items
            return INT if value.elements == INT and not sliced else ANY
        case Container():
            return types.make(node, value.kind, value.elements) if sliced else frozenset(value.elements)
        case "str":
            return STR
        case "bytes":
            return BYTES if sliced else INT
    return ANY


EXPRESSIONS: dict[type, Callable[[Types, Any], Values]] = {
    ast.Constant: _constant,
    ast.JoinedStr: _f_string,
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), _display),
    ast.Dict: _dict,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool,
    ast.IfExp: _conditional,
    ast.Compare: _compare,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.Slice: _slice,
    ast.Call: call,
    **dict.fromkeys((ast.Name, ast.Subscript, ast.Attribute), load),
}
