"""The code around a node: the loops that run it again, and the values that its names certainly have there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeopt.analysis.scopes import Comprehension, Function, Scopes, Variable
from codeopt.analysis.syntax import RefusalReason, Syntax

Loop = ast.For | ast.While


@dataclass(eq=False)
class Nesting:
    """The nesting of the nodes of one program."""

    program: Syntax
    repeated: dict[tuple[ast.AST, bool], bool] = field(default_factory=dict, kw_only=True)

    @property
    def scopes(self) -> Scopes:
        return self.program.scopes

    def rounds(self, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
        """The nodes around a node, innermost first, and whether each runs the node in each of its rounds."""
        for child, parent in self.scopes.steps(node):
            again = False
            if isinstance(parent, ast.For | ast.AsyncFor):
                again = child is not parent.iter and child not in parent.orelse
            elif isinstance(parent, ast.While):
                again = child not in parent.orelse
            elif isinstance(parent, Comprehension):
                again = not self.program.holds(parent.generators[0].iter, node)
            yield parent, again

    def sources(self, node: ast.AST, place: ast.AST) -> Iterator[ast.expr]:
        """The iterables of the loops and comprehensions around, up to `place`: the node runs only for elements of
        those."""
        for parent, again in self.rounds(node):
            if again and isinstance(parent, ast.For | Comprehension):
                yield parent.iter if isinstance(parent, ast.For) else parent.generators[0].iter
            if parent is place:
                return

    def around(self, node: ast.AST) -> list[Loop]:
        """The loops of the same function that run the node again and again, innermost first."""
        loops: list[Loop] = []
        for parent, again in self.rounds(node):
            if isinstance(parent, Function | ast.ClassDef):
                break
            if again and isinstance(parent, Loop):
                loops.append(parent)
        return loops

    def run_again(self, node: ast.AST, *, functions: bool = True) -> bool:
        """Whether the node runs in a loop or comprehension, or (when asked) in a function, which may be called in
        one."""
        if (node, functions) not in self.repeated:
            found = ((again, parent) for parent, again in self.rounds(node) if again or isinstance(parent, Function))
            again, parent = next(found, (False, None))
            self.repeated[node, functions] = again or (functions and parent is not None)
        return self.repeated[node, functions]

    def runs_once(self, node: ast.AST) -> bool:
        """Whether the node is reached at most once."""
        for parent, again in self.rounds(node):
            if again or isinstance(parent, ast.Lambda | ast.AsyncFunctionDef | ast.ClassDef):
                return False
            if isinstance(parent, ast.FunctionDef) and not self._called_once(parent):
                return False
        return True

    def _called_once(self, function: ast.FunctionDef) -> bool:
        """Whether the only call of a function is in a statement of the module that is reached once."""
        if function.decorator_list or self.scopes.scope[function] is not self.program.tree:
            return False
        match self.program.calls_of(self.scopes.variable(function)):
            case [call]:
                return all(isinstance(p, ast.Expr | ast.If | ast.Module) for p in self.scopes.parents(call))
        return False


# The places where a variable certainly has a value.

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
        variable = self.scopes.variable(name)
        bound = variable.scope is None
        if variable.scope is self.scopes.scope[statement] and not self._deleted(variable):
            stores = [use.node for use in self.scopes.stores(variable)]
            bound = any(isinstance(s, ast.arg) for s in stores) or self._stored_above(variable, statement, stores)
        return self.program.refusals.unless(bound, RefusalReason.UNBOUND, name)

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
