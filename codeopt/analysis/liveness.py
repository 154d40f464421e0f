"""The places where a variable certainly has a value."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.analysis.nesting import Nesting
from codeopt.analysis.refusals import RefusalReason
from codeopt.analysis.scopes import Variable

LEAVES = ast.Continue | ast.Break | ast.Return | ast.Raise


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
