"""A candidate in the form that a language model sees: the diff of its files, and its profile next to an earlier one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from codeopt.analysis.nodes import first_line, functions, last_line
from codeopt.core.history import Candidate, History, RoundView
from codeopt.core.revision import HEAD, Revision
from codeopt.core.sanitize import fenced
from codeopt.workloads.project.prompt.excerpts import MORE, SourcePage, SourcePart, named_places, numbered_module
from codeopt_sandbox.profile import HotFunction, Profile

ROWS = 8
"""Maximum number of functions with the largest times of a draft; half as many more may have changed most."""
LINES = 5
"""Maximum number of hot lines."""
LEAST = 0.03
"""Minimum share of the command, of a function's time or of what it gained or lost, that is worth a row."""


def round_views(history: History, page: SourcePage) -> Mapping[int, RoundView]:
    """Views of the original and of the drafts. What they name of the original's source is added to the page."""
    original, views = history.original.revision, dict[int, RoundView]()
    for each in history.candidates:
        fits = each.round > 0 and not each.revision.is_one_file
        profile = _profile(each, _before(each, history), history.original, page) if fits else ""
        named = page.add(named_places(each.critique, page), MORE)
        failing = _failing(each) if fits and each is history.last else ""
        views[each.round] = RoundView(diff(original, each.revision) if fits else "", profile, named, failing)
    return views


def _failing(candidate: Candidate) -> str:
    """The innermost function of the draft in the traceback of its run, or the lines around a statement of a module."""
    frames = [frame for outcome in candidate.outcomes for frame in outcome.run.frames]
    for place, line in reversed(frames):
        for path in (path for path in candidate.revision if f"/{place}".endswith(f"/{path}")):
            module = numbered_module(candidate.revision[path])
            inner = max((name for name in module.found if line in module.span(name)), key=len, default="")
            lines = module.span(inner) if inner else module.around("", [line])
            return HEAD.format(path=path) + module.numbered((lines | module.class_line(inner)) - module.docstrings)
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
    lines = [f"{line.share:6.1%} {line.named}  {line.text.strip()[:100]}" for line in new.lines if line.share >= LEAST]
    if lines:
        parts.append(f"Its hot lines, with shares of the command:\n{fenced(chr(10).join(lines[:LINES]))}")
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
    worth = [name for name, (a, b) in took.items() if max(a / then_s, b / now_s, abs(a - b) / then_s) >= LEAST]
    by_now = sorted(worth, key=lambda name: -took[name][1])
    changed = sorted(worth, key=lambda name: -abs(took[name][0] - took[name][1]))[: ROWS // 2]
    rows = [name for name in by_now if name in {*by_now[:ROWS], *changed}]
    said = []
    for name in rows:
        was, is_ = both[name]
        total = _ms((was.total or 0.0) * then_s, (is_.total or 0.0) * now_s)
        calls = "" if None in (was.hits, is_.hits) else f"{was.count} -> {is_.count}"
        said.append(f"{_ms(*took[name])}  {total}  {calls:>18}  {name}")
    return [name for name in by_now[:ROWS] if took[name][1] >= LEAST * now_s], said


def _whole_s(candidate: Candidate, original: Candidate) -> float:
    """CPU time of the command, scaled to the original's run: single runs of one program differ by a factor of two
    on a busy machine, so that a draft's is the original's over its measured ratio."""
    compared = candidate.by("time")
    took = candidate if compared is None else original
    return (took.outcomes[0].run.cpu_s or 1.0) / (compared.ratio if compared else 1.0)


def _ms(then_s: float, now_s: float) -> str:
    return f"{1000 * then_s:7.1f} -> {1000 * now_s:7.1f} ms"


# The change from one version of a project to another, as a model reads it: a function that only moved is one line.

CONTEXT = 2
"""Lines around each change."""
MOST_REMOVED = 6
"""Lines of the original in a row that are shown as removed: it is above the diff."""
LONGEST_DIFF = 8_000
"""Characters of a diff that are shown."""


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
    out, left = list[str](), LONGEST_DIFF
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
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT):
        (_, a1, _, b1, _), (_, _, a2, _, b2) = group[0], group[-1]
        hunk = [f"@@ -{_span(a, a1, a2)} +{_span(b, b1, b2)} @@"]
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                hunk += [unit.marked(" ") for unit in a[i1:i2]]
            else:
                hunk += [*_removed(a[i1:i2]), *(unit.marked("+") for unit in b[j1:j2])]
        yield hunk


def _removed(units: Sequence[_Unit]) -> list[str]:
    """Lines of a diff for what is removed, of many the first and the last."""
    lines = [unit.marked("-") for unit in units]
    if len(lines) <= MOST_REMOVED:
        return lines
    return [lines[0], f"-[... {len(lines) - 2} lines of the original ...]", lines[-1]]


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
