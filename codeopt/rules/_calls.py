"""Calls: of the program's own functions, of builtins and of methods, as far as they are followed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from codeopt.rules import _library as library
from codeopt.rules._scopes import Function
from codeopt.rules._values import ANY, FLOAT, INT, NONE, NUMBERS, SCALARS, STR, Code, Container, Values, union

if TYPE_CHECKING:
    from codeopt.rules._types import Types


def call(types: Types, node: ast.Call) -> Values:
    """What the call gives; its effects on containers are noted in `types`."""
    if isinstance(node.func, ast.Attribute):
        owners = types.value(node.func.value)
        if not any(isinstance(v, str) and v.startswith("@") for v in owners):
            arguments = _arguments(types, node)
            return union(_method(types, node, owner, node.func.attr, arguments) for owner in owners)
    functions = types.value(node.func)
    arguments = _arguments(types, node)
    found = []
    for function in functions:
        if isinstance(function, Code):
            found.append(_own(types, node, function.node, arguments))
        elif isinstance(function, str) and function.startswith("@"):
            found.append(_known(types, node, function[1:], arguments))
        else:
            found.append(_lost(types, node, arguments))
    return union(found)


def _arguments(types: Types, node: ast.Call) -> list[Values]:
    """The values of the positional arguments; of a starred one, its elements are given away."""
    found = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            found.append(types.escape(types.elements(types.value(argument.value))))
        else:
            found.append(types.value(argument))
    for keyword in node.keywords:
        types.value(keyword.value)
    return found


def _lost(types: Types, node: ast.Call, arguments: list[Values]) -> Values:
    return types.escape(*arguments, *(types.value(keyword.value) for keyword in node.keywords))


def _own(types: Types, node: ast.Call, function: Function, arguments: list[Values]) -> Values:
    """A function of the program: the arguments flow into its parameters."""
    formal = function.args
    names = [arg.arg for arg in [*formal.posonlyargs, *formal.args]]
    starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
    if starred or formal.vararg or formal.kwarg or len(arguments) > len(names):
        types.escape(frozenset({Code(function)}))
        return _lost(types, node, arguments)
    given = [*zip(names, arguments, strict=False), *((k.arg or "", types.value(k.value)) for k in node.keywords)]
    for name, values in given:
        types.feed(function, name, values)
    return _result(types, function)


def _result(types: Types, function: Function) -> Values:
    returned = frozenset(types.returned.get(function, ()))
    if isinstance(function, ast.Lambda) or _always_returns(function.body):
        return returned
    return returned | NONE


def _always_returns(body: list[ast.stmt]) -> bool:
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=one, orelse=other):
            return bool(other) and _always_returns(one) and _always_returns(other)
    return False


def _known(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values:
    """A builtin, or a function of a standard module."""
    quiet = not any(keyword.arg not in ("reverse", "maxlen") for keyword in node.keywords)
    if name in library.RETURNS:
        return library.RETURNS[name]
    if name == "range":
        return types.make(node, "iterator", INT)
    if not quiet or any(isinstance(a, ast.Starred) for a in node.args):
        return _sorting(types, node, name, arguments) or _lost(types, node, arguments)
    if name in library.MADE_OF and len(arguments) <= 1:
        inside = types.elements(arguments[0]) if arguments else frozenset()
        return types.make(node, library.MADE_OF[name], inside)
    if name in library.TUPLES_OF:
        inside = union(types.elements(argument) for argument in arguments)
        return types.make(node, "iterator", types.make(node, "tuple", inside))
    return _special(types, node, name, arguments)


def _sorting(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """sorted, min and max with a key: a function that is given the elements; product with repeat."""
    keywords = {keyword.arg: types.value(keyword.value) for keyword in node.keywords}
    if name == "itertools.product" and keywords.keys() == {"repeat"}:
        inside = union(types.elements(argument) for argument in arguments)
        return types.make(node, "iterator", types.make(node, "tuple", inside))
    if name not in ("sorted", "min", "max") or not keywords.keys() <= {"key", "reverse"} or len(arguments) != 1:
        return None
    inside = types.elements(arguments[0])
    _apply(types, keywords.get("key", frozenset()), inside)
    return types.make(node, "list", inside) if name == "sorted" else inside


def _apply(types: Types, functions: Values, *arguments: Values) -> Values:
    """What functions give for arguments that somebody else passes to them."""
    found: set[object] = set()
    for function in functions:
        names = [arg.arg for arg in function.node.args.args] if isinstance(function, Code) else []
        if isinstance(function, Code) and len(names) == len(arguments) and function.node not in types.loose:
            for name, values in zip(names, arguments, strict=True):
                types.feed(function.node, name, values)
            found |= _result(types, function.node)
        elif isinstance(function, str) and function[1:] in library.RETURNS:
            found |= library.RETURNS[function[1:]]
        else:
            found |= types.escape(frozenset({function}), *arguments)
    return frozenset(found)


def _special(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values:
    for rules in (_iteration, _number, _heap, _copies):
        found = rules(types, node, name, arguments)
        if found is not None:
            return found
    return _lost(types, node, arguments)


def _iteration(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """Builtins and collections that work on the elements of something."""
    match name, arguments:
        case "map", [functions, *iterables]:
            return types.make(node, "iterator", _apply(types, functions, *map(types.elements, iterables)))
        case "enumerate", [values, *_]:
            return types.make(node, "iterator", types.make(node, "tuple", INT | types.elements(values)))
        case "filter", [functions, values]:
            _apply(types, functions - NONE, types.elements(values))
            return types.make(node, "iterator", types.elements(values))
        case "functools.reduce", [functions, values, *start]:
            inside = union([types.elements(values), *start])
            return inside | _apply(types, functions, inside | _apply(types, functions, inside, inside), inside)
        case "next", [values]:
            return types.elements(values)
        case "dict", []:
            return types.make(node, "dict")
        case "collections.Counter", [*values]:
            return types.make(node, "dict", INT, union(types.elements(v) for v in values))
        case "collections.defaultdict", [factory]:
            return types.make(node, "dict", _factory(types, node, factory), grows=True)
        case "sys.stdin.readlines", []:
            return types.make(node, "list", STR)
    return None


def _copies(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    match name, arguments:
        case (("copy.copy" | "copy.deepcopy"), [values]):
            return union([_copied(types, node, value) for value in values])
    return None


def _copied(types: Types, node: ast.Call, value: object) -> Values:
    """A copy; what is in it counts as the same, so that a change of one counts as a change of both."""
    if isinstance(value, Container) and value.kind != "iterator":
        return types.make(node, value.kind, value.elements, value.keys, value.grows)
    return frozenset({value}) if value in SCALARS else types.escape(frozenset({value}))


def _number(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """Builtins that give one of their arguments, or a number."""
    match name, arguments:
        case (("min" | "max"), [values]):
            return types.elements(values)
        case (("min" | "max"), [*values]):
            return union(values)
        case "sum", [values, *start]:
            inside = types.elements(values) | union(start)
            return (inside - {"bool"}) | INT if inside <= NUMBERS else types.escape(inside)
        case "abs", [values] if values <= NUMBERS:
            return frozenset("int" if v == "bool" else v for v in values)
        case "round", [values, *digits] if values <= NUMBERS:
            return FLOAT | values if digits else INT
        case "pow", [a, b, c] if a | b | c <= {"int", "bool"}:
            return INT
        case "pow", [a, b] if a | b <= NUMBERS:
            return INT | FLOAT | {"complex"}
        case "divmod", [a, b] if a | b <= NUMBERS:
            return types.make(node, "tuple", (INT if a | b <= {"int", "bool"} else INT | FLOAT))
    return None


def _heap(types: Types, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    match name, arguments:
        case "heapq.heappush", [heap, values]:
            return _add(types, heap, values)
        case "heapq.heappop", [heap]:
            return types.elements(heap)
        case (("heapq.heappushpop" | "heapq.heapreplace"), [heap, values]):
            _add(types, heap, values)
            return types.elements(heap) | values
        case "itertools.accumulate", [values] if types.elements(values) <= NUMBERS:
            return types.make(node, "iterator", types.elements(values) | INT)
        case "itertools.accumulate", [values, functions] if functions <= {"@max", "@min"}:
            return types.make(node, "iterator", types.elements(values))
    return None


def _factory(types: Types, node: ast.Call, factory: Values) -> Values:
    """The default values of a defaultdict."""
    empty = {"@int": INT, "@float": FLOAT, "@str": STR, "@list": "list", "@set": "set", "@dict": "dict"}
    found: set[object] = set()
    for function in factory:
        made = empty.get(function) if isinstance(function, str) else None
        if isinstance(made, str):
            found |= types.make(node.args[0], made)
        elif made is not None:
            found |= frozenset(made)
        else:
            found |= _apply(types, frozenset({function}))
    return frozenset(found)


def _add(types: Types, containers: Values, values: Values) -> Values:
    for container in containers:
        if isinstance(container, Container):
            types.join(container.elements, values)
        if not isinstance(container, Container) or container.escaped:
            types.escape(values)
    return NONE


def _method(types: Types, node: ast.Call, owner: object, name: str, arguments: list[Values]) -> Values:
    """A method of a container or of text."""
    lost = any(isinstance(a, ast.Starred) for a in node.args)
    if lost or (node.keywords and name not in ("sort", "split", "format")):
        return types.escape(frozenset({owner}), _lost(types, node, arguments))
    if owner in ("str", "bytes"):
        if name in library.SPLITS:
            return types.make(node, "list", frozenset({owner}))
        found = library.TEXT_METHODS.get(name, ANY)
        return found if owner == "str" or found != STR or name == "decode" else ANY
    if owner in ("int", "bool", "float"):
        return library.QUIET_METHODS.get(name, ANY)
    if not isinstance(owner, Container):
        return types.escape(frozenset({owner}), _lost(types, node, arguments))
    if name == "sort" and node.keywords:
        keys = [types.value(k.value) for k in node.keywords if k.arg == "key"]
        for key in keys:
            _apply(types, key, frozenset(owner.elements))
        return NONE
    return _container_method(types, node, owner, name, arguments)


def _container_method(types: Types, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    here: Values = frozenset({owner})
    if name in library.ADDS and owner.kind != "dict" and len(arguments) > library.ADDS[name]:
        at = library.ADDS[name]
        return _add(types, here, types.elements(arguments[0]) if at < 0 else arguments[at])
    if name in library.QUIET_METHODS:
        return library.QUIET_METHODS[name]
    if name in library.TAKES and name != "popitem":
        return frozenset(owner.elements) | union(arguments[1:])
    if name in library.COPIES:
        inside = union([frozenset(owner.elements), *map(types.elements, arguments)])
        return types.make(node, owner.kind, inside, owner.keys)
    if owner.kind == "dict":
        return _dict_method(types, node, owner, name, arguments)
    return types.escape(here, *arguments)


def _dict_method(types: Types, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    match name, arguments:
        case "get", [_]:
            return frozenset(owner.elements) | NONE
        case "get", [_, default]:
            return frozenset(owner.elements) | default
        case "keys", []:
            return types.make(node, "iterator", owner.keys)
        case "values", []:
            return types.make(node, "iterator", owner.elements)
        case "items", []:
            return types.make(node, "iterator", types.make(node, "tuple", owner.keys | owner.elements))
        case "setdefault", [key, default]:
            types.join(owner.keys, key)
            _add(types, frozenset({owner}), default)
            return frozenset(owner.elements)
    return types.escape(frozenset({owner}), *arguments)
