"""Calls: of the program's own functions, of builtins and of methods, as far as they are followed."""

from __future__ import annotations

import ast

from codeopt.analysis import library
from codeopt.analysis.facts import Facts
from codeopt.analysis.functions import apply, lost, own
from codeopt.analysis.methods import add, method
from codeopt.analysis.values import FLOAT, INT, NONE, NUMBERS, SCALARS, STR, Container, FunctionValue, Values, union


def call(facts: Facts, node: ast.Call) -> Values:
    """The values that a call gives; its effects on containers are noted in `facts`."""
    if isinstance(node.func, ast.Attribute):
        owners = facts.value(node.func.value)
        if not any(isinstance(v, str) and v.startswith("@") for v in owners):
            arguments = _arguments(facts, node)
            return union(method(facts, node, owner, node.func.attr, arguments) for owner in owners)
    functions = facts.value(node.func)
    arguments = _arguments(facts, node)
    found = []
    for function in functions:
        if isinstance(function, FunctionValue):
            found.append(own(facts, node, function.node, arguments))
        elif isinstance(function, str) and function.startswith("@"):
            found.append(_known(facts, node, function[1:], arguments))
        else:
            found.append(lost(facts, node, arguments))
    return union(found)


def _arguments(facts: Facts, node: ast.Call) -> list[Values]:
    """The values of the positional arguments; of a starred one, its elements are given away."""
    value_sets = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value_sets.append(facts.escape(facts.elements(facts.value(argument.value))))
        else:
            value_sets.append(facts.value(argument))
    for keyword in node.keywords:
        facts.value(keyword.value)
    return value_sets


def _known(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values:
    """A builtin, or a function of a standard module."""
    quiet = not any(keyword.arg not in ("reverse", "maxlen") for keyword in node.keywords)
    if name in library.RETURNS:
        return library.RETURNS[name]
    if name == "open":
        return library.TEXT_FILE if _is_of_text(node) else lost(facts, node, arguments)
    if name == "csv.reader" and {keyword.arg for keyword in node.keywords} <= {"delimiter", "quotechar"}:
        return facts.make(node, "iterator", facts.make(node, "list", STR))
    if name == "range":
        return facts.make(node, "iterator", INT)
    if not quiet or any(isinstance(a, ast.Starred) for a in node.args):
        return _sorting(facts, node, name, arguments) or lost(facts, node, arguments)
    if name in library.MADE_OF and len(arguments) <= 1:
        inside = facts.elements(arguments[0]) if arguments else frozenset()
        return facts.make(node, library.MADE_OF[name], inside)
    if name in library.TUPLES_OF:
        inside = union(facts.elements(argument) for argument in arguments)
        return facts.make(node, "iterator", facts.make(node, "tuple", inside))
    return _special(facts, node, name, arguments)


def _is_of_text(node: ast.Call) -> bool:
    """Whether a call of `open` gives a file of text."""
    modes = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    known = all(keyword.arg in ("mode", "encoding", "errors", "newline", "buffering") for keyword in node.keywords)
    plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
    return known and plain and all(isinstance(mode, ast.Constant) and "b" not in str(mode.value) for mode in modes)


def _sorting(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """sorted, min and max with a key: a function that is given the elements; product with repeat."""
    keywords = {keyword.arg: facts.value(keyword.value) for keyword in node.keywords}
    if name == "itertools.product" and keywords.keys() == {"repeat"}:
        inside = union(facts.elements(argument) for argument in arguments)
        return facts.make(node, "iterator", facts.make(node, "tuple", inside))
    if name not in ("sorted", "min", "max") or not keywords.keys() <= {"key", "reverse"} or len(arguments) != 1:
        return None
    inside = facts.elements(arguments[0])
    apply(facts, keywords.get("key", frozenset()), inside)
    return facts.make(node, "list", inside) if name == "sorted" else inside


def _special(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values:
    for rules in (_iteration, _number, _containers):
        values = rules(facts, node, name, arguments)
        if values is not None:
            return values
    return lost(facts, node, arguments)


def _iteration(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """Builtins and collections that work on the elements of something."""
    match name, arguments:
        case "map", [functions, *iterables]:
            return facts.make(node, "iterator", apply(facts, functions, *map(facts.elements, iterables)))
        case "enumerate", [values, *_]:
            return facts.make(node, "iterator", facts.make(node, "tuple", INT | facts.elements(values)))
        case "filter", [functions, values]:
            apply(facts, functions - NONE, facts.elements(values))
            return facts.make(node, "iterator", facts.elements(values))
        case "functools.reduce", [functions, values, *start]:
            inside = union([facts.elements(values), *start])
            return inside | apply(facts, functions, inside | apply(facts, functions, inside, inside), inside)
        case "next", [values]:
            return facts.elements(values)
        case "dict", []:
            return facts.make(node, "dict")
        case "collections.Counter", [*values]:
            return facts.make(node, "dict", INT, union(facts.elements(v) for v in values))
        case "collections.defaultdict", [factory]:
            return facts.make(node, "dict", _factory(facts, node, factory), grows=True)
        case (("sys.stdin.readlines" | "open().readlines"), []):
            return facts.make(node, "list", STR)
    return None


def _copied(facts: Facts, node: ast.Call, value: object) -> Values:
    """A copy; what is in it counts as the same, so that a change of one counts as a change of both."""
    if isinstance(value, Container) and value.kind != "iterator":
        return facts.make(node, value.kind, value.elements, value.keys, value.grows)
    return frozenset({value}) if value in SCALARS else facts.escape(frozenset({value}))


def _number(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """Builtins that give one of their arguments, or a number."""
    match name, arguments:
        case (("min" | "max"), [values]):
            return facts.elements(values)
        case (("min" | "max"), [*values]):
            return union(values)
        case "sum", [values, *start]:
            inside = facts.elements(values) | union(start)
            return (inside - {"bool"}) | INT if inside <= NUMBERS else facts.escape(inside)
        case "abs", [values] if values <= NUMBERS:
            return frozenset("int" if v == "bool" else v for v in values)
        case "round", [values, *digits] if values <= NUMBERS:
            return FLOAT | values if digits else INT
        case "pow", [a, b, c] if a | b | c <= {"int", "bool"}:
            return INT
        case "pow", [a, b] if a | b <= NUMBERS:
            return INT | FLOAT | {"complex"}
        case "divmod", [a, b] if a | b <= NUMBERS:
            return facts.make(node, "tuple", (INT if a | b <= {"int", "bool"} else INT | FLOAT))
    return None


def _containers(facts: Facts, node: ast.Call, name: str, arguments: list[Values]) -> Values | None:
    """Heaps, running results and copies."""
    match name, arguments:
        case (("copy.copy" | "copy.deepcopy"), [values]):
            return union([_copied(facts, node, value) for value in values])
        case "heapq.heappush", [heap, values]:
            return add(facts, heap, values)
        case "heapq.heappop", [heap]:
            return facts.elements(heap)
        case (("heapq.heappushpop" | "heapq.heapreplace"), [heap, values]):
            add(facts, heap, values)
            return facts.elements(heap) | values
        case "itertools.accumulate", [values] if facts.elements(values) <= NUMBERS:
            return facts.make(node, "iterator", facts.elements(values) | INT)
        case "itertools.accumulate", [values, functions] if functions <= {"@max", "@min"}:
            return facts.make(node, "iterator", facts.elements(values))
    return None


def _factory(facts: Facts, node: ast.Call, factory: Values) -> Values:
    """The default values of a defaultdict."""
    empty = {"@int": INT, "@float": FLOAT, "@str": STR, "@list": "list", "@set": "set", "@dict": "dict"}
    found: set[object] = set()
    for function in factory:
        made = empty.get(function) if isinstance(function, str) else None
        if isinstance(made, str):
            found |= facts.make(node.args[0], made)
        elif made is not None:
            found |= frozenset(made)
        else:
            found |= apply(facts, frozenset({function}))
    return frozenset(found)
