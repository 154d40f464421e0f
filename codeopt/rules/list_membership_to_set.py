"""`x in values` in a loop, where values is a list: ask a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import Container, Context, Edit, Example, Program, Variable, hashable, rule

Tests = dict[ast.stmt, list[ast.Name]]


EXAMPLE = Example(
    before="""\
banned = list(map(int, "3 1 4".split()))
seen = []
for x in range(9):
    if x in banned or x in seen:
        continue
    seen.append(x)  # new
print(seen)
""",
    after="""\
banned = list(map(int, "3 1 4".split()))
seen = []
banned_set = set(banned)
seen_set = set()
for x in range(9):
    if x in banned_set or x in seen_set:
        continue
    seen.append(x)  # new
    seen_set.add(x)
print(seen)
""",
)


@rule(ast.Module, example=EXAMPLE)
def list_membership_to_set(_: ast.Module, ctx: Context) -> Iterator[Edit]:
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
                lists = program.types.containers(values, "list")
                inside = [element for container in lists for element in container.elements]
                if hashable(inside) and hashable(program.types.of(left)):
                    found.setdefault(program.scopes.variable(values), []).append(values)
    return found


def _fixed(program: Program, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """The list does not change in the loop."""
    places: Tests = {}
    for test in tests:
        place = program.loops.outermost_keeping(test, test)
        if place is not None:
            places.setdefault(place, []).append(test)
    edits = [program.before(place, f"{name} = set({names[0].id})") for place, names in places.items()]
    return [*edits, *(program.replace(test, name) for names in places.values() for test in names)]


def _growing(program: Program, variable: Variable, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """A list that is written down where it is bound, and changed only by `.append(x)` statements of this name."""
    containers = program.types.containers(tests[0], "list")
    if len(containers) != 1 or containers[0].escaped or containers[0] in program.escape.shrunk:
        return None
    edits = [program.replace(test, name) for test in tests]
    appends = 0
    for use in program.scopes.all_uses(variable):
        if use.node in tests:
            continue
        edit = _follow(program, use.node, use.kind, name)
        if edit is None or (use.kind != "load" and use.scope is not variable.scope):
            return None
        appends += edit.text.count(".add(")
        edits += [edit] if edit.text else []
    return edits if appends and not _changed_elsewhere(program, containers[0], variable) else None


def _follow(program: Program, node: ast.AST, kind: str, name: str) -> Edit | None:
    """What has to be added for one use of the list: empty text when nothing, None when it is not understood."""
    parent = program.scopes.parent[node]
    if kind != "load":
        match parent:
            case ast.Assign([target], ast.List(made)) | ast.AnnAssign(ast.Name() as target, _, ast.List(made)):
                start = f"set({program.source(target)})" if made else "set()"
                return program.below(parent, f"{name} = {start}") if program.alone(parent) else None
        return None
    match parent:
        case ast.Attribute(attr="append"):
            return _append(program, parent, name)
        case ast.Call(func=func) if program.scopes.is_builtin(func, "len", "print", "sum", "max", "min", "sorted"):
            return Edit(0, 0, "")
        case ast.Compare() | ast.Return() | ast.For() | ast.comprehension() | ast.Starred():
            return Edit(0, 0, "")
        case ast.Subscript(ctx=ast.Load()) | ast.Attribute(attr="index" | "count" | "copy"):
            return Edit(0, 0, "")
    return None


def _append(program: Program, method: ast.Attribute, name: str) -> Edit | None:
    call = program.scopes.parent[method]
    statement = program.scopes.parent[call]
    match call, statement:
        case ast.Call(args=[ast.Name() | ast.Constant() as value], keywords=[]), ast.Expr() if program.alone(statement):
            return program.below(statement, f"{name}.add({program.source(value)})")
    return None


def _changed_elsewhere(program: Program, container: Container, variable: Variable) -> bool:
    """Another name, a subscript or an operator changes the list."""
    for node in program.walk():
        match node:
            case ast.Call(func=ast.Attribute(owner, method)) if container in program.types.of(owner):
                own = isinstance(owner, ast.Name) and program.scopes.variable(owner) == variable
                if not (own and method == "append") and method not in ("index", "count", "copy"):
                    return True
            case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) if container in program.types.of(owner):
                return True
            case ast.AugAssign(target) if container in program.types.of(target):
                return True
            case ast.Call(args=[owner, *_]) if program.types.comes_from(node.func, "heapq"):
                return True
    return False
