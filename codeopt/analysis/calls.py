"""Calls: of the program's own functions, of builtins and of methods, as far as they are followed."""

from __future__ import annotations

import ast

from codeopt.analysis import values as library
from codeopt.analysis.facts import Facts, hinted
from codeopt.analysis.scopes import Comprehension, Function, Variable
from codeopt.analysis.values import ANY, FLOAT, INT, NONE, NUMBERS, STR, Container, FunctionValue, Values, union


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
    for rules in (_iteration, _number, _containers):
        values = rules(facts, node, name, arguments)
        if values is not None:
            return values
    return lost(facts, node, arguments)


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
    return frozenset({value}) if value in library.SCALARS else facts.escape(frozenset({value}))


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


# Methods of containers and of text, as far as they are followed.


def method(facts: Facts, node: ast.Call, owner: object, name: str, arguments: list[Values]) -> Values:
    """The values that a method of a container or of text gives; its effects are noted."""
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    if starred or (node.keywords and name not in ("sort", "split", "format")):
        return facts.escape(frozenset({owner}), lost(facts, node, arguments))
    if owner in ("str", "bytes"):
        if name in library.SPLITS:
            return facts.make(node, "list", frozenset({owner}))
        found = library.TEXT_METHODS.get(name, ANY)
        return found if owner == "str" or found != STR or name == "decode" else ANY
    if owner in ("int", "bool", "float"):
        return library.QUIET_METHODS.get(name, ANY)
    if not isinstance(owner, Container):
        return facts.escape(frozenset({owner}), lost(facts, node, arguments))
    if name == "sort" and node.keywords:
        keys = [facts.value(k.value) for k in node.keywords if k.arg == "key"]
        for key in keys:
            apply(facts, key, frozenset(owner.elements))
        return NONE
    return _container_method(facts, node, owner, name, arguments)


def _container_method(facts: Facts, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    here: Values = frozenset({owner})
    if name in library.ADDS and owner.kind != "dict" and len(arguments) > library.ADDS[name]:
        at = library.ADDS[name]
        return add(facts, here, facts.elements(arguments[0]) if at < 0 else arguments[at])
    if name in library.QUIET_METHODS:
        return library.QUIET_METHODS[name]
    if name in library.TAKES and name != "popitem":
        return frozenset(owner.elements) | union(arguments[1:])
    if name in library.COPIES:
        inside = union([frozenset(owner.elements), *map(facts.elements, arguments)])
        return facts.make(node, owner.kind, inside, owner.keys)
    if owner.kind == "dict":
        return _dict_method(facts, node, owner, name, arguments)
    return facts.escape(here, *arguments)


def _dict_method(facts: Facts, node: ast.Call, owner: Container, name: str, arguments: list[Values]) -> Values:
    match name, arguments:
        case "get", [_]:
            return frozenset(owner.elements) | NONE
        case "get", [_, default]:
            return frozenset(owner.elements) | default
        case "keys", []:
            return facts.make(node, "iterator", owner.keys)
        case "values", []:
            return facts.make(node, "iterator", owner.elements)
        case "items", []:
            return facts.make(node, "iterator", facts.make(node, "tuple", owner.keys | owner.elements))
        case "setdefault", [key, default]:
            facts.join(owner.keys, key)
            add(facts, frozenset({owner}), default)
            return frozenset(owner.elements)
    return facts.escape(frozenset({owner}), *arguments)


def add(facts: Facts, containers: Values, values: Values) -> Values:
    """Put values into the containers."""
    for container in containers:
        if isinstance(container, Container):
            facts.join(container.elements, values)
        if not isinstance(container, Container) or container.escaped:
            facts.escape(values)
    return NONE


# Flow of values into the program's own functions and out of them, unfollowed callers included.


def parameters(facts: Facts, node: ast.AST, arguments: ast.arguments) -> None:
    """The values of a function's or lambda's parameters, besides those that its calls feed into them."""
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(named[::-1], arguments.defaults[::-1], strict=False))
    defaults |= {arg: d for arg, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d}
    for arg in [*named, *arguments.kwonlyargs]:
        place = facts.place(Variable(node, arg.arg))
        facts.join(place, facts.value(defaults[arg]) if arg in defaults else ())
        if node in facts.externally_callable:
            _give_away(facts, frozenset(place), hinted(facts, arg.annotation))
            facts.join(place, hinted(facts, arg.annotation))
    for extra in (arguments.vararg, arguments.kwarg):
        if extra:
            facts.join(facts.place(Variable(node, extra.arg)), ANY)


def lost(facts: Facts, node: ast.Call, arguments: list[Values]) -> Values:
    """Note a call of an unfollowed function, which keeps all that it is given."""
    return facts.escape(*arguments, *(facts.value(keyword.value) for keyword in node.keywords))


def own(facts: Facts, node: ast.Call, function: Function, arguments: list[Values]) -> Values:
    """Note a call of one of the program's functions: the arguments flow into its parameters."""
    formal = function.args
    names = [arg.arg for arg in [*formal.posonlyargs, *formal.args]]
    starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
    if starred or formal.vararg or formal.kwarg or len(arguments) > len(names):
        facts.escape(frozenset({FunctionValue(function)}))
        return lost(facts, node, arguments)
    given = [*zip(names, arguments, strict=False), *((k.arg or "", facts.value(k.value)) for k in node.keywords)]
    hints = {arg.arg: arg.annotation for arg in [*formal.posonlyargs, *formal.args, *formal.kwonlyargs]}
    for name, values in given:
        facts.join(facts.place(Variable(function, name)), values)
        if function in facts.externally_callable:
            _give_away(facts, values, hinted(facts, hints.get(name)))
    return _result(facts, function)


def _give_away(facts: Facts, values: Values, hint: Values) -> None:
    """Give away an argument of a function that others call too, and perhaps wrap: they may hold it, and keep to the
    hint."""
    known = [each for each in hint if isinstance(each, Container)]
    like = {each.kind: each for each in known if each.elements | each.keys <= library.SCALARS}
    for value in values:
        if isinstance(value, Container) and value.kind in like:
            facts.share(value, like[value.kind])
        else:
            facts.escape(frozenset({value}))


def _result(facts: Facts, function: Function) -> Values:
    returned = frozenset(facts.returned.get(function, ()))
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


def apply(facts: Facts, functions: Values, *arguments: Values) -> Values:
    """The values that functions give for arguments that somebody else passes to them."""
    found: set[object] = set()
    external = facts.externally_callable
    for function in functions:
        names = [arg.arg for arg in function.node.args.args] if isinstance(function, FunctionValue) else []
        if isinstance(function, FunctionValue) and len(names) == len(arguments) and function.node not in external:
            for name, values in zip(names, arguments, strict=True):
                facts.feed(function.node, name, values)
            found |= _result(facts, function.node)
        elif isinstance(function, str) and function[1:] in library.RETURNS:
            found |= library.RETURNS[function[1:]]
        elif function in ("@sum", "@min", "@max") and all(facts.elements(one) <= NUMBERS for one in arguments):
            found |= union([facts.elements(one) for one in arguments]) | INT
        else:
            found |= facts.escape(frozenset({function}), *arguments)
    return frozenset(found)


def leave(facts: Facts, function: ast.AST, values: Values) -> None:
    """Note the values that a function returns.

    A list that the function made, and only its own variables held, is known until it returns: each call makes a new
    one, and the fate of earlier ones does not matter to this call.
    """
    stack, seen = list(values), set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Container) and not value.escaped and _at_home(facts, function, value, set()):
            stack += [*value.elements, *value.keys]
        else:
            facts.escape(frozenset({value}))


def _at_home(facts: Facts, function: ast.AST, container: Container, seen: set[Container]) -> bool:
    """Whether a container is only ever held by the function's own variables, and by containers of which the same is
    true."""
    if container in seen:
        return True
    seen.add(container)
    if container.place is None or _function_of(facts, facts.program.scopes.scope[container.place]) is not function:
        return False
    for holder in facts.holders(container):
        if isinstance(holder, Container):
            if holder.escaped or not _at_home(facts, function, holder, seen):
                return False
        elif not _is_own(facts, function, holder):
            return False
    return True


def _is_own(facts: Facts, function: ast.AST, variable: Variable) -> bool:
    """Whether a variable belongs to the function, and no function inside uses it."""
    scopes = [variable.scope, *(use.scope for use in facts.program.scopes.all_uses(variable))]
    return all(scope is not None and _function_of(facts, scope) is function for scope in scopes)


def _function_of(facts: Facts, scope: ast.AST) -> ast.AST | None:
    """The function of a scope: itself, or the one around a comprehension."""
    here: ast.AST | None = scope
    while isinstance(here, Comprehension):
        here = facts.program.scopes.outer[here]
    return here
