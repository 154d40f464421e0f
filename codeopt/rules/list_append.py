"""`values = values + [x]` in a loop, which copies the list each time, to `values.append(x)`."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._scopes import Use, Variable

METHODS = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "index", "count", "copy"}
)
READERS = ("len", "sum", "min", "max", "sorted", "print", "list", "tuple", "set", "any", "all", "str", "bool")
"""Builtins that look at a list and let it go."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Append in place, where no other name can hold the list: nobody sees that it stays the same one."""
    module = parse(text)
    if module is None:
        return None
    edits: list[Edit] = []
    for variable, uses in module.scopes.uses.items():
        grown = [found for use in uses if (found := _grown(module, use))]
        wanted = [s for s in grown if in_loop(module, s, functions=False) and hot.touches(s.lineno, last_line(s))]
        if wanted and variable.scope is not None and all(_held_alone(module, variable, use, grown) for use in uses):
            edits += [_appended(module, statement) for statement in grown]
    return module.edited(edits)


def _grown(module: Module, use: Use) -> ast.Assign | None:
    """The statement `values = values + [...]` that stores the name."""
    match module.scopes.parent.get(use.node):
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(left), ast.Add(), ast.List(elts))) as statement:
            odd = any(isinstance(part, ast.Starred | ast.NamedExpr) for e in elts for part in ast.walk(e))
            if name == left and elts and not odd and use.kind == "store" and statement.lineno == last_line(statement):
                return statement
    return None


def _appended(module: Module, statement: ast.Assign) -> Edit:
    match statement:
        case ast.Assign([target], ast.BinOp(right=ast.List([value]))):
            return module.replace(statement, f"{module.source(target)}.append({module.source(value)})")
        case ast.Assign([target], ast.BinOp(right=several)):
            return module.replace(statement, f"{module.source(target)} += {module.source(several)}")
    raise AssertionError(ast.dump(statement))


def _held_alone(module: Module, variable: Variable, use: Use, grown: list[ast.Assign]) -> bool:
    """The use neither gives the list another name nor is a loop over it in which it grows."""
    parent = module.scopes.parent[use.node]
    if use.scope is not variable.scope or isinstance(use.scope, ast.ClassDef) or use.kind == "del":
        return False
    if use.kind == "store":
        return any(parent is statement for statement in grown) or _is_fresh(module, parent)
    match parent:
        case ast.BinOp(left=left):
            return left is use.node and any(parent is statement.value for statement in grown)
        case ast.For(iter=source):
            inside = {id(node) for node in ast.walk(parent)}
            return source is use.node and not any(id(statement) in inside for statement in grown)
        case ast.Return():
            return not any(isinstance(node, ast.Try) for node in ast.walk(use.scope))
        case ast.Attribute(attr=name):
            call = module.scopes.parent[parent]
            return name in METHODS and isinstance(call, ast.Call) and call.func is parent
        case ast.Call(func=func):
            return func is not use.node and not parent.keywords and module.scopes.is_builtin(func, *READERS)
        case ast.Compare(ops=operators):
            return not any(isinstance(sign, ast.Is | ast.IsNot) for sign in operators)
    looked_at = isinstance(parent, ast.Subscript) and parent.value is use.node
    return looked_at or isinstance(parent, ast.If | ast.While | ast.UnaryOp | ast.Starred | ast.FormattedValue)


def _is_fresh(module: Module, statement: ast.AST) -> bool:
    """A statement that binds the name to a list that is made there."""
    match statement:
        case ast.Assign([_], ast.List() | ast.ListComp()) | ast.AnnAssign(value=ast.List() | ast.ListComp()):
            return True
        case ast.Assign([_], ast.Call(func)):
            return module.scopes.is_builtin(func, "list", "sorted")
    return False


RULE = Rule(
    name="list_append",
    reason="values + [x] copies the whole list to add one element: append it.",
    before="""\
squares = []
for i in range(9):
    if i % 2:
        squares = squares + [i * i]  # odd
print(squares)
""",
    after="""\
squares = []
for i in range(9):
    if i % 2:
        squares.append(i * i)  # odd
print(squares)
""",
    limits=(
        "A variable of one scope that is only bound to lists made there, and that is never passed on, stored, captured "
        "or iterated over while it grows: measured, printed, searched, read by index or returned."
    ),
    rewrite=rewrite,
)
