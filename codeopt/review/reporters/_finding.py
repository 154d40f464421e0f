"""What all reporters share: a suggestion as a finding, its edits by hunks, its words, and text made safe."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from codeopt.analysis.nodes import first_line
from codeopt.core import plugins
from codeopt.core.evidence import CallEvidence
from codeopt.core.revision import lines_of
from codeopt.core.sanitize import log_line, printable
from codeopt.core.words import counted
from codeopt.report.brief import calls_in_words
from codeopt.review.suggestion import Review, Suggestion

GROUP = "codeopt.reporters"


@dataclass(frozen=True)
class Reporter:
    """A reporter; made by `@reporter`."""

    function: Callable[[Review], str]

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which nobody would call."""
        if self.function.__name__ != "render":
            raise ValueError(f"@reporter makes a reporter of render(review), not of {self.function.__name__}")

    def __call__(self, review: Review) -> str:
        return self.function(review)


def reporter(function: Callable[[Review], str]) -> Reporter:
    """Make a reporter of `render(review: Review) -> str`.

    Raises:
        ValueError: The function has another name.
    """
    return Reporter(function)


def open_reporter(name: str) -> Reporter:
    """The reporter behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return plugins.made_by(plugins.load(GROUP, name), "reporter", "render", Reporter, "@reporter")


NAME = "codeopt"
Quote = Callable[[str], str]


def sentence(suggestion: Suggestion, name: Quote = str, text: Quote = str) -> str:
    """The suggestion in one line, with what is not ours quoted by `name` and `text`; as they are, without: quote it."""
    head = f"{name(suggestion.name)} {claim(suggestion)}"
    size, proof = suggestion.verdict.by_size.disagreement, f"verified by {proof_of(suggestion)}"
    return "; ".join(filter(None, [head, size, proof, *map(text, suggestion.told)]))


def lines(suggestion: Suggestion) -> tuple[int, int]:
    """First and last line of the original that change; an insertion names a neighbour."""
    edit = one_edit(suggestion)
    return (edit.start, edit.end) if edit else (1, 1)


def one_edit(suggestion: Suggestion) -> LineEdit | None:
    """One edit for the whole suggestion, from the first line that changes to the last. None if nothing does."""
    changes = edits(suggestion.original, suggestion.improved)
    placed = inside(suggestion.original, changes, [whole(suggestion.path, suggestion.original)])
    return placed[0] if placed else None


def rule(suggestion: Suggestion) -> str:
    """The identifier of the kind of finding."""
    kind = "function" if suggestion.function else "program"
    return f"faster-{kind}" if suggestion.task == "runtime" else suggestion.task


def fingerprint(suggestion: Suggestion) -> str:
    """Return an id that stays the same if the code moves to other lines or another source improves it.

    A different draft for the same code is no news: it gets the same fingerprint.
    """
    text = "\0".join([suggestion.task, suggestion.path, suggestion.function, _own_text(suggestion)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _own_text(suggestion: Suggestion) -> str:
    """The function's own lines; the whole file for a program, or where there is no such function."""
    from codeopt.workloads.source.functions import definition

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code's own writing
        try:
            tree = ast.parse(suggestion.original)
        except (SyntaxError, ValueError, RecursionError):
            return suggestion.original
    node = definition(tree, suggestion.function) if suggestion.function else None
    if node is None:
        return suggestion.original
    return "".join(lines_of(suggestion.original)[first_line(node) - 1 : node.end_lineno])


# From the original and the improved text of a file to edits of line ranges, each inside one hunk of the change.
#
# A platform takes a suggestion only for lines of one hunk, and refuses a whole review for one range that is not.

_HEADER = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


@dataclass(frozen=True)
class LineEdit:
    """Lines `start` to `end` (1-based, both included) become `text`; nothing is replaced when `end` is `start - 1`."""

    start: int
    end: int
    text: str
    """Whole lines with their ends; empty to delete."""


@dataclass(frozen=True)
class Hunk:
    """A part of the change: consecutive lines of the new file."""

    path: str
    start: int
    """First line in the new file."""
    end: int
    """Last line in the new file."""

    def holds(self, edit: LineEdit) -> bool:
        """Every line that is replaced is a line of this hunk."""
        return self.start <= edit.start <= edit.end <= self.end


def edits(original: str, improved: str) -> tuple[LineEdit, ...]:
    """The edits that turn `original` into `improved`, with as few lines as difflib finds; no two of them touch."""
    old, new = lines_of(original), lines_of(improved)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    codes = SequenceMatcher(None, inner_old, inner_new, autojunk=False).get_opcodes()
    changed = [places for kind, *places in codes if kind != "equal"]
    return tuple(LineEdit(head + a + 1, head + b, "".join(inner_new[c:d])) for a, b, c, d in changed)


def inside(original: str, changes: Sequence[LineEdit], hunks: Sequence[Hunk]) -> tuple[LineEdit, ...] | None:
    """The edits, one a hunk that holds it; None when one of them is outside of the change.

    Edits of the same hunk become one: a click must give the whole of it, or a program without its import is left.
    """
    lines = lines_of(original)
    placed: list[tuple[LineEdit, Hunk]] = []
    for change in changes:
        # The edit in each hunk that can hold it; an insertion takes a neighbour with it, since a line must be
        # named.
        ways = [change]
        if change.end < change.start:
            ways = []
            if change.start > 1:
                ways.append(LineEdit(change.end, change.end, lines[change.end - 1] + change.text))
            if change.start <= len(lines):
                ways.append(LineEdit(change.start, change.start, change.text + lines[change.start - 1]))
        found = next(((edit, hunk) for edit in ways for hunk in hunks if hunk.holds(edit)), None)
        if found is None:
            return None
        edit, hunk = found
        if placed and placed[-1][1] is hunk:
            edit = _joined(placed.pop()[0], change, lines)
        placed.append((edit, hunk))
    return tuple(edit for edit, _ in placed)


def whole(path: str, original: str) -> Hunk:
    """The file as if the change had written all of it: every edit of it is inside."""
    return Hunk(path, 1, len(lines_of(original)))


def hunks(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a unified diff; lines are counted, so that no text inside a hunk is taken for a header."""
    found: list[Hunk] = []
    path = ""
    lines = iter(diff.split("\n"))
    for line in lines:
        if line.startswith("+++ "):
            path = _path(line[4:])
        elif header := _HEADER.match(line):
            old_count, start, new_count = (1 if number is None else int(number) for number in header.groups())
            taken = _taken(lines, old_count, new_count)
            if path and taken:
                found.append(Hunk(path, start, start + taken - 1))
    return tuple(found)


def _taken(lines: Iterator[str], old_left: int, new_left: int) -> int:
    """Read one hunk to its end; returns the number of its lines in the new file."""
    taken = 0
    while old_left > 0 or new_left > 0:
        kind = next(lines, None)
        if kind is None:
            break
        if kind.startswith("\\"):  # "No newline at end of file" is about the line above
            continue
        added, removed = kind.startswith("+"), kind.startswith("-")
        old_left, new_left, taken = old_left - (not added), new_left - (not removed), taken + (not removed)
    return taken


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of lines at the beginning that are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _joined(first: LineEdit, second: LineEdit, lines: Sequence[str]) -> LineEdit:
    """One edit for both, with the lines between them; `second` may be an insertion."""
    between = "".join(lines[first.end : second.start - 1])
    return LineEdit(first.start, max(first.end, second.end), first.text + between + second.text)


def _path(text: str) -> str:
    """Return the path of a `+++` line below the root. Empty for /dev/null. Git quotes unusual
    names as C does.
    """
    if text.startswith('"'):
        quoted = text.rstrip()[1:].removesuffix('"').encode("utf-8", "surrogateescape")
        text = _ESCAPE.sub(_unescaped, quoted).decode("utf-8", "replace")
    else:
        text = text.partition("\t")[0].removesuffix("\r")
    return "" if text == "/dev/null" else text[2:] if text[:2] in ("a/", "b/") else text


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    if code[0] in b"01234567":
        return bytes([int(code, 8) & 0xFF])
    return dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True)).get(code[0], code[0]).to_bytes()


# Untrusted text (file names, program text, output, a model's words), made safe for its place.
#
# No part of it can act: as a workflow command of a CI system, a mention, a link, a terminal escape, or a block's end.

GAP = "\u200b"
"""Zero-width space. A mention, a reference or an address with it inside no longer works."""

_MARKS = re.compile(r"[\\`*_\[\]<>|~&]")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_REFERENCE = re.compile(r"[@#!$%&^~\[](?=[\w\[\"'({])|\bGH(?=-\d)|\b[0-9a-f]{6}(?=[0-9a-f]+\b)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bmailto)(?=:)|(?<=\bxmpp)(?=:)", re.IGNORECASE)
_LINE_START = re.compile(r"^(?=[-+=#>:/]|\d+[.)])")


def prose(text: str, limit: int = 300) -> str:
    """One line of Markdown that shows `text` as it is: no markup, no HTML, no mention, no link, no quick action."""
    line = log_line(text, limit)
    line = _REFERENCE.sub(lambda match: match.group() + GAP, line)
    line = _ADDRESS.sub(GAP, line)
    line = _MARKS.sub(lambda match: _ENTITIES.get(match.group(), f"\\{match.group()}"), line)
    return _LINE_START.sub(GAP, line)


def code(text: str, limit: int = 300) -> str:
    """One line in a Markdown code span that nothing in it can close; empty text gives none."""
    line = log_line(text, limit)
    if not line.strip():
        return ""
    marks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{marks}{pad}{line}{pad}{marks}"


def command_data(text: str) -> str:
    """Escape what comes after the last `::` of a GitHub workflow command."""
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# A suggestion's figures in words, the same in every report: only numbers and codeopt's own words.


def claim(suggestion: Suggestion) -> str:
    """Format the speedup as a predicate: `can be 4.2x faster (...)`, `can use 11x less memory (...)`."""
    found = suggestion.speedup
    return f"{found.can_gain} ({found.certainty})" if found else f"can be {suggestion.gain}"


def proof_of(suggestion: Suggestion) -> str:
    """The evidence: `42 calls: 12 from tests, 30 generated; 3 tests; 100% of the function's lines`."""
    found, cases = suggestion.verdict.evidence.checked, suggestion.verdict.evidence.cases
    if not isinstance(found, CallEvidence) or not found.calls:
        return f"{counted(cases.total if cases else 0, 'test case')} and inputs made from them"
    parts = [calls_in_words(found.sources)]
    parts += [counted(found.tests, "test")] * bool(found.tests)
    if found.line_coverage is not None:
        parts.append(f"{found.line_coverage:.0%} of the function's lines")
    if suggestion.together > 1:
        parts.append(f"by itself and with all {suggestion.together} suggestions for this file applied")
    return "; ".join(parts)
