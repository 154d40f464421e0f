"""Functions that each test calls. With a slow test suite, a round runs only tests that can see the change."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import Def, functions
from codeopt.core.revision import Revision
from codeopt.workloads.project.edits import CodeEdit
from codeopt.workloads.source.placing import functions_of

EVERY = ""
"""Stands for all tests: what fixtures call, and what is called before the first of them."""


@dataclass(frozen=True)
class ImpactedTests:
    """Tests by the functions that they call."""

    tests: Mapping[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    whole: bool = True
    """All tests were run under the hook, not only the first of them."""

    def by(self, edits: Sequence[CodeEdit], before: Revision, after: Revision) -> tuple[str, ...] | None:
        """Tests that could see these edits; None where that may be any.

        before, after: the project without and with them.
        """
        if not self.tests or not _only_functions(before, after):
            return None
        found = set[str]()
        for edit in edits:
            line = _line(before[edit.file], edit.qualname)
            if line is None:
                return None
            found |= self.tests.get((edit.file, line), frozenset())
        return None if EVERY in found else tuple(sorted(found))


def read_reach(rows: Iterable[tuple[str, Sequence[str]]], whole: bool = True) -> ImpactedTests:
    """Read the rows that a run under the hook wrote.

    Args:
        rows: A test, and `/file:line` of each function that it calls.
        whole: The run was complete.
    """
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for test, places in rows:
        for place in places:
            path, _, line = place[1:].rpartition(":")
            if line.isdecimal():
                found[path, int(line)].add(test)
    return ImpactedTests({place: frozenset(tests) for place, tests in found.items()}, whole)


def _line(text: str, qualname: str) -> int | None:
    """Number of a function's first line, decorators included; None where not one function has that name."""
    found = [first_line(node) for name, node in functions(ast.parse(text).body) if name == qualname]
    return found[0] if len(found) == 1 else None


def _only_functions(before: Revision, after: Revision) -> bool:
    """Return True if all other code of the files is unchanged and keeps its meaning.

    New names are allowed, except methods: they may override those of a base class.
    """
    for path in after.changed_files(before):
        old, new = before[path], after[path]
        was, now = (ast.parse(text).body for text in (old, new))
        if not keeps_statements(was, now) or any(
            "." in name and not name.rpartition(".")[2].startswith("_") or name.endswith("__")
            for name in functions_of(new).keys() - functions_of(old).keys()
        ):
            return False
    return True


def keeps_statements(was: Sequence[ast.stmt], now: Sequence[ast.stmt]) -> bool:
    """Return True if all statements except functions are kept in order. Classes are compared by their content."""
    plain, new = ([each for each in body if not isinstance(each, Def)] for body in (was, now))
    rest = iter(new)
    return all(any(_same(each, other) for other in rest) for each in plain)


def _same(was: ast.stmt, now: ast.stmt) -> bool:
    if not isinstance(was, ast.ClassDef) or not isinstance(now, ast.ClassDef):
        return ast.dump(was) == ast.dump(now)
    heads = [[node.name, *map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list))] for node in (was, now)]
    return heads[0] == heads[1] and keeps_statements(was.body, now.body)
