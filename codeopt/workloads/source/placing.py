"""Lines of a module's text: replacement of a function's lines, and insertion of new code."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from codeopt.analysis.nodes import first_line, last_line
from codeopt.analysis.positions import (
    Definition,
    bound_names,
    evaluated_names,
    find_definition,
    functions,
    import_index,
)
from codeopt.analysis.syntax import physical_lines

_FIXED_COMMENT = re.compile(r"#!|#.*coding[:=]")
"""A comment that has to stay on the first two lines of a file."""


def functions_of(text: str) -> dict[str, str]:
    """The lines of each function by its qualified name; those inside of functions belong to these."""
    return {name: lines_of(text, node) for name, node in functions(ast.parse(text).body)}


def lines_of(text: str, node: ast.stmt) -> str:
    """A statement's lines, decorators included."""
    return "".join(physical_lines(text)[first_line(node) - 1 : node.end_lineno])


def span_of(text: str, qualname: str, like: Definition | None = None) -> tuple[int, int] | None:
    """Return the first and last line of a function or class, 1-based.

    None if the text has no definition with this name and the kind of `like`.
    """
    node = find_definition(ast.parse(text).body, qualname, like)
    return (first_line(node), last_line(node)) if node else None


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    """The text with other lines in place of those from the first to the last of a span."""
    lines = physical_lines(text)
    return "".join([*lines[: span[0] - 1], _ended(new), *lines[span[1] :]])


def added(text: str, qualname: str, new: str) -> str:
    """The text with a method more at the end of its class, or a function more at its end."""
    owner = qualname.rpartition(".")[0]
    span = span_of(text, owner) if owner else None
    lines = physical_lines(text)
    at = span[1] if span else len(lines)
    return "".join([*lines[:at], "\n" if owner else "\n\n", _ended(new), *lines[at:]])


def with_definition(text: str, new: str, node: Definition) -> str:
    """The text with a new function or class: above its first definition, and below what the new one evaluates."""
    body, lines = ast.parse(text).body, physical_lines(text)
    first = next((at for at, each in enumerate(body) if isinstance(each, Definition)), len(body))
    index = _below_needed(body, first, node)
    if index > first:
        return _put(text, _end(lines, body, index), new, node, above=2)
    at = first_line(body[first]) - 1 if first < len(body) else len(lines)
    while at and lines[at - 1].startswith("#"):
        at -= 1
    return "".join([*lines[:at], _ended(new), "\n\n", *lines[at:]])


def with_constant(text: str, new: str, node: ast.stmt) -> str:
    """The text with a new constant: below the imports at its top, and below what it evaluates."""
    body, lines = ast.parse(text).body, physical_lines(text)
    top = import_index(body, bound_names(node))
    index = _below_needed(body, top, node)
    at = _end(lines, body, index)
    after_block = index > top and isinstance(body[index - 1], Definition)
    return _put(text, at, new, node, above=2 if after_block else int(at > 0))


def with_import(text: str, new: str, node: ast.Import | ast.ImportFrom) -> str:
    """Return the text with a new import at `import_index`. One of `__future__` goes above all others."""
    body, lines = ast.parse(text).body, physical_lines(text)
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    index = import_index(body[:1]) if future else import_index(body, bound_names(node))
    at = _end(lines, body, index)
    among = bool(index) and isinstance(body[index - 1], ast.Import | ast.ImportFrom)
    return _put(text, at, new, node, above=int(at > 0 and not among))


def bound_in(text: str, node: ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) -> tuple[int, int] | None:
    """Return the first and last line of the same import, or of the statement that binds the same name.

    None if there is no such statement, or if it comes too late for the code that needs it.
    """
    names, needed = _targets(node), set[str]()
    for each in ast.parse(text).body:
        if type(each) is type(node) and (ast.dump(each) == ast.dump(node) or (names and names == _targets(each))):
            late = isinstance(node, ast.Import | ast.ImportFrom) and needed & bound_names(node)
            return None if late else (each.lineno, last_line(each))
        needed |= evaluated_names(each)
    return None


def _targets(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [ast.unparse(target) for target in targets]


def _below_needed(body: Sequence[ast.stmt], index: int, node: ast.stmt) -> int:
    """Return the first index from `index` on at which all names that the statement evaluates are bound."""
    missing = evaluated_names(node) - bound_names(node)
    for each in body[:index]:
        missing -= bound_names(each)
    for at in range(index, len(body)):
        if missing & (bound := bound_names(body[at])):
            missing -= bound
            index = at + 1
    return index


def _end(lines: Sequence[str], body: Sequence[ast.stmt], index: int) -> int:
    """The number of lines above what is put at an index of the body: comments at the top of the file stay there."""
    if index:
        return last_line(body[index - 1])
    top = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if top < len(lines) and not lines[top].strip():
        return top
    return sum(1 for line in lines[: min(top, 2)] if _FIXED_COMMENT.match(line))


def _put(text: str, at: int, new: str, node: ast.stmt, *, above: int) -> str:
    """The text with new lines below its first `at`, and blank lines around them as usual."""
    lines = physical_lines(text)
    rest = lines[at:]
    following = next((each for each in ast.parse(text).body if first_line(each) > at), None)
    usual = 2 if isinstance(following, Definition) or isinstance(node, Definition) else 1
    there = next((number for number, line in enumerate(rest) if line.strip()), usual)
    return "".join([*lines[:at], "\n" * above, _ended(new), "\n" * (usual - there), *rest])


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
