"""A list used as a queue, `queue.pop(0)`, to a deque."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._insert import from_import
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import in_loop, names_in

Place = ast.Name | ast.Attribute
"""Where the queue is named: `queue`, or `self.queue`."""

SAME = frozenset({"append", "extend", "clear", "reverse"})
"""Methods that both have, without a result."""

ENDS = (0, -1)


def rewrite(text: str, hot: Hot) -> str | None:
    """Change the variable or attribute that holds the queue, when a deque does everything that is done with it."""
    module = parse(text)
    if module is None or _shows_errors(module):
        return None
    edits: list[Edit] = []
    for places in [*_variables(module), *_attributes(module)]:
        pops = [place for place in places if _pops_first(module, place)]
        if any(in_loop(module, node) and hot.touches(node.lineno, node.lineno) for node in pops):
            edits += _converted(module, places) or []
    imported = from_import(module, "collections", "deque") if edits else None
    return module.edited([*imported, *edits]) if imported is not None else None


def _shows_errors(module: Module) -> bool:
    """An IndexError is looked at: a deque words it otherwise."""
    handlers = [node for node in module.walk() if isinstance(node, ast.ExceptHandler)]
    kinds = {"IndexError", "LookupError", "Exception", "BaseException"}
    caught = any(h.name and (h.type is None or kinds & names_in([h.type])) for h in handlers)
    return caught or bool({"traceback", "exc_info", "excepthook"} & module.words)


def _variables(module: Module) -> list[list[Place]]:
    """All places of each variable."""
    found = [uses for variable, uses in module.scopes.uses.items() if variable.scope is not None]
    nodes = ([use.node for use in uses] for uses in found)
    return [[n for n in group if isinstance(n, ast.Name)] for group in nodes if all(_is_name(n) for n in group)]


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Del)


def _attributes(module: Module) -> list[list[Place]]:
    """All places of each attribute that only the methods of one class use, always as `self.name`."""
    if {"getattr", "setattr", "hasattr", "delattr", "attrgetter"} & module.words:
        return []
    groups: dict[str, list[Place]] = {}
    owners: dict[str, set[ast.AST | None]] = {}
    for node in module.walk():
        if isinstance(node, ast.Attribute):
            groups.setdefault(node.attr, []).append(node)
            owners.setdefault(node.attr, set()).add(_class_of(module, node))
    classes = [names for scope, names in module.scopes.bound.items() if isinstance(scope, ast.ClassDef)]
    one = [name for name, found in owners.items() if len(found) == 1 and None not in found]
    own = [name for name in one if not any(name in names for names in classes)]
    return [groups[name] for name in own]


def _class_of(module: Module, node: ast.Attribute) -> ast.AST | None:
    """The class in whose method `self.name` stands, when only this program makes its objects and knows its name."""
    match node:
        case ast.Attribute(ast.Name() as owner, ctx=ast.Load() | ast.Store()):
            method = module.scopes.variable(owner).scope
            home = module.scopes.scope.get(method) if isinstance(method, ast.FunctionDef) else None
            if not isinstance(method, ast.FunctionDef) or not isinstance(home, ast.ClassDef) or method.decorator_list:
                return None
            first = [arg.arg for arg in method.args.args[:1]] == [owner.id]
            once = len(module.scopes.stores(module.scopes.variable(owner))) == 1
            plain = not (home.bases or home.keywords or home.decorator_list)
            return home if first and once and plain and _only_made(module, home) else None
    return None


def _only_made(module: Module, home: ast.ClassDef) -> bool:
    uses = module.scopes.all_uses(module.scopes.owner(home.name, module.scopes.scope[home]))
    calls = (module.scopes.parent.get(use.node) for use in uses if use.kind == "load")
    return all(isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id == home.name for c in calls)


def _pops_first(module: Module, node: Place) -> bool:
    match _method_call(module, node):
        case "pop", [ast.Constant(0)]:
            return True
        case "insert", [ast.Constant(0), _]:
            return True
    return False


def _method_call(module: Module, name: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """The method that is called on the queue, and its arguments."""
    attribute = module.scopes.parent.get(name)
    call = module.scopes.parent.get(attribute) if attribute is not None else None
    match attribute, call:
        case ast.Attribute(attr=method), ast.Call(func=func, args=arguments, keywords=[]) if func is attribute:
            return method, arguments
    return None


def _converted(module: Module, places: list[Place]) -> list[Edit] | None:
    edits: list[Edit] = []
    for node in places:
        found = _stored(module, node) if isinstance(node.ctx, ast.Store) else _used(module, node)
        if found is None:
            return None
        edits += found
    return edits


def _stored(module: Module, node: Place) -> list[Edit] | None:
    """`queue = [...]` becomes `queue = deque([...])`."""
    match module.scopes.parent[node]:
        case ast.Assign([_], ast.List() | ast.ListComp() as value):
            annotation = []
        case ast.AnnAssign(_, annotated, ast.List() | ast.ListComp() as value):
            annotation = [module.replace(annotated, "deque")]
        case _:
            return None
    empty = isinstance(value, ast.List) and not value.elts
    return [*annotation, module.replace(value, f"deque({'' if empty else module.source(value)})")]


def _used(module: Module, node: Place) -> list[Edit] | None:
    """The edit for one use: none when it may stay, None when a deque cannot do it."""
    nothing: list[Edit] = []
    parent = module.scopes.parent[node]
    match _method_call(module, node):
        case "pop", []:
            return nothing
        case "pop", [ast.Constant(0)]:
            return [module.replace(module.scopes.parent[parent], f"{module.source(node)}.popleft()")]
        case "insert", [ast.Constant(0), value]:
            put = f"{module.source(node)}.appendleft({module.source(value)})"
            return [module.replace(module.scopes.parent[parent], put)]
        case method, [] | [_] if method in SAME:
            return nothing
    match parent:
        case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(ast.Not(), test) if (
            test is node
        ):
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
        "A variable, or an attribute that only the methods of one class use, bound to lists written down there, and "
        "only popped, appended to, tested, measured with len and looked at from its ends: never passed on, printed, "
        "sliced, compared or iterated over. Refused where an IndexError is caught by name: a deque words it otherwise."
    ),
    rewrite=rewrite,
)
