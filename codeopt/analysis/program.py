"""The entry to the analysis: one program, and all that reading it can tell."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from codeopt.analysis import nodes
from codeopt.analysis.bounds import Bounds
from codeopt.analysis.effects import EffectAnalysis, Escape, Purity
from codeopt.analysis.loops import Loops
from codeopt.analysis.nesting import Liveness
from codeopt.analysis.scopes import Scopes
from codeopt.analysis.syntax import Order, Syntax, compiles
from codeopt.analysis.types import Types

MAX_DEPTH = 200
"""Deepest nesting of nodes that is analysed, which recurses with up to four calls a level. Programs people write have
some thirty levels."""

IMPORTERS = "importers of this module"
"""Stand-in for the unknown callers of a module: no program can have this name, so its value is unknown."""


class AnalyzedProgram(Syntax):
    """A program and its analyses, each made when it is first asked for."""

    @cached_property
    def types(self) -> Types:
        """The values that each expression may have."""
        return Types(self)

    @cached_property
    def purity(self) -> Purity:
        """The expressions that may be evaluated once more, once less, or a little earlier."""
        return Purity(self)

    @cached_property
    def effects(self) -> EffectAnalysis:
        """The changes that running a piece of the program may make."""
        return EffectAnalysis(self, self.types, self.purity, self.escape)

    @cached_property
    def escape(self) -> Escape:
        """The values that code which is not followed may hold."""
        return Escape(self, self.types)

    @cached_property
    def liveness(self) -> Liveness:
        """The places where a variable certainly has a value, and where it may still be read."""
        return Liveness(self)

    @cached_property
    def bounds(self) -> Bounds:
        """Constants, lengths and ranges of whole numbers."""
        return Bounds(self, self.liveness, self.types, self.escape)

    @cached_property
    def loops(self) -> Loops:
        """The code that runs again and again, and the parts of it that could run once."""
        return Loops(self, self.types, self.effects, self.liveness, self.bounds)


@dataclass(frozen=True)
class ShownTypes:
    """Types of a function's parameters that calls of it show: a guess, which other calls may make wrong."""

    qualname: str
    hints: tuple[tuple[str, str], ...]
    """Parameter and the text of its hint. One that has a hint of its own keeps that."""


@lru_cache(maxsize=16)
def parse(text: str, *, exported: bool = False, shown: ShownTypes | None = None) -> AnalyzedProgram | None:
    """Return the program. None: no rule may change it.

    It has a syntax error, looks at its own code, has unusual line ends, or is too deep.

    Args:
        text: Source of the program.
        exported: Whether other files import it, so that unknown code may call its functions and hold its names.
        shown: Type hints to read with it that are not in the text.
    """
    if re.search("\r(?!\n)", text) or not compiles(text):
        return None
    tree = nodes.parse(text)
    if shown is not None:
        _hint(tree, shown)
    if exported:
        tree.body.append(_importers(tree, text.count("\n") + 1))
    order = Order.of(tree)
    if order.depth > MAX_DEPTH:
        return None
    program = AnalyzedProgram(text, tree, Scopes.of(tree), order)
    return None if looks_at_itself(program) else program


def _hint(tree: ast.Module, shown: ShownTypes) -> None:
    """Give the parameters of a function the hints that calls of it show."""
    place = nodes.find_definition(tree.body, shown.qualname)
    if not isinstance(place, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    hints = dict(shown.hints)
    for arg in [*place.args.posonlyargs, *place.args.args, *place.args.kwonlyargs]:
        if arg.annotation is None and arg.arg in hints:
            arg.annotation = ast.parse(hints[arg.arg], mode="eval").body
            for node in ast.walk(arg.annotation):
                ast.copy_location(node, arg)


def _importers(tree: ast.Module, line: int) -> ast.stmt:
    """A call of unknown code with all names of a module at its end, which represents the module's importers.

    It is in the tree without a text of its own, so that every analysis and every rule sees it as a use of the
    names.
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


# Programs that look at their own names, frames or code, and so can tell any rewrite from the original.

ONLY_NAMES = frozenset({"exec", "compile", "globals", "locals", "vars", "dir", "inspect"})
"""Words below that may also be the name of a harmless method: re.compile is one."""

REFLECTION = (
    ONLY_NAMES
    | {"__import__", "__builtins__", "builtins", "__dict__", "__main__", "__annotations__", "modules"}
    | {"_getframe", "settrace", "setprofile", "f_locals", "f_globals"}
    | {"__code__", "__globals__", "__closure__", "co_varnames"}
)


def looks_at_itself(program: Syntax) -> bool:
    """Whether some name, attribute or import of the program is a way to its own names, frames or code; or it calls
    eval."""
    suspect = program.words & REFLECTION or "eval" in program.words
    return bool(suspect) and any(_reflects(program.scopes, node) for node in program.walk())


def _reflects(scopes: Scopes, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name("eval"), args=[argument], keywords=[]):
            return not nodes.reads_line(argument)
        case ast.Name(name) if name in ONLY_NAMES:
            return scopes.variable(node).scope is None or bool(scopes.stars)  # not a variable that is called dir
        case ast.Attribute(attr=name) if name in ONLY_NAMES:
            return False
        case ast.Name(name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return bool(REFLECTION.intersection(name.split(".")))
    return False
