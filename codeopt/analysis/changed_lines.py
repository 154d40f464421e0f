"""The lines that a change of one function touches: the function, and the definitions that are new or differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from codeopt.analysis.nodes import first_line, last_line
from codeopt.analysis.positions import definitions

Lines = tuple[tuple[int, int], ...]
"""First and last line of each part, in order."""


def changed_part(original: str, changed: str, qualname: str) -> tuple[Lines, Lines]:
    """The changed lines of both texts. Raises SyntaxError where a text does not parse."""
    old, new = (dict(definitions(ast.parse(text).body)) for text in (original, changed))
    wanted = {qualname} | {name for name, node in new.items() if _differs(node, old.get(name))}
    inner = {name for name in wanted if isinstance(new.get(name), ast.ClassDef) and name in old}
    wanted -= inner  # of a class that was there, what differs in it
    return tuple(_lines(old, wanted)), tuple(_lines(new, wanted))


def _differs(node: ast.stmt, before: ast.stmt | None) -> bool:
    return before is None or ast.dump(node) != ast.dump(before)


def _lines(found: Mapping[str, ast.stmt], wanted: set[str]) -> Iterator[tuple[int, int]]:
    """The lines of the wanted definitions, without those that are within another one."""
    last = 0
    spans = sorted((first_line(found[name]), last_line(found[name])) for name in wanted if name in found)
    for first, end in spans:
        if first > last:
            yield first, end
            last = end
