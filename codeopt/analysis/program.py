"""The door of the analysis: one program, and what can be known of it by reading."""

from __future__ import annotations

import ast
import re
import warnings
from functools import cached_property, lru_cache

from codeopt.analysis.bounds import Bounds
from codeopt.analysis.effect_analysis import EffectAnalysis
from codeopt.analysis.escape import Escape
from codeopt.analysis.liveness import Liveness
from codeopt.analysis.loops import Loops
from codeopt.analysis.order import Order
from codeopt.analysis.purity import Purity
from codeopt.analysis.reflection import looks_at_itself
from codeopt.analysis.scopes import Scopes
from codeopt.analysis.syntax import Syntax, compiles
from codeopt.analysis.types import Types

DEEPEST = 200
"""Nodes in nodes: the analysis follows a tree by recursion, up to four calls a step. Programs people write have some
thirty."""

IMPORTERS = "importers of this module"
"""No name that a program can have, so nothing is known of what it stands for."""


class AnalyzedProgram(Syntax):
    """A program and its analyses, each made when it is first asked for."""

    @cached_property
    def types(self) -> Types:
        """What each expression may be."""
        return Types(self)

    @cached_property
    def purity(self) -> Purity:
        """Which expressions may be evaluated once more, once less, or a little earlier."""
        return Purity(self)

    @cached_property
    def effects(self) -> EffectAnalysis:
        """What running a piece of the program may change."""
        return EffectAnalysis(self, self.types, self.purity, self.escape)

    @cached_property
    def escape(self) -> Escape:
        """Which values code that is not followed may hold."""
        return Escape(self, self.types)

    @cached_property
    def liveness(self) -> Liveness:
        """Where a variable certainly has a value, and where it may still be read."""
        return Liveness(self)

    @cached_property
    def bounds(self) -> Bounds:
        """Constants, lengths and ranges of whole numbers."""
        return Bounds(self, self.liveness, self.types, self.escape)

    @cached_property
    def loops(self) -> Loops:
        """What runs again and again, and what of it could run once."""
        return Loops(self, self.types, self.effects, self.liveness, self.bounds)


@lru_cache(maxsize=16)
def parse(text: str, *, exported: bool = False) -> AnalyzedProgram | None:
    """The program; None when nothing may touch it: no syntax, it looks at its own code, odd line ends, too deep.

    `exported`: other files import it. Then code that is not followed holds all of its names and may call its functions.
    """
    if re.search("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text) or not compiles(text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    if exported:
        tree.body.append(_importers(tree, text.count("\n") + 1))
    order = Order.of(tree)
    if order.depth > DEEPEST:
        return None
    program = AnalyzedProgram(text, tree, Scopes.of(tree), order)
    return None if looks_at_itself(program) else program


def _importers(tree: ast.Module, line: int) -> ast.stmt:
    """What importing a module comes to: at its end, unknown code is called with all of its names.

    It stands in the tree, with no text of its own, so every analysis and every rule sees it as a use of the names.
    """
    names: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Name(name, ast.Store()):
                names.append(name)
    given: list[ast.expr] = [ast.Name(name, ast.Load()) for name in dict.fromkeys(names)]
    call = ast.Expr(ast.Call(ast.Name(IMPORTERS, ast.Load()), given, []))
    for node in ast.walk(call):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
    return call
