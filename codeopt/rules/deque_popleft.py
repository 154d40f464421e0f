"""A list used as a queue, `queue.pop(0)`, to a deque."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, as_diff, rule, together

Place = ast.Name | ast.Attribute
"""Name of the queue: `queue`, or `self.queue`."""

SAME = frozenset({"append", "extend", "clear", "reverse"})
"""Methods without a result that both lists and deques have."""

EXAMPLE = as_diff("""\
+ from collections import deque
+
  graph = [[1, 2], [3], [3], []]
  order = []
- queue = [0]
+ queue = deque([0])
  while queue:
-     node = queue.pop(0)
+     node = queue.popleft()
      order.append(node)
      for other in graph[node]:
          queue.append(other)
  print(order, len(queue))
""")


@rule(ast.Module, example=EXAMPLE)
def deque_popleft(_: ast.Module, ctx: Context) -> Edits:
    """pop(0) moves all other elements of a list: use a deque, whose popleft() moves none.

    A variable, or an attribute that only the methods of one class use, bound to lists written down there, and only
    popped, appended to, tested, measured with len and looked at from its ends: never passed on, printed, sliced,
    compared or iterated over. Refused where an IndexError is caught by name: a deque words it otherwise.
    """
    program = ctx.program
    groups = [] if _shows_errors(program) else [*_variables(program), *_attributes(program)]
    for places in groups:
        pops = [place for place in places if _pops_first(program, place)]
        if any(program.loops.run_again(place) and ctx.is_hot(place) for place in pops):
            edits = together(_used(program, place) for place in places)
            if edits:
                ctx.import_from("collections", "deque")
                yield from edits


def _shows_errors(program: AnalyzedProgram) -> bool:
    """Whether the program looks at an IndexError, which a deque words differently."""
    caught = program.catches("IndexError", "LookupError", "Exception", "BaseException", named=True)
    return caught or bool({"traceback", "exc_info", "excepthook"} & program.words)


def _variables(program: AnalyzedProgram) -> list[list[Place]]:
    """All places of each variable that is only bound and read by its name."""
    found = [uses for variable, uses in program.scopes.uses.items() if variable.scope is not None]
    names = [[use.node for use in uses if isinstance(use.node, ast.Name) and use.kind != "del"] for uses in found]
    return [list[Place](group) for group, uses in zip(names, found, strict=True) if len(group) == len(uses)]


def _attributes(program: AnalyzedProgram) -> list[list[Place]]:
    """All places of each attribute that only the methods of one class use, always as `self.name`."""
    if {"getattr", "setattr", "hasattr", "delattr", "attrgetter"} & program.words:
        return []
    groups: dict[str, list[Place]] = {}
    owners: dict[str, set[ast.AST | None]] = {}
    for node in program.of_kind(ast.Attribute):
        groups.setdefault(node.attr, []).append(node)
        owners.setdefault(node.attr, set()).add(_class_of(program, node))
    classes = [names for scope, names in program.scopes.bound.items() if isinstance(scope, ast.ClassDef)]
    one = [name for name, found in owners.items() if len(found) == 1 and None not in found]
    own = [name for name in one if not any(name in names for names in classes)]
    return [groups[name] for name in own]


def _class_of(program: AnalyzedProgram, node: ast.Attribute) -> ast.AST | None:
    """The class in whose method `self.name` is, when only this program makes its objects and knows its name."""
    match node:
        case ast.Attribute(ast.Name() as owner, ctx=ast.Load() | ast.Store()):
            method = program.scopes.variable(owner).scope
            home = program.scopes.scope.get(method) if isinstance(method, ast.FunctionDef) else None
            if not isinstance(method, ast.FunctionDef) or not isinstance(home, ast.ClassDef) or method.decorator_list:
                return None
            first = [arg.arg for arg in method.args.args[:1]] == [owner.id]
            once = program.scopes.is_bound_once(owner)
            plain = not (home.bases or home.keywords or home.decorator_list)
            made = program.calls_of(program.scopes.variable(home))
            return home if first and once and plain and made is not None else None
    return None


def _pops_first(program: AnalyzedProgram, node: Place) -> bool:
    match _method_call(program, node):
        case ("pop", [ast.Constant(0)]) | ("insert", [ast.Constant(0), _]):
            return True
    return False


def _method_call(program: AnalyzedProgram, name: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """The method that is called on the queue, and its arguments."""
    match program.method_call(name):
        case ast.Call(ast.Attribute(attr=method), arguments, []):
            return method, arguments
    return None


def _stored(program: AnalyzedProgram, node: Place) -> list[Edit] | None:
    """`queue = [...]` becomes `queue = deque([...])`."""
    match program.scopes.parent[node]:
        case ast.Assign([_], ast.List() | ast.ListComp() as value):
            annotation = []
        case ast.AnnAssign(_, annotated, ast.List() | ast.ListComp() as value):
            annotation = [program.replace(annotated, "deque")]
        case _:
            return None
    empty = isinstance(value, ast.List) and not value.elts
    return [*annotation, program.replace(value, f"deque({'' if empty else program.source(value)})")]


def _used(program: AnalyzedProgram, node: Place) -> list[Edit] | None:
    """The edit for one use: none when it may stay, None when a deque cannot do it."""
    if isinstance(node.ctx, ast.Store):
        return _stored(program, node)
    nothing: list[Edit] = []
    parent = program.scopes.parent[node]
    match _method_call(program, node):
        case "pop", []:
            return nothing
        case "pop", [ast.Constant(0)]:
            return [program.replace(program.scopes.parent[parent], f"{program.source(node)}.popleft()")]
        case "insert", [ast.Constant(0), value]:
            put = f"{program.source(node)}.appendleft({program.source(value)})"
            return [program.replace(program.scopes.parent[parent], put)]
        case method, [] | [_] if method in SAME:
            return nothing
    match parent:
        case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(ast.Not(), test) if (
            test is node
        ):
            return nothing
        case ast.BoolOp():
            around = program.scopes.parent[parent]
            return nothing if isinstance(around, ast.While | ast.If) and around.test is parent else None
        case ast.Call(func=func, args=[_], keywords=[]) if program.scopes.is_builtin(func, "len", "bool"):
            return nothing
        case ast.Subscript(slice=ast.Constant(0) | ast.UnaryOp(ast.USub(), ast.Constant(1)), ctx=ast.Load()):
            return nothing
    return None
