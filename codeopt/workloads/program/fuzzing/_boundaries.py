"""Inputs at the numbers of a program's text, as values and as lengths.

`if len(name) <= 15` differs from `< 15` on words of 15 letters alone, which no known input may have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any

from codeopt.workloads.contract.program.document_relations import Path, Place, is_number, nodes
from codeopt.workloads.contract.program.known_inputs import KnownInputs, look_at
from codeopt.workloads.contract.program.layout import EditableInput, InputField, ParsedInput
from codeopt.workloads.contract.program.tokens import integer
from codeopt.workloads.program.fuzzing._changed import MutatedInput
from codeopt.workloads.program.fuzzing._documents import KnownDocuments, look_at_documents

MOST = 24
"""Maximum number of inputs."""
MOST_NUMBERS = 12
"""Numbers of a text that are tried."""
LONGEST = 100
"""Largest length that is tried; a value may be larger."""


def boundaries(source: str) -> list[int]:
    """The numbers of a program's text, each with its neighbours."""
    try:
        found = [each.value for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant)]
    except (SyntaxError, ValueError):
        return []
    numbers = dict.fromkeys(value for value in found if type(value) is int and 2 < value < 10**6)
    near = (each for value in list(numbers)[:MOST_NUMBERS] for each in (value, value + 1, value - 1))
    return list(dict.fromkeys(near))


def at_boundaries(
    path: str, known: Sequence[bytes], also: Sequence[bytes], near: Sequence[int]
) -> Iterator[MutatedInput]:
    """Inputs with one word, or number, at a boundary that no known input has there; one of each place by turns."""
    everything = [*known, *also]
    base = min(known, key=len, default=b"")
    if not near or not base:
        return
    documents, texts = look_at_documents(path, everything), look_at(everything)
    series = _in_document(documents, base, near) if documents else _in_lines(texts, base, near)
    made = (data for data in chain.from_iterable(zip_longest(*series)) if data is not None)
    for number, data in enumerate(islice(made, MOST)):
        because = documents.why_beyond(data) if documents else texts.why_beyond(data)
        yield MutatedInput(f"boundary.{number}", data, because, f"boundary.{number}")


def _in_document(documents: KnownDocuments, base: bytes, near: Sequence[int]) -> Iterator[Iterator[bytes | None]]:
    shortened = documents.shortened(documents.format.read(base))
    places: dict[Path, Place] = {}
    for place, path, _ in nodes(shortened, documents.mappings):
        places.setdefault(path, place)
    for path, place in places.items():
        known = [
            value for each in documents.documents for _, at, value in nodes(each, documents.mappings) if at == path
        ]
        yield map(partial(documents.with_value, shortened, place), _others(known, near))


def _in_lines(texts: KnownInputs, base: bytes, near: Sequence[int]) -> Iterator[Iterator[bytes | None]]:
    """At the first place of each role; none where nothing is known of places."""
    reading = texts.layout.read(base) if texts.layout else None
    for role in texts.layout.roles if texts.layout and reading else ():
        assert reading is not None
        known = [token.decode("latin1") for each in texts.readings for token in each.tokens(role)]
        if role not in texts.counts and EditableInput(reading).places(role):
            yield map(partial(_with_token, reading, role), _others(known, near))


def _with_token(reading: ParsedInput, role: InputField, new: Any) -> bytes:
    draft = EditableInput(reading)
    line, at = draft.places(role)[0]
    line[at] = str(new).encode("latin1")
    return draft.write()


def _others(known: Sequence[Any], near: Sequence[int]) -> Iterator[Any]:
    """Values of one kind at the boundaries: numbers, numbers that are written as text, texts by their length."""
    if all(map(is_number, known)):
        yield from (number for number in near if number not in known)
    elif all(isinstance(each, str) and integer(each.encode()) is not None for each in known):
        yield from (str(number) for number in near if str(number) not in known)
    elif all(isinstance(each, str) for each in known):
        lengths, longest = {len(each) for each in known}, max(known, key=len)
        yield from (stretched(longest, size) for size in near if len(lengths) > 1 and size not in lengths)


def stretched(text: str, size: int) -> str:
    """A text cut to a length, or with letters of its words and numbers repeated up to it."""
    runs = re.findall(r"[A-Za-z0-9]+|.", text, re.DOTALL)
    words = [at for at, run in enumerate(runs) if run.isalnum()]
    for turn in range(max(0, min(size, LONGEST) - len(text)) if words else 0):
        runs[words[turn % len(words)]] += runs[words[turn % len(words)]][-1]
    return "".join(runs)[:size]
