"""Flow of values through expressions, one small function for each kind of expression. Part of the types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codeopt.analysis import library
from codeopt.analysis.calls import call
from codeopt.analysis.facts import Facts
from codeopt.analysis.functions import parameters
from codeopt.analysis.values import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    STR,
    UNKNOWN,
    WHOLE,
    Container,
    FunctionValue,
    Values,
    arithmetic,
    union,
)

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


def _constant(facts: Facts, node: ast.Constant) -> Values:
    return CONSTANTS.get(type(node.value), ANY)


def _f_string(facts: Facts, node: ast.JoinedStr) -> Values:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            facts.value(part.value)
    return STR


def _display(facts: Facts, node: ast.List | ast.Tuple | ast.Set) -> Values:
    inside = []
    for part in node.elts:
        if isinstance(part, ast.Starred):
            inside.append(facts.elements(facts.value(part.value)))
        else:
            inside.append(facts.value(part))
    return facts.make(node, type(node).__name__.lower(), union(inside))


def _dict(facts: Facts, node: ast.Dict) -> Values:
    keys, values = [], []
    for key, value in zip(node.keys, node.values, strict=True):
        found = facts.value(value)
        keys.append(facts.value(key) if key else facts.escape(found))
        values.append(found if key else ANY)
    return facts.make(node, "dict", union(values), union(keys))


def _comprehension(facts: Facts, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Values:
    for generator in node.generators:
        facts.bind(generator.target, facts.elements(facts.value(generator.iter)))
        for test in generator.ifs:
            facts.value(test)
    if isinstance(node, ast.DictComp):
        return facts.make(node, "dict", facts.value(node.value), facts.value(node.key))
    kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}[type(node)]
    return facts.make(node, kind, facts.value(node.elt))


def _binary(facts: Facts, node: ast.BinOp) -> Values:
    left, right = facts.value(node.left), facts.value(node.right)
    return binary(facts, node, node.op, left, right, is_positive(node.right))


def binary(facts: Facts, node: ast.AST, operator: ast.operator, left: Values, right: Values, positive: bool) -> Values:
    """`left operator right`; `positive`: the right side is a whole number that is not negative."""
    simple = arithmetic(operator, left, right, positive)
    if simple is not None:
        return simple
    kinds = frozenset(v.kind if isinstance(v, Container) else v for v in left | right)
    inside = union(frozenset(v.elements) for v in left | right if isinstance(v, Container))
    repeated = isinstance(operator, ast.Mult) and kinds - WHOLE in LIST_OR_TUPLE
    if repeated or (isinstance(operator, ast.Add) and kinds in LIST_OR_TUPLE):
        return facts.make(node, "list" if "list" in kinds else "tuple", inside)
    if kinds == {"set"}:
        return facts.make(node, "set", inside)
    return facts.escape(left, right)


def is_positive(node: ast.expr) -> bool:
    """Whether an expression is a whole number that is written down, and not negative."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0


def _unary(facts: Facts, node: ast.UnaryOp) -> Values:
    values = facts.value(node.operand)
    if isinstance(node.op, ast.Not):
        return BOOL
    if values <= NUMBERS:
        return frozenset("int" if value == "bool" else value for value in values)
    return facts.escape(values)


def _bool(facts: Facts, node: ast.BoolOp) -> Values:
    return union([facts.value(part) for part in node.values])


def _conditional(facts: Facts, node: ast.IfExp) -> Values:
    facts.value(node.test)
    return facts.value(node.body) | facts.value(node.orelse)


def _compare(facts: Facts, node: ast.Compare) -> Values:
    values = [facts.value(part) for part in [node.left, *node.comparators]]
    known = all(isinstance(o, ast.Is | ast.IsNot | ast.In | ast.NotIn) for o in node.ops)
    return BOOL if known or not any(UNKNOWN in v for v in values) else ANY


def _walrus(facts: Facts, node: ast.NamedExpr) -> Values:
    values = facts.value(node.value)
    facts.bind(node.target, values)
    return values


def _lambda(facts: Facts, node: ast.Lambda) -> Values:
    parameters(facts, node, node.args)
    returned = facts.returned.setdefault(node, set())
    facts.join(returned, facts.value(node.body))
    if node in facts.externally_callable:
        facts.escape(frozenset(returned))
    return frozenset({FunctionValue(node)})


def _slice(facts: Facts, node: ast.Slice) -> Values:
    for bound in (node.lower, node.upper, node.step):
        if bound:
            facts.value(bound)
    return NONE


def unfollowed(facts: Facts, node: ast.expr) -> Values:
    """Generators, await, starred: what goes in is lost, what comes out unknown."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            facts.escape(facts.value(child))
    if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
        facts.give_back(node, ANY)
    return ANY


def load(facts: Facts, node: ast.expr) -> Values:
    """A name, an element or an attribute, also where it is the target of an assignment."""
    match node:
        case ast.Name(name):
            return _name(facts, node, name)
        case ast.Subscript(value, index):
            return _item(facts, node, facts.value(value), index)
        case ast.Attribute(value, attribute):
            return union([_attribute(facts, one, attribute) for one in facts.value(value)])
    return ANY


def _name(facts: Facts, node: ast.Name, name: str) -> Values:
    scopes = facts.program.scopes
    variable = scopes.variable(node)
    if variable.scope is None:
        known = scopes.is_builtin(node) and not name.startswith("__")
        path = name if known else scopes.star_path(name)
        return library.VALUES.get(path, frozenset({f"@{path}"})) if path else ANY
    if variable.scope is facts.program.tree and scopes.star_hides(name):
        return ANY
    return frozenset(facts.variables.get(variable, ()))


def _attribute(facts: Facts, value: object, attribute: str) -> Values:
    if isinstance(value, str) and value.startswith("@"):
        path = f"{value[1:]}.{attribute}"
        return library.VALUES.get(path, frozenset({f"@{path}"}))
    return facts.escape(frozenset({value}))


def _item(facts: Facts, node: ast.expr, values: Values, index: ast.expr) -> Values:
    facts.value(index)
    return union([_item_of(facts, node, value, isinstance(index, ast.Slice)) for value in values])


def _item_of(facts: Facts, node: ast.expr, value: object, sliced: bool) -> Values:
    match value:
        case Container(kind="iterator"):  # only a range has items
            return INT if value.elements == INT and not sliced else ANY
        case Container():
            return facts.make(node, value.kind, value.elements) if sliced else frozenset(value.elements)
        case "str":
            return STR
        case "bytes":
            return BYTES if sliced else INT
    return ANY


EXPRESSIONS: dict[type, Callable[[Facts, Any], Values]] = {
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


def value_of(facts: Facts, node: ast.expr) -> Values:
    """The values that an expression may have; its effects are noted."""
    return EXPRESSIONS.get(type(node), unfollowed)(facts, node)
