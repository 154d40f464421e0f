"""The flow of values that was found in one program so far, and what its type hints promise.

The analysis is flow-insensitive: a variable is everything that is ever stored in it. A container is one for each place
that makes it. The result of code that is not followed (classes, unknown calls, decorated functions) is UNKNOWN,
and so becomes everything that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from codeopt.analysis import values as library
from codeopt.analysis.scopes import Function, Variable
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.values import ANY, BOOL, BYTES, INT, NONE, NUMBERS, STR, Container, FunctionValue, Values, union


class Facts:
    """The facts about one program. They grow with each walk through it, until a walk adds nothing; then they are
    settled."""

    def __init__(self, program: Syntax, follow: Callable[[Facts, ast.expr], Values]) -> None:
        """`follow` gives the values that an expression may have, as far as they are known by now."""
        self.program = program
        self.follow = follow
        self.variables: dict[Variable, set[object]] = {}
        self.returned: dict[ast.AST, set[object]] = {}
        self.made: dict[tuple[ast.AST, str], Container] = {}
        self.changed = True
        self.settled = False
        scope = program.scopes.scope
        given = [f for f in program.of_kind(ast.FunctionDef) if f.decorator_list or isinstance(scope[f], ast.ClassDef)]
        self.externally_callable: set[Function] = {*given, *program.of_kind(ast.AsyncFunctionDef)}
        """Functions that unfollowed code calls: their arguments may be anything."""
        self._holders: dict[Container, list[Variable | Container]] = {}
        self._shared: set[Container] = set()
        """Containers that have escaped only to code which keeps to a type hint."""

    def begin(self) -> None:
        """Begin another walk through the program."""
        self.changed = False
        self._holders = {}

    def holders(self, container: Container) -> list[Variable | Container]:
        """The holders of a container when this walk first asked for them: in the last walk, all there are."""
        if not self._holders:
            for variable, values in self.variables.items():
                self._held(variable, values)
            for other in self.made.values():
                self._held(other, other.elements | other.keys)
        return self._holders.get(container, [])

    def _held(self, holder: Variable | Container, values: set[object]) -> None:
        for value in values:
            if isinstance(value, Container):
                self._holders.setdefault(value, []).append(holder)

    def join(self, place: set[object], values: Iterable[object]) -> None:
        """Add values to a place; once the facts are settled, questions change nothing."""
        if self.settled:
            return
        before = len(place)
        place.update(values)
        self.changed = self.changed or len(place) != before

    def make(
        self,
        node: ast.AST,
        kind: str,
        elements: Iterable[object] = (),
        keys: Iterable[object] = (),
        grows: bool = False,
        escaped: bool = False,
    ) -> Values:
        """The containers of this kind that this place in the program makes, or gets from elsewhere."""
        if self.settled and (node, kind) not in self.made:
            return ANY
        container = self.made.setdefault((node, kind), Container(kind, grows=grows, escaped=escaped, place=node))
        self.join(container.elements, elements)
        self.join(container.keys, keys)
        return frozenset({container})

    def escape(self, *groups: Values) -> Values:
        """Give values to code that is not followed."""
        if self.settled:
            return ANY
        for value in frozenset().union(*groups):
            if isinstance(value, Container) and (not value.escaped or value in self._shared):
                self._shared.discard(value)
                value.escaped = self.changed = True
                inside = frozenset(value.elements | value.keys)
                self.join(value.elements, ANY)
                self.join(value.keys, ANY)
                self.escape(inside)
            elif isinstance(value, FunctionValue) and value.node not in self.externally_callable:
                self.externally_callable.add(value.node)
                self.changed = True
        return ANY

    def share(self, container: Container, like: Container) -> None:
        """Share a container with others who put in only what `like` has, as a hint says."""
        if self.settled or container.escaped:
            return
        container.escaped = self.changed = True
        self._shared.add(container)
        self.escape(frozenset(container.elements | container.keys))
        self.join(container.elements, like.elements)
        self.join(container.keys, like.keys)

    def elements(self, values: Values) -> Values:
        """The values that iterating over the values gives."""
        found: set[object] = set()
        for value in values:
            match value:
                case Container(kind="dict", keys=keys):
                    found |= keys
                case Container(elements=elements):
                    found |= elements
                case "str":
                    found |= STR
                case "bytes":
                    found |= INT
                case str() if value.startswith("@") and value[1:] in library.READERS:
                    found |= library.READERS[value[1:]]
                case _:
                    found |= ANY
        return frozenset(found)

    def bind(self, target: ast.expr, values: Values) -> None:
        """Let values flow into the target of an assignment or a loop."""
        match target:
            case ast.Name():
                self.join(self.variables.setdefault(self.program.scopes.variable(target), set()), values)
            case ast.Tuple(elts) | ast.List(elts):
                inside = self.elements(values)
                for part in elts:
                    if isinstance(part, ast.Starred):
                        self.bind(part.value, self.make(part, "list", inside))
                    else:
                        self.bind(part, inside)
            case ast.Subscript(value, index):
                self.store(self.value(value), index, values)
            case ast.Attribute(value):
                self.value(value)
                self.escape(values)

    def store(self, containers: Values, index: ast.expr, values: Values) -> None:
        """Let values flow into containers by `container[index] = value`."""
        at = self.value(index)
        for container in containers:
            if isinstance(container, Container):
                self.join(container.elements, self.elements(values) if isinstance(index, ast.Slice) else values)
                self.join(container.keys, at if container.kind == "dict" else ())
                if container.escaped:
                    self.escape(values, at)
            else:
                self.escape(values, at)

    def place(self, variable: Variable) -> set[object]:
        """Everything that is stored in a variable."""
        return self.variables.setdefault(variable, set())

    def feed(self, function: ast.AST, name: str, values: Values) -> None:
        """Let an argument flow into a parameter."""
        self.join(self.place(Variable(function, name)), values)
        if function in self.externally_callable:
            self.escape(values)

    def give_back(self, node: ast.AST, values: Values) -> None:
        """Let the values of a return or yield statement flow to the callers of its function."""
        self.join(self.returned.setdefault(self.program.scopes.scope[node], set()), values)

    def value(self, node: ast.expr) -> Values:
        """The values that an expression may have; its effects are noted."""
        return self.follow(self, node)


# Meaning of type hints of parameters and variables: builtin types are taken at their word, all others are unknown.

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
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            shown = [each for each in parts if not (isinstance(each, ast.Constant) and each.value is ...)]
            given = [hinted(facts, each) for each in shown]
            path = _path(facts, name)
            if path in ("typing.Optional", "typing.Union"):
                return union(given) | (NONE if path == "typing.Optional" else frozenset())
            if KINDS.get(path) == "dict":
                return _container(facts, hint, path, given[1], given[0]) if len(given) == 2 else ANY
            return _container(facts, hint, path, union(given), frozenset())
    path = _path(facts, hint)
    return SCALAR.get(path) or _container(facts, hint, path, ANY, ANY)


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
