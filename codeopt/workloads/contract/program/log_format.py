"""Lines of a log as records: fields at the same places in each line, one of them a time, then a message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

MESSAGE = "message"
"""Name of what follows the last field."""
FEWEST = 3
"""Number of parts of a line, at least; fewer may be anything."""
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


def find_layout(known: Sequence[bytes]) -> LogLayout | None:
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
    while has_message and columns and not _is_regular(columns[-1]):
        columns.pop()
    fields = tuple(_named(columns))
    timed = any(_kind(each, column) for each, column in zip(fields, columns, strict=True))
    if not timed or len(fields) + has_message < FEWEST:
        return None
    return LogLayout(fields, has_message, all(data.endswith(b"\n") for data in known))


def _kind(field: LogField, column: Sequence[str]) -> str:
    """`date` or `time`; empty for values of another kind."""
    values = [(field.value(each) or "").strip("[]:,") for each in column]
    return next((name for name, each in (("date", DATE), ("time", TIME)) if all(map(each.fullmatch, values))), "")


def _is_regular(column: Sequence[str]) -> bool:
    """Return True if the values belong to a field, and are not words of messages."""
    around = _around(column)
    if around != ("", "") or _kind(LogField("", *around), column):
        return True
    return all(each.isupper() or each.strip("[]:").isdigit() for each in column)


def _around(column: Sequence[str]) -> tuple[str, str]:
    """Texts before and after the value of each field of a column; both empty where it has no common ones."""
    for before, after in (("[", "]"), ('"', '"')):
        if all(len(each) > 1 and each[0] == before and each[-1] == after for each in column):
            return before, after
    keys = {found[0] if (found := KEY.match(each)) else "" for each in column}
    return (keys.pop(), "") if len(keys) == 1 else ("", "")


def _named(columns: Sequence[Sequence[str]]) -> Iterator[LogField]:
    """Yield fields, named by their key, as `date` or `time`, or by number."""
    taken = {MESSAGE}
    for at, column in enumerate(columns, 1):
        before, after = _around(column)
        key = KEY.fullmatch(before)
        name = key[1] if key else _kind(LogField("", before, after), column)
        name = name if name and name not in taken else f"field {at}"
        taken.add(name)
        yield LogField(name, before, after)
