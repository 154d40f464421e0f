"""Known inputs of a program as calls: parts of a text by its layout, or values of a document, are the arguments.

So the contract of a function's calls is that of a program's inputs, too. An input is read into a call, and a changed
call is written as a text again. Only what a text has apart from its values is looked at here: ends of lines, blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from codeopt.core.call import Call
from codeopt.workloads.contract.documents import NO_DOCUMENT, TABLE, DocumentFormat, find_format
from codeopt.workloads.contract.function import BREAK, Contract, by_name
from codeopt.workloads.contract.layout import (
    InputField,
    Layout,
    ParsedInput,
    Part,
    Tie,
    find_layout,
    find_ties,
    tie_relations,
)
from codeopt.workloads.contract.properties import OF_INPUTS, EvidenceNeeded
from codeopt.workloads.contract.relations import find_relations, parts
from codeopt.workloads.contract.seen import Broken, seen

LOOKED_AT = 300_000
"""Bytes of all known inputs together whose relations are looked for; the shortest come first."""
MARK = b"\xef\xbb\xbf"
"""Mark of UTF-8 that some editors put before a text."""
EACH = "each"
"""Step of a path into any item of a list."""


@dataclass(frozen=True)
class TextForm:
    """Something that a text has apart from its values, in all known inputs."""

    words: str
    holds: Callable[[bytes], bool]
    broken: Callable[[bytes], bytes]
    """Returns a text without it."""


WRITTEN = (
    TextForm("no known input is empty", bool, lambda data: b""),
    TextForm("all known inputs end with a line end", lambda data: data.endswith(b"\n"),
            lambda data: data.removesuffix(b"\n")),
    TextForm("no known input ends with a line end", lambda data: not data.endswith(b"\n"), lambda data: data + b"\n"),
    TextForm("no known input has an empty line", lambda data: b"\n\n" not in data and data[:1] != b"\n",
            lambda data: data.replace(b"\n", b"\n\n", 1)),
    TextForm("no known input has carriage returns", lambda data: b"\r" not in data,
            lambda data: data.replace(b"\n", b"\r\n")),
    TextForm("no known input has more than one space between words", lambda data: b"  " not in data,
            lambda data: data.replace(b" ", b"  ", 1)),
    TextForm("no known input has spaces at the ends of a line", lambda data: b" \n" not in data and b"\n " not in data,
            lambda data: data.replace(b"\n", b" \n", 1)),
    TextForm("no known input has tabs", lambda data: b"\t" not in data, lambda data: data.replace(b" ", b"\t")),
    TextForm("no known input begins with a mark of its encoding", lambda data: data[:3] != MARK,
            lambda data: MARK + data),
)  # fmt: skip


@dataclass(frozen=True)
class InputFormat:
    """How the known inputs are written."""

    names: tuple[str, ...]
    """Names of the arguments."""
    read: Callable[[bytes], Call]
    """Raises one of NO_DOCUMENT."""
    write: Callable[[Call], bytes]
    """Raises one of NO_DOCUMENT."""


@dataclass(frozen=True)
class KnownInputs:
    """What all known inputs keep."""

    inputs: tuple[bytes, ...]
    format: InputFormat
    contract: Contract
    ties: tuple[Tie, ...]
    written: tuple[TextForm, ...]

    def text(self, call: Call) -> bytes | None:
        """Return the text of a call. None if the format cannot say it."""
        try:
            return self.format.write(call)
        except NO_DOCUMENT:
            return None


def words_of(broken: Broken) -> str:
    """Why an input is unusual: `in all known inputs ...`, `no known input has ...`."""
    kept = broken.words.removeprefix(BREAK)
    return f"in all known inputs {kept}" if kept != broken.words else f"no known input has {broken.words}"


def look_at(path: str, inputs: Sequence[bytes], evidence: EvidenceNeeded = OF_INPUTS) -> KnownInputs | None:
    """Contract of the known inputs, the shortest of them first, as far as it can be found in little time; None where
    all are empty. `path` is empty for an input without a name."""
    return _look_at(path, tuple(choose_shortest(inputs)), evidence) if any(inputs) else None


@lru_cache(maxsize=8)  # each seed asks again, and each way of making inputs
def _look_at(path: str, chosen: tuple[bytes, ...], evidence: EvidenceNeeded) -> KnownInputs | None:
    found = find_format(path, chosen) if all(map(bytes.strip, chosen)) else None
    known = _of_document(found, chosen) if found else _of_layout(chosen)
    calls = [known.read(data) for data in chosen]
    named = [by_name(call, known.names) for call in calls]
    ties = () if found else find_ties([call.args for call in calls])
    own = [] if found else [*tie_relations(known.names, [call.args for call in calls], ties)]
    counts = {(known.names[tie.number],) for tie in ties}
    relations = find_relations([parts(each, columns=True) for each in named], evidence=evidence, counts=counts)
    told = {each.words for each in own}
    shown = {name: seen([each[name] for each in named], evidence) for name in known.names}
    kept = {each.words: each for each in own} | {each.words: each for each in relations if each.words not in told}
    contract = Contract(known.names, shown, tuple(kept.values()), columns=True)
    forms = [*WRITTEN]
    if found and (quoted := found.quoted):
        read = found.read
        forms.append(
            TextForm("no known input quotes a field", lambda data: b'"' not in data, lambda data: quoted(read(data)))
        )
    return KnownInputs(chosen, known, contract, ties, tuple(each for each in forms if all(map(each.holds, chosen))))


def choose_shortest(inputs: Sequence[bytes]) -> list[bytes]:
    """The shortest inputs, each once, that have LOOKED_AT bytes together at most; one at least."""
    chosen: list[bytes] = []
    size = 0
    for data in sorted(dict.fromkeys(inputs), key=len):
        if chosen and size + len(data) > LOOKED_AT:
            break
        chosen.append(data)
        size += len(data)
    return chosen


def _of_document(document: DocumentFormat, known: Sequence[bytes]) -> InputFormat:
    """A table's rows, or what a document of few keys has under each; any other document is one argument."""
    read = [document.read(data) for data in known]
    table = document.name in TABLE or document.name == "log"
    # a document of more keys is one argument: its keys are data
    record = not table and isinstance(read[0], dict) and 0 < len(read[0]) <= 12
    same = record and all(isinstance(each, dict) and list(each) == list(read[0]) for each in read)
    keys = ("rows",) if table else tuple(read[0]) if same else ()
    texts: dict[tuple[Any, ...], list[str]] = {}
    for each in read:
        mapped(each, lambda path, text: texts.setdefault(path, []).append(text))
    as_text = table or document.name == "ini"
    notations = {path: notation_of(each) for path, each in texts.items() if as_text and path[:1] != ("header",)}
    plain = Notation(None)

    def get(data: bytes) -> Call:
        value = document.read(data)
        if table and value["header"] != read[0]["header"]:
            raise ValueError("other columns")
        value = mapped(value, lambda path, text: notations.get(path, plain).read(text)) if as_text else value
        if keys and value.keys() - ({"header"} if table else set()) != {*keys}:
            raise ValueError("other keys")
        return Call(tuple(value[key] for key in keys) if keys else (value,))

    def put(call: Call) -> bytes:
        value = dict(zip(keys, call.args, strict=True)) if keys else call.args[0]
        if as_text:
            value = mapped(value, lambda path, leaf: notations.get(path, plain).write(leaf))
        return document.write({"header": read[0]["header"], **value} if table else value)

    return InputFormat(keys or ("document",), get, put)


def mapped(value: Any, change: Callable[[tuple[Any, ...], Any], Any], path: tuple[Any, ...] = ()) -> Any:
    """A value with each of its parts that are no container changed. change: takes its path and the part."""
    if isinstance(value, list):
        return [mapped(item, change, (*path, EACH)) for item in value]
    if isinstance(value, tuple):
        return tuple(mapped(item, change, (*path, at)) for at, item in enumerate(value))
    if isinstance(value, dict):
        return {key: mapped(item, change, (*path, key)) for key, item in value.items()}
    return change(path, value)


def _of_layout(known: Sequence[bytes]) -> InputFormat:
    """The words of single lines, and for each block of lines a list."""
    # number of known inputs that show the layout, the shortest, the longest and some between; the others are read by it
    most = 12
    some = known if len(known) <= most else [known[round(at * (len(known) - 1) / (most - 1))] for at in range(most)]
    layout = find_layout(some)
    if layout is None or not all(map(layout.read, known)):
        layout = Layout((Part((None,), rest=True),))
    readings = [reading for data in known if (reading := layout.read(data)) is not None]
    notations: dict[InputField, Notation] = {}
    for role in layout.roles:
        found = notation_of([_text(token) for reading in readings for token in reading.tokens(role)])
        # in blocks of lines of any kind numbers are numbers, whatever else there is
        mixed = role.token is None and not layout.parts[role.part].single and found.places is None
        notations[role] = Notation(0) if mixed else found
    ends = not all(data and not data.endswith(b"\n") for data in known)

    def value(part: int, line: int, tokens: Sequence[bytes]) -> list[Any]:
        roles = [role for role in layout.roles if (role.part, role.line) == (part, line)]
        return [
            notations[roles[0] if roles[0].token is None else roles[at]].read(_text(token))
            for at, token in enumerate(tokens)
        ]

    def get(data: bytes) -> Call:
        reading = layout.read(data)
        if reading is None:
            raise ValueError("another layout")
        return Call(tuple(_arguments(layout, reading, value)))

    def put(call: Call) -> bytes:
        lines = list(_lines(layout, call.args, lambda role, leaf: notations[role].write(leaf)))
        text = "\n".join(" ".join(line) for line in lines) + "\n" * ends
        return text.encode("utf-8", "surrogateescape")

    return InputFormat(tuple(_names(layout)), get, put)


def _text(token: bytes) -> str:
    return token.decode("utf-8", "surrogateescape")


def _names(layout: Layout) -> Iterator[str]:
    """`line 1`, `word 2 of line 1`, `lines from 2`; after the first block `part 3` and so on."""
    plain = True
    for number, part in enumerate(layout.parts, 1):
        if not part.single:
            yield f"lines from {number}" if plain else f"lines of part {number}"
            plain = False
            continue
        line = f"line {number}" if plain else f"part {number}"
        width = part.widths[0]
        yield from [line] if width in (None, 1) else (f"word {at + 1} of {line}" for at in range(width or 0))


def _arguments(
    layout: Layout, reading: ParsedInput, value: Callable[[int, int, Sequence[bytes]], list[Any]]
) -> Iterator[Any]:
    for number, (part, lines) in enumerate(zip(layout.parts, reading.parts, strict=True)):
        if part.single:
            words = value(number, 0, lines[0])
            yield from [words] if part.widths[0] is None else words
            continue
        group = len(part.widths)
        rows = []
        for at in range(0, len(lines), group):
            row: list[Any] = []
            for line, width in enumerate(part.widths):
                words = value(number, line, lines[at + line])
                row += [words] if width is None else words
            rows.append(row[0] if len(row) == 1 else tuple(row))
        yield rows


def _lines(layout: Layout, args: Sequence[Any], write: Callable[[InputField, Any], str]) -> Iterator[list[str]]:
    """The reverse of `_arguments`. A row may have become longer or shorter, or something else."""
    left = list(args)
    for number, part in enumerate(layout.parts):
        words = 1 if part.widths[0] is None else part.widths[0]
        rows = [left[:words]] if part.single else _items(left[0])
        del left[: words if part.single else 1]
        for row in rows:
            items = list(row) if isinstance(row, tuple) or part.single else [row]
            for line, width in enumerate(part.widths):
                roles = [role for role in layout.roles if (role.part, role.line) == (number, line)]
                of_line = _items(items[0]) if width is None and items else items[:width]
                del items[: width or 1]
                yield [write(roles[min(at, len(roles) - 1)], leaf) for at, leaf in enumerate(of_line)]


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# Numbers as texts write them.

_INTEGER = re.compile(r"0|-?[1-9]\d{0,39}")
"""A whole number as Python writes it."""
_FRACTION = re.compile(r"-?(0|[1-9]\d{0,14})\.(\d{1,14})")


@dataclass(frozen=True)
class Notation:
    """How all known values at a place are written."""

    places: int | None
    """Decimal places of numbers; None for other texts."""

    def read(self, text: str) -> Any:
        """The value of a text; the text itself if it is written in another way."""
        if self.places == 0:
            return int(text) if _INTEGER.fullmatch(text) else text
        found = _FRACTION.fullmatch(text) if self.places else None
        return float(text) if found and len(found[2]) == self.places else text

    def write(self, value: Any) -> str:
        """The text of a value, also of one that no known text has."""
        return f"{value:.{self.places}f}" if self.places and type(value) is float else str(value)


def notation_of(texts: Sequence[str]) -> Notation:
    """Notation of all of these texts."""
    if texts and all(map(_INTEGER.fullmatch, texts)):
        return Notation(0)
    places = {len(found[2]) if (found := _FRACTION.fullmatch(text)) else 0 for text in texts}
    return Notation(places.pop() if len(places) == 1 and places != {0} else None)
