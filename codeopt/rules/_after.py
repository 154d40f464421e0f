"""May a variable be read after a loop, before something binds it again?"""

from __future__ import annotations

import ast

from codeopt.rules._module import Module
from codeopt.rules._plain import block_of, names_in
from codeopt.rules._scopes import Variable

PLAIN = ast.If | ast.For | ast.While | ast.FunctionDef | ast.Module
"""Statements whose blocks run from top to bottom; an exception may leave a try or with block anywhere."""


def read_after(module: Module, loop: ast.For | ast.While, name: str) -> bool:
    """Some path leads from the loop to a use of the variable; also when functions of their own share it."""
    scope = module.scopes.scope[loop]
    variable = module.scopes.owner(name, scope)
    if variable.scope is not scope or any(not isinstance(p, PLAIN) for p in _statements_around(module, loop)):
        return True
    uses = [use for use in module.scopes.all_uses(variable) if not module.holds(loop, use.node)]
    return not all(_at_once(module, use.scope, scope) for use in module.scopes.all_uses(variable)) or any(
        _reached(module, loop, use.node, variable) for use in uses if use.kind != "store"
    )


def comes_back(module: Module, loop: ast.For | ast.While, name: str) -> bool:
    """The loop may run again and find the variable as it left it."""
    return _reached(module, loop, loop, module.scopes.owner(name, module.scopes.scope[loop]))


def _at_once(module: Module, inner: ast.AST | None, scope: ast.AST) -> bool:
    """Code in the inner scope runs where it stands in the outer one."""
    while isinstance(inner, ast.ListComp | ast.SetComp | ast.DictComp):
        inner = module.scopes.outer[inner]
    return inner is scope


def _statements_around(module: Module, node: ast.AST) -> list[ast.AST]:
    scope = module.scopes.scope[node]
    return [p for p in module.scopes.parents(node) if module.scopes.scope.get(p) is scope or p is scope]


def _reached(module: Module, loop: ast.AST, use: ast.AST, variable: Variable) -> bool:
    """The loop may run before the use, with nothing in between that binds the variable for certain."""
    here: ast.AST = use
    while here is not variable.scope:
        parent = module.scopes.parent[here]
        if isinstance(here, ast.stmt):
            for earlier in reversed(block_of(module, here)[: block_of(module, here).index(here)]):
                if _binds(earlier, variable.name):
                    return False
                if module.holds(earlier, loop):
                    return True
        if isinstance(parent, ast.For) and here in parent.body and variable.name in names_in([parent.target]):
            return False
        if isinstance(parent, ast.For | ast.While) and module.holds(parent, loop):
            return True
        if isinstance(here, ast.stmt) and not isinstance(parent, PLAIN):
            return True
        here = parent
    return False


def _binds(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
        for target in statement.targets
        for part in ast.walk(target)
    )
