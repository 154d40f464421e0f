"""`for i in range(len(values))` that reads values[i] to `for value in values`, or with enumerate."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule

NAMES = ("value", "item", "element")

EXAMPLE = as_diff("""\
  heights = [3, 1, 4, 1, 5]
  total = 0
- for i in range(len(heights)):
-     if heights[i] % 2:  # odd
-         total += heights[i]
+ for height in heights:
+     if height % 2:  # odd
+         total += height
  print(total)
""")


@rule(ast.For, example=EXAMPLE)
def index_to_element(loop: ast.For, ctx: Context) -> list[Edit]:
    """Reading values[i] for each index makes an int and looks it up: iterate over the values themselves.

    range(len(values)) of a list, tuple or text that the loop does not change through any name. If the index is used
    for more than reading values[i], or after the loop, enumerate() gives both. That is done for text, and for values
    that are read twice in a round.
    """
    program = ctx.program
    values = program.indexed(loop.iter)
    if values is None or not isinstance(loop.target, ast.Name):
        return []
    counter = loop.target.id
    reads, others = _reads(program, loop, loop.target, values)
    if not reads or not _stays(program, loop, values):
        return []
    alone = not others and not program.liveness.read_after(loop, counter)
    pays = len(reads) > 1 or program.types.is_text(values)
    if not alone and not (pays and _only_counts(program, loop, loop.target)):
        return []
    name = ctx.new_name(*_wanted(values.id), *NAMES)
    target, source = (name, values.id) if alone else (f"{counter}, {name}", f"enumerate({values.id})")
    heads = [program.replace(loop.target, target), program.replace(loop.iter, source)]
    return [*heads, *(program.replace(read, name) for read in reads)]


def _reads(
    program: AnalyzedProgram, loop: ast.For, counter: ast.Name, values: ast.Name
) -> tuple[list[ast.Subscript], bool]:
    """Every `values[counter]` in the loop, and whether the counter is used for anything else there."""
    found: list[ast.Subscript] = []
    uses = program.scopes.all_uses(program.scopes.variable(counter))
    inside = [use for use in uses if any(program.holds(s, use.node) for s in [*loop.body, *loop.orelse])]
    for use in inside:
        match program.scopes.parent[use.node]:
            case ast.Subscript(ast.Name(name) as owner, index, ast.Load()) as read if index is use.node:
                same = name == values.id and program.scopes.variable(owner) == program.scopes.variable(values)
                if same and program.source(read).replace(" ", "") == f"{name}[{counter.id}]":
                    found.append(read)
    return found, len(found) < len(inside)


def _only_counts(program: AnalyzedProgram, loop: ast.For, counter: ast.Name) -> bool:
    """Whether the counter is bound only by the loop while it runs, and no function looks at it later."""
    variable = program.scopes.variable(counter)
    scope = program.scopes.scope[loop]
    here = all(use.scope is scope for use in program.scopes.all_uses(variable))
    bound = any(program.stores_in(statement, variable) for statement in loop.body)
    return here and not bound and program.scopes.means_builtin("enumerate", loop)


def _stays(program: AnalyzedProgram, loop: ast.For, values: ast.Name) -> bool:
    """Whether the loop neither binds the list again nor changes its elements."""
    if loop.orelse or not (program.types.is_text(values) or program.types.containers(values, "list", "tuple")):
        return False
    return program.effects.of(*loop.body).keeps_contents(values)


def _wanted(plural: str) -> tuple[str, ...]:
    """Names for an element: `row` for `rows`, `city` for `cities`."""
    if plural.endswith("ies") and len(plural) > 4:
        return (plural[:-3] + "y",)
    return (plural[:-1],) if plural.endswith("s") and len(plural) > 3 and not plural.endswith("ss") else ()
