"""`values.count(x)` in a loop: count everything once."""

from __future__ import annotations

import ast
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import hashable, outermost, unused_name
from codeopt.rules._insert import from_import
from codeopt.rules._module import Module, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._types import Types, types_of


def rewrite(text: str, hot: Hot) -> str | None:
    """A Counter made before the loop that does not change the list."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[ast.Call]] = {}
    for node in module.walk():
        if isinstance(node, ast.Call) and hot.touches(node.lineno, node.lineno):
            found = _place(module, types, node)
            if found is not None:
                places.setdefault(found, []).append(node)
    edits = []
    taken: set[str] = set()
    for (place, name), calls in places.items():
        counts = unused_name(module, taken, f"{name}_counts")
        edits.append(module.before(place, f"{counts} = Counter({name})"))
        edits += [module.replace(call, f"{counts}[{module.source(call.args[0])}]") for call in calls]
    imported = from_import(module, "collections", "Counter") if edits else None
    return module.edited([*imported, *edits]) if imported is not None else None


def _place(module: Module, types: Types, call: ast.Call) -> tuple[ast.stmt, str] | None:
    match call:
        case ast.Call(ast.Attribute(ast.Name() as text, "count"), [sought], []) if types.is_text(text):
            place = None
            if _is_letter(module, types, sought):
                place = outermost(module, types, call, [text], lambda effects: effects.keeps(module, types, text))
            return (place, text.id) if place is not None else None
        case ast.Call(ast.Attribute(ast.Name() as values, "count"), [argument], []):
            lists = types.containers(values, "list", "tuple")
            inside = [element for container in lists for element in container.elements]
            if not hashable(inside) or not hashable(types.of(argument)):
                return None
            place = outermost(module, types, call, [values], partial(_leaves, module, types, values))
            return (place, values.id) if place is not None else None
    return None


def _is_letter(module: Module, types: Types, node: ast.expr) -> bool:
    """One character: written down, or given by loops over text."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1
    stores = module.scopes.stores(module.scopes.variable(node))
    return bool(stores) and all(_gives_letters(module, types, use.node) for use in stores)


def _gives_letters(module: Module, types: Types, target: ast.AST) -> bool:
    parent = module.scopes.parent[target]
    match parent:
        case ast.For(place, source) | ast.comprehension(place, source) if place is target:
            return _is_made_of_letters(module, types, source)
        case ast.Tuple([_, second]) if second is target:
            match module.scopes.parent[parent]:
                case ast.For(place, ast.Call(args=[source]) as pairs) | ast.comprehension(
                    place, ast.Call(args=[source]) as pairs
                ):
                    return place is parent and builtin_call(module, pairs, "enumerate") and types.is_text(source)
    return False


def _is_made_of_letters(module: Module, types: Types, source: ast.expr) -> bool:
    match source:
        case ast.Call(args=[inner]) if builtin_call(module, source, "set", "sorted", "list", "reversed"):
            return _is_made_of_letters(module, types, inner)
    return types.is_text(source)


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    return effects.keeps(module, types, values) and effects.keeps_container(types, values, effects.changed)


RULE = Rule(
    name="counter",
    reason="count() goes through the whole list each time: count all values once with a Counter.",
    before="""\
votes = "ann bob ann cid".split()
best = [name for name in votes if votes.count(name) > 1]
word = "mississippi"
for letter in sorted(set(word)):
    print(best, letter, word.count(letter))
""",
    after="""\
from collections import Counter

votes = "ann bob ann cid".split()
votes_counts = Counter(votes)
best = [name for name in votes if votes_counts[name] > 1]
word = "mississippi"
word_counts = Counter(word)
for letter in sorted(set(word)):
    print(best, letter, word_counts[letter])
""",
    limits=(
        "Lists of numbers, text, None and tuples of them, which the loop around does not change through any name; and "
        "text that is asked for one character: a constant, or what a loop over text gives."
    ),
    rewrite=rewrite,
)
