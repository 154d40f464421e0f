"""Source that a language model sees of a project: functions that figures or a critique name, with the code they use.

Each block of lines has its line number above it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from codeopt.analysis.nodes import first_line, last_line
from codeopt.analysis.positions import Def, Definition, definitions
from codeopt.core.revision import HEAD
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.project_program import MARK
from codeopt.workloads.project.prompt.figures import LEAST, TARGETS, Figures
from codeopt.workloads.project.prompt.vendored import is_vendored
from codeopt.workloads.project.protected_files import ProtectedFiles
from codeopt.workloads.source.excerpt import excerpt

_WORD = re.compile(r"\w+")

ROOM = 14_000
"""Maximum length of what is shown of the original, characters."""
MORE = 5_000
"""Maximum length of what is shown in addition for a round's profile, and for its critique, characters."""
CONTEXT_SHARE = 1 / 3
"""Maximum part of the room for one function with the code that it uses."""
SMALL_OWNER = 40
"""Maximum number of lines of a class or function that is shown whole around a hot function, its docstrings left out."""
SHORT = 40
"""Maximum number of lines of a function with next to no time of its own that is shown whole."""
AROUND = 6
"""Lines shown around a hot line or a call in a function that is too long."""
LONG_DOCSTRING = 3
"""Lines from which on a docstring is left out."""


class SourcePart(NamedTuple):
    """A function or a class of a project, or a whole file."""

    file: str
    qualname: str
    """Empty for the whole file."""

    @property
    def function(self) -> str:
        """Name without the class."""
        return self.qualname.rpartition(".")[2]


@dataclass
class SourcePage:
    """Source of a project as a prompt shows it, each line once. A file's lines are below `# === file: PATH ===`."""

    files: Mapping[str, str]
    ground: ProtectedFiles
    profile: ProjectProfile
    """Profile of the original."""
    shown: dict[str, set[int]] = field(default_factory=dict)

    def original(self) -> str:
        """Return the source of the functions that the original's figures name, as much as there is room for."""
        named = Figures(self.profile).named
        busy = {SourcePart(f.file, f.qualname) for f in named if f.own_share >= LEAST or f in named[:TARGETS]}
        return self.add([SourcePart(f.file, f.qualname) for f in named], ROOM, busy)

    def add(self, places: Sequence[SourcePart], room: int, busy: Container[SourcePart] | None = None) -> str:
        """Return what is newly shown of some places, in their order.

        busy: Places with time of their own. Of a long function that is not among them only calls of the others are
        shown. None: all of the places.
        """
        new: dict[str, set[int]] = {}
        left = room
        calls = {place.function for place in places}
        for place in places:
            if not self._may_be_shown(place):
                continue
            module, have = read_module(self.files[place.file]), self.shown.setdefault(place.file, set())
            for lines, limit in self._choices(place, module, calls, left, busy is None or place in busy):
                more = lines - module.docstrings - have
                size = sum(len(module.lines[at - 1]) + 1 for at in more)
                if size <= min(limit, left):
                    have |= more
                    new.setdefault(place.file, set()).update(more)
                    left -= size
                    break
        return "".join(
            HEAD.format(path=path) + read_module(self.files[path]).numbered(lines)
            for path, lines in new.items()
            if lines
        )

    def _may_be_shown(self, place: SourcePart) -> bool:
        return place.file in self.files and not self.ground.why(place.file) and not is_vendored(place.file)

    def _choices(
        self, place: SourcePart, module: NumberedModule, calls: Set[str], left: int, busy: bool
    ) -> Iterator[tuple[set[int], float]]:
        """Yield selections of lines from the largest to the smallest, each with its maximum length."""
        name = place.qualname
        if not name:
            yield set(range(1, len(module.lines))), left
            return
        whole, context = module.span(name) | module.class_line(name), left * CONTEXT_SHARE
        if busy or len(whole) <= SHORT:
            hot = (f.qualname for f in self.profile.functions if f.file == place.file and f.total_share >= LEAST)
            used = whole | set(excerpt(module.text, name, frozenset(hot)).lines)
            yield from [(used | module.small_owner(name), context), (used, context)]
            yield from [(whole | module.small_owner(name), context), (whole, left)]
        near = [line.line for line in self.profile.lines if line.file == place.file]
        near += [at for at in module.span(name) if calls & {*_WORD.findall(module.lines[at - 1])} - {place.function}]
        yield module.head(name) | module.class_line(name) | module.around(name, near), left


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
        """Return the lines of long docstrings. They are restored in answers that omit them."""
        return frozenset(at for node in self.found.values() for at in _docstring(node))

    def span(self, name: str) -> set[int]:
        """Lines of a function or class."""
        node = self.found.get(name)
        return set(range(first_line(node), last_line(node) + 1)) if node else set()

    def head(self, name: str) -> set[int]:
        """Lines of a function above its first statement."""
        node = self.found.get(name)
        return set(range(first_line(node), max(node.lineno + 1, first_line(node.body[0])))) if node else set()

    def class_line(self, name: str) -> set[int]:
        """The `class` lines around a method."""
        parts = name.split(".")[:-1]
        return {at for size in range(1, len(parts) + 1) for at in self.head(".".join(parts[:size]))}

    def small_owner(self, name: str) -> set[int]:
        """All of the largest class or function around a function that is small: what the function uses is there."""
        parts = name.split(".")[:-1]
        spans = (self.span(".".join(parts[:size])) for size in range(1, len(parts) + 1))
        return next((lines for lines in spans if len(lines - self.docstrings) <= SMALL_OWNER), set())

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
