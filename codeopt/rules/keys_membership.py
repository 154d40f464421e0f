"""`x in list(d.keys())` and `x in d.keys()` to `x in d`: no copy, and a lookup instead of a search."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._hoist import hashable, hashable_or_empty
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._types import Types, types_of

COPIES = ("list", "tuple", "set", "frozenset")


def rewrite(text: str, hot: Hot) -> str | None:
    """Ask the dict, set or range itself instead of a copy."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in hot_nodes(module, hot, ast.Compare):
        match node:
            case ast.Compare(
                _, [ast.In() | ast.NotIn()], [ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) as keys]
            ) if types.containers(owner, "dict"):
                edits.append(module.replace(keys, module.source(owner)))
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Call() as copy]):
                asked = _asked(module, types, left, copy)
                edits += [module.replace(copy, asked)] if asked else []
    return module.edited(edits)


def _asked(module: Module, types: Types, left: ast.expr, copy: ast.Call) -> str | None:
    """The source of what is copied, when asking it gives the same answer."""
    if not builtin_call(module, copy, *COPIES) or len(copy.args) != 1 or copy.lineno != last_line(copy):
        return None
    (whole,) = copy.args
    match whole:
        case ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) if types.containers(owner, "dict"):
            return _if_hashable(module, types, left, owner)
        case ast.Call(func, [*bounds], []) if module.scopes.is_builtin(func, "range") and bounds:
            return module.source(whole) if types.is_int(left, *bounds) else None
        case ast.Name() if types.containers(whole, "dict", "set"):
            return _if_hashable(module, types, left, whole)
    return None


def _if_hashable(module: Module, types: Types, left: ast.expr, owner: ast.Name) -> str | None:
    containers = types.containers(owner, "dict", "set")
    inside = [key for c in containers for key in (c.keys if c.kind == "dict" else c.elements)]
    return module.source(owner) if hashable_or_empty(inside) and hashable(types.of(left)) else None


RULE = Rule(
    name="keys_membership",
    reason="A list of the keys is made and searched each time: `in` finds a key of the dict at once.",
    before="""\
counts = {}
for word in "a b a c".split():
    if word in list(counts.keys()):
        counts[word] += 1
    else:
        counts[word] = 1
print(counts, "c" in counts.keys(), 3 in list(range(5)))
""",
    after="""\
counts = {}
for word in "a b a c".split():
    if word in counts:
        counts[word] += 1
    else:
        counts[word] = 1
print(counts, "c" in counts, 3 in range(5))
""",
    limits=(
        "list, tuple or set of a dict, its keys() or a set, of numbers, text, None and tuples of them; and of a range "
        "that is asked for a whole number."
    ),
    rewrite=rewrite,
)
