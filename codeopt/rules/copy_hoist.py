"""`sorted(values)` or `set(values)` in a loop that leaves the values as they are: make it once, before the loop."""

from __future__ import annotations

import ast

from codeopt.rules import NUMBERS, STR, AnalyzedProgram, Context, Edits, as_diff, hashable, rule

KINDS = ("list", "tuple", "set", "dict", "deque")
NAMES = {"sorted": "sorted_{}", "set": "{}_set", "frozenset": "{}_set", "list": "{}_list", "tuple": "{}_tuple"}
READERS = ("len", "sum", "min", "max", "any", "all")
"""Builtins that look at a container and let it go."""

EXAMPLE = as_diff("""\
  marks = [3, 1, 2]
  places = []
+ sorted_marks = sorted(marks)
+ marks_set = set(marks)
  for mark in marks:
-     places.append([m for m in sorted(marks) if m < mark])
-     if mark in set(marks):
-         print(sorted(marks)[-1])
+     places.append([m for m in sorted_marks if m < mark])
+     if mark in marks_set:
+         print(sorted_marks[-1])
  print(places)
""")


@rule(ast.Call, example=EXAMPLE)
def copy_hoist(node: ast.Call, ctx: Context) -> Edits:
    """The copy is the same in every round of the loop: make it once, before the loop.

    sorted, set, list and tuple of a list, tuple, set or deque of a name, whose elements can be compared or hashed for
    certain and which the loop does not change through any name; only where the copy is iterated over, asked with
    `in`, measured or read by index, by itself or under a name that is bound once.
    """
    program = ctx.program
    if not program.calls_builtin(node, *NAMES) or not (_only_read(program, node) or _named_to_read(program, node)):
        return
    match node:
        case ast.Call(ast.Name(function), [ast.Name() as values]) if _cannot_fail(program, function, values):
            name = ctx.bind_kept(node, values, program.source(node), NAMES[function].format(values.id))
            if name:
                yield program.replace(node, name)


def _cannot_fail(program: AnalyzedProgram, function: str, values: ast.Name) -> bool:
    """Whether making the copy raises nothing and runs no code of the program: the loop may not run at all."""
    inside = program.types.elements(values, *KINDS)
    if not inside or any(container.grows for container in program.types.containers(values, *KINDS)):
        return False
    if function == "sorted":
        return inside <= NUMBERS or inside == STR
    return hashable(inside) if function in ("set", "frozenset") else True


def _named_to_read(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether the copy gets a name that is bound nowhere else, and all uses of the name only read it."""
    match program.scopes.parent[call]:
        case ast.Assign([ast.Name() as name]):
            loads = program.scopes.loads(program.scopes.variable(name))
            return program.scopes.is_bound_once(name) and all(_only_read(program, node) for node in loads)
    return False


def _only_read(program: AnalyzedProgram, node: ast.AST) -> bool:
    """Whether the copy is only read at this node: iterated over, asked or measured, never changed, kept or compared by
    identity."""
    parent = program.scopes.parent[node]
    match parent:
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
        case ast.Compare(_, [ast.In() | ast.NotIn()], [container]):
            return container is node
        case ast.Subscript(value, ctx=ast.Load()):
            return value is node
        case ast.Call(ast.Attribute(attr="join"), [_], []):
            return True
    return program.calls_builtin(parent, *READERS)
