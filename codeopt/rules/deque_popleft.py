"""A list used as a queue, `queue.pop(0)`, to a deque."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._insert import from_import
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._scopes import Use, Variable
from codeopt.rules._types import Types, types_of

SAME = frozenset({"append", "extend", "clear", "reverse"})
"""Methods that both have, without a result."""

ENDS = (0, -1)


def rewrite(text: str, hot: Hot) -> str | None:
    """Change the variable that holds the queue, when everything that is done with it a deque does too."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for variable, uses in module.scopes.uses.items():
        pops = [use for use in uses if _pops_first(module, use)]
        if variable.scope is not None and any(in_loop(module, u.node) and _hot(u, hot) for u in pops):
            edits += _converted(module, types, variable) or []
    imported = from_import(module, "collections", "deque") if edits else None
    return module.edited([*imported, *edits]) if imported is not None else None


def _hot(use: Use, hot: Hot) -> bool:
    return isinstance(use.node, ast.Name) and hot.touches(use.node.lineno, use.node.lineno)


def _pops_first(module: Module, use: Use) -> bool:
    match _method_call(module, use.node):
        case "pop", [ast.Constant(0)]:
            return True
        case "insert", [ast.Constant(0), _]:
            return True
    return False


def _method_call(module: Module, name: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """The method that is called on a name, and its arguments."""
    attribute = module.scopes.parent.get(name)
    call = module.scopes.parent.get(attribute) if attribute is not None else None
    match attribute, call:
        case ast.Attribute(attr=method), ast.Call(func=func, args=arguments, keywords=[]) if func is attribute:
            return method, arguments
    return None


def _converted(module: Module, types: Types, variable: Variable) -> list[Edit] | None:
    edits: list[Edit] = []
    for use in module.scopes.all_uses(variable):
        edit = _stored(module, use) if use.kind != "load" else _used(module, types, use.node)
        if edit is None:
            return None
        edits.append(edit)
    return [edit for edit in edits if edit.text]


def _stored(module: Module, use: Use) -> Edit | None:
    """`queue = [...]` becomes `queue = deque([...])`."""
    match module.scopes.parent[use.node]:
        case ast.Assign(targets=[_], value=ast.List() | ast.ListComp() as value):
            empty = isinstance(value, ast.List) and not value.elts
            return module.replace(value, f"deque({'' if empty else module.source(value)})")
    return None


def _used(module: Module, types: Types, node: ast.AST) -> Edit | None:
    """The edit for one use: empty when it may stay, None when a deque cannot do it."""
    nothing = Edit(0, 0, "")
    parent = module.scopes.parent[node]
    match _method_call(module, node):
        case "pop", []:
            return nothing
        case "pop", [ast.Constant(0)]:
            return module.replace(module.scopes.parent[parent], f"{module.source(node)}.popleft()")
        case "insert", [ast.Constant(0), value]:
            return module.replace(
                module.scopes.parent[parent], f"{module.source(node)}.appendleft({module.source(value)})"
            )
        case method, [] | [_] if method in SAME:
            return nothing
    match parent:
        case ast.While(test=test) | ast.If(test=test) | ast.UnaryOp(ast.Not(), test) if test is node:
            return nothing
        case ast.BoolOp():
            around = module.scopes.parent[parent]
            return nothing if isinstance(around, ast.While | ast.If) and around.test is parent else None
        case ast.Call(func=func, args=[_], keywords=[]) if module.scopes.is_builtin(func, "len", "bool"):
            return nothing
        case ast.Subscript(slice=index, ctx=ast.Load()):
            return nothing if _end(index) else None
    return None


def _end(index: ast.expr) -> bool:
    match index:
        case ast.Constant(0) | ast.UnaryOp(ast.USub(), ast.Constant(1)):
            return True
    return False


RULE = Rule(
    name="deque_popleft",
    reason="pop(0) moves all other elements of a list: use a deque, whose popleft() moves none.",
    before="""\
graph = [[1, 2], [3], [3], []]
order = []
queue = [0]
while queue:
    node = queue.pop(0)
    order.append(node)
    for other in graph[node]:
        queue.append(other)
print(order, len(queue))
""",
    after="""\
from collections import deque

graph = [[1, 2], [3], [3], []]
order = []
queue = deque([0])
while queue:
    node = queue.popleft()
    order.append(node)
    for other in graph[node]:
        queue.append(other)
print(order, len(queue))
""",
    limits=(
        "A variable that is only bound to lists written down there, and only popped, appended to, tested, measured "
        "with len and looked at from its ends: never passed on, printed, sliced, compared or iterated over."
    ),
    rewrite=rewrite,
)
