"""`for i in range(len(values))` that only reads values[i] to `for value in values`."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, Example, rule

NAMES = ("value", "item", "element")


EXAMPLE = Example(
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
)


@rule(ast.For, example=EXAMPLE)
def index_to_element(loop: ast.For, ctx: Context) -> list[Edit]:
    """Reading values[i] for each index makes an int and looks it up: iterate over the values themselves.

    range(len(values)) of a list, tuple or text that the loop does not change through any name, where the index is
    used for reading values[i] only, and not after the loop.
    """
    program = ctx.program
    values = program.indexed(loop.iter)
    if values is None or not isinstance(loop.target, ast.Name):
        return []
    counter = loop.target.id
    reads = _reads(program, loop, counter, values)
    if not reads or program.liveness.read_after(loop, counter) or not _stays(program, loop, values):
        return []
    name = ctx.new_name(*_wanted(values.id), *NAMES)
    heads = [program.replace(loop.target, name), program.replace(loop.iter, values.id)]
    return [*heads, *(program.replace(read, name) for read in reads)]


def _reads(program: AnalyzedProgram, loop: ast.For, counter: str, values: ast.Name) -> list[ast.Subscript]:
    """Every use of the counter in the loop, when each is in `values[counter]`."""
    scope = program.scopes.scope[loop]
    found: list[ast.Subscript] = []
    uses = program.scopes.all_uses(program.scopes.owner(counter, scope))
    inside = {node for statement in [*loop.body, *loop.orelse] for node in program.walk(statement)}
    for use in [use for use in uses if use.node in inside]:
        match program.scopes.parent[use.node]:
            case ast.Subscript(ast.Name(name) as owner, index, ast.Load()) as read if index is use.node:
                same = name == values.id and program.scopes.variable(owner) == program.scopes.variable(values)
                if not same or program.source(read).replace(" ", "") != f"{name}[{counter}]":
                    return []
                found.append(read)
            case _:
                return []
    return found


def _stays(program: AnalyzedProgram, loop: ast.For, values: ast.Name) -> bool:
    """The loop neither binds the list again nor changes what is in it."""
    if loop.orelse or not (program.types.is_text(values) or program.types.containers(values, "list", "tuple")):
        return False
    effects = program.effects.of(*loop.body)
    return effects.keeps(values) if program.types.is_text(values) else effects.keeps_contents(values)


def _wanted(plural: str) -> tuple[str, ...]:
    """rows gives row, cities city."""
    if plural.endswith("ies") and len(plural) > 4:
        return (plural[:-3] + "y",)
    return (plural[:-1],) if plural.endswith("s") and len(plural) > 3 and not plural.endswith("ss") else ()
