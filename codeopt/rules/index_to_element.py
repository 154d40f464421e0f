"""`for i in range(len(values))` that only reads values[i] to `for value in values`."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._after import read_after
from codeopt.rules._effects import effects_of
from codeopt.rules._hoist import unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._types import Types, types_of

NAMES = ("value", "item", "element")


def rewrite(text: str, hot: Hot) -> str | None:
    """Iterate over the elements themselves."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    taken: set[str] = set()
    for node in hot_nodes(module, hot, ast.For):
        edits += _edits(module, types, node, taken)
    return module.edited(edits)


def _edits(module: Module, types: Types, loop: ast.For, taken: set[str]) -> list[Edit]:
    match loop:
        case ast.For(ast.Name(counter), ast.Call(_, [ast.Call(_, [ast.Name() as values]) as length]) as counted):
            if not builtin_call(module, counted, "range") or not builtin_call(module, length, "len"):
                return []
            reads = _reads(module, loop, counter, values)
            if not reads or read_after(module, loop, counter) or not _stays(module, types, loop, values):
                return []
            name = unused_name(module, taken, *_wanted(values.id), *NAMES)
            heads = [module.replace(loop.target, name), module.replace(counted, values.id)]
            return [*heads, *(module.replace(read, name) for read in reads)]
    return []


def _reads(module: Module, loop: ast.For, counter: str, values: ast.Name) -> list[ast.Subscript]:
    """Every use of the counter in the loop, when each is in `values[counter]`."""
    scope = module.scopes.scope[loop]
    found: list[ast.Subscript] = []
    uses = module.scopes.all_uses(module.scopes.owner(counter, scope))
    inside = {node for statement in [*loop.body, *loop.orelse] for node in module.walk(statement)}
    for use in [use for use in uses if use.node in inside]:
        match module.scopes.parent[use.node]:
            case ast.Subscript(ast.Name(name) as owner, index, ast.Load()) as read if index is use.node:
                same = name == values.id and module.scopes.variable(owner) == module.scopes.variable(values)
                if not same or module.source(read).replace(" ", "") != f"{name}[{counter}]":
                    return []
                found.append(read)
            case _:
                return []
    return found


def _stays(module: Module, types: Types, loop: ast.For, values: ast.Name) -> bool:
    """The loop neither binds the list again nor changes what is in it."""
    if loop.orelse or not (types.is_text(values) or types.containers(values, "list", "tuple")):
        return False
    effects = effects_of(module, types, loop.body)
    kept = types.is_text(values) or effects.keeps_container(types, values, effects.changed | effects.resized)
    return kept and effects.keeps(module, types, values)


def _wanted(plural: str) -> tuple[str, ...]:
    """rows gives row, cities city."""
    if plural.endswith("ies") and len(plural) > 4:
        return (plural[:-3] + "y",)
    return (plural[:-1],) if plural.endswith("s") and len(plural) > 3 and not plural.endswith("ss") else ()


RULE = Rule(
    name="index_to_element",
    reason="Reading values[i] for each index makes an int and looks it up: iterate over the values themselves.",
    before="""\
heights = [3, 1, 4, 1, 5]
total = 0
for i in range(len(heights)):
    if heights[i] % 2:  # odd
        total += heights[i]
print(total)
""",
    after="""\
heights = [3, 1, 4, 1, 5]
total = 0
for height in heights:
    if height % 2:  # odd
        total += height
print(total)
""",
    limits=(
        "range(len(values)) of a list, tuple or text that the loop does not change through any name, where the index "
        "is used for reading values[i] only, and not after the loop."
    ),
    rewrite=rewrite,
)
