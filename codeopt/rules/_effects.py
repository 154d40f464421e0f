"""What running a piece of code may change: variables, containers, or things unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from codeopt.rules import _library as library
from codeopt.rules._module import Module
from codeopt.rules._objects import may_be_object
from codeopt.rules._plain import only_stored_in, redefines_operators
from codeopt.rules._scopes import Function, Variable
from codeopt.rules._types import Types
from codeopt.rules._values import SCALARS, UNKNOWN, Code, Container, Values


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
    objects: bool = False
    """There may be an object of a class of the program in it, for which an operator means what the class says."""
    speaks: bool = False
    """It prints, reads, leaves, or asks for the time or a random number: its order and number can be seen."""

    def add(self, other: Effects) -> None:
        """Note everything that the other code does, too."""
        self.stored |= other.stored
        self.changed |= other.changed
        self.resized |= other.resized
        self.called |= other.called
        self.unknown = self.unknown or other.unknown
        self.objects = self.objects or other.objects
        self.speaks = self.speaks or other.speaks

    def keeps(self, module: Module, types: Types, node: ast.expr) -> bool:
        """The expression, made of plain operations and quiet calls, has the same value before and after."""
        return all(self._keeps_part(module, types, part) for part in module.walk(node))

    def _keeps_part(self, module: Module, types: Types, part: ast.AST) -> bool:
        match part:
            case ast.Name():
                variable = module.scopes.variable(part)
                if variable in self.stored:
                    return False
                return not self.unknown or variable.scope is None or only_stored_in(module, part)
            case ast.Call(ast.Name("len"), [value]):
                return types.is_text(value) or self.keeps_container(types, value, self.resized)
            case ast.Call(ast.Attribute(value), arguments):
                return all(self._keeps_inside(types, one) for one in [value, *arguments])
            case ast.Subscript(value) | ast.Call(args=[value]):
                return self._keeps_inside(types, value)
        return True

    def _keeps_inside(self, types: Types, node: ast.expr) -> bool:
        """It has nothing inside that could change, or that stays as it is."""
        values = types.of(node)
        if values and (values <= SCALARS or all(isinstance(v, str) and v.startswith("@") for v in values)):
            return True
        return self.keeps_container(types, node, self.changed | self.resized)

    def keeps_container(self, types: Types, node: ast.expr, touched: set[Container]) -> bool:
        """The containers that the expression may be are not among those that are touched."""
        values = types.of(node)
        containers = [value for value in values if isinstance(value, Container)]
        if not values or len(containers) < len(values) or any(c.may_be(other) for c in containers for other in touched):
            return False
        return not self.unknown or not any(container.escaped for container in containers)


def effects_of(module: Module, types: Types, nodes: Iterable[ast.AST]) -> Effects:
    """What the nodes and the functions of the program that they call may do."""
    found = Effects()
    seen: set[ast.AST] = set()
    for node in nodes:
        _visit(module, types, node, found, seen)
    found.objects = found.objects or found.unknown or "__del__" in module.words  # which runs at any time
    if found.objects:
        found.unknown = found.unknown or redefines_operators(module)
        found.add(_implicit(module, types))
    if found.unknown:  # it may call every function that was given away
        found.add(_given_away(module, types))
    return found


@lru_cache(maxsize=16)
def _given_away(module: Module, types: Types) -> Effects:
    """What the functions do that code which is not followed may call, and generators when they are asked to go on."""
    yields = {module.scopes.scope[node] for node in module.walk() if isinstance(node, ast.Yield | ast.YieldFrom)}
    return _of_functions(module, types, [*types.given_away(), *yields])


@lru_cache(maxsize=16)
def _implicit(module: Module, types: Types) -> Effects:
    """What methods do that no call shows: print(x) runs __str__, a loop __next__, and __del__ runs at any time."""
    methods = [m for node in module.walk() if isinstance(node, ast.ClassDef) for m in node.body]
    return _of_functions(module, types, [m for m in methods if _runs_unseen(getattr(m, "name", ""))])


def _runs_unseen(name: str) -> bool:
    return name.startswith("__") and name not in ("__init__", "__new__", "__call__", "__enter__", "__exit__")


def _of_functions(module: Module, types: Types, functions: Iterable[ast.AST]) -> Effects:
    found = Effects()
    _run(module, types, frozenset(Code(f) for f in functions if isinstance(f, Function)), found, set(), called=True)
    return found


def _visit(module: Module, types: Types, root: ast.AST, found: Effects, seen: set[ast.AST]) -> None:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node is not root:
            stack.extend([*node.args.defaults, *(d for d in node.args.kw_defaults if d)])
            if not isinstance(node, ast.Lambda):
                found.stored.add(module.scopes.owner(node.name, module.scopes.scope[node]))
                found.unknown = found.unknown or bool(node.decorator_list)
            continue  # it runs when it is called
        _note(module, types, node, found, seen)
        found.objects = found.objects or (isinstance(node, ast.expr) and may_be_object(module, types, node))
        stack.extend(ast.iter_child_nodes(node))


def _note(module: Module, types: Types, node: ast.AST, found: Effects, seen: set[ast.AST]) -> None:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            found.stored.add(module.scopes.variable(node))
            parent = module.scopes.parent.get(node)
            if isinstance(parent, ast.AugAssign) and parent.target is node:
                _change(types.of(node), found, resize=True)
        case ast.Subscript(value, index, context):
            if not isinstance(context, ast.Load):
                _change(types.of(value), found, resize=isinstance(context, ast.Del) or isinstance(index, ast.Slice))
            _grow(module, types, types.of(value), found, seen)
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
    for source in _gone_through(node):
        _iterate(module, types, types.of(source), found, seen)


def _gone_through(node: ast.AST) -> list[ast.expr]:
    """The expressions that the node asks for their elements."""
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


def _iterate(module: Module, types: Types, values: Values, found: Effects, seen: set[ast.AST]) -> None:
    """Asking for elements runs generators, and the functions that map() and its like were given."""
    for value in values:
        maker = types.maker(value) if isinstance(value, Container) and value.kind == "iterator" else None
        found.unknown = found.unknown or value == UNKNOWN
        if maker is None or maker in seen:
            continue
        seen.add(maker)
        if isinstance(maker, ast.GeneratorExp):
            for part in [maker.elt, *maker.generators]:
                _visit(module, types, part, found, seen)
        elif isinstance(maker, ast.Call):
            for argument in maker.args:
                _run(module, types, types.of(argument), found, seen, called=False)
                _iterate(module, types, types.of(argument), found, seen)


def _grow(module: Module, types: Types, values: Values, found: Effects, seen: set[ast.AST]) -> None:
    """Reading a missing element of a defaultdict adds what its factory gives."""
    growing = [value for value in values if isinstance(value, Container) and value.grows]
    _change(frozenset(growing), found, resize=True)
    for maker in map(types.maker, growing):
        for factory in maker.args if isinstance(maker, ast.Call) else []:
            _run(module, types, types.of(factory), found, seen, called=True)


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
        if _goes_through(types, node):
            _iterate(module, types, types.of(argument), found, seen)
    if isinstance(node.func, ast.Attribute):
        owners = types.of(node.func.value)
        if not any(isinstance(v, str) and v.startswith("@") for v in owners):
            _method(node.func.attr, owners, found)
            return
    functions = types.of(node.func)
    if functions & {f"@{name}" for name in library.HEAPS} and node.args:
        _change(types.of(node.args[0]), found, resize=True)
    _run(module, types, functions, found, seen, called=True)


def _goes_through(types: Types, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in library.ALL_OF_IT:
        return True
    several = len(call.args) > 1 and not isinstance(call.args[0], ast.Starred)
    names = {str(value)[1:] for value in types.of(call.func)}
    return bool(names & library.GOING_THROUGH) and not (several and names & {"min", "max"})


def _method(name: str, owners: Values, found: Effects) -> None:
    for owner in owners:
        if isinstance(owner, Container):
            if name in library.MUTATING:
                found.changed.add(owner)
                found.resized |= set() if name in ("sort", "reverse", "rotate") else {owner}
            elif name not in library.READING:
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
            found.speaks = found.speaks or name in library.LEAVING or name.startswith(library.OUTSIDE)
            found.unknown = found.unknown or name not in library.QUIET_CALLS | library.HEAPS | library.LEAVING
        elif value == UNKNOWN or isinstance(value, Container):
            found.unknown = True
