"""The parts of a command's output and files that count, learned from several runs of the original.

Texts are compared line by line. In a line that is another one in each run, the tokens that change are masked by their
class. Lines and words of which only the order changes are compared as multisets. What cannot be compared is named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from codeopt.core.errors import Diagnostic, UsageError
from codeopt.core.words import counted, listed
from codeopt_sandbox.outcome import Caveat, CaveatKind, Run, WrittenFile

PATTERN = "re:"
"""Begins an --ignore-output that is an expression for parts of the output, and no pattern of files."""
HIDDEN = b"(ignored)"
ALWAYS = (
    "*.pyc", "*/__pycache__/*", ".pytest_cache/*", "*/.pytest_cache/*", ".coverage", ".benchmarks/*", ".codeopt*",
)  # fmt: skip
"""Files that tools leave, and that are no output."""
MOST_NAMED = 5
"""Maximum number of places that a gap names."""
CLASSES = {
    "id": rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "date": rb"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    "time": rb"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?",
    "hex": rb"0x[0-9a-fA-F]+",
    "number": rb"(?<!\w)[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[a-zA-Z]{0,3}(?!\w)",  # with its unit: 0.93s
    "path": rb"(?:/[\w.@+-]+)+",
    "word": rb"[\w\x80-\xff]+",
    "space": rb"[ \t\r]+",
    "sign": rb".",
}
"""Classes of tokens, with a pattern of each; the first that matches counts."""
TEXT = ("text", rb".*?")
"""Class of a part of a line that has other tokens in each run."""
_TOKEN = re.compile(b"|".join(b"(?P<%s>%s)" % (name.encode(), each) for name, each in CLASSES.items()), re.DOTALL)
_VARIED = frozenset({"id", "date", "time", "hex", "number", "path"})
_PARTS = tuple(re.compile(each) for each in (rb"\s*[,;\[\](){}][,;\[\](){}\s]*", rb"\s+", rb"""[\s"'=:,;\[\](){}]+"""))
"""Separators of the items of a line, the widest items first."""
_KEY = re.compile(rb"""([\w .-]*\w)["']?\s*[:=]\s*["'\[({]*$|(\w+)\s$""")
"""Name of a value, in the text before it."""
_Token = tuple[str, bytes]


@dataclass(frozen=True)
class LineMask:
    form: re.Pattern[bytes]
    shown: bytes
    """Stand-in for a line of this form: `took (number) s`."""
    places: tuple[tuple[str, str], ...] = ()
    """Of each masked token its name, as far as the text before tells it, and its class: the key of a JSON file."""

    @property
    def masked(self) -> int:
        return len(self.places)

    def of(self, line: bytes) -> bytes | None:
        """The compared part of a line; None where it has another form."""
        return self.shown if self.form.fullmatch(line) else None


@dataclass(frozen=True)
class ItemsInAnyOrder:
    """A line of items whose order alone changes, as a set is printed."""

    separator: re.Pattern[bytes]
    masked: int = 0

    def of(self, line: bytes) -> bytes:
        """The items in order, and the text between them."""
        between = (each.strip() for each in self.separator.findall(line))
        return b" ".join([*sorted(self.separator.split(line)), *sorted(between)])


@dataclass(frozen=True)
class TextMask:
    """The parts of one text that count."""

    lines: int = 0
    """Number of lines in each run. Masks hold for their own line. In a text of another length, as another command
    prints, they hold for any line, and in a line of another form for tokens of the same name."""
    rules: tuple[tuple[int, LineMask | ItemsInAnyOrder], ...] = ()
    """Rules by number of the line, from 0."""
    moving: range = range(0)
    """Lines whose order alone changes."""
    left_out: tuple[LineMask, ...] = ()
    """Forms of lines that come in other numbers in each run."""
    nothing: bool = False
    """True if no part is the same in each run."""
    masked_share: float = 0.0
    """Share of the words that are masked, 0 to 1."""

    def seen(self, text: bytes) -> bytes:
        """The part of a text that counts."""
        if self.nothing:
            return b""
        if not (self.rules or self.moving or self.left_out):
            return text
        lines = [each for each in text.split(b"\n") if not any(form.of(each) is not None for form in self.left_out)]
        if len(lines) == self.lines:
            for at, rule in self.rules:
                new = rule.of(lines[at])
                lines[at] = lines[at] if new is None else new
            first, end = self.moving.start, self.moving.stop
            return b"\n".join([*lines[:first], *sorted(lines[first:end]), *lines[end:]])
        lines = [
            next((new for _, rule in self.rules if (new := rule.of(line)) is not None), self._by_place(line))
            for line in lines
        ]
        return b"\n".join(sorted(lines) if self.moving else lines)

    def _by_place(self, line: bytes) -> bytes:
        """A line of another form: `=== 3 passed in 0.1s ===` where the user's command prints `3 passed in 0.2s`."""
        places = {place for _, rule in self.rules if isinstance(rule, LineMask) for place in rule.places if place[0]}
        kinds = {kind for _, kind in places}
        shown, at = [], 0
        for kind, text in _tokens(line) if places else [("", line)]:
            is_masked = kind in kinds and (_name(line[:at]), kind) in places
            shown.append(b"(%s)" % kind.encode() if is_masked else text)
            at += len(text)
        return b"".join(shown)

    def gaps(self, name: str) -> Iterator[Diagnostic]:
        """Parts that are not compared. name: of the text."""
        if self.nothing:
            yield Diagnostic(f"{name} is not compared", "nothing in it is the same in each run")
        masks = [(at, rule) for at, rule in self.rules if isinstance(rule, LineMask) and rule.masked]
        if masks:
            names = [(at + 1, rule.places[0][0]) for at, rule in masks]
            places = [f"line {number} ({name})" if name else f"line {number}" for number, name in names]
            classes = dict.fromkeys(kind for _, rule in masks for _, kind in rule.places)
            why = f"a {', a '.join(classes)} there is another one in each run"
            yield Diagnostic(f"{name} is compared by its form alone in {listed(places, MOST_NAMED)}", why)
        if self.left_out:
            forms = [repr(each.shown.decode("utf-8", "backslashreplace")) for each in self.left_out]
            yield Diagnostic(
                f"{name} is compared without lines like {listed(forms, MOST_NAMED)}", "their number changes"
            )


SAME = TextMask()
NOTHING = TextMask(nothing=True, masked_share=1.0)


@dataclass(frozen=True)
class Masks:
    """The parts of a run's output and files that count."""

    given: tuple[re.Pattern[bytes], ...] = ()
    """The user's, for the output."""
    ignored: tuple[str, ...] = ALWAYS
    """Patterns of files that do not count."""
    output: TextMask = SAME
    files: tuple[tuple[str, TextMask], ...] = ()
    uncompared: tuple[tuple[str, str], ...] = ()
    """Files that cannot be compared, each with the reason."""

    def seen(self, run: Run) -> Run:
        """The run with the parts that count."""
        known = dict(self.files)
        written = tuple(
            replace(file, content=known[file.path].seen(file.content))
            if file.content is not None and file.path in known
            else file
            for file in run.written
        )
        return replace(run, stdout=self.output.seen(self._without_given(run.stdout)), written=written)

    def ignores(self, path: str) -> bool:
        """Return True for a file that does not count."""
        return any(fnmatchcase(path, pattern) for pattern in self.ignored)

    def learned(self, runs: Sequence[Run]) -> Masks:
        """Add masks for what varies between several runs of the same command."""
        output = learn([self._without_given(run.stdout) for run in runs])
        files: dict[str, TextMask] = {}
        uncompared: dict[str, str] = {}
        known = [{file.path: file for file in run.written} for run in runs]
        for path in sorted({path for each in known for path in each}):
            if self.ignores(path):
                continue
            found = [each[path] for each in known if path in each]
            if len(found) < len(runs):
                uncompared[path] = "only some runs write it"
            elif len(set(found)) > 1:
                texts = _texts(found)
                if texts:
                    files[path] = learn(texts)
                else:
                    uncompared[path] = "it is no text, and another one in each run"
        ignored = (*self.ignored, *(re.sub(r"([*?\[])", r"[\1]", path) for path in uncompared))
        return replace(
            self, ignored=ignored, output=output, files=tuple(files.items()), uncompared=tuple(uncompared.items())
        )

    def _without_given(self, output: bytes) -> bytes:
        for pattern in self.given:
            output = pattern.sub(HIDDEN, output)
        return output

    @property
    def gaps(self) -> tuple[Diagnostic, ...]:
        """All that is not compared, by name."""
        lost = (Diagnostic(f"the file {path} is not compared", why) for path, why in self.uncompared)
        files = (gap for path, mask in self.files for gap in mask.gaps(f"the file {path}"))
        return (*self.output.gaps("the output"), *files, *lost)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Texts of which much is masked."""
        texts = (("the output", self.output), *((f"the file {path}", mask) for path, mask in self.files))
        return tuple(
            Caveat(CaveatKind.EVIDENCE, "", "", f"{name} is compared by its form alone for the most part", why)
            for name, mask in texts
            if mask.masked_share > 1 / 3  # from there on the comparison is little evidence
            for why in [f"{mask.masked_share:.0%} of its words are others in each run"]
        )

    @property
    def words(self) -> str:
        """Description of what is not compared of the output; empty where everything is."""
        if self.output.nothing:
            return "the output is another one in each run and is not compared"
        changing = len(self.output.rules) + len(self.output.moving) + len(self.output.left_out)
        changes = "changes" if changing == 1 else "change"
        return f"{counted(changing, 'line')} of the output {changes} from run to run" if changing else ""


def given_masks(patterns: Sequence[str]) -> Masks:
    """Patterns of --ignore-output. Raises UsageError."""
    try:
        given = tuple(re.compile(text[len(PATTERN) :].encode()) for text in patterns if text.startswith(PATTERN))
    except re.error as error:
        raise UsageError(f"--ignore-output: {error}") from error
    return Masks(given, (*ALWAYS, *(text for text in patterns if not text.startswith(PATTERN))))


def _texts(files: Sequence[WrittenFile]) -> list[bytes]:
    """Contents of a text file; none where it is binary, or is gone."""
    found = [file.content for file in files if file.content is not None]
    try:
        texts = len(found) == len(files) and all("\0" not in content.decode() for content in found)
    except UnicodeDecodeError:
        return []
    return found if texts else []


def learn(texts: Sequence[bytes]) -> TextMask:
    """Return what counts of a text that several runs of one command made."""
    if len(set(texts)) == 1:
        return SAME
    rows = [text.split(b"\n") for text in texts]
    found = _line_by_line(rows) if len({len(row) for row in rows}) == 1 else _without_some_lines(rows)
    return found if len({found.seen(text) for text in texts}) == 1 else NOTHING


def _line_by_line(rows: Sequence[list[bytes]]) -> TextMask:
    """Masks of texts with the same number of lines."""
    differing = [at for at, lines in enumerate(zip(*rows, strict=True)) if len(set(lines)) > 1]
    everywhere = set[bytes].intersection(*({row[at] for at in differing} for row in rows))
    at_home = [at for at in differing if not any(row[at] in everywhere for row in rows)]
    rules = [(at, _rule([row[at] for row in rows])) for at in at_home]
    moving = [at for at in differing if at not in set(at_home)]
    span = range(0)
    if moving:  # with similar lines next to them: by chance one may be at the same place in each run
        forms = [[kind for kind, _ in _tokens(line)] for line in rows[0]]
        first, end = moving[0], moving[-1] + 1
        form = forms[first]
        while first > 0 and forms[first - 1] == form:
            first -= 1
        while end < len(forms) and forms[end] == form:
            end += 1
        span = range(first, end)
    masked = sum(rule.masked for _, rule in rules)
    return TextMask(len(rows[0]), tuple(rules), span, (), False, _share(masked, rows[0]))


def _rule(lines: Sequence[bytes]) -> LineMask | ItemsInAnyOrder:
    """Ignore the order of items if that makes lines equal, else mask the tokens that differ; if lines have other
    numbers of them, everything between the first and the last that do."""
    for separator in _PARTS:
        items = ItemsInAnyOrder(separator)
        if len({items.of(line) for line in lines}) == 1:
            return items
    rows = [_tokens(line) for line in lines]
    if len({len(row) for row in rows}) == 1:
        return _made([_joined(same) for same in zip(*rows, strict=True)])
    begin = _same_at_begin(rows)
    shortest = min(map(len, rows))
    end = min(_same_at_begin([row[::-1] for row in rows]), shortest - begin)
    rest = rows[0][len(rows[0]) - end :]
    return _made([*(_kept(each) for each in rows[0][:begin]), (*TEXT, b""), *map(_kept, rest)])


def _same_at_begin(rows: Sequence[Sequence[_Token]]) -> int:
    return next((at for at, same in enumerate(zip(*rows, strict=False)) if len(set(same)) > 1), min(map(len, rows)))


_Part = tuple[str, bytes, bytes]
"""Class, empty for a token that is the same in each run; pattern; text."""


def _kept(token: _Token) -> _Part:
    return "", re.escape(token[1]), token[1]


def _joined(same: Sequence[_Token]) -> _Part:
    """One place of several lines."""
    kinds = {kind for kind, _ in same}
    if len({text for _, text in same}) == 1:
        return _kept(same[0])
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind:
        return kind, CLASSES[kind], b""
    whole = re.compile(CLASSES["word"])
    return ("word", CLASSES["word"], b"") if all(whole.fullmatch(text) for _, text in same) else (*TEXT, b"")


def _made(parts: Sequence[_Part]) -> LineMask:
    form = re.compile(b"".join(pattern for _, pattern, _ in parts), re.DOTALL)
    shown = b"".join(
        text if not kind else b" " if kind == "space" else b"(%s)" % kind.encode() for kind, _, text in parts
    )
    before, places = b"", []
    for kind, _, text in parts:
        if kind and kind != "space":
            places.append((_name(before), kind))
        before += text
    return LineMask(form, shown, tuple(places))


def _name(before: bytes) -> str:
    """Name of a value, by the text before it in its line; empty where that has none."""
    # Bytes before a value in which its name is looked for: a line of JSON may be long
    key = _KEY.search(before[-80:])
    return (key[1] or key[2]).decode("utf-8", "replace").strip() if key else ""


def _without_some_lines(rows: Sequence[list[bytes]]) -> TextMask:
    """Leave out the forms of those lines that come in other numbers."""
    common = Counter(rows[0])
    for row in rows[1:]:
        common &= Counter(row)
    extra = (line for row in rows for line in Counter(row) - common)
    masks = [
        _made([(kind, CLASSES[kind], b"") if kind in _VARIED else _kept((kind, text)) for kind, text in _tokens(line)])
        for line in extra
    ]
    forms = {mask.shown: mask for mask in masks}
    found = TextMask(left_out=tuple(forms.values()))
    kept = [found.seen(b"\n".join(row)) for row in rows]
    # Maximum number of forms of lines that come in other numbers in each run
    if len(forms) > 20 or not kept[0].strip():
        return NOTHING
    lines = kept[0].count(b"\n") + 1
    moving = range(lines) if len(set(kept)) > 1 else range(0)
    left_out = len(_words_of(rows[0])) - len(_words_of(kept[0].split(b"\n")))
    return replace(found, lines=lines, moving=moving, masked_share=_share(left_out, rows[0]))


def _tokens(line: bytes) -> list[_Token]:
    return [(str(found.lastgroup), found[0]) for found in _TOKEN.finditer(line)]


def _words_of(lines: Iterable[bytes]) -> list[bytes]:
    return [text for line in lines for kind, text in _tokens(line) if kind not in ("space", "sign")]


def _share(masked: int, lines: Iterable[bytes]) -> float:
    return masked / max(len(_words_of(lines)), 1) if masked else 0.0
