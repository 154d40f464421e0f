"""Top-level statements with the lines that belong to them, and the module variables that each binds or uses."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from codeopt.rules import AnalyzedProgram, Use, Variable, first_line, last_line


@dataclass(frozen=True)
class Unit:
    """Statements that share lines, with the comments and blank lines above them."""

    statements: tuple[ast.stmt, ...]
    first: int
    """First line, 1-based, of the lines above the statements."""
    last: int


@dataclass(frozen=True)
class Split:
    """The statements that stay at module level, and those that become the body of the new function."""

    kept: tuple[Unit, ...]
    moved: tuple[Unit, ...]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements that move."""
        return [statement for unit in self.moved for statement in unit.statements]


def units(program: AnalyzedProgram) -> Iterator[Unit]:
    """The top-level statements of a program, those that share a line in one unit."""
    above = 1
    group: list[ast.stmt] = []
    for statement in program.tree.body:
        if group and first_line(statement) > last_line(group[-1]):
            yield Unit(tuple(group), above, last_line(group[-1]))
            above, group = last_line(group[-1]) + 1, []
        group.append(statement)
    if group:
        yield Unit(tuple(group), above, last_line(group[-1]))


def bound(program: AnalyzedProgram, unit: Unit) -> set[str]:
    """Module variables that the unit's own code binds, or its functions through `global`."""
    return {variable.name for variable, use in _uses(program, unit) if use.kind != "load"}


def module_names(program: AnalyzedProgram, unit: Unit) -> set[str]:
    """Module variables that occur in the unit."""
    return {variable.name for variable, _ in _uses(program, unit)}


def local_names(program: AnalyzedProgram, unit: Unit) -> set[str]:
    """Names that become locals of the new function: bound by the moved code itself, not by functions in it."""
    found = _uses(program, unit)
    return {variable.name for variable, use in found if use.kind != "load" and not _in_function(program, use.scope)}


def _uses(program: AnalyzedProgram, unit: Unit) -> Iterator[tuple[Variable, Use]]:
    for statement in unit.statements:
        for node in program.walk(statement):
            found = program.scopes.names.get(node, ())
            yield from (pair for pair in found if pair[0].scope is program.tree)


def _in_function(program: AnalyzedProgram, scope: ast.AST) -> bool:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    return any(isinstance(s, functions) for s in [scope, *program.scopes.parents(scope)])


def inside_strings(text: str) -> set[int]:
    """Lines that start inside a string: indentation would become part of it."""
    inside: set[int] = set()
    depth_start = 0
    depth = 0
    for token in tokenize.generate_tokens(StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":  # Python 3.12 on: an f-string is many tokens
            depth_start = token.start[0] if not depth else depth_start
            depth += 1
        elif kind == "FSTRING_END":
            depth -= 1
            inside.update(range(depth_start + 1, token.end[0] + 1))
    return inside
