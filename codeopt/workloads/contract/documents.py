"""Structured files as what they are: read as a tree of values, and written again by the format's own writer."""

from __future__ import annotations

import configparser
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

TABLE = ("csv", "tsv")
"""Names of formats whose documents are `{"header": names or None, "rows": records}`."""
EXTENSIONS = {name: name for name in ("json", *TABLE, "ini", "log")} | {
    "jsonl": "lines",
    "ndjson": "lines",
    "cfg": "ini",
}
NO_DOCUMENT = (ValueError, TypeError, AttributeError, RecursionError, csv.Error, configparser.Error)
"""Errors from reading a text or writing a value that is not of the format."""


@dataclass(frozen=True)
class DocumentFormat:
    """A format, as the known files use it."""

    name: str
    read: Callable[[bytes], Any]
    """Reader of a whole file. Raises one of NO_DOCUMENT."""
    write: Callable[[Any], bytes]
    fits: Callable[[Any], bool] = bool
    """Returns True if a known document has this format, and is not just readable in it."""
    quoted: Callable[[Any], bytes] | None = None
    """Writes with each field quoted, of a table."""


def find_format(path: str, known: Sequence[bytes]) -> DocumentFormat | None:
    """Return the format of all these texts, preferably one whose writer reproduces them. None for plain text.

    `path` is empty for an input without a name.
    """
    hint = EXTENSIONS.get(path.lower().rpartition(".")[2], "") if "." in path else ""
    first = min(known, key=len, default=b"")
    able = [each for each in _formats(hint, first, known) if all(_reads(each, data) for data in known)]
    exact = (each for each in able if all(each.write(each.read(data)) == data for data in known))
    return next(exact, able[0] if able else None)


def _reads(each: DocumentFormat, data: bytes) -> bool:
    try:
        document = each.read(data)
        each.write(document)
    except NO_DOCUMENT:
        return False
    return each.fits(document)


def _formats(hint: str, sample: bytes, known: Sequence[bytes]) -> Iterator[DocumentFormat]:
    """Formats that the name or the first letter tell of, then tables and logs."""
    start = sample.lstrip()[:1]
    if start in (b"{", b"["):
        line_end = b"\n" * sample.endswith(b"\n")
        for indent, compact, ascii_only in product((None, 2, 4, 1, "\t"), (False, True), (False, True)):
            dump = _dumper(indent, compact, ascii_only)
            yield DocumentFormat("json", _json, lambda value, dump=dump: dump(value) + line_end)  # type: ignore[misc]
        for compact, ascii_only in product((False, True), (False, True)):
            dump = _dumper(None, compact, ascii_only)
            yield DocumentFormat(
                "lines",
                _json_lines,
                lambda values, dump=dump: b"".join(dump(value) + b"\n" for value in values),  # type: ignore[misc]
            )
    if hint == "ini" or (not hint and start == b"[" and b"]\n" in sample):
        yield from (_ini_format(spaces) for spaces in (True, False))
    if hint in ("", *TABLE):
        likely = {"csv": (",", ";"), "tsv": ("\t",)}.get(hint, (",", ";", "\t", "|"))
        first = sample.partition(b"\n")[0]
        delimiters = [each for each in likely if each.encode() in first]
        quotings, ends = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL), ("\n", "\r\n")
        for delimiter, header, quoting, end in product(delimiters, (True, False), quotings, ends):
            yield _table_format(delimiter, quoting, end, header=header)
    if hint in ("", "log") and (layout := find_log_layout(known)):
        yield DocumentFormat("log", layout.read, layout.write, _is_table)


def _dumper(indent: int | str | None, compact: bool, ascii_only: bool) -> Callable[[Any], bytes]:
    separators = (",", ":") if compact else None

    def dump(value: Any) -> bytes:
        text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
        return text.encode("utf-8", "surrogatepass")

    return dump


def _json(data: bytes) -> Any:
    found = json.loads(data)
    if not isinstance(found, list | dict):
        raise ValueError("neither a list nor an object")
    return found


def _json_lines(data: bytes) -> list[Any]:
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    found = [json.loads(line) for line in lines]
    if not all(isinstance(each, list | dict) for each in found):
        raise ValueError("a line is neither a list nor an object")
    return found


def _ini_format(spaces: bool) -> DocumentFormat:
    def read(data: bytes) -> dict[str, dict[str, str]]:
        parser = _ini_parser()
        parser.read_string(data.decode())
        if not parser.sections():
            raise ValueError("no section")
        return {name: dict(parser.items(name)) for name in parser.sections()}

    def write(value: dict[str, dict[str, str]]) -> bytes:
        parser, text = _ini_parser(), io.StringIO()
        parser.read_dict(value)
        parser.write(text, space_around_delimiters=spaces)
        return text.getvalue().rstrip("\n").encode() + b"\n"

    return DocumentFormat("ini", read, write)


def _ini_parser() -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    return parser


def _table_format(delimiter: str, quoting: int, end: str, *, header: bool) -> DocumentFormat:
    def read(data: bytes) -> dict[str, Any]:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True))
        names = rows[0] if header and rows else None
        if header:  # distinct words, none of them a number
            words = [name.strip().replace(".", "", 1).lstrip("+-") for name in names or ()]
            if not names or len(set(names)) < len(names) or not all(names) or any(map(str.isdigit, words)):
                raise ValueError("no header")
        body = rows[1:] if header else rows
        width = len(names or (rows[0] if rows else ()))
        keys = names or [str(number) for number in range(width)]
        return {
            "header": names,
            "rows": [dict(zip(keys, row, strict=True)) if len(row) == width else row for row in body],
        }

    def written(value: Any, how: int) -> bytes:
        text = io.StringIO()
        rows = [[*map(str, row.values())] if isinstance(row, dict) else row for row in value["rows"]]
        table = [value["header"], *rows] if value["header"] else rows
        csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=how).writerows(table)  # type: ignore[arg-type]
        return text.getvalue().encode("utf-8", "surrogatepass")

    name = "tsv" if delimiter == "\t" else "csv"
    return DocumentFormat(
        name, read, lambda value: written(value, quoting), _is_table, lambda value: written(value, csv.QUOTE_ALL)
    )


def _is_table(document: Any) -> bool:
    """Some rows of one width, of two fields at least."""
    rows = document["rows"]
    # number of rows of a table; fewer may be anything
    return len(rows) >= 2 and all(isinstance(row, dict) and len(row) > 1 for row in rows)


# Lines of a log as records: fields at the same places in each line, one of them a time, then a message.

MESSAGE = "message"
"""Name of what follows the last field."""
FIELD = re.compile(r'(?:\[[^\]]*\]|"[^"]*")(?= |$)|[^ ]+')
DATE = re.compile(r"\d{4}[-/]\d\d[-/]\d\d")
TIME = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T_]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?"  # of ISO 8601
    r"|\d\d:\d\d:\d\d([.,]\d+)?"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d( [+-]\d{4})?"  # of web servers
)
KEY = re.compile(r"(\w+)=")


@dataclass(frozen=True)
class LogField:
    """A field with the text around its value in each line."""

    name: str
    before: str = ""
    after: str = ""

    def value(self, text: str) -> str | None:
        """The value of a field; None where it is written in another way."""
        found = text.removeprefix(self.before).removesuffix(self.after)
        return found if text == self.written(found) else None

    def written(self, value: Any) -> str:
        """Return the field in the form that a line has.

        Raises:
            ValueError: The value would be two fields, or no field.
        """
        text = str(value)
        if (not self.after and " " in text) or not (text or self.before) or (self.after and self.after in text):
            raise ValueError("a value that no field can hold")
        return f"{self.before}{text}{self.after}"


@dataclass(frozen=True)
class LogLayout:
    """Fields of each line."""

    fields: tuple[LogField, ...]
    has_message: bool
    ends: bool
    """True if also the last line has a line end."""

    def read(self, data: bytes) -> dict[str, Any]:
        """A table: records by name; a line of another kind is a list of one text. Raises ValueError."""
        lines = data.decode().removesuffix("\n").split("\n") if data else []
        return {"header": None, "rows": [self._record(line) for line in lines]}

    def write(self, table: Any) -> bytes:
        """The lines of a table. Raises ValueError."""
        lines = [self._line(row) for row in table["rows"]]
        if any("\n" in line for line in lines):
            raise ValueError("a value with the end of a line")
        return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n" * self.ends

    def _line(self, row: dict[str, Any] | list[Any]) -> str:
        by_name = {each.name: each for each in self.fields}
        names = row if isinstance(row, dict) else [*by_name][: len(row)] if len(row) > 1 else []
        values = row.values() if isinstance(row, dict) else row
        named = zip_longest(names, values, fillvalue=MESSAGE)  # what a row has beyond its fields ends the line
        return " ".join(by_name[name].written(value) if name in by_name else str(value) for name, value in named)

    def _record(self, line: str) -> dict[str, str] | list[str]:
        parts, rest = split(line, len(self.fields))
        values = [field.value(part) for field, part in zip(self.fields, parts, strict=False)]
        if len(parts) < len(self.fields) or bool(rest) is not self.has_message or None in values:
            return [line]
        record = {field.name: value or "" for field, value in zip(self.fields, values, strict=True)}
        return {**record, MESSAGE: rest} if self.has_message else record


def split(line: str, most: int) -> tuple[list[str], str]:
    """The first fields of a line, with one blank between two, and the rest."""
    parts: list[str] = []
    at = 0
    while len(parts) < most and (found := FIELD.match(line, at)):
        parts.append(found[0])
        at = found.end() + 1
    return parts, line[at:]


def find_log_layout(known: Sequence[bytes]) -> LogLayout | None:
    """Return the layout of the lines of logs. None if they share no fields, or no field is a time."""
    try:
        lines = [line for data in known for line in data.decode().removesuffix("\n").split("\n")]
    except ValueError:
        return None
    if not any(each.search(line) for line in lines[:1] for each in (DATE, TIME)):  # most texts are not logs
        return None
    rows = [split(line, len(line))[0] for line in lines]
    width = min(map(len, rows), default=0)
    has_message = len({*map(len, rows)}) > 1
    columns = [[row[at] for row in rows] for at in range(width)]
    while has_message and columns:  # values of a last field, or words of messages
        is_code = all(each.isupper() or each.strip("[]:").isdigit() for each in columns[-1])
        if is_code or _around(columns[-1]) != ("", "") or _kind(LogField(""), columns[-1]):
            break
        columns.pop()
    fields: list[LogField] = []  # named by their key, as `date` or `time`, or by number
    for at, column in enumerate(columns, 1):
        before, after = _around(column)
        key = KEY.fullmatch(before)
        name = key[1] if key else _kind(LogField("", before, after), column)
        taken = {MESSAGE, *(each.name for each in fields)}
        fields.append(LogField(name if name and name not in taken else f"field {at}", before, after))
    timed = any(_kind(each, column) for each, column in zip(fields, columns, strict=True))
    # number of parts of a line, at least; fewer may be anything
    if not timed or len(fields) + has_message < 3:
        return None
    return LogLayout(tuple(fields), has_message, all(data.endswith(b"\n") for data in known))


def _kind(field: LogField, column: Sequence[str]) -> str:
    """`date` or `time`; empty for values of another kind."""
    values = [(field.value(each) or "").strip("[]:,") for each in column]
    return next((name for name, each in (("date", DATE), ("time", TIME)) if all(map(each.fullmatch, values))), "")


def _around(column: Sequence[str]) -> tuple[str, str]:
    """Texts before and after the value of each field of a column; both empty where it has no common ones."""
    for before, after in (("[", "]"), ('"', '"')):
        if all(len(each) > 1 and each[0] == before and each[-1] == after for each in column):
            return before, after
    keys = {found[0] if (found := KEY.match(each)) else "" for each in column}
    return (keys.pop(), "") if len(keys) == 1 else ("", "")
