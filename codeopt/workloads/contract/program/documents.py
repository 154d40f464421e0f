"""Structured files as what they are: read as a tree of values, and written again by the format's own writer."""

from __future__ import annotations

import configparser
import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from codeopt.workloads.contract.program.log_format import find_layout

TABLE = ("csv", "tsv")
"""Names of formats whose documents are `{"header": names or None, "rows": records}`."""
DELIMITERS = (",", ";", "\t", "|")
SHORTEST_TABLE = 2
"""Number of rows of a table; fewer may be anything."""
OTHER_NAMES = {"jsonl": "lines", "ndjson": "lines", "cfg": "ini"}
EXTENSIONS = {name: name for name in ("json", *TABLE, "ini", "log")} | OTHER_NAMES
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
    return next((each for each in able if all(_same_again(each, data) for data in known)), able[0] if able else None)


def _reads(each: DocumentFormat, data: bytes) -> bool:
    try:
        document = each.read(data)
        each.write(document)
    except NO_DOCUMENT:
        return False
    return each.fits(document)


def _same_again(each: DocumentFormat, data: bytes) -> bool:
    return each.write(each.read(data)) == data


def _formats(hint: str, sample: bytes, known: Sequence[bytes]) -> Iterator[DocumentFormat]:
    """Formats that the name or the first letter tell of, then tables and logs."""
    start = sample.lstrip()[:1]
    if start in (b"{", b"["):
        yield from _json_formats(sample.endswith(b"\n"))
        yield from _line_formats()
    if hint == "ini" or (not hint and start == b"[" and b"]\n" in sample):
        yield from (_ini_format(spaces) for spaces in (True, False))
    if hint in ("", *TABLE):
        yield from _table_formats(hint, sample)
    if hint in ("", "log") and (layout := find_layout(known)):
        yield DocumentFormat("log", layout.read, layout.write, _is_table)


def _json_formats(ends: bool) -> Iterator[DocumentFormat]:
    for indent, compact, ascii_only in product((None, 2, 4, 1, "\t"), (False, True), (False, True)):
        dump = _dumper(indent, compact, ascii_only)
        yield DocumentFormat("json", _json, lambda value, dump=dump: dump(value) + b"\n" * ends)  # type: ignore[misc]


def _line_formats() -> Iterator[DocumentFormat]:
    for compact, ascii_only in product((False, True), (False, True)):
        dump = _dumper(None, compact, ascii_only)
        yield DocumentFormat(
            "lines",
            _json_lines,
            lambda values, dump=dump: b"".join(dump(value) + b"\n" for value in values),  # type: ignore[misc]
        )


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


def _table_formats(hint: str, sample: bytes) -> Iterator[DocumentFormat]:
    likely = {"csv": (",", ";"), "tsv": ("\t",)}.get(hint, DELIMITERS)
    first = sample.partition(b"\n")[0]
    delimiters = [each for each in likely if each.encode() in first]
    quotings, ends = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL), ("\n", "\r\n")
    for delimiter, header, quoting, end in product(delimiters, (True, False), quotings, ends):
        yield _table_format(delimiter, quoting, end, header=header)


def _table_format(delimiter: str, quoting: int, end: str, *, header: bool) -> DocumentFormat:
    def read(data: bytes) -> dict[str, Any]:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True))
        names = rows[0] if header and rows else None
        if header and not _is_header(names):
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
    return len(rows) >= SHORTEST_TABLE and all(isinstance(row, dict) and len(row) > 1 for row in rows)


def _is_header(names: Sequence[str] | None) -> bool:
    """Distinct words, none of them a number."""
    if not names or len(set(names)) < len(names):
        return False
    return all(name and not name.strip().replace(".", "", 1).lstrip("+-").isdigit() for name in names)
