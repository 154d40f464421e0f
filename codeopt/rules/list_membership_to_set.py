"""`x in values` in a loop, where values is a list: ask a set."""

from __future__ import annotations

import ast
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import hashable, outermost, unused_name
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._ranges import shrunk
from codeopt.rules._scopes import Variable
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import Container

READERS = ("enumerate", "len", "list", "max", "min", "print", "set", "sorted", "sum", "tuple")
"""Builtins that leave a list as it is, and keep no hold of it by which it could change."""
Tests = dict[ast.stmt, list[ast.Name]]


def rewrite(text: str, hot: Hot) -> str | None:
    """A set made before the loop that does not change the list; for a list that only grows, one that grows with it."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    taken: set[str] = set()
    for variable, tests in _tests(module, types, hot).items():
        name = unused_name(module, taken, f"{variable.name}_set")
        found = _fixed(module, types, tests, name) or _growing(module, types, variable, tests, name)
        edits += found or []
    return module.edited(edits)


def _tests(module: Module, types: Types, hot: Hot) -> dict[Variable, list[ast.Name]]:
    """Names of lists that are asked again and again, by variable."""
    found: dict[Variable, list[ast.Name]] = {}
    for node in module.of_kind(ast.Compare):
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Name() as values]):
                if not hot.touches(node.lineno, node.lineno) or not in_loop(module, node):
                    continue
                lists = types.containers(values, "list")
                inside = [element for container in lists for element in container.elements]
                if hashable(inside) and hashable(types.of(left)):
                    found.setdefault(module.scopes.variable(values), []).append(values)
    return found


def _fixed(module: Module, types: Types, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """The list does not change in the loop."""
    places: Tests = {}
    for test in tests:
        place = outermost(module, types, test, [test], partial(_leaves, module, types, test))
        if place is not None:
            places.setdefault(place, []).append(test)
    edits = [module.before(place, f"{name} = set({names[0].id})") for place, names in places.items()]
    return [*edits, *(module.replace(test, name) for names in places.values() for test in names)]


def _leaves(module: Module, types: Types, test: ast.Name, effects: Effects) -> bool:
    return effects.keeps(module, types, test) and effects.keeps_container(types, test, effects.changed)


def _growing(module: Module, types: Types, variable: Variable, tests: list[ast.Name], name: str) -> list[Edit] | None:
    """A list that is written down where it is bound, and changed only by `.append(x)` statements of this name."""
    containers = types.containers(tests[0], "list")
    if len(containers) != 1 or containers[0].escaped or containers[0] in shrunk(module, types):
        return None
    edits = [module.replace(test, name) for test in tests]
    appends = 0
    for use in module.scopes.all_uses(variable):
        if use.node in tests:
            continue
        edit = _follow(module, use.node, use.kind, name)
        if edit is None or (use.kind != "load" and use.scope is not variable.scope):
            return None
        appends += edit.text.count(".add(")
        edits += [edit] if edit.text else []
    return edits if appends and not _changed_elsewhere(module, types, containers[0], variable) else None


def _follow(module: Module, node: ast.AST, kind: str, name: str) -> Edit | None:
    """What has to be added for one use of the list: empty text when nothing, None when it is not understood."""
    parent = module.scopes.parent[node]
    if kind != "load":
        match parent:
            case ast.Assign([target], ast.List(made)) | ast.AnnAssign(ast.Name() as target, _, ast.List(made)):
                start = f"set({module.source(target)})" if made else "set()"
                return _after(module, parent, f"{name} = {start}") if module.alone(parent) else None
        return None
    match parent:
        case ast.Attribute(attr="append"):
            return _append(module, parent, name)
        case ast.Call(func=func) if module.scopes.is_builtin(func, *READERS):
            return Edit(0, 0, "")
        case ast.Compare() | ast.Return() | ast.For() | ast.comprehension() | ast.Starred():
            return Edit(0, 0, "")
        case ast.Subscript(ctx=ast.Load()) | ast.Attribute(attr="index" | "count" | "copy"):
            return Edit(0, 0, "")
    return None


def _append(module: Module, method: ast.Attribute, name: str) -> Edit | None:
    call = module.scopes.parent[method]
    statement = module.scopes.parent[call]
    match call, statement:
        case ast.Call(args=[ast.Name() | ast.Constant() as value], keywords=[]), ast.Expr() if module.alone(statement):
            return _after(module, statement, f"{name}.add({module.source(value)})")
    return None


def _after(module: Module, statement: ast.stmt, line: str) -> Edit:
    end = module.text.find("\n", module.span(statement)[1])
    if end < 0:
        at = len(module.text)
        return Edit(at, at, module.newline + module.margin(statement) + line)
    return Edit(end + 1, end + 1, module.margin(statement) + line + module.newline)


def _changed_elsewhere(module: Module, types: Types, container: Container, variable: Variable) -> bool:
    """Another name, a subscript or an operator changes the list."""
    for node in module.walk():
        match node:
            case ast.Call(func=ast.Attribute(owner, method)) if container in types.of(owner):
                own = isinstance(owner, ast.Name) and module.scopes.variable(owner) == variable
                if not (own and method == "append") and method not in ("index", "count", "copy"):
                    return True
            case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) if container in types.of(owner):
                return True
            case ast.AugAssign(target) if container in types.of(target):
                return True
            case ast.Call(args=[owner, *_]) if any(str(v).startswith("@heapq") for v in types.of(node.func)):
                return True
    return False


RULE = Rule(
    name="list_membership_to_set",
    reason="`in` compares with every element of a list; a set finds it at once.",
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
    limits=(
        "Lists of numbers, text, None and tuples of them, by what is stored in them or by their type hint, asked in a "
        "loop that does not change them through any name; or lists bound to [...], which only .append of a name or "
        "constant changes."
    ),
    rewrite=rewrite,
)
