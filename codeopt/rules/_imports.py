"""New lines at the top of a program: imports, names and functions, above everything else."""

from __future__ import annotations

import ast
import re

from codeopt.analysis import AnalyzedProgram, Edit, Variable, first_line
from codeopt.analysis.positions import import_index

BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BINDING = re.compile(r"[ \t]*\r?\n(?=\w+ = sys\.\w)")
"""A blank line, followed by a short name for something in sys."""


def bind_stream(program: AnalyzedProgram, name: str, path: str) -> Edit:
    """`name = sys.<path>` after the imports at the top, with `import sys` where it is missing."""
    if "sys" in _plainly_imported(program):
        return below_imports(program, [f"{name} = sys.{path}"])
    if program.scopes.stores(Variable(program.tree, "sys")):
        first, _, rest = path.partition(".")
        return below_imports(program, [f"{name} = {first}.{rest}"], [f"from sys import {first}"])
    return below_imports(program, [f"{name} = sys.{path}"], ["import sys"])


def top_imports(program: AnalyzedProgram) -> list[ast.stmt]:
    """The docstring and the imports before any other statement."""
    return program.tree.body[: import_index(program.tree.body)]


def _plainly_imported(program: AnalyzedProgram) -> set[str]:
    """The modules that the program imports at its top, by their own names."""
    top = [statement for statement in top_imports(program) if isinstance(statement, ast.Import)]
    return {alias.name for statement in top for alias in statement.names if not alias.asname}


def below_imports(program: AnalyzedProgram, lines: list[str], imports: list[str] | None = None) -> Edit:
    """Put further imports, a blank line and the lines below the imports; blank lines around them as usual."""
    top = top_imports(program)
    lines = [*(imports or []), "", *lines] if imports or top else lines
    rest = program.tree.body[len(top)] if len(top) < len(program.tree.body) else None
    if not top and rest is not None:
        return _above(program, rest, lines)
    at = program.next_line(top[-1])
    if not imports and (beside := BINDING.match(program.text, at)) and BINDING.match("\n" + lines[-1]):
        return Edit(beside.end(), beside.end(), lines[-1] + program.newline)  # next to one that another rule made
    blank = re.match(r"(?:[ \t]*\r?\n)*", program.text[at:])
    below = program.text[at:].partition("\n")[0].strip()
    block = below.startswith(("def ", "class ", "@", "async "))
    gap = ["", ""] if block else [""] if below else []
    if lines[-1][:1].isspace() and blank:  # the end of a function
        gap = [""] * (2 - min(2, blank[0].count("\n")))
    return Edit(at, at, "".join(line + program.newline for line in [*lines, *gap]))


def function_below(program: AnalyzedProgram, imported: list[Edit], lines: list[str]) -> list[Edit]:
    """The edits that import what a new function needs, if anything, and put its lines below the imports."""
    if top_imports(program):
        return [*imported, below_imports(program, ["", *lines])]
    needs = [line for edit in imported for line in [edit.text.strip(), "", ""]]
    return [_above(program, program.tree.body[0], [*needs, *lines])]


def _above(program: AnalyzedProgram, first: ast.stmt, lines: list[str]) -> Edit:
    """Put lines above the first statement: directly below the comments at the top, if blank lines follow those."""
    gap = 2 if isinstance(first, BLOCKS) or lines[-1][:1].isspace() else 1
    at = program.offset(first_line(first), 0)
    comments = program.text[:at].rstrip()
    blank = program.text[len(comments) : at].count("\n") - 1
    if not comments or blank < 1:
        return program.before(first, *lines, *([""] * gap))
    below = program.text.index("\n", len(comments)) + 1
    return Edit(below, below, "".join(line + program.newline for line in [*lines, *([""] * (gap - blank))]))


def from_import(program: AnalyzedProgram, package: str, *names: str) -> list[Edit] | None:
    """The edit that makes names of a package available at module level; None when one of them is taken."""
    top = top_imports(program)
    imported = [s for s in top if isinstance(s, ast.ImportFrom) and s.module == package and not s.level]
    missing = []
    for name in names:
        stores = program.scopes.stores(Variable(program.tree, name))
        if len(stores) == 1 and any(a.name == name and not a.asname for s in imported for a in s.names):
            continue
        if stores or name in program.words:
            return None
        missing.append(name)
    return [_import_line(program, f"from {package} import {', '.join(missing)}")] if missing else []


def plain_import(program: AnalyzedProgram, name: str) -> list[Edit] | None:
    """The edit that makes `import name` available at module level. None when the name means something else."""
    bound = [variable for variable in program.scopes.uses if variable.name == name]
    if bound == [Variable(program.tree, name)] and len(program.scopes.stores(bound[0])) == 1:
        return [] if name in _plainly_imported(program) else None
    return [_import_line(program, f"import {name}")] if not bound and not program.scopes.star_hides(name) else None


def _import_line(program: AnalyzedProgram, line: str) -> Edit:
    """The edit that puts an import below those at the top."""
    top = top_imports(program)
    return program.below(top[-1], line) if top else _above(program, program.tree.body[0], [line])
