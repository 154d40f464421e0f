"""Files of text changed by their kind: JSON stays JSON, a table keeps its header and columns, other text its tokens."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from codeopt.workloads.contract.program.known_inputs import look_at
from codeopt.workloads.program.fuzzing._changed import (
    LARGEST_BASE,
    MutatedInput,
    break_each,
    broken_inputs,
    mutated_inputs,
)
from codeopt.workloads.program.fuzzing._documents import look_at_documents

BASES = 4
"""Number of known files, the longest that are not too long, that others like them are made of."""
TABLE_ENDS = (".csv", ".tsv", ".txt", ".log", ".md", ".jsonl", ".ndjson")
"""Files whose lines can be left out, repeated and put in another order."""


def mutate_file(path: str, known: Sequence[bytes], also_known: Sequence[bytes], seed: int) -> Iterator[MutatedInput]:
    """Yield mutated contents of a file, each with the pattern that it breaks. The same seed gives the same ones.

    `path` is empty for standard input. Its texts are mutated token by token only.
    """
    everything = [*known, *also_known]
    documents = look_at_documents(path, everything)
    by_token = mutated_inputs(known, seed=seed, also_known=also_known)
    if documents is None and not path:
        yield from by_token
        return
    why: Callable[[bytes], str] = documents.why_beyond if documents else lambda data: ""
    small = sorted((data for data in known if len(data) <= LARGEST_BASE), key=len)
    document = _json(small[-1]) if small else None
    draw = random.Random(seed)
    alike = documents.alike(small[-BASES:], draw) if documents else ()
    changed: Iterable[MutatedInput] = ()
    if document is not None:
        changed = (MutatedInput(name, data, why(data)) for name, data in _json_changes(document, small[-1], draw))
    elif path.lower().endswith(TABLE_ENDS):
        base = small[-1] if small else min(known, key=len)
        why_lines = why if documents else look_at(everything).why_lines
        changed = (
            MutatedInput(name, data, because or why_lines(data))
            for name, because, data in _line_changes(path, base, draw)
        )
    seen = set(known)
    for each in chain((MutatedInput(f"alike.document.{at}", data) for at, data in enumerate(alike)), changed):
        if each.stdin not in seen:
            seen.add(each.stdin)
            yield each
    if document is None:
        yield from (replace(each, because=why(each.stdin) or each.because) for each in by_token)


def broken_file(path: str, known: Sequence[bytes], also_known: Sequence[bytes], seed: int) -> Iterator[MutatedInput]:
    """Contents of which each breaks one relation that all known ones keep: of a structured file as what it is, else of
    a text."""
    documents = look_at_documents(path, [*known, *also_known])
    if documents is None:
        yield from broken_inputs(known, seed=seed, also_known=also_known)
        return
    changes = documents.changes(known, random.Random(seed))
    yield from break_each(documents.kept, changes, documents.broken, kinds=documents.kinds)


def shorter_file(data: bytes, shares: Iterable[float]) -> Iterator[bytes]:
    """A file's first lines, or a JSON list's first elements, at each of these lengths."""
    document = _json(data)
    for share in shares:
        if document is not None:
            yield _dumped(_first_share(document, share), data)
        else:
            lines = data.splitlines(keepends=True)
            yield b"".join(lines[: max(1, round(len(lines) * share))])


def _json(data: bytes) -> Any:
    """A list or an object; None for everything else."""
    try:
        found = json.loads(data) if data.lstrip()[:1] in (b"{", b"[") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list | dict) else None


def _dumped(document: Any, like: bytes) -> bytes:
    """Return the document as text, in several lines if the known one has several."""
    indent = 2 if like.strip().count(b"\n") else None
    return json.dumps(document, indent=indent, ensure_ascii=False).encode() + b"\n" * like.endswith(b"\n")


def _first_share(value: Any, share: float) -> Any:
    if isinstance(value, list):
        return value[: max(1, round(len(value) * share))]
    if isinstance(value, dict):
        return {key: _first_share(each, share) for key, each in value.items()}
    return value


def _json_changes(document: Any, like: bytes, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Scalars changed within their kind, lists shorter, longer, in another order, objects in another order."""
    changes: tuple[tuple[str, Callable[[Any], Any]], ...] = (
        ("values", lambda value: _changed_scalar(value, draw)),
        ("fewer", lambda value: [each for each in value if draw.random() < 0.6] if isinstance(value, list) else value),
        ("more", lambda value: value + draw.sample(value, len(value)) if isinstance(value, list) else value),
        ("order", lambda value: draw.sample(value, len(value)) if isinstance(value, list) else _shuffled(value, draw)),
    )
    for turn in range(4):
        for name, change in changes:
            yield f"{name}.{turn}", _dumped(_walk(document, change), like)


def _shuffled(value: Any, draw: random.Random) -> Any:
    return dict(draw.sample(list(value.items()), len(value))) if isinstance(value, dict) else value


def _walk(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return change({key: _walk(each, change) for key, each in value.items()})
    if isinstance(value, list):
        return change([_walk(each, change) for each in value])
    return change(value)


def _changed_scalar(value: Any, draw: random.Random) -> Any:
    """Another value of the same kind; the sign of a number stays."""
    if value is None or isinstance(value, list | dict) or draw.random() < 0.5:
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.randint(0, 9) if value >= 0 else value - draw.randint(0, 9)
    if isinstance(value, float):
        return round(value * draw.uniform(0.5, 2.0), 3)
    return "".join(draw.sample(value, len(value)))


def _line_changes(path: str, data: bytes, draw: random.Random) -> Iterator[tuple[str, str, bytes]]:
    """Yield (name, reason why it is unusual, content): lines removed, repeated, reordered, cells swapped."""
    ends = data.endswith(b"\n")
    lines = data.removesuffix(b"\n").split(b"\n")
    head, rows = (lines[:1], lines[1:]) if path.lower().endswith((".csv", ".tsv")) else ([], lines)
    if len(rows) < 2:
        return

    def joined(body: list[bytes]) -> bytes:
        return b"\n".join([*head, *body]) + b"\n" * ends

    for turn in range(3):
        yield f"fewer.{turn}", "", joined([row for row in rows if draw.random() < 0.6] or rows[:1])
        yield f"order.{turn}", "", joined(draw.sample(rows, len(rows)))
        if (table := _exchanged(path, rows, draw)) is not None:
            yield f"cells.{turn}", "", joined(table)
    yield "one", "", joined(rows[:1])
    yield "none", "no known input is without lines", joined([])
    yield "more", "", joined([*rows, *draw.choices(rows, k=1 + len(rows) // 2)])


def _exchanged(path: str, rows: list[bytes], draw: random.Random) -> list[bytes] | None:
    """The rows of a table with the cells of one column in another order; None where it is no plain table."""
    if not path.lower().endswith((".csv", ".tsv")):
        return None
    delimiter = "\t" if path.lower().endswith(".tsv") else ","
    try:
        cells = list(csv.reader(io.StringIO(b"\n".join(rows).decode()), delimiter=delimiter))
    except (ValueError, csv.Error):
        return None
    if len(cells) != len(rows) or len({len(row) for row in cells}) != 1 or not cells[0]:
        return None
    column = draw.randrange(len(cells[0]))
    values = draw.choices([row[column] for row in cells], k=len(cells))
    for row, value in zip(cells, values, strict=True):
        row[column] = value
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(cells)
    return text.getvalue().removesuffix("\n").encode().split(b"\n")
