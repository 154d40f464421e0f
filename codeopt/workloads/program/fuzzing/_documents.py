"""Mutations of structured files. Each pattern of all known files is broken once, and the format's writer keeps the
rest."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from codeopt.workloads.contract.program.document_relations import (
    EACH,
    NodeRelation,
    Path,
    Place,
    find_mappings,
    find_node_relations,
    is_number,
    nodes,
)
from codeopt.workloads.contract.program.documents import NO_DOCUMENT, TABLE, DocumentFormat, find_format
from codeopt.workloads.contract.program.formats import ENDS, Property
from codeopt.workloads.contract.program.known_inputs import choose_shortest

SHORT_LISTS = (4, 8, 30)
"""Elements that each list keeps in a document that is changed: the witness is small."""
BASES = 2
LONG = 20_000
"""Bytes of a file whose lists are shortened before it is changed."""
TRIES = 100
MOST_ALIKE = 16
"""Number of files that keep all relations, and of the tries to make them."""
MARK = b"\xef\xbb\xbf"
"""Mark of UTF-8 that some editors put before a text."""
UNREAD = "every known file is whole"
"""Words about a file that its format cannot read."""


@dataclass(frozen=True)
class KnownDocuments:
    """The known files of one format, and what all of them keep."""

    format: DocumentFormat
    inputs: tuple[bytes, ...]

    @cached_property
    def documents(self) -> list[Any]:
        """The known files as trees."""
        return [self.format.read(data) for data in self.inputs]

    @cached_property
    def mappings(self) -> frozenset[Path]:
        return find_mappings(self.documents)

    @cached_property
    def relations(self) -> tuple[NodeRelation, ...]:
        return find_node_relations(self.documents, self.mappings)

    @cached_property
    def _formats(self) -> list[Property]:
        likely = [("no known file begins with a mark of its encoding", lambda data: data[:3] != MARK), *ENDS]
        if self.format.name in TABLE:
            headers = {str(document["header"]) for document in self.documents}
            likely = [
                ("no known file quotes a field", lambda data: b'"' not in data),
                ("no known file has other columns", lambda data: self._header(data) in headers),
                *likely,
            ]
        return [each for each in likely if all(map(each[1], self.inputs))]

    def _header(self, data: bytes) -> str:
        try:
            return str(self.format.read(data)["header"])
        except NO_DOCUMENT:
            return ""

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Words about documents that break each relation."""
        return (*(each.words for each in self.relations), UNREAD, *(words for words, _ in self._formats))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of the patterns, without places."""
        return (*(each.kind for each in self.relations), UNREAD, *(words for words, _ in self._formats))

    def broken(self, data: bytes) -> frozenset[int]:
        """Numbers of the relations in `kept` that a file breaks."""
        count = len(self.relations)
        found = {number for number, (_, holds) in enumerate(self._formats, count + 1) if not holds(data)}
        try:
            values = self._by_place(self.format.read(data))
        except NO_DOCUMENT:
            return frozenset({*found, count})
        found |= {at for at, each in enumerate(self.relations) if not all(map(each.holds, values.get(each.path, ())))}
        return frozenset(found)

    def why_beyond(self, data: bytes) -> str:
        """Return the pattern of the known files that this one breaks. Empty if it is similar."""
        found = self.broken(data)
        return self.kept[min(found)] if found else ""

    def _by_place(self, document: Any) -> dict[Path, list[Any]]:
        found: dict[Path, list[Any]] = {}
        for _, path, value in nodes(document, self.mappings):
            found.setdefault(path, []).append(value)
        return found

    def changes(self, shown: Sequence[bytes], draw: random.Random) -> Iterator[bytes]:
        """Files with one thing changed, each meant to break one relation; `shown` are those whose values may be
        used."""
        for data in sorted(dict.fromkeys(shown), key=len)[:BASES]:
            base = self.shortened(self.format.read(data))
            places: dict[Path, list[Place]] = {}
            for place, path, _ in nodes(base, self.mappings):
                places.setdefault(path, []).append(place)
            for relation in self.relations:
                here = places.get(relation.path, [])
                for place in dict.fromkeys([*here[:1], *here[-1:], *draw.sample(here, min(1, len(here)))]):
                    yield from self._broken_at(base, relation, place)
            yield from self._as_text(base)

    def alike(self, shown: Sequence[bytes], draw: random.Random) -> Iterator[bytes]:
        """Files with a few values and elements of other known ones that keep all relations."""
        documents = [
            self.format.read(data) if len(data) <= LONG else self.shortened(self.format.read(data)) for data in shown
        ]
        pools: dict[Path, list[Any]] = {}
        for document in documents:
            for path, values in self._by_place(document).items():
                pools.setdefault(path, []).extend(values)
        made = 0
        for turn in range(TRIES if documents else 0):
            document = documents[turn % len(documents)]
            for _ in range(draw.randint(1, 3)):
                document = self._other(document, pools, draw)
            data = self._written(document)
            if data is not None and data not in shown and not self.broken(data):
                yield data
                made += 1
            if made == MOST_ALIKE:
                return

    def _other(self, document: Any, pools: dict[Path, list[Any]], draw: random.Random) -> Any:
        """The document with one value of another, a number between two, or a list with an element less, more or
        elsewhere."""
        place, path, value = draw.choice(
            [node for node in nodes(document, self.mappings) if node[1][:1] != ("header",)]
        )
        if isinstance(value, list):
            return _with(document, place, _rearranged(value, pools.get((*path, EACH), []), draw))
        if isinstance(value, dict):
            return document
        return _with(document, place, _another(value, pools[path], draw))

    def with_value(self, document: Any, place: Place, new: Any) -> bytes | None:
        """Text of a document with another value at one place."""
        return self._written(_with(document, place, new))

    def _broken_at(self, base: Any, relation: NodeRelation, place: Place) -> Iterator[bytes]:
        for new in relation.broken(_at(base, place)):
            if (data := self.with_value(base, place, new)) is not None:
                yield data

    def _written(self, document: Any) -> bytes | None:
        """Text of a document; None for one that the format cannot say."""
        try:
            return self.format.write(document)
        except NO_DOCUMENT:
            return None

    def _as_text(self, base: Any) -> Iterator[bytes]:
        """Other ends of lines, a mark of the encoding, quotes, an empty line, nothing at all."""
        text = self.format.write(base)
        yield text.removesuffix(b"\n") if text.endswith(b"\n") else text + b"\n"
        yield text.replace(b"\n", b"\r\n")
        yield text + b"\n"
        yield MARK + text
        yield b""
        if self.format.quoted:
            yield self.format.quoted(base)
        if self.format.name in TABLE and base["header"]:
            yield from map(self.format.write, _other_columns(base))
        lines = text.split(b"\n")
        yield b"\n".join([*lines[:2], b"", *lines[2:]])
        yield b"\n".join([*lines[:1], b"  ", *lines[1:]])
        yield text[: len(text) // 2]

    def shortened(self, document: Any) -> Any:
        """Return the document with as few list elements as keep all patterns, or the document itself."""
        for most in SHORT_LISTS:
            less = _first(document, most)
            data = self._written(less)
            if data is not None and not self.broken(data):
                return less
        return document


def _at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def _rearranged(values: list[Any], pool: Sequence[Any], draw: random.Random) -> list[Any]:
    """One element less, a known one more, or two exchanged."""
    found = list(values)
    way = draw.randrange(3)
    if way == 0 and len(found) > 1:
        del found[draw.randrange(len(found))]
    elif way == 1 and pool:
        found.insert(draw.randint(0, len(found)), copy.deepcopy(draw.choice(pool)))
    elif len(found) > 1:
        one, other = draw.sample(range(len(found)), 2)
        found[one], found[other] = found[other], found[one]
    return found


def _another(value: Any, pool: Sequence[Any], draw: random.Random) -> Any:
    """Another known value at such a place; often a number between the smallest and the largest."""
    numbers = [each for each in pool if is_number(each)]
    if is_number(value) and draw.random() < 0.7:
        low, high = min(numbers), max(numbers)
        whole = all(isinstance(each, int) for each in (value, low, high))
        return draw.randint(low, high) if whole else round(draw.uniform(low, high), 3)
    if isinstance(value, str) and value.isdigit() and draw.random() < 0.7:
        known = [int(each) for each in pool if isinstance(each, str) and each.isdigit()]
        return str(draw.randint(min(known), max(known)))
    return draw.choice(pool)


def look_at_documents(path: str, known: Sequence[bytes]) -> KnownDocuments | None:
    """Contract of known files that are structured; None for other texts."""
    return _look_at(path, tuple(choose_shortest(known)))


@lru_cache(maxsize=8)  # each seed asks again, and each way of making files
def _look_at(path: str, chosen: tuple[bytes, ...]) -> KnownDocuments | None:
    found = find_format(path, chosen) if chosen and all(map(bytes.strip, chosen)) else None
    return KnownDocuments(found, chosen) if found else None


def _other_columns(table: Any) -> Iterator[Any]:
    """One more, in another order, one less."""
    names, rows = table["header"], table["rows"]
    yield {"header": [*names, "another"], "rows": [{**row, "another": "7"} for row in rows]}
    yield {"header": names[::-1], "rows": [dict(reversed(row.items())) for row in rows]}
    yield {"header": names[:-1], "rows": [{name: row[name] for name in names[:-1]} for row in rows]}


def _first(value: Any, most: int) -> Any:
    if isinstance(value, list):
        return [_first(each, most) for each in value[:most]]
    if isinstance(value, dict):
        return {key: _first(each, most) if key != "header" else each for key, each in value.items()}
    return value


def _with(document: Any, place: Place, new: Any) -> Any:
    """A copy with another value at one place."""
    if not place:
        return new
    found = copy.deepcopy(document)
    inner = found
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = new
    return found
