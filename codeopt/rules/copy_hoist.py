"""`sorted(values)` or `set(values)` in a loop that leaves the values as they are: make it once, before the loop."""

from __future__ import annotations

import ast
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import hashable, outermost, unused_name
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import NUMBERS, STR

KINDS = ("list", "tuple", "set", "dict", "deque")
NAMES = {"sorted": "sorted_{}", "set": "{}_set", "frozenset": "{}_set", "list": "{}_list", "tuple": "{}_tuple"}
READERS = ("len", "sum", "min", "max", "any", "all")
"""Builtins that look at a container and let it go."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Put such copies into a name before the outermost loop in which they stay the same."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[ast.Call]] = {}
    for node in module.walk():
        if isinstance(node, ast.Call) and hot.touches(node.lineno, node.lineno):
            place = _place(module, types, node)
            if place is not None:
                places.setdefault((place, module.source(node)), []).append(node)
    edits: list[Edit] = []
    taken: set[str] = set()
    for (place, source), calls in places.items():
        name = unused_name(module, taken, _wanted(calls[0]))
        edits.append(module.before(place, f"{name} = {source}"))
        edits += [module.replace(call, name) for call in calls]
    return module.edited(edits)


def _wanted(call: ast.Call) -> str:
    match call:
        case ast.Call(ast.Name(function), [ast.Name(values)]):
            return NAMES[function].format(values)
    raise AssertionError(ast.dump(call))


def _place(module: Module, types: Types, call: ast.Call) -> ast.stmt | None:
    if not builtin_call(module, call, *NAMES) or not (_only_read(module, call) or _named_to_read(module, call)):
        return None
    match call:
        case ast.Call(ast.Name(function), [ast.Name() as values]) if _cannot_fail(types, function, values):
            return outermost(module, types, call, [values], partial(_leaves, module, types, values))
    return None


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    return effects.keeps(module, types, values) and effects.keeps_container(
        types, values, effects.changed | effects.resized
    )


def _cannot_fail(types: Types, function: str, values: ast.Name) -> bool:
    """Making the copy raises nothing and runs no code of the program: the loop may not run at all."""
    containers = types.containers(values, *KINDS)
    inside = {e for c in containers for e in (c.keys if c.kind == "dict" else c.elements)}
    if not containers or not inside or any(c.grows for c in containers):
        return False
    if function == "sorted":
        return inside <= NUMBERS or inside == STR
    return hashable(inside) if function in ("set", "frozenset") else True


def _named_to_read(module: Module, call: ast.Call) -> bool:
    """It gets a name that is bound nowhere else, and whose uses are all like that."""
    match module.scopes.parent[call]:
        case ast.Assign([ast.Name() as name]):
            uses = module.scopes.all_uses(module.scopes.variable(name))
            loads = [use.node for use in uses if use.kind == "load"]
            once = len(uses) == len(loads) + 1
            return once and all(isinstance(node, ast.Name) and _only_read(module, node) for node in loads)
    return False


def _only_read(module: Module, call: ast.Call | ast.Name) -> bool:
    """Nothing can change the copy, keep it, or tell it from another: it is iterated over, asked or measured."""
    parent = module.scopes.parent[call]
    match parent:
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is call
        case ast.Compare(_, [ast.In() | ast.NotIn()], [container]):
            return container is call
        case ast.Subscript(value, ctx=ast.Load()):
            return value is call
        case ast.Call(ast.Attribute(attr="join"), [_], []):
            return True
    return builtin_call(module, parent, *READERS)


RULE = Rule(
    name="copy_hoist",
    reason="The copy is the same in every round of the loop: make it once, before the loop.",
    before="""\
marks = [3, 1, 2]
places = []
for mark in marks:
    places.append([m for m in sorted(marks) if m < mark])
    if mark in set(marks):
        print(sorted(marks)[-1])
print(places)
""",
    after="""\
marks = [3, 1, 2]
places = []
sorted_marks = sorted(marks)
marks_set = set(marks)
for mark in marks:
    places.append([m for m in sorted_marks if m < mark])
    if mark in marks_set:
        print(sorted_marks[-1])
print(places)
""",
    limits=(
        "sorted, set, list and tuple of a list, tuple, set or deque of a name, whose elements can be compared or "
        "hashed for certain and which the loop does not change through any name; only where the copy is iterated "
        "over, asked with `in`, measured or read by index, by itself or under a name that is bound once."
    ),
    rewrite=rewrite,
)
