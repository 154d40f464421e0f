"""What running a piece of code may change: variables, containers, or things unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from codeopt.rules import _library as library
from codeopt.rules._module import Module
from codeopt.rules._plain import only_stored_in, redefines_operators
from codeopt.rules._scopes import Variable
from codeopt.rules._types import Types
from codeopt.rules._values import SCALARS, UNKNOWN, Code, Container, Values

MUTATING = frozenset(library.ADDS) | {"setdefault", "popitem", "__next__"} | {
    name for name, result in library.QUIET_METHODS.items() if "none" in result
} | (library.TAKES)  # fmt: skip
READING = frozenset({"index", "count", "get", "keys", "values", "items"}) | library.COPIES | {
    "issubset", "issuperset", "isdisjoint"
}  # fmt: skip
QUIET_CALLS = (
    frozenset(library.RETURNS)
    | frozenset(library.MADE_OF)
    | library.TUPLES_OF
    | frozenset(
        [
            "range",
            "map",
            "filter",
            "enumerate",
            "min",
            "max",
            "sum",
            "abs",
            "round",
            "pow",
            "divmod",
            "dict",
            "next",
            "type",
            "slice",
            "zip",
        ]
    )
    | {
        "collections.Counter",
        "collections.defaultdict",
        "itertools.accumulate",
        "sys.stdin.readlines",
        "itertools.chain",
    }
)
HEAPS = frozenset({"heapq.heappush", "heapq.heappop", "heapq.heapify", "heapq.heappushpop", "heapq.heapreplace"})
LEAVING = frozenset({"exit", "quit", "sys.exit"})


@dataclass
class Effects:
    """The sum over some code."""

    stored: set[Variable] = field(default_factory=set)
    changed: set[Container] = field(default_factory=set)
    """Containers whose elements may change."""
    resized: set[Container] = field(default_factory=set)
    """Containers whose number of elements may change."""
    called: set[ast.AST] = field(default_factory=set)
    """Functions of the program that may run."""
    unknown: bool = False
    """Code that is not followed runs: it may change whatever it can reach."""
    speaks: bool = False
    """It prints, reads or leaves: its order and number can be seen."""

    def add(self, other: Effects) -> None:
        """Note everything that the other code does, too."""
        self.stored |= other.stored
        self.changed |= other.changed
        self.resized |= other.resized
        self.called |= other.called
        self.unknown = self.unknown or other.unknown
        self.speaks = self.speaks or other.speaks

    def keeps(self, module: Module, types: Types, node: ast.expr) -> bool:
        """The expression, made of plain operations and quiet calls, has the same value before and after."""
        return all(self._keeps_part(module, types, part) for part in ast.walk(node))

    def _keeps_part(self, module: Module, types: Types, part: ast.AST) -> bool:
        match part:
            case ast.Name():
                variable = module.scopes.variable(part)
                if variable in self.stored:
                    return False
                return not self.unknown or variable.scope is None or only_stored_in(module, part)
            case ast.Call(ast.Name("len"), [value]):
                return types.is_text(value) or self.keeps_container(types, value, self.resized)
            case ast.Subscript(value) | ast.Call(args=[value]):
                values = types.of(value)
                if values and values <= SCALARS:
                    return True
                if values and all(isinstance(v, str) and v.startswith("@") for v in values):
                    return True
                return self.keeps_container(types, value, self.changed | self.resized)
        return True

    def keeps_container(self, types: Types, node: ast.expr, touched: set[Container]) -> bool:
        """The containers that the expression may be are not among those that are touched."""
        values = types.of(node)
        if not values or not all(isinstance(v, Container) for v in values) or values & touched:
            return False
        return not self.unknown or not any(isinstance(v, Container) and v.escaped for v in values)


def effects_of(module: Module, types: Types, nodes: Iterable[ast.AST]) -> Effects:
    """What the nodes and the functions of the program that they call may do."""
    found = Effects(unknown=redefines_operators(module))
    seen: set[ast.AST] = set()
    for node in nodes:
        _visit(module, types, node, found, seen)
    if found.unknown:  # it may call every function that was given away
        found.add(_given_away(module, types))
    return found


@lru_cache(maxsize=16)
def _given_away(module: Module, types: Types) -> Effects:
    """What the functions do that code which is not followed may call."""
    found = Effects()
    _run(module, types, frozenset(Code(function) for function in types.loose), found, set(), called=True)
    return found


def _visit(module: Module, types: Types, root: ast.AST, found: Effects, seen: set[ast.AST]) -> None:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node is not root:
            stack.extend([*node.args.defaults, *(d for d in node.args.kw_defaults if d)])
            if not isinstance(node, ast.Lambda):
                found.stored.add(module.scopes.owner(node.name, module.scopes.scope[node]))
            continue  # it runs when it is called
        _note(module, types, node, found, seen)
        stack.extend(ast.iter_child_nodes(node))


def _note(module: Module, types: Types, node: ast.AST, found: Effects, seen: set[ast.AST]) -> None:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            found.stored.add(module.scopes.variable(node))
            parent = module.scopes.parent.get(node)
            if isinstance(parent, ast.AugAssign) and parent.target is node:
                _change(types.of(node), found, resize=True)
        case ast.Subscript(value, index, ast.Store() | ast.Del() as context):
            _change(types.of(value), found, resize=isinstance(context, ast.Del) or isinstance(index, ast.Slice))
        case ast.Subscript(value):
            _change(frozenset(v for v in types.of(value) if isinstance(v, Container) and v.grows), found, resize=True)
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            found.unknown = True
        case ast.Import() | ast.ImportFrom() | ast.ExceptHandler() | ast.pattern() | ast.ClassDef():
            found.unknown = True
            scope = module.scopes.scope[node]
            names = [a.asname or a.name.partition(".")[0] for a in getattr(node, "names", [])]
            names += [n for n in [getattr(node, "name", None), getattr(node, "rest", None)] if n]
            found.stored |= {module.scopes.owner(name, scope) for name in names}
        case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.With() | ast.AsyncWith() | ast.AsyncFor():
            found.unknown = True
        case ast.Call():
            _call(module, types, node, found, seen)


def _change(values: Values, found: Effects, resize: bool) -> None:
    for value in values:
        if isinstance(value, Container):
            found.changed.add(value)
            if resize or value.kind == "dict":
                found.resized.add(value)
        elif value not in SCALARS:
            found.unknown = True


def _call(module: Module, types: Types, node: ast.Call, found: Effects, seen: set[ast.AST]) -> None:
    for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
        _run(module, types, types.of(argument), found, seen, called=False)
    if isinstance(node.func, ast.Attribute):
        owners = types.of(node.func.value)
        if not any(isinstance(v, str) and v.startswith("@") for v in owners):
            _method(node.func.attr, owners, found)
            return
    functions = types.of(node.func)
    if functions & {f"@{name}" for name in HEAPS} and node.args:
        _change(types.of(node.args[0]), found, resize=True)
    _run(module, types, functions, found, seen, called=True)


def _method(name: str, owners: Values, found: Effects) -> None:
    for owner in owners:
        if isinstance(owner, Container):
            if name in MUTATING:
                found.changed.add(owner)
                found.resized |= set() if name in ("sort", "reverse", "rotate") else {owner}
            elif name not in READING:
                found.unknown = True
        elif owner not in SCALARS:
            found.unknown = True


def _run(module: Module, types: Types, values: Values, found: Effects, seen: set[ast.AST], called: bool) -> None:
    """The functions among the values run; as arguments of a quiet function, they may."""
    for value in values:
        if isinstance(value, Code):
            if value.node not in seen:
                seen.add(value.node)
                found.called.add(value.node)
                for part in value.node.body if isinstance(value.node.body, list) else [value.node.body]:
                    _visit(module, types, part, found, seen)
        elif not called:
            continue
        elif isinstance(value, str) and value.startswith("@"):
            name = value[1:]
            found.speaks = found.speaks or name in LEAVING or name in ("print", "input") or name.startswith("sys.std")
            found.unknown = found.unknown or name not in QUIET_CALLS | HEAPS | LEAVING
        elif value == UNKNOWN or isinstance(value, Container):
            found.unknown = True
