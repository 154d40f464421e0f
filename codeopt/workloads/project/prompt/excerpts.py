"""The source that a language model is shown of a project: hot functions with what they use, the small class around
each, and its callers, as far as there is room. Each run of lines stands below its number."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import Def, Definition, definitions
from codeopt.workloads.project.fixed_ground import FixedGround
from codeopt.workloads.project.profile import FunctionTime, ProjectProfile
from codeopt.workloads.project.prompt.imports import import_shares
from codeopt.workloads.project.prompt.vendored import is_vendored, library_shares
from codeopt.workloads.project.text import HEAD, MARK
from codeopt.workloads.source.excerpt import excerpt

ROOM = 9_000
"""Maximum length of all that is shown, characters; the first function is shown whole up to twice as much."""
SHOWN = 8
"""Maximum number of hot functions that are shown."""
TARGETS = 4
"""Number of functions in which most could be gained that come first."""
CALLERS = 2
"""Maximum number of callers of each of these that are shown."""
LEAST = 0.01
"""Minimum share of the command of what is shown, with all that it calls."""
SMALL_CLASS = 40
"""Maximum number of lines of a class that is shown whole around a hot method, its docstrings left out."""
SHORT = 40
"""Maximum number of lines of a caller that is shown whole."""
AROUND = 6
"""Lines shown around a hot line or a call in a function that is too long."""
LONG_DOCSTRING = 3
"""Lines from which on a docstring is left out."""


def shown_source(files: Mapping[str, str], profile: ProjectProfile, ground: FixedGround) -> str:
    """Lines of the files, each file's below its line `# === file: PATH ===`."""
    page = _Page(files, profile)
    for at, function in enumerate(ranked(files, profile, ground)):
        page.add(function, at == 0)
        if at < TARGETS:
            for caller in _callers(function, profile, files, ground):
                page.add_caller(caller, function)
    return page.text


def ranked(files: Mapping[str, str], profile: ProjectProfile, ground: FixedGround) -> tuple[FunctionTime, ...]:
    """Functions to show, the most promising first: where most could be gained, then those with the most time of their
    own or in a library below them; last of all what works while modules are imported."""
    known = {(f.file, f.qualname): f for f in profile.functions}
    below = [known.get((row.caller.file, row.caller.qualname)) for row in library_shares(profile) if row.share >= LEAST]
    loading = import_shares(profile)
    first = [f for f in profile.targets if _may_be_shown(f, files, ground) and not loading.is_loading(f)][:TARGETS]
    others = [f for f in (*below, *profile.functions) if f is not None and _may_be_shown(f, files, ground)]
    others.sort(key=loading.is_loading)
    return tuple(dict.fromkeys((*first, *others)))[:SHOWN]


def _may_be_shown(function: FunctionTime, files: Mapping[str, str], ground: FixedGround) -> bool:
    named = function.qualname != "<module>" and function.file in files
    return named and function.total_share >= LEAST and not ground.why(function.file) and not is_vendored(function.file)


def _callers(
    function: FunctionTime, profile: ProjectProfile, files: Mapping[str, str], ground: FixedGround
) -> list[FunctionTime]:
    """Functions that call one, the most often calling first."""
    known = {(f.file, f.qualname): f for f in profile.functions}
    rows = sorted((each for each in profile.callers if each.caller and each.callee), key=lambda each: -each.calls)
    place = (function.file, function.qualname)
    found = [
        known.get((row.caller.file, row.caller.qualname))
        for row in rows
        if row.caller and row.callee and (row.callee.file, row.callee.qualname) == place and row.caller != row.callee
    ]
    return [f for f in dict.fromkeys(found) if f is not None and _may_be_shown(f, files, ground)][:CALLERS]


@dataclass
class _Page:
    """Lines that are shown, by file."""

    files: Mapping[str, str]
    profile: ProjectProfile
    shown: dict[str, set[int]] = field(default_factory=dict)

    def add(self, function: FunctionTime, first: bool) -> None:
        """Show a hot function with as much around it as there is room for."""
        module, name = read_module(self.files[function.file]), function.qualname
        same = [f for f in self.profile.functions if f.file == function.file and f.total_share >= LEAST]
        used = set(excerpt(module.text, name, frozenset(f.qualname for f in same)).lines)
        alone = module.span(name) | module.class_line(name)
        hot = [line.line for line in self.profile.lines if line.file == function.file]
        windows = module.head(name) | module.class_line(name) | module.around(name, hot)
        self._first_that_fits(module, function.file, (used | module.small_class(name), used, alone, windows), first)

    def add_caller(self, caller: FunctionTime, of: FunctionTime) -> None:
        """Show a caller whole where it is short, else where it calls."""
        module, name = read_module(self.files[caller.file]), caller.qualname
        short = of.qualname.rpartition(".")[2]
        calls = [at for at in module.span(name) if short in module.lines[at - 1]]
        windows = module.head(name) | module.class_line(name) | module.around(name, calls)
        whole = module.span(name) | module.class_line(name)
        self._first_that_fits(module, caller.file, (whole, windows) if len(whole) <= SHORT else (windows,), False)

    def _first_that_fits(self, module: NumberedModule, path: str, choices: Iterable[set[int]], first: bool) -> None:
        room = (2 * ROOM if first else ROOM) - len(self.text)
        have = self.shown.get(path, set())
        for lines in choices:
            more = {*lines} - module.docstrings - have
            if sum(len(module.lines[at - 1]) + 1 for at in more) <= room:
                self.shown[path] = have | more
                return

    @property
    def text(self) -> str:
        """All that is shown."""
        return "".join(
            HEAD.format(path=path) + read_module(self.files[path]).numbered(lines)
            for path, lines in self.shown.items()
            if lines
        )


@dataclass(frozen=True)
class NumberedModule:
    """A file, read."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the text, without line ends."""
        return self.text.split("\n")

    @cached_property
    def found(self) -> dict[str, Definition]:
        """Functions and classes by their qualified names."""
        try:
            return dict(definitions(ast.parse(self.text).body))
        except (SyntaxError, ValueError):
            return {}

    @cached_property
    def docstrings(self) -> frozenset[int]:
        """Lines of long docstrings, which are put back where an answer has none."""
        return frozenset(at for node in self.found.values() for at in _docstring(node))

    def span(self, name: str) -> set[int]:
        """Lines of a function or class."""
        node = self.found.get(name)
        return set(range(first_line(node), (node.end_lineno or node.lineno) + 1)) if node else set()

    def head(self, name: str) -> set[int]:
        """Lines of a function above its first statement."""
        node = self.found.get(name)
        return set(range(first_line(node), max(node.lineno + 1, first_line(node.body[0])))) if node else set()

    def class_line(self, name: str) -> set[int]:
        """The `class` lines around a method."""
        parts = name.split(".")[:-1]
        return {at for size in range(1, len(parts) + 1) for at in self.head(".".join(parts[:size]))}

    def small_class(self, name: str) -> set[int]:
        """All of the class around a method, where it is small."""
        owner = name.rpartition(".")[0]
        lines = self.span(owner) if isinstance(self.found.get(owner), ast.ClassDef) else set()
        return lines if len(lines - self.docstrings) <= SMALL_CLASS else set()

    def around(self, name: str, places: Sequence[int]) -> set[int]:
        """Lines near some of a function's."""
        span = self.span(name)
        near = {at for place in places if place in span for at in range(place - AROUND, place + AROUND + 1)}
        return near & span

    def numbered(self, lines: set[int]) -> str:
        """Text of some lines, each run of them below its number."""
        out, last = list[str](), 0
        for at in sorted(lines):
            blank = all(not self.lines[each - 1].strip() for each in range(last + 1, at))
            if last and blank:
                out += self.lines[last : at - 1]
            elif at > 1:
                out.append(MARK.format(line=at))
            out.append(self.lines[at - 1])
            last = at
        return "\n".join(out) + "\n"


@lru_cache(maxsize=256)
def read_module(text: str) -> NumberedModule:
    """A file, read once."""
    return NumberedModule(text)


def _docstring(node: Definition) -> Iterator[int]:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        last = first.end_lineno or first.lineno
        if last - first.lineno >= LONG_DOCSTRING and (len(node.body) > 1 or not isinstance(node, Def)):
            yield from range(first.lineno, last + 1)
