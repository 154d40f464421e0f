"""The values that each expression of a program may have, found by following values through it until nothing new
appears."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from codeopt.analysis import values as library
from codeopt.analysis.calls import call, leave, parameters
from codeopt.analysis.facts import Facts, hinted
from codeopt.analysis.nodes import bound_name
from codeopt.analysis.scopes import Function
from codeopt.analysis.syntax import RefusalReason, Syntax
from codeopt.analysis.values import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    SCALARS,
    STR,
    UNKNOWN,
    WHOLE,
    Container,
    FunctionValue,
    Values,
    arithmetic,
    hashable,
    union,
)

SIZED = ("list", "tuple", "set", "dict", "deque")
MAX_WALKS = 40
"""Most walks through a program, which settles in three to six; one that does not is not understood."""


class Types:
    """The types of one program; kept by the program."""

    def __init__(self, program: Syntax) -> None:
        self.program = program
        self.facts = Facts(program, value_of)
        self.answers: dict[ast.expr, Values] = {}

    @cached_property
    def understood(self) -> bool:
        """Whether following the values came to an end; done when the first question is asked."""
        for _ in range(MAX_WALKS):
            self.facts.begin()
            block(self.facts, self.program.tree.body)
            if not self.facts.changed:
                self.facts.settled = True
                return True
        return False

    def of(self, node: ast.expr) -> Values:
        """The values that the expression may have."""
        if not self.understood:
            return ANY
        if node not in self.answers:
            self.answers[node] = self.facts.value(node)
        return self.answers[node]

    def comes_from(self, node: ast.expr, library: str) -> bool:
        """Whether the value may be a function of this library."""
        return any(str(value).startswith(f"@{library}.") for value in self.of(node))

    def given_away(self) -> list[Function]:
        """Functions that unfollowed code may call."""
        return list(self.facts.externally_callable) if self.understood else []

    def is_int(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is an int (or a bool) whenever it is reached."""
        return self._are(nodes, WHOLE)

    def is_scalar(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text or None: it cannot change, and its operators have no
        effects."""
        return self._are(nodes, SCALARS)

    def is_text(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a str."""
        return self._are(nodes, STR)

    def is_hashable(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text, None, or a tuple of such: equal ones have equal hashes,
        without effects."""
        return all(hashable(self._known(node)) for node in nodes)

    def _are(self, nodes: Iterable[ast.expr], kinds: Values) -> bool:
        return all(bool(values := self._known(node)) and values <= kinds for node in nodes)

    def _known(self, node: ast.expr) -> Values:
        values = self.of(node)
        if any(isinstance(value, str) and value.startswith((UNKNOWN, "@")) for value in values):
            self.program.refusals.note(RefusalReason.UNKNOWN_TYPE, node)
        return values

    def containers(self, node: ast.expr, *kinds: str) -> list[Container]:
        """The containers that the expression may be; empty when it may be anything else than these kinds."""
        values = self._known(node)
        found = [value for value in values if isinstance(value, Container) and value.kind in kinds]
        return found if len(found) == len(values) else []

    def is_sized(self, node: ast.expr) -> bool:
        """Whether a value is text or a container of Python's own, never an iterator: going through a part of it leaves
        no trace."""
        return self.is_text(node) or bool(self.containers(node, *SIZED))

    def elements(self, node: ast.expr, *kinds: str) -> Values:
        """The elements of the containers that the expression may be (of dicts, the keys); empty when they are not
        known."""
        found = self.containers(node, *kinds)
        inside = frozenset(value for c in found for value in (c.keys if c.kind == "dict" else c.elements))
        if UNKNOWN in inside:
            self.program.refusals.note(RefusalReason.UNKNOWN_ELEMENTS, node)
        return inside

    def holds_only(self, node: ast.expr, kinds: Values) -> bool:
        """Whether a value is a list or tuple with at least one element, and only elements of these kinds."""
        inside = self.elements(node, "list", "tuple")
        return bool(inside) and inside <= kinds

    def maker(self, container: Container) -> ast.AST | None:
        """The place in the program that makes the container."""
        return container.place if self.understood else None


# Flow of values through statements, one small function for each kind of statement.

UNFOLLOWED = (ast.AsyncWith, ast.Match, ast.AsyncFor, ast.Delete, ast.Raise)
"""Statements that are not followed: the values that go in are lost, and the names that they bind are unknown."""


def block(facts: Facts, body: Iterable[ast.stmt]) -> None:
    """Follow values through statements."""
    for statement in body:
        STATEMENTS.get(type(statement), _other)(facts, statement)


def _assign(facts: Facts, node: ast.Assign) -> None:
    values = facts.value(node.value)
    for target in node.targets:
        facts.bind(target, values)


def _annotated(facts: Facts, node: ast.AnnAssign) -> None:
    if node.value:
        values = facts.value(node.value)
        facts.bind(node.target, values - ANY | hinted(facts, node.annotation) if UNKNOWN in values else values)


def _augmented(facts: Facts, node: ast.AugAssign) -> None:
    old, new = load(facts, node.target), facts.value(node.value)
    mutable = frozenset(v for v in old if isinstance(v, Container) and v.kind in ("list", "deque", "set", "dict"))
    for container in mutable:
        assert isinstance(container, Container)
        facts.join(container.elements, facts.elements(new))
        facts.join(container.keys, facts.elements(new) if container.kind == "dict" else ())
        if container.escaped:
            facts.escape(facts.elements(new))
    kept = mutable if isinstance(node.op, ast.Add) or UNKNOWN not in new else frozenset()
    rest = old - kept
    other = binary(facts, node.target, node.op, rest, new, is_positive(node.value)) if rest else frozenset()
    facts.bind(node.target, kept | other)


def _for(facts: Facts, node: ast.For) -> None:
    facts.bind(node.target, facts.elements(facts.value(node.iter)))
    block(facts, [*node.body, *node.orelse])


def _with(facts: Facts, node: ast.With) -> None:
    """Follow a with statement. The value that a manager gives is unknown, but a file gives itself; the body's values
    stay known."""
    for item in node.items:
        values = facts.value(item.context_expr)
        if values == library.TEXT_FILE and isinstance(item.optional_vars, ast.Name):
            facts.bind(item.optional_vars, values)
            continue
        facts.escape(values)
        for part in facts.program.walk(item.optional_vars) if item.optional_vars else ():
            _lose(facts, part)
    block(facts, node.body)


def _return(facts: Facts, node: ast.Return) -> None:
    facts.give_back(node, facts.value(node.value) if node.value else NONE)


def _function(facts: Facts, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        facts.escape(facts.value(decorator))
    place = facts.place(facts.program.scopes.variable(node))
    followed = isinstance(node, ast.FunctionDef) and not node.decorator_list
    facts.join(place, {FunctionValue(node)} if followed else ANY)
    parameters(facts, node, node.args)
    block(facts, node.body)
    if node in facts.externally_callable:
        leave(facts, node, frozenset(facts.returned.get(node, ())))


def _class(facts: Facts, node: ast.ClassDef) -> None:
    """Note a class, which is not followed: the values stored in it are lost."""
    for part in [*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)]:
        facts.escape(facts.value(part))
    block(facts, node.body)
    scopes = facts.program.scopes
    for variable in [*(v for v in scopes.uses if v.scope is node), scopes.variable(node)]:
        facts.escape(frozenset(facts.place(variable)))
        facts.join(facts.place(variable), ANY)


def _import(facts: Facts, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        name = bound_name(alias)
        if isinstance(node, ast.Import):
            value = alias.name if alias.asname else name
        else:
            value = f"{node.module}.{alias.name}"
        place = facts.place(facts.program.scopes.owner(name, facts.program.scopes.scope[node]))
        facts.join(place, library.VALUES.get(value, frozenset({f"@{value}"})))


def _other(facts: Facts, node: ast.stmt) -> None:
    """Follow statements that only hold others, and note those that are not followed."""
    if isinstance(node, UNFOLLOWED):
        for part in facts.program.walk(node):
            _lose(facts, part)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            block(facts, [child])
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            _lose(facts, child)
            block(facts, child.body)
        elif isinstance(child, ast.expr) and not isinstance(node, ast.Delete):
            facts.value(child)


def _lose(facts: Facts, part: ast.AST) -> None:
    """Note that a name, a pattern or `except ... as name` binds an unknown value, or that an expression is given
    away."""
    if isinstance(part, ast.Name | ast.pattern | ast.ExceptHandler):
        bound = [variable for variable, use in facts.program.scopes.names.get(part, ()) if use.kind == "store"]
        for variable in bound:
            facts.join(facts.place(variable), ANY)
    if isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
        facts.escape(facts.value(part))


STATEMENTS: dict[type, Callable[[Facts, Any], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.With: _with,
    ast.Return: _return,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}


# Flow of values through expressions, one small function for each kind of expression.

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
