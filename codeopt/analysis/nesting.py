"""The code around a node: the loops that run it again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeopt.analysis.scopes import Comprehension, Function, Scopes
from codeopt.analysis.syntax import Syntax

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
