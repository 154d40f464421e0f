"""The changes that running a piece of code may make, which expressions make none, and what code out of sight may
hold."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from codeopt.analysis import values as library
from codeopt.analysis.nodes import is_simple
from codeopt.analysis.scopes import Function, Variable
from codeopt.analysis.syntax import RefusalReason, Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import SCALARS, UNKNOWN, Container, FunctionValue, Values, all_plain

SEEN = frozenset({"__init__", "__new__", "__call__", "__enter__", "__exit__"})
"""Special methods that only run where the program calls something or has a `with`, which counts as unknown."""


@dataclass(eq=False)
class EffectAnalysis:
    """The effects of the parts of one program."""

    program: Syntax
    types: Types
    purity: Purity
    escape: Escape
    known: dict[tuple[ast.AST, ...], Effects] = field(default_factory=dict)

    def of(self, *nodes: ast.AST) -> Effects:
        """The effects of the nodes and of the functions of the program that they call."""
        if nodes not in self.known:
            effects = self._none()
            walk = EffectWalk(self.program, self.types, effects)
            for node in nodes:
                walk.visit(node)
            effects.objects |= effects.unknown or "__del__" in self.program.words  # which runs at any time
            if effects.objects:
                effects.unknown |= self.purity.redefines_operators
                effects.add(self._implicit)
            if effects.unknown:  # it may call every function that was given away
                effects.add(self._called_from_outside)
            self.known[nodes] = effects
        return self.known[nodes]

    @cached_property
    def _called_from_outside(self) -> Effects:
        return self._of_functions(self.escape.called_from_outside())

    @cached_property
    def _implicit(self) -> Effects:
        """The effects of special methods that no call shows: print(x) runs __str__, a loop __next__, and __del__ runs
        at any time."""
        parts = [part for node in self.program.of_kind(ast.ClassDef) for part in node.body]
        methods = [part for part in parts if isinstance(part, Function) and part.name.startswith("__")]
        return self._of_functions([method for method in methods if method.name not in SEEN])

    def _of_functions(self, functions: Iterable[ast.AST]) -> Effects:
        effects = self._none()
        values = frozenset(FunctionValue(f) for f in functions if isinstance(f, Function))
        EffectWalk(self.program, self.types, effects).run(values, called=True)
        return effects

    def _none(self) -> Effects:
        return Effects(self.program, self.types, self.purity)


@dataclass
class Effects:
    """The effects of some code, added up."""

    program: Syntax
    types: Types
    purity: Purity
    stored: set[Variable] = field(default_factory=set)
    changed: set[Container] = field(default_factory=set)
    """Containers whose elements may change."""
    resized: set[Container] = field(default_factory=set)
    """Containers whose number of elements may change."""
    called: set[ast.AST] = field(default_factory=set)
    """Functions of the program that may run."""
    unknown: bool = False
    """Code that is not followed runs: it may change all that it can reach."""
    objects: bool = False
    """An object of one of the program's classes may take part, whose operators mean what its class says."""
    io: bool = False
    """The code prints, reads, leaves, or asks for the time or a random number: its order and number can be seen."""

    def add(self, other: Effects) -> None:
        """Add the effects of other code."""
        self.stored |= other.stored
        self.changed |= other.changed
        self.resized |= other.resized
        self.called |= other.called
        self.unknown |= other.unknown
        self.objects |= other.objects
        self.io |= other.io

    def keeps(self, node: ast.expr) -> bool:
        """Return whether an expression of plain operations and quiet calls has the same value before and after."""
        return all(self._noted(self._keeps_part(part), part) for part in self.program.walk(node))

    def _noted(self, kept: bool, node: ast.AST) -> bool:
        """Return whether the node stays the same; where it does not, note the reason."""
        reason = RefusalReason.UNKNOWN_CODE if self.unknown else RefusalReason.CHANGED
        return self.program.refusals.unless(kept, reason, node)

    def _keeps_part(self, part: ast.AST) -> bool:
        match part:
            case ast.Name():
                variable = self.program.scopes.variable(part)
                if variable in self.stored:
                    return False
                return not self.unknown or variable.scope is None or self.purity.only_stored_here(part)
            case ast.Call(ast.Name("len"), [value]):
                return self.types.is_text(value) or self.keeps_container(value, self.resized)
            case ast.Call(ast.Attribute(value), arguments):
                return all(self._keeps_inside(one) for one in [value, *arguments])
            case ast.Subscript(value) | ast.Call(args=[value]):
                return self._keeps_inside(value)
        return True

    def _keeps_inside(self, node: ast.expr) -> bool:
        """Whether everything inside the expression stays as it is."""
        values = self.types.of(node)
        if values and (values <= SCALARS or all(isinstance(v, str) and v.startswith("@") for v in values)):
            return True
        return self.keeps_container(node, self.changed | self.resized)

    def keeps_contents(self, node: ast.Name) -> bool:
        """Whether the name represents the same text or container before and after, with the same content all the way
        down."""
        inside = self.types.is_text(node) or self.keeps_container(node, self.changed | self.resized)
        return self.keeps(node) and inside

    def keeps_container(self, node: ast.expr, touched: set[Container]) -> bool:
        """Return whether none of the containers that the expression may be is among those that are touched."""
        values = self.types.of(node)
        containers = [value for value in values if isinstance(value, Container)]
        if not values or len(containers) < len(values):
            return False
        same = not any(container.may_be(other) for container in containers for other in touched)
        hidden = not self.unknown or not any(container.escaped for container in containers)
        return self._noted(same and hidden, node)


# The walk through a piece of code that sums up its effects, into the functions of the program that it calls.

NO_EFFECTS = library.QUIET_CALLS | library.HEAPS | library.LEAVING


class EffectWalk:
    """A walk that notes the effects of nodes in `found`; each function is gone through once."""

    def __init__(self, program: Syntax, types: Types, effects: Effects) -> None:
        self.program, self.types, self.found = program, types, effects
        self.seen: set[ast.AST] = set()

    def visit(self, root: ast.AST) -> None:
        """Note the effects of running this node."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node is not root:
                stack.extend([*node.args.defaults, *(d for d in node.args.kw_defaults if d)])
                if not isinstance(node, ast.Lambda):
                    self.found.stored.add(self.program.scopes.variable(node))
                    self.found.unknown |= bool(node.decorator_list)
                continue  # it runs when it is called
            self._note(node)
            self.found.objects |= isinstance(node, ast.expr) and self._may_be_object(node)
            stack.extend(ast.iter_child_nodes(node))

    def _may_be_object(self, node: ast.expr) -> bool:
        """Whether the expression may be an object of one of the program's classes, which may define operators."""
        parent = self.program.scopes.parent[node]
        match node:
            case ast.Starred() | ast.FormattedValue() | ast.Name(ctx=ast.Store() | ast.Del()):
                return False  # what is in it is asked, and nothing comes out of a name that is bound
            case ast.Attribute(owner, ctx=ast.Load()) if isinstance(parent, ast.Call) and parent.func is node:
                return self._may_be_object(owner)
        return not all_plain(self.types.of(node))

    def _note(self, node: ast.AST) -> None:
        names = self.program.scopes.names.get(node, ())
        self.found.stored |= {variable for variable, use in names if use.kind != "load"}
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                parent = self.program.scopes.parent.get(node)
                if isinstance(parent, ast.AugAssign) and parent.target is node:
                    self._change(self.types.of(node), resize=True)
            case ast.Subscript(value, index, context):
                if not isinstance(context, ast.Load):
                    several = isinstance(context, ast.Del) or isinstance(index, ast.Slice)
                    self._change(self.types.of(value), resize=several)
                self._grow(self.types.of(value))
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                self.found.unknown = True
            case ast.Import() | ast.ImportFrom() | ast.ExceptHandler() | ast.pattern() | ast.ClassDef():
                self.found.unknown = True
            case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.With() | ast.AsyncWith() | ast.AsyncFor():
                self.found.unknown = True
            case ast.Call():
                self._call(node)
        for source in _gone_through(node):
            self._iterate(self.types.of(source))

    def _iterate(self, values: Values) -> None:
        """Note the effects of iterating: generators run, and the functions that map() and its like were given."""
        for value in values:
            maker = self.types.maker(value) if isinstance(value, Container) and value.kind == "iterator" else None
            self.found.unknown |= value == UNKNOWN
            if maker is None or maker in self.seen:
                continue
            self.seen.add(maker)
            if isinstance(maker, ast.GeneratorExp):
                for part in [maker.elt, *maker.generators]:
                    self.visit(part)
            elif isinstance(maker, ast.Call):
                for argument in maker.args:
                    self.run(self.types.of(argument), called=False)
                    self._iterate(self.types.of(argument))

    def _grow(self, values: Values) -> None:
        """Note that reading a missing element of a defaultdict adds what its factory gives."""
        growing = [value for value in values if isinstance(value, Container) and value.grows]
        self._change(frozenset(growing), resize=True)
        for maker in map(self.types.maker, growing):
            for factory in maker.args if isinstance(maker, ast.Call) else []:
                self.run(self.types.of(factory), called=True)

    def _change(self, values: Values, resize: bool) -> None:
        for value in values:
            if isinstance(value, Container):
                self.found.changed.add(value)
                if resize or value.kind == "dict":
                    self.found.resized.add(value)
            elif value not in SCALARS:
                self.found.unknown = True

    def _call(self, node: ast.Call) -> None:
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.run(self.types.of(argument), called=False)
            if self._goes_through(node):
                self._iterate(self.types.of(argument))
        if isinstance(node.func, ast.Attribute):
            owners = self.types.of(node.func.value)
            if not any(isinstance(v, str) and v.startswith("@") for v in owners):
                self._method(node.func.attr, owners)
                return
        functions = self.types.of(node.func)
        if functions & {f"@{name}" for name in library.HEAPS} and node.args:
            self._change(self.types.of(node.args[0]), resize=True)
        self.run(functions, called=True)

    def _goes_through(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr in library.ALL_OF_IT:
            return True
        several = len(call.args) > 1 and not isinstance(call.args[0], ast.Starred)
        names = {str(value)[1:] for value in self.types.of(call.func)}
        return bool(names & library.GOING_THROUGH) and not (several and names & {"min", "max"})

    def _method(self, name: str, owners: Values) -> None:
        for owner in owners:
            if isinstance(owner, Container):
                if name in library.MUTATING:
                    self.found.changed.add(owner)
                    self.found.resized |= set() if name in ("sort", "reverse", "rotate") else {owner}
                elif name not in library.READING:
                    self.found.unknown = True
            elif owner not in SCALARS:
                self.found.unknown = True

    def run(self, values: Values, *, called: bool) -> None:
        """Note that the functions among the values run; as arguments of a quiet function, they may."""
        for value in values:
            if isinstance(value, FunctionValue):
                if value.node not in self.seen:
                    self.seen.add(value.node)
                    self.found.called.add(value.node)
                    for part in value.node.body if isinstance(value.node.body, list) else [value.node.body]:
                        self.visit(part)
            elif not called:
                continue
            elif isinstance(value, str) and value.startswith("@"):
                name = value[1:]
                self.found.io |= name in library.LEAVING or name.startswith(library.OUTSIDE)
                self.found.unknown |= name not in NO_EFFECTS
            elif value == UNKNOWN or isinstance(value, Container):
                self.found.unknown = True


def _gone_through(node: ast.AST) -> list[ast.expr]:
    """The expressions that the node iterates over."""
    match node:
        case ast.For(iter=source) | ast.comprehension(iter=source) | ast.Starred(source, ast.Load()):
            return [source]
        case ast.Assign(targets, source) if not all(isinstance(target, ast.Name) for target in targets):
            return [source]
        case ast.AugAssign(value=source):
            return [source]
        case ast.Compare(_, operators, others):
            return [o for sign, o in zip(operators, others, strict=True) if isinstance(sign, ast.In | ast.NotIn)]
    return []


# Expressions without effects: they may be evaluated once more, once less, or a little earlier.

HARMLESS_METHODS = frozenset(
    ["__init__", "__repr__", "__str__", "__len__", "__call__", "__iter__", "__next__", "__slots__", "__doc__"]
)
"""Special methods that an operator, a subscript or an attribute never runs."""

PLAIN_VALUES = (ast.Name, ast.Constant, ast.expr_context)

OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop)
PLACES = (ast.Subscript, ast.Attribute)


@dataclass(frozen=True, eq=False)
class Purity:
    """The purity of one program's expressions; its classes may give operators a meaning of their own."""

    program: Syntax

    def is_plain(self, node: ast.expr) -> bool:
        """Whether an expression holds only names, constants, arithmetic, comparisons, subscripts and attributes, and no
        class redefines those."""
        if self.program.is_made_of(node, PLAIN_VALUES):
            return True
        plain = self.program.is_made_of(node, PLAIN_VALUES + OPERATIONS + PLACES)
        return plain and self.program.refusals.unless(not self.redefines_operators, RefusalReason.OPERATORS, node)

    @cached_property
    def redefines_operators(self) -> bool:
        """Whether some class gives operators, subscripts or attributes a meaning of its own."""
        for node in self.program.of_kind(ast.ClassDef):
            names = self.program.scopes.bound[node]
            if any(name.startswith("__") and name not in HARMLESS_METHODS for name in names):
                return True
            if node.keywords or any(getattr(d, "decorator_list", []) for d in node.body):
                return True
        return bool({"property", "total_ordering", "setattr", "__get__"} & self.program.words)

    def is_cheap(self, node: ast.expr) -> bool:
        """Whether evaluating an expression twice is cheaper than a call: at most one operation on names and numbers."""
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right):
                return is_simple(left) and is_simple(right) and self.is_plain(node)
            case ast.Subscript(value, index):
                return is_simple(value) and self.is_cheap(index) and self.is_plain(node)
        return is_simple(node)

    def only_stored_here(self, node: ast.Name) -> bool:
        """Whether the variable is stored only in the scope of this use, so that no call can change it."""
        scopes = self.program.scopes
        scope, variable = scopes.scope[node], scopes.variable(node)
        return variable.scope is scope and all(use.scope is scope for use in scopes.stores(variable))


# Containers out of the analysis' sight: held by others, shrinking somewhere, or never changed.

SHRINKING = frozenset({"pop", "popleft", "popitem", "remove", "clear", "discard"})


@dataclass(frozen=True, eq=False)
class Escape:
    """The containers and functions of one program that code which is not followed may hold."""

    program: Syntax
    types: Types

    def called_from_outside(self) -> list[ast.AST]:
        """Functions that unfollowed code may call, and generators, which such code may resume."""
        yields = [*self.program.of_kind(ast.Yield), *self.program.of_kind(ast.YieldFrom)]
        return [*self.types.given_away(), *{self.program.scopes.scope[node] for node in yields}]

    @cached_property
    def shrunk(self) -> frozenset[object]:
        """Containers that lose elements somewhere in the program."""
        found: set[object] = set()
        for node, owner in self._changes:
            match node:
                case ast.Call(func=ast.Attribute(value, name)) if value is owner and name not in SHRINKING:
                    continue
                case ast.Subscript(slice=index, ctx=ast.Store()) if not isinstance(index, ast.Slice):
                    continue
                case ast.AugAssign(op=operator) if not isinstance(operator, ast.Mult):
                    continue
            found |= self.types.of(owner)
        return frozenset(value for value in found if isinstance(value, Container) or value == UNKNOWN)

    def changes(self, container: Container) -> list[ast.AST]:
        """Places where the program may change a container: method calls, stores by subscript, `+=` and its like, calls
        of heapq."""
        return [node for node, owner in self._changes if container in self.types.of(owner)]

    @cached_property
    def _changes(self) -> list[tuple[ast.AST, ast.expr]]:
        """Each such place, with the containers that it may change."""
        found: list[tuple[ast.AST, ast.expr]] = []
        for node in self.program.nodes(ast.Call, ast.Subscript, ast.AugAssign):
            if isinstance(node, ast.Call) and node.args and self.types.comes_from(node.func, "heapq"):
                found.append((node, node.args[0]))
            match node:
                case ast.Call(func=ast.Attribute(owner)):
                    found.append((node, owner))
                case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) | ast.AugAssign(owner):
                    found.append((node, owner))
        return found
