"""The values that each expression of a program may have, found by following values through it until nothing new
appears."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from codeopt.analysis import values as library
from codeopt.analysis.calls import call, leave, parameters
from codeopt.analysis.facts import Facts, hinted
from codeopt.analysis.nodes import bound_name
from codeopt.analysis.scopes import Function
from codeopt.analysis.syntax import RefusalReason, Syntax
from codeopt.analysis.values import ANY, BOOL, INT, NONE, STR, UNKNOWN, Container, FunctionValue, Values, union

SIZED = ("list", "tuple", "set", "dict", "deque")


class Types:
    """The types of one program; kept by the program."""

    def __init__(self, program: Syntax) -> None:
        self.program = program
        self.facts = Facts(program, value_of)
        self.answers: dict[ast.expr, Values] = {}

    @cached_property
    def understood(self) -> bool:
        """Whether following the values came to an end; done when the first question is asked."""
        # most walks through a program, which settles in three to six; one that does not is not understood
        for _ in range(40):
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
        return self._are(nodes, library.WHOLE)

    def is_scalar(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text or None: it cannot change, and its operators have no
        effects."""
        return self._are(nodes, library.SCALARS)

    def is_text(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a str."""
        return self._are(nodes, STR)

    def is_hashable(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text, None, or a tuple of such: equal ones have equal hashes,
        without effects."""
        return all(library.hashable(self._known(node)) for node in nodes)

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


# Flow of values through statements, one small method for each kind of statement.


def block(facts: Facts, body: Iterable[ast.stmt]) -> None:
    """Follow values through statements."""
    flow = StatementFlow(facts)
    for statement in body:
        flow.visit(statement)


class StatementFlow(ast.NodeVisitor):
    """Follows values through one statement."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def visit_Assign(self, node: ast.Assign) -> None:
        values = self.facts.value(node.value)
        for target in node.targets:
            self.facts.bind(target, values)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            values = self.facts.value(node.value)
            if UNKNOWN in values:
                values = values - ANY | hinted(self.facts, node.annotation)
            self.facts.bind(node.target, values)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        old, new = load(self.facts, node.target), self.facts.value(node.value)
        mutable = frozenset(v for v in old if isinstance(v, Container) and v.kind in ("list", "deque", "set", "dict"))
        for container in mutable:
            assert isinstance(container, Container)
            self.facts.join(container.elements, self.facts.elements(new))
            self.facts.join(container.keys, self.facts.elements(new) if container.kind == "dict" else ())
            if container.escaped:
                self.facts.escape(self.facts.elements(new))
        kept = mutable if isinstance(node.op, ast.Add) or UNKNOWN not in new else frozenset()
        rest = old - kept
        other = binary(self.facts, node.target, node.op, rest, new, is_positive(node.value)) if rest else frozenset()
        self.facts.bind(node.target, kept | other)

    def visit_For(self, node: ast.For) -> None:
        self.facts.bind(node.target, self.facts.elements(self.facts.value(node.iter)))
        block(self.facts, [*node.body, *node.orelse])

    def visit_With(self, node: ast.With) -> None:
        """Follow a with statement, whose body's values stay known.

        The value that a manager gives is unknown, but a file gives itself.
        """
        for item in node.items:
            values = self.facts.value(item.context_expr)
            if values == library.TEXT_FILE and isinstance(item.optional_vars, ast.Name):
                self.facts.bind(item.optional_vars, values)
                continue
            self.facts.escape(values)
            for part in self.facts.program.walk(item.optional_vars) if item.optional_vars else ():
                _lose(self.facts, part)
        block(self.facts, node.body)

    def visit_Return(self, node: ast.Return) -> None:
        self.facts.give_back(node, self.facts.value(node.value) if node.value else NONE)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.facts.escape(self.facts.value(decorator))
        place = self.facts.place(self.facts.program.scopes.variable(node))
        followed = isinstance(node, ast.FunctionDef) and not node.decorator_list
        self.facts.join(place, {FunctionValue(node)} if followed else ANY)
        parameters(self.facts, node, node.args)
        block(self.facts, node.body)
        if node in self.facts.externally_callable:
            leave(self.facts, node, frozenset(self.facts.returned.get(node, ())))

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Note a class, which is not followed: the values stored in it are lost."""
        for part in [*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)]:
            self.facts.escape(self.facts.value(part))
        block(self.facts, node.body)
        scopes = self.facts.program.scopes
        for variable in [*(v for v in scopes.uses if v.scope is node), scopes.variable(node)]:
            self.facts.escape(frozenset(self.facts.place(variable)))
            self.facts.join(self.facts.place(variable), ANY)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = bound_name(alias)
            if isinstance(node, ast.Import):
                value = alias.name if alias.asname else name
            else:
                value = f"{node.module}.{alias.name}"
            place = self.facts.place(self.facts.program.scopes.owner(name, self.facts.program.scopes.scope[node]))
            self.facts.join(place, library.VALUES.get(value, frozenset({f"@{value}"})))

    visit_ImportFrom = visit_Import

    def generic_visit(self, node: ast.AST) -> None:
        """Follow statements that only hold others, and note those that are not followed."""
        # statements that are not followed: the values that go in are lost, and the names that they bind are unknown
        if isinstance(node, (ast.AsyncWith, ast.Match, ast.AsyncFor, ast.Delete, ast.Raise)):
            for part in self.facts.program.walk(node):
                _lose(self.facts, part)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                block(self.facts, [child])
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                _lose(self.facts, child)
                block(self.facts, child.body)
            elif isinstance(child, ast.expr) and not isinstance(node, ast.Delete):
                self.facts.value(child)


def _lose(facts: Facts, part: ast.AST) -> None:
    """Note that a name, a pattern or `except ... as name` binds an unknown value, or that an expression is given
    away."""
    if isinstance(part, ast.Name | ast.pattern | ast.ExceptHandler):
        bound = [variable for variable, use in facts.program.scopes.names.get(part, ()) if use.kind == "store"]
        for variable in bound:
            facts.join(facts.place(variable), ANY)
    if isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
        facts.escape(facts.value(part))


# Flow of values through expressions, one small method for each kind of expression.

CONSTANTS: dict[type, Values] = {
    int: INT,
    float: library.FLOAT,
    bool: BOOL,
    str: STR,
    bytes: library.BYTES,
    type(None): NONE,
    complex: frozenset({"complex"}),
}
LIST_OR_TUPLE = (frozenset({"list"}), frozenset({"tuple"}))


def value_of(facts: Facts, node: ast.expr) -> Values:
    """The values that an expression may have; its effects are noted."""
    found: Values = ExpressionFlow(facts).visit(node)
    return found


class ExpressionFlow(ast.NodeVisitor):
    """Follows values through one expression, and gives those that it may have."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def visit_Constant(self, node: ast.Constant) -> Values:
        return CONSTANTS.get(type(node.value), ANY)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Values:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.facts.value(part.value)
        return STR

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> Values:
        inside = []
        for part in node.elts:
            if isinstance(part, ast.Starred):
                inside.append(self.facts.elements(self.facts.value(part.value)))
            else:
                inside.append(self.facts.value(part))
        return self.facts.make(node, type(node).__name__.lower(), union(inside))

    visit_Tuple = visit_List
    visit_Set = visit_List

    def visit_Dict(self, node: ast.Dict) -> Values:
        keys, values = [], []
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.facts.value(value)
            keys.append(self.facts.value(key) if key else self.facts.escape(found))
            values.append(found if key else ANY)
        return self.facts.make(node, "dict", union(values), union(keys))

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Values:
        for generator in node.generators:
            self.facts.bind(generator.target, self.facts.elements(self.facts.value(generator.iter)))
            for test in generator.ifs:
                self.facts.value(test)
        if isinstance(node, ast.DictComp):
            return self.facts.make(node, "dict", self.facts.value(node.value), self.facts.value(node.key))
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}[type(node)]
        return self.facts.make(node, kind, self.facts.value(node.elt))

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp
    visit_DictComp = visit_ListComp

    def visit_BinOp(self, node: ast.BinOp) -> Values:
        left, right = self.facts.value(node.left), self.facts.value(node.right)
        return binary(self.facts, node, node.op, left, right, is_positive(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Values:
        values = self.facts.value(node.operand)
        if isinstance(node.op, ast.Not):
            return BOOL
        if values <= library.NUMBERS:
            return frozenset("int" if value == "bool" else value for value in values)
        return self.facts.escape(values)

    def visit_BoolOp(self, node: ast.BoolOp) -> Values:
        return union([self.facts.value(part) for part in node.values])

    def visit_IfExp(self, node: ast.IfExp) -> Values:
        self.facts.value(node.test)
        return self.facts.value(node.body) | self.facts.value(node.orelse)

    def visit_Compare(self, node: ast.Compare) -> Values:
        values = [self.facts.value(part) for part in [node.left, *node.comparators]]
        known = all(isinstance(o, ast.Is | ast.IsNot | ast.In | ast.NotIn) for o in node.ops)
        return BOOL if known or not any(UNKNOWN in v for v in values) else ANY

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Values:
        values = self.facts.value(node.value)
        self.facts.bind(node.target, values)
        return values

    def visit_Lambda(self, node: ast.Lambda) -> Values:
        parameters(self.facts, node, node.args)
        returned = self.facts.returned.setdefault(node, set())
        self.facts.join(returned, self.facts.value(node.body))
        if node in self.facts.externally_callable:
            self.facts.escape(frozenset(returned))
        return frozenset({FunctionValue(node)})

    def visit_Slice(self, node: ast.Slice) -> Values:
        for bound in (node.lower, node.upper, node.step):
            if bound:
                self.facts.value(bound)
        return NONE

    def visit_Call(self, node: ast.Call) -> Values:
        return call(self.facts, node)

    def visit_Name(self, node: ast.Name | ast.Subscript | ast.Attribute) -> Values:
        return load(self.facts, node)

    visit_Subscript = visit_Name
    visit_Attribute = visit_Name

    def generic_visit(self, node: ast.AST) -> Values:
        """Generators, await, starred: what goes in is lost, what comes out unknown."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.facts.escape(self.facts.value(child))
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            self.facts.give_back(node, ANY)
        return ANY


def binary(facts: Facts, node: ast.AST, operator: ast.operator, left: Values, right: Values, positive: bool) -> Values:
    """`left operator right`; `positive`: the right side is a whole number that is not negative."""
    simple = library.arithmetic(operator, left, right, positive)
    if simple is not None:
        return simple
    kinds = frozenset(v.kind if isinstance(v, Container) else v for v in left | right)
    inside = union(frozenset(v.elements) for v in left | right if isinstance(v, Container))
    repeated = isinstance(operator, ast.Mult) and kinds - library.WHOLE in LIST_OR_TUPLE
    if repeated or (isinstance(operator, ast.Add) and kinds in LIST_OR_TUPLE):
        return facts.make(node, "list" if "list" in kinds else "tuple", inside)
    if kinds == {"set"}:
        return facts.make(node, "set", inside)
    return facts.escape(left, right)


def is_positive(node: ast.expr) -> bool:
    """Whether an expression is a whole number that is written down, and not negative."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0


def load(facts: Facts, node: ast.expr) -> Values:
    """A name, an element or an attribute, also where it is the target of an assignment."""
    match node:
        case ast.Name(name):
            return _name(facts, node, name)
        case ast.Subscript(value, index):
            containers = facts.value(value)
            facts.value(index)
            return union([_item_of(facts, node, each, isinstance(index, ast.Slice)) for each in containers])
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


def _item_of(facts: Facts, node: ast.expr, value: object, sliced: bool) -> Values:
    match value:
        case Container(kind="iterator"):  # only a range has items
            return INT if value.elements == INT and not sliced else ANY
        case Container():
            return facts.make(node, value.kind, value.elements) if sliced else frozenset(value.elements)
        case "str":
            return STR
        case "bytes":
            return library.BYTES if sliced else INT
    return ANY
