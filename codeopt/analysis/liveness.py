"""Liveness, as compilers call it: the places where a variable certainly has a value, and where it may still be read."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.analysis.nesting import Loop, Nesting
from codeopt.analysis.nodes import names_in
from codeopt.analysis.refusals import RefusalReason
from codeopt.analysis.scopes import Variable

LEAVES = ast.Continue | ast.Break | ast.Return | ast.Raise
PLAIN = ast.If | ast.For | ast.While | ast.FunctionDef | ast.Module
"""Statements whose blocks run from top to bottom; an exception may leave a try or with block anywhere."""


@dataclass(eq=False)
class Liveness(Nesting):
    """The liveness of the variables of one program; code that only some paths reach gets the answer of the worst
    path."""

    def assigned_before_use(self, variable: Variable, body: list[ast.stmt]) -> bool:
        """Whether each load comes after a store in `body`, on every path; a load in a function counts where the
        function is made."""
        bound = [use.node for use in self.scopes.stores(variable)]
        stores = [node for node in bound if any(self.program.holds(statement, node) for statement in body)]
        for load in self.scopes.loads(variable):
            parents = (p for p in self.scopes.parents(load) if self.scopes.scope.get(p) is variable.scope)
            statement = next(p for p in parents if isinstance(p, ast.stmt))
            if not self._stored_above(variable, statement, stores):
                return False
        return not self._deleted(variable)

    def read_after(self, loop: Loop, name: str) -> bool:
        """Whether some path leads from the loop to a use of the variable, or a function of the program shares it."""
        return not self.program.refusals.unless(not self._is_read_after(loop, name), RefusalReason.READ_LATER, loop)

    def _is_read_after(self, loop: Loop, name: str) -> bool:
        scope = self.scopes.scope[loop]
        variable = self.scopes.owner(name, scope)
        around = [p for p in self.scopes.parents(loop) if self.scopes.scope.get(p) is scope or p is scope]
        if variable.scope is not scope or not all(isinstance(p, PLAIN) for p in around):
            return True
        uses = self.scopes.all_uses(variable)
        outside = [use for use in uses if not self.program.holds(loop, use.node)]
        return not all(self._at_once(use.scope, scope) for use in uses) or any(
            self._reached(loop, use.node, variable) for use in outside if use.kind != "store"
        )

    def read_elsewhere(self, loop: ast.For, name: str) -> bool:
        """Whether some use outside of the loop is not in a second loop that binds the variable itself."""
        variable = Variable(self.scopes.scope[loop], name)
        for use in self.scopes.all_uses(variable):
            if use.kind != "load" or self.program.holds(loop, use.node):
                continue
            around = self.around(use.node)
            others = [o for o in around if isinstance(o, ast.For) and not self.program.holds(o, loop)]
            bound = use.scope is variable.scope and any(name in names_in([other.target]) for other in others)
            if not self.program.refusals.unless(bound, RefusalReason.READ_LATER, use.node):
                return True
        return False

    def _at_once(self, inner: ast.AST | None, scope: ast.AST) -> bool:
        """Whether code in the inner scope runs at its place in the outer one."""
        while isinstance(inner, ast.ListComp | ast.SetComp | ast.DictComp):
            inner = self.scopes.outer[inner]
        return inner is scope

    def _reached(self, loop: ast.AST, use: ast.AST, variable: Variable) -> bool:
        """Whether the loop may run before the use, with nothing in between that binds the variable for certain."""
        stores = [use.node for use in self.scopes.stores(variable)]
        here: ast.AST = use
        while here is not variable.scope:
            parent = self.scopes.parent[here]
            if isinstance(here, ast.stmt):
                for earlier in reversed(self._above(here)):
                    if self.program.holds(earlier, loop):
                        return True
                    if self._makes(earlier, stores):
                        return False
            if isinstance(parent, ast.For) and here in parent.body and variable.name in names_in([parent.target]):
                return False
            if isinstance(parent, ast.For | ast.While) and self.program.holds(parent, loop):
                return True
            if isinstance(here, ast.stmt) and not isinstance(parent, PLAIN):
                return True
            here = parent
        return False

    def bound_before(self, name: ast.Name, statement: ast.stmt) -> bool:
        """Whether the variable certainly has a value when `statement` starts."""
        return self.program.refusals.unless(self._is_bound(name, statement), RefusalReason.UNBOUND, name)

    def _is_bound(self, name: ast.Name, statement: ast.stmt) -> bool:
        variable = self.scopes.variable(name)
        function = self.scopes.scope[statement]
        if variable.scope is None:
            return True
        if variable.scope is not function or self._deleted(variable):
            return False
        stores = [use.node for use in self.scopes.stores(variable)]
        return any(isinstance(s, ast.arg) for s in stores) or self._stored_above(variable, statement, stores)

    def _above(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements before this one in the same block."""
        block = self.program.block_of(statement)
        return block[: block.index(statement)]

    def _deleted(self, variable: Variable) -> bool:
        """Whether something unbinds the variable: del, or the end of `except ... as name`."""
        stores = self.scopes.stores(variable)
        return any(use.kind == "del" or isinstance(use.node, ast.ExceptHandler) for use in stores)

    def _stored_above(self, variable: Variable, statement: ast.stmt, stores: list[ast.AST]) -> bool:
        """Whether a statement that runs before, on every path, makes one of the stores."""
        for here, parent in self.scopes.steps(statement):
            if isinstance(here, ast.stmt) and self._one_makes(self._above(here), stores):
                return True
            if isinstance(parent, ast.For) and here in parent.body and self._holds_one(parent.target, stores):
                return True
            if isinstance(parent, ast.Try) and here in parent.orelse and self._one_makes(parent.body, stores):
                return True
            if parent is variable.scope:
                return False
        return False

    def _one_makes(self, block: list[ast.stmt], stores: list[ast.AST]) -> bool:
        return any(self._makes(statement, stores) for statement in block)

    def _makes(self, statement: ast.stmt, stores: list[ast.AST]) -> bool:
        """Whether the statement makes one of the stores whenever it runs."""
        match statement:
            case ast.Assign(targets):
                return any(self._holds_one(target, stores) for target in targets)
            case ast.AugAssign(target) | ast.AnnAssign(target, value=ast.expr()):
                return self._holds_one(target, stores)
            case ast.Import() | ast.ImportFrom():
                return self._holds_one(statement, stores)
            case ast.If(body=body, orelse=[_, *_] as orelse):  # nothing runs after a branch that leaves the block
                return all(isinstance(b[-1], LEAVES) or self._one_makes(b, stores) for b in (body, orelse))
        return statement in stores

    def _holds_one(self, target: ast.AST, stores: list[ast.AST]) -> bool:
        return any(self.program.holds(target, store) for store in stores)
