"""Inputs of the same kind that are shorter; their counts kept true."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from codeopt.workloads.contract.program.layout import integer


def shorter(data: bytes, shares: Iterable[float]) -> Iterator[bytes]:
    """An input at each of these lengths, for those at which it can be made."""
    return (less for share in shares if (less := shrunk(data, share)) is not None)


def shrunk(data: bytes, share: float) -> bytes | None:
    """Return an input of the same kind and a share of the length, with correct counts. None if the text does not allow
    it."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        return None
    first = lines[0].split()
    follow = len(lines) - 1
    if follow > 1 and (at := _index(first, follow)) is not None:
        kept = max(1, round(follow * share))
        head = b" ".join([*first[:at], b"%d" % kept, *first[at + 1 :]])
        return b"\n".join([head, *lines[1 : 1 + kept], b""])
    last = lines[-1].split()
    if len(last) > 4:
        return _shorter_last_line(lines, last, max(1, round(len(last) * share)))
    value = integer(first[0]) if len(lines) == 1 and len(first) == 1 else None
    return b"%d\n" % max(1, round(value * share)) if value else None


def _shorter_last_line(lines: Sequence[bytes], last: Sequence[bytes], kept: int) -> bytes | None:
    if len(lines) == 1:
        if integer(last[0]) == len(last) - 1:
            return b" ".join([b"%d" % max(1, kept - 1), *last[1 : max(2, kept)]]) + b"\n"
        return b" ".join(last[:kept]) + b"\n"
    for number in range(len(lines) - 2, -1, -1):
        head = lines[number].split()
        if (at := _index(head, len(last))) is not None:
            changed = b" ".join([*head[:at], b"%d" % kept, *head[at + 1 :]])
            return b"\n".join([*lines[:number], changed, *lines[number + 1 : -1], b" ".join(last[:kept]), b""])
    return None


def _index(tokens: Sequence[bytes], value: int) -> int | None:
    return next((at for at, token in enumerate(tokens) if integer(token) == value), None)


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
