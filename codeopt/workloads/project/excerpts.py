"""Source that a language model sees of a project: functions that figures or a critique name, with the code they use.

Each block of lines has its line number above it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from codeopt.analysis.nodes import Def, Definition, definitions, first_line, functions, is_text, last_line
from codeopt.core.history import Candidate, History, RoundView
from codeopt.core.revision import HEAD, Revision
from codeopt.core.sanitize import fenced
from codeopt.workloads.project.briefing import LEAST, Figures, is_vendored
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.project_program import MARK, ProtectedFiles
from codeopt.workloads.source.excerpt import excerpt
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox.profile import HotFunction, Profile

_WORD = re.compile(r"\w+")

ROOM = 6_000
"""Maximum length of what is shown of the original, characters, apart from hot functions."""
MORE = 5_000
"""Maximum length of what is shown in addition for a round's profile, and for its critique, characters."""
REST = 1 / 3
"""Part of the room left by hot functions for each of: other functions, what all of them use, their classes. With all of
it, a project of small functions filled 12,000 characters, of which drafts changed the hot ones."""
SHORT = 40
"""Maximum number of lines of a function, its docstring left out, that is shown before any longer one."""
AROUND = 6
"""Lines shown around a hot line or a call in a function that is too long."""


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

    @cached_property
    def figures(self) -> Figures:
        """Figures of the original."""
        return Figures(self.profile)

    @cached_property
    def loading(self) -> frozenset[SourcePart]:
        """Functions that mostly work while modules are imported."""
        return frozenset(SourcePart(f.file, f.qualname) for f in self.profile.functions if self.figures.is_import(f))

    def original(self) -> str:
        """Return the source of the functions that the original's figures name, as much as there is room for."""
        hot = {SourcePart(f.file, f.qualname) for f in self.figures.hot}
        return self.add([SourcePart(f.file, f.qualname) for f in self.figures.named], ROOM, hot)

    def add(self, places: Sequence[SourcePart], room: float, hot: Set[SourcePart] = frozenset()) -> str:
        """Return what is newly shown of some places, as much as there is room for.

        hot: Places that are shown as a whole, before any other. Of another long function only calls of the others are
        shown. Without any each place may be shown as a whole. What is shown whole already brings nothing new.
        """
        new: dict[str, set[int]] = {}
        for share, pieces in self._wanted([place for place in places if self._is_to_be_shown(place)], hot):
            left, least = share * room, REST * room if share > 1 else 0.0
            for path, wanted in pieces:
                module, have = numbered_module(self.files[path]), self.shown.setdefault(path, set())
                more = wanted - module.docstrings - have
                size = sum(len(module.lines[at - 1]) + 1 for at in more)
                if size <= left:
                    have |= more
                    new.setdefault(path, set()).update(more)
                    left, room = left - size, room - size
            room = max(room, least)
        return "".join(
            HEAD.format(path=path) + numbered_module(self.files[path]).numbered(lines)
            for path, lines in new.items()
            if lines
        )

    def _is_to_be_shown(self, place: SourcePart) -> bool:
        if place.file not in self.files or self.ground.why(place.file) or is_vendored(place.file):
            return False
        module = numbered_module(self.files[place.file])
        return bool(module.span(place.qualname) - module.docstrings - self.shown.get(place.file, set()))

    def _wanted(
        self, places: Sequence[SourcePart], hot: Set[SourcePart]
    ) -> Iterator[tuple[float, Iterable[tuple[str, set[int]]]]]:
        """Yield what to show in turn: a part of the room that is left, and files with their lines.

        Order: hot functions as a whole, short ones and the hot lines and calls of long ones, what all of them use,
        their classes. Where none is hot, long ones as a whole come before what they use, and no classes.
        """
        modules = [(place, numbered_module(self.files[place.file])) for place in places]
        whole = [
            (place.file, module.span(place.qualname) | module.class_line(place.qualname)) for place, module in modules
        ]
        if hot:
            # Room of hot functions, of which the rest keeps at least REST: in one room a function of 165 lines left a
            # hole in another with 6 % of the time.
            yield 4, [piece for piece, place in zip(whole, places, strict=True) if place in hot]
        yield REST if hot else 1, self._short_or_near(modules)
        if not hot:
            yield REST, whole
        yield REST, (piece for place, module in modules for piece in self._used(place, module))
        if hot:
            yield REST, ((place.file, module.owner(place.qualname)) for place, module in modules)

    def _short_or_near(self, modules: Sequence[tuple[SourcePart, NumberedModule]]) -> Iterator[tuple[str, set[int]]]:
        calls = {place.function for place, _ in modules}
        for place, module in modules:
            name, span = place.qualname, module.span(place.qualname)
            if len(span - module.docstrings) <= SHORT or not name:
                yield place.file, span | module.class_line(name)
            else:
                near = [line.line for line in self.profile.lines if line.file == place.file]
                near += [at for at in span if calls & {*_WORD.findall(module.lines[at - 1])} - {place.function}]
                if around := module.around(name, near):
                    yield place.file, module.head(name) | module.class_line(name) | around

    def _used(self, place: SourcePart, module: NumberedModule) -> Iterator[tuple[str, set[int]]]:
        warm = (f.qualname for f in self.profile.functions if f.file == place.file and f.total_share >= LEAST)
        used = excerpt(module.text, place.qualname, frozenset(warm)).lines
        yield from ((place.file, piece) for piece in module.pieces({*used}))


@dataclass(frozen=True)
class NumberedModule:
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the text, without line ends."""
        return self.text.split("\n")

    @cached_property
    def found(self) -> dict[str, Definition]:
        """Functions and classes by their qualified names."""
        return dict(definitions(read_module(self.text).body))

    @cached_property
    def docstrings(self) -> frozenset[int]:
        """Return the lines of long docstrings. They are restored in answers that omit them."""
        found = set[int]()
        for node in self.found.values():
            first, is_alone = node.body[0], len(node.body) == 1 and isinstance(node, Def)
            last = first.end_lineno or first.lineno
            # Lines from which on a docstring is left out
            if is_text(first) and last - first.lineno >= 3 and not is_alone:
                found |= {*range(first.lineno, last + 1)}
        return frozenset(found)

    def span(self, name: str) -> set[int]:
        """Lines of a function or class, of one in a function those of the outer one; of an empty name all lines."""
        if not name:
            return {*range(1, len(self.lines) + 1)}
        if node := self.found.get(name):
            return set(range(first_line(node), last_line(node) + 1))
        return self.span(name.rpartition(".")[0]) if "." in name else set()

    def head(self, name: str) -> set[int]:
        """Lines of a function above its first statement."""
        node = self.found.get(name)
        return set(range(first_line(node), max(node.lineno + 1, first_line(node.body[0])))) if node else set()

    def class_line(self, name: str) -> set[int]:
        """The `class` lines around a method."""
        parts = name.split(".")[:-1]
        return {at for size in range(1, len(parts) + 1) for at in self.head(".".join(parts[:size]))}

    def owner(self, name: str) -> set[int]:
        """Lines of the outermost class or function around a function."""
        outer, _, inner = name.partition(".")
        return self.span(outer) if inner else set()

    def pieces(self, lines: set[int]) -> list[set[int]]:
        """Divide lines by statements, of a class by its members, the shortest first. Long ones are left out."""
        found = [heads | lines & span for heads, span in self.statements if lines & span]
        return sorted((piece for piece in found if len(piece - self.docstrings) <= SHORT), key=len)

    @cached_property
    def statements(self) -> list[tuple[set[int], set[int]]]:
        """Statements of the module and of its classes: the lines of the classes around each, and its own."""
        return list(_statements(read_module(self.text).body, set()))

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
def numbered_module(text: str) -> NumberedModule:
    """A file, read once."""
    return NumberedModule(text)


def _statements(body: Sequence[ast.stmt], heads: set[int]) -> Iterator[tuple[set[int], set[int]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _statements(node.body, heads | {*range(first_line(node), first_line(node.body[0]))})
        else:
            yield heads, {*range(first_line(node), last_line(node) + 1)}


# Functions, classes and files of a project that a text names.

_CODE = re.compile(r"`([^`\n]+)`|([\w.]+)\(|([\w./-]+\.py\b(?:::[\w.]+)?)|(\b\w+(?:\.\w+)+)")
"""Code in back quotes, a call, a path, a dotted name."""
_PATH = re.compile(r"[\w./-]*\w\.py\b")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ALONE = re.compile(r"([\w.]+)(?:\(.*\))?")
"""Code that is a name, or a call of it."""
MOST = 12
"""Maximum number of places."""


def named_places(text: str, page: SourcePage) -> tuple[SourcePart, ...]:
    """Return the places that a text names, those with the largest total time first, then files of which nothing is
    shown."""
    code = [next(filter(None, found)) for found in _CODE.findall(text)]
    paths = {path.removeprefix("./") for part in code for path in _PATH.findall(part)}
    words = {word for part in code for word in _DOTTED.findall(_PATH.sub(" ", part))}
    foreign = _libraries({word.partition(".")[0] for word in words if "." in word}, page.files)
    words = {word for word in words if word.partition(".")[0] not in foreign}  # `np.sort` is not the project's `sort`
    alone = {match[1] for match in map(_ALONE.fullmatch, code) if match}
    times = {SourcePart(f.file, f.qualname): f.total_share for f in page.profile.functions}
    defined = _definitions({word.rpartition(".")[2] for word in words}, page.files)
    places = {
        place
        for word in words
        for place in _meant(word, defined.get(word.rpartition(".")[2], ()), times, alone=word in alone)
    }
    ranked = sorted(places, key=lambda place: (-times.get(place, 0.0), place))
    files = [
        path
        for path in page.files
        if not page.shown.get(path) and any(f"/{path}".endswith(f"/{each}") for each in paths)
    ]
    return (*ranked[:MOST], *(SourcePart(path, "") for path in files))


def _meant(
    word: str, defined: tuple[SourcePart, ...], times: Mapping[SourcePart, float], *, alone: bool
) -> Iterator[SourcePart]:
    """Yield what a name can mean: of its class where it has one, else what takes time, else one of few.

    A variable is no method, and a built-in function none of the project's. alone: it is all that the quotes hold, or
    what they call, and no variable of an expression.
    """
    exact = [place for place in defined if f".{place.qualname}".endswith(f".{word}") and "." in word]
    busy = [place for place in exact or defined if place in times]
    known = [place for place in defined if "." in word or "." not in place.qualname]
    # Maximum number of definitions that one name without a class may mean, if none of them takes time
    may_be_known = alone and word not in vars(builtins) and len(known) <= 3
    yield from busy or exact or (known if may_be_known else ())


def _libraries(names: set[str], files: Mapping[str, str]) -> set[str]:
    """Those of some names that the project binds to modules of others by an import."""
    if not names:
        return set()
    own = {part for path in files for part in PurePosixPath(path).with_suffix("").parts}
    lines = re.compile(rf"^[ \t]*((?:import|from) [^\n]*\b(?:{'|'.join(sorted(names))})\b[^\n]*)", re.MULTILINE)
    found = set[str]()
    for line in {line for text in files.values() for line in lines.findall(text)}:
        try:
            node = ast.parse(line).body[0]
        except SyntaxError:  # prose of a docstring
            continue
        if isinstance(node, ast.Import):
            found |= {
                each.asname or each.name.partition(".")[0]
                for each in node.names
                if each.name.partition(".")[0] not in own
            }
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] not in own:
            found |= {each.asname or each.name for each in node.names}
    return found & names


def _definitions(names: set[str], files: Mapping[str, str]) -> dict[str, tuple[SourcePart, ...]]:
    """Places by the last part of their names. A file without the word `def` or `class` before one is not parsed."""
    if not names:
        return {}
    begins = re.compile(rf"^[ \t]*(?:async +)?(?:def|class) +(?:{'|'.join(sorted(names))})\b", re.MULTILINE)
    found: dict[str, tuple[SourcePart, ...]] = {}
    for path, text in files.items():
        for qualname in numbered_module(text).found if begins.search(text) else ():
            place = SourcePart(path, qualname)
            if place.function in names:
                found[place.function] = (*found.get(place.function, ()), place)
    return found


# A candidate in the form that a language model sees: the diff of its files, and its profile next to an earlier one.

ROWS = 8
"""Maximum number of functions with the largest times of a draft; half as many more may have changed most."""
WORTH_A_ROW = 0.03
"""Minimum share of the command, of a function's time or of what it gained or lost, that is worth a row."""


def round_views(history: History, page: SourcePage) -> Mapping[int, RoundView]:
    """Views of the original and of the drafts. What they name of the original's source is added to the page."""
    views = dict[int, RoundView]()
    for each in history.candidates:
        fits = each.round > 0 and not each.revision.is_one_file
        profile = _profile(each, _before(each, history), history.original, page) if fits else ""
        named = page.add(named_places(each.critique, page), MORE)
        failing = _failing(each, history.original.revision) if fits and each is history.last else ""
        earlier = (c for c in history.candidates[: each.round] if fits and not (c.round and c.revision.is_one_file))
        changes = {c.round: diff(c.revision, each.revision) for c in earlier}
        views[each.round] = RoundView(changes, profile, named, failing)
    return views


def _failing(candidate: Candidate, original: Revision) -> str:
    """The innermost function of the draft in the traceback of its run, or the lines around a statement of a module;
    and what else the draft changes."""
    frames = [frame for outcome in candidate.outcomes for frame in outcome.run.frames]
    for place, line in reversed(frames):
        for path in (path for path in candidate.revision if f"/{place}".endswith(f"/{path}")):
            module = numbered_module(candidate.revision[path])
            inner = max((name for name in module.found if line in module.span(name)), key=len, default="")
            lines = module.span(inner) if inner else module.around("", [line])
            shown = HEAD.format(path=path) + module.numbered((lines | module.class_line(inner)) - module.docstrings)
            old = numbered_module(original[path])
            mended = list(old.lines)
            if inner in old.found:
                span = old.span(inner)
                mended[min(span) - 1 : max(span)] = (module.lines[at - 1] for at in sorted(lines))
            rest = diff(original.with_file(path, "\n".join(mended)), candidate.revision)
            return f"{fenced(shown, 'python')}\n\nWhat else it changes of the original:\n{fenced(rest, 'diff')}"
    return ""


def _before(candidate: Candidate, history: History) -> Candidate:
    """Return the round to compare a candidate's profile with: its newest parent, or the newest earlier round, with a
    profile."""
    earlier = [each for each in history.candidates if each.round < candidate.round and each.profile and each.outcomes]
    parents = [each for each in earlier if each.round in candidate.parents]
    return (parents or earlier or [history.original])[-1]


def _profile(candidate: Candidate, before: Candidate, original: Candidate, page: SourcePage) -> str:
    """Times of functions in both, and where the time goes now; empty without a profile of both."""
    new, old = candidate.profile, before.profile
    if not new or not old or not candidate.outcomes or not before.outcomes:
        return ""
    which = "the original" if before.round == 0 else f"round {before.round}"
    head = f"Profile of this draft beside that of {which}, CPU time of each function, own and with all that it calls:"
    names, rows = _functions(candidate, before, original, new, old)
    parts = [head, fenced("\n".join([f"{'own':>18} {'total':>22} {'calls':>20}  function", *rows]))]
    lines = [
        f"{line.share:6.1%} {line.named}  {line.text.strip()[:100]}" for line in new.lines if line.share >= WORTH_A_ROW
    ]
    if lines:
        shown = "\n".join(lines[:5])
        parts.append(f"Its hot lines, with shares of the command:\n{fenced(shown)}")
    places = [part for name in names if (part := SourcePart(*name.split("::", 1))) not in page.loading]
    if source := page.add(places, MORE):
        parts.append(f"What it spends its time in and is not shown above, in the original:\n{fenced(source, 'python')}")
    return "\n".join(parts)


def _functions(
    candidate: Candidate, before: Candidate, original: Candidate, new: Profile, old: Profile
) -> tuple[Sequence[str], Sequence[str]]:
    """Names of the functions that take time now, and rows of the largest of them and of those that changed most."""
    now_s, then_s = (_whole_s(each, original) for each in (candidate, before))
    now, then = ({f.name: f for f in profile.functions} for profile in (new, old))
    nothing = HotFunction("", 1, 0.0, None)
    both = {name: (then.get(name, nothing), now.get(name, nothing)) for name in {**then, **now}}
    took = {name: (a.share * then_s, b.share * now_s) for name, (a, b) in both.items()}
    worth = [name for name, (a, b) in took.items() if max(a / then_s, b / now_s, abs(a - b) / then_s) >= WORTH_A_ROW]
    by_now = sorted(worth, key=lambda name: -took[name][1])
    changed = sorted(worth, key=lambda name: -abs(took[name][0] - took[name][1]))[: ROWS // 2]
    rows = [name for name in by_now if name in {*by_now[:ROWS], *changed}]
    said = []
    for name in rows:
        was, is_ = both[name]
        total = _ms((was.total or 0.0) * then_s, (is_.total or 0.0) * now_s)
        calls = "" if None in (was.hits, is_.hits) else f"{was.count} -> {is_.count}"
        said.append(f"{_ms(*took[name])}  {total}  {calls:>18}  {name}")
    return [name for name in by_now[:ROWS] if took[name][1] >= WORTH_A_ROW * now_s], said


def _whole_s(candidate: Candidate, original: Candidate) -> float:
    """CPU time of the command, scaled to the original's run: single runs of one program differ by a factor of two
    on a busy machine, so that a draft's is the original's over its measured ratio."""
    compared = candidate.by("time")
    took = candidate if compared is None else original
    return (took.outcomes[0].run.cpu_s or 1.0) / (compared.ratio if compared else 1.0)


def _ms(then_s: float, now_s: float) -> str:
    return f"{1000 * then_s:7.1f} -> {1000 * now_s:7.1f} ms"


# The change from one version of a project to another, as a model reads it: a function that only moved is one line.


@dataclass(frozen=True)
class _Unit:
    """A line, or all lines of a function that both versions have."""

    lines: tuple[str, ...]
    first: int = field(compare=False)
    """Number of the first line, from 1."""

    def marked(self, mark: str) -> str:
        """Return it as a line of a diff."""
        return f"{mark}{self.lines[0]}{' ...' * (len(self.lines) > 1)}"


def diff(old: Revision, new: Revision) -> str:
    """Unified diff of the files that differ, with the line numbers that they have there. What is too long is cut at the
    end of a hunk."""
    # Characters of a diff that are shown
    out, left = list[str](), 8_000
    for path in new.changed_files(old):
        out += [f"--- a/{path}", f"+++ b/{path}"]
        for hunk in _hunks(old[path], new[path]):
            kept = list[str]()
            for line in hunk:
                left -= len(line) + 1
                kept += [line] if left > 0 else []
            gone = len(hunk) - len(kept)
            out += [*kept, f"[... {gone} lines left out ...]"] if gone else kept
    return "\n".join(out) or "(no file differs)"


def _hunks(old: str, new: str) -> Iterator[list[str]]:
    both = {*_function_lines(old).values()} & {*_function_lines(new).values()}
    a, b = _units(old, both), _units(new, both)
    # Lines around each change
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(2):
        (_, a1, _, b1, _), (_, _, a2, _, b2) = group[0], group[-1]
        hunk = [f"@@ -{_span(a, a1, a2)} +{_span(b, b1, b2)} @@"]
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                hunk += [unit.marked(" ") for unit in a[i1:i2]]
            else:
                gone = [unit.marked("-") for unit in a[i1:i2]]
                # Lines in a row that are shown as removed: they are above the diff
                if len(gone) > 6:
                    gone = [gone[0], f"-[... {len(gone) - 2} lines ...]", gone[-1]]
                hunk += [*gone, *(unit.marked("+") for unit in b[j1:j2])]
        yield hunk


def _function_lines(text: str) -> dict[int, tuple[str, ...]]:
    """Lines of each function of several lines, by the number of the first one."""
    lines = text.splitlines()
    spans = ((first_line(node), last_line(node)) for _, node in functions(ast.parse(text).body))
    return {first: tuple(lines[first - 1 : last]) for first, last in spans if last > first}


def _units(text: str, both: set[tuple[str, ...]]) -> list[_Unit]:
    whole, lines, units, at = _function_lines(text), text.splitlines(), list[_Unit](), 1
    while at <= len(lines):
        function = whole.get(at)
        unit = _Unit(function if function in both and function else (lines[at - 1],), at)
        units.append(unit)
        at += len(unit.lines)
    return units


def _span(units: Sequence[_Unit], begin: int, end: int) -> str:
    """`12,9`: the first line, and the number of lines."""
    part = units[begin:end]
    first = part[0].first if part else (units[begin - 1].first + len(units[begin - 1].lines) - 1 if begin else 0)
    return f"{first},{sum(len(unit.lines) for unit in part)}"
