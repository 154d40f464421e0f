"""Excerpt of a module for a proposer: the function, and the imports, helpers, constants and class around it that it
uses."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from codeopt.analysis.nodes import Def, bound_names, first_line
from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.profile import Profile

SHORT = 25
"""Lines of a helper that is named and takes no time; of a longer one, only how it is called."""
HOT = 0.01
"""A helper that takes this share of the time is shown whole, and so is what it names."""


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a module."""

    text: str
    lines: Mapping[int, int]
    """Line of the module -> line of the text."""


@lru_cache(maxsize=64)
def excerpt(
    source: str, qualname: str, hot: frozenset[str] | None = None, named: frozenset[str] = frozenset()
) -> Excerpt:
    """The part of `source` that matters for `qualname`; all of it where it cannot be read.

    hot: functions that take time, by qualified name; None where that is not known. named: shown too, though the
    function may not mention it any more.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return Excerpt(source, {})
    wanted = _Wanted(tree, qualname, hot, named).lines()
    if not wanted:
        return Excerpt(source, {})
    lines, numbers, last = source.split("\n"), {}, 0
    out: list[str] = []
    for number in sorted(wanted):
        if last and number > last + 1:
            is_blank = not any(line.strip() for line in lines[last : number - 1])
            indent = lines[number - 1][: -len(lines[number - 1].lstrip()) or None]
            out.append("" if is_blank else f"{indent}# [...]")
        out.append(lines[number - 1])
        numbers[number] = len(out)
        last = number
    return Excerpt("\n".join(out) + "\n", numbers)


@dataclass(frozen=True)
class _Wanted:
    """Choice of the lines to show of a module."""

    tree: ast.Module
    qualname: str
    hot: frozenset[str] | None
    named: frozenset[str]

    def lines(self) -> set[int]:
        """Their numbers: the function, its class's head and fields, and what is named, from hot code on and on."""
        found = [node for name, node in definitions(self.tree) if name == self.qualname]
        if not found:
            return set()
        target = found[-1]
        lines, todo = _span(target), _names(target) | self.named
        known: set[str] = set()
        bound = self._bound(target)
        while todo:
            name = todo.pop()
            known.add(name)
            for node in bound.get(name, ()):
                part, names = self._part(node, name)
                # Maximum number of lines of helpers; the function itself is always whole
                if len(lines) + len(part) <= 400 + len(_span(target)):
                    lines |= part
                    todo |= names - known
        body: list[ast.stmt] = self.tree.body
        for owner in self.qualname.split(".")[:-1]:  # the `class` lines around a method, with __init__ and class data
            around = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == owner), None)
            if around is None:
                break
            lines |= _fields(around)
            body = around.body
        return lines

    def _bound(self, target: Def) -> dict[str, list[ast.stmt]]:
        """Map a name to the module's statements that bind it; `.name` to the first that does of the class around."""
        found: dict[str, list[ast.stmt]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and node.name == self.qualname.partition(".")[0] and "." in self.qualname:
                members = {name: member for member in reversed(node.body) for name in bound_names(member)}
                for name, member in members.items():
                    found.setdefault(f".{name}", []).append(member)
            elif isinstance(node, ast.ClassDef) or target not in ast.walk(node):
                for name in bound_names(node):
                    found.setdefault(name, []).append(node)
        return found

    def _part(self, node: ast.stmt, name: str) -> tuple[set[int], set[str]]:
        """The lines of a statement that binds a name, and what they mention."""
        owner = self.qualname.partition(".")[0]
        return self._shown(node, f"{owner}{name}" if name.startswith(".") else name)

    def _shown(self, node: ast.stmt, name: str) -> tuple[set[int], set[str]]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return _span(node), set()
        if self.hot is None or not isinstance(node, Def | ast.ClassDef):
            return _span(node), _names(node)
        if any(each == name or each.startswith(f"{name}.") for each in self.hot):
            return (_span(node), _names(node)) if isinstance(node, Def) else self._warm_class(node)
        if len(_span(node)) <= SHORT:
            imports = (each for each in self.tree.body if isinstance(each, ast.Import | ast.ImportFrom))
            return _span(node), _names(node) & {bound for each in imports for bound in bound_names(each)}
        return (_head(node) if isinstance(node, Def) else self._warm_class(node)[0]), set()

    def _warm_class(self, node: ast.ClassDef) -> tuple[set[int], set[str]]:
        """A class's head and fields, and those of its methods that take time."""
        lines, names = _fields(node), set()
        for member in node.body:
            if isinstance(member, Def) and f"{node.name}.{member.name}" in (self.hot or ()):
                lines |= _span(member)
                names |= _names(member)
        return lines, names


def _head(node: Def) -> set[int]:
    """Return the lines that say how a function is called, with its docstring."""
    documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    last = (node.body[0].end_lineno if documented else node.body[0].lineno - 1) or node.lineno
    return set(range(first_line(node), max(last, node.lineno) + 1))


def _span(node: ast.stmt) -> set[int]:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return set(range(first, (node.end_lineno or node.lineno) + 1))


def _names(node: ast.AST) -> set[str]:
    """Names and attributes that a node mentions; an attribute may be a method of the same class."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {f".{n.attr}" for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def _fields(node: ast.ClassDef) -> set[int]:
    """Return the lines of a class's head, with __init__ and class data."""
    lines = set(range(first_line(node), node.body[0].lineno)) | {node.lineno}
    for member in node.body:
        data = isinstance(member, ast.Assign | ast.AnnAssign) and bound_names(
            member
        )  # not those of attributes, as __doc__
        if data or (isinstance(member, ast.FunctionDef) and member.name == "__init__"):
            lines |= _span(member)
    return lines


def shown(history: History, qualname: str) -> History:
    """The history as a proposer sees it: every candidate's excerpt instead of its whole module."""
    profile, hot = history.original.profile, None
    if profile is not None and profile.functions:
        # A helper that takes this share of the time is shown whole, and so is what it names
        hot = frozenset(function.name for function in profile.functions if function.share >= HOT)
    old = _defined(history.original.source)
    target = old.get(qualname)
    named = frozenset(
        _names(target) if target else ()
    )  # those that a draft drops stay: they are not part of the change
    shown = tuple(_shown(candidate, qualname, hot, old, named) for candidate in history.candidates)
    return replace(history, candidates=shown)


def _defined(source: str) -> dict[str, Def]:
    """Functions by name, the last of several; none of a text that is no Python."""
    try:
        return dict(definitions(ast.parse(source)))
    except (SyntaxError, ValueError):
        return {}


def _shown(
    candidate: Candidate, qualname: str, hot: frozenset[str] | None, old: Container[str], named: frozenset[str]
) -> Candidate:
    more = hot if hot is None else hot.union(name for name in _defined(candidate.source) if name not in old)
    part = excerpt(candidate.source, qualname, more, named)
    profile = _moved(candidate.profile, part.lines) if candidate.profile else None
    return replace(candidate, revision=Revision.of(part.text), profile=profile)


def _moved(profile: Profile, lines: Mapping[int, int]) -> Profile:
    """Line numbers as in the excerpt; lines that are not in it are left out."""
    if not lines:
        return profile
    return replace(
        profile,
        lines=tuple(replace(line, line=lines[line.line]) for line in profile.lines if line.line in lines),
        functions=tuple(replace(f, line=lines[f.line]) for f in profile.functions if f.line in lines),
    )
