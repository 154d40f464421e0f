"""`x in values` in a loop, for a list of values: ask a set."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Container, Context, Edit, Edits, Variable, as_diff, hashable, rule, together

EXAMPLE = as_diff("""\
  banned = list(map(int, "3 1 4".split()))
  seen = []
+ banned_set = set(banned)
+ seen_set = set()
  for x in range(9):
-     if x in banned or x in seen:
+     if x in banned_set or x in seen_set:
          continue
      seen.append(x)  # new
+     seen_set.add(x)
  print(seen)
""")
READERS = ("enumerate", "len", "list", "max", "min", "print", "set", "sorted", "sum", "tuple")
"""Builtins that leave a list as it is, and keep no hold of it by which it could change."""


@rule(ast.Module, example=EXAMPLE)
def list_membership_to_set(_: ast.Module, ctx: Context) -> Edits:
    """`in` compares with every element of a list; a set finds it at once.

    Lists of numbers, text, None and tuples of them, by what is stored in them or by their type hint, asked in a loop
    that does not change them through any name; or lists bound to [...], which only .append of a name or constant
    changes.
    """
    for variable, tests in _tests(ctx).items():
        name = ctx.new_name(f"{variable.name}_set")
        yield from _fixed(ctx.program, tests, name) or _growing(ctx.program, variable, tests, name) or []


def _tests(ctx: Context) -> dict[Variable, list[ast.Name]]:
    """Names of lists that are asked again and again, by variable."""
    found: dict[Variable, list[ast.Name]] = {}
    program = ctx.program
    for node in program.of_kind(ast.Compare):
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Name() as values]):
                if not ctx.is_hot(node) or not program.loops.run_again(node):
                    continue
                if hashable(program.types.elements(values, "list")) and program.types.is_hashable(left):
                    found.setdefault(program.scopes.variable(values), []).append(values)
    return found


def _fixed(program: AnalyzedProgram, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """Whether the list does not change in the loop."""
    places = {test: place for test in tests if (place := program.loops.outermost_keeping(test, test)) is not None}
    made = [program.before(place, f"{name} = set({tests[0].id})") for place in dict.fromkeys(places.values())]
    return [*made, *(program.replace(test, name) for test in places)]


def _growing(program: AnalyzedProgram, variable: Variable, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """The edits for a list that is written down where it is bound, and changed only by `.append(x)` statements of this
    name."""
    containers = program.types.containers(tests[0], "list")
    if len(containers) != 1 or containers[0].escaped or containers[0] in program.escape.shrunk:
        return None
    uses = [use for use in program.scopes.all_uses(variable) if use.node not in tests]
    if any(use.kind != "load" and use.scope is not variable.scope for use in uses):
        return None
    edits = together(_follow(program, use.node, use.kind, name) for use in uses) or []
    appended = any(".add(" in edit.text for edit in edits) and not _changed_elsewhere(program, containers[0], variable)
    return [*(program.replace(test, name) for test in tests), *edits] if appended else None


def _follow(program: AnalyzedProgram, node: ast.AST, kind: str, name: str) -> list[Edit] | None:
    """The edits for one use of the list; None when the use is not understood."""
    parent = program.scopes.parent[node]
    if kind != "load":
        match parent:
            case ast.Assign([target], ast.List(made)) | ast.AnnAssign(ast.Name() as target, _, ast.List(made)):
                start = f"set({program.source(target)})" if made else "set()"
                return [program.below(parent, f"{name} = {start}")] if program.alone(parent) else None
        return None
    match parent:
        case ast.Attribute(attr="append"):
            return _append(program, node, name)
        case ast.Call(func=func) if program.scopes.is_builtin(func, *READERS):
            return []
        case ast.Compare() | ast.Return() | ast.For() | ast.comprehension() | ast.Starred():
            return []
        case ast.Subscript(ctx=ast.Load()) | ast.Attribute(attr="index" | "count" | "copy"):
            return []
    return None


def _append(program: AnalyzedProgram, name: ast.AST, grown: str) -> list[Edit] | None:
    match program.method_call(name):
        case ast.Call(args=[ast.Name() | ast.Constant() as value], keywords=[]) as call:
            statement = program.scopes.parent[call]
            if isinstance(statement, ast.Expr) and program.alone(statement):
                return [program.below(statement, f"{grown}.add({program.source(value)})")]
    return None


def _changed_elsewhere(program: AnalyzedProgram, container: Container, variable: Variable) -> bool:
    """Whether another name, a subscript or an operator changes the list."""
    for node in program.escape.changes(container):
        match node:
            case ast.Call(func=ast.Attribute(_, "index" | "count" | "copy")):
                continue
            case ast.Call(func=ast.Attribute(ast.Name() as owner, "append")):
                if program.scopes.variable(owner) == variable:
                    continue
        return True
    return False
