"""Judge whether an input is like the known ones, or beyond them and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from codeopt.workloads.contract.program.formats import Property, block_relations, shared, shared_lines
from codeopt.workloads.contract.program.layout import InputField, Layout, ParsedInput, find_layout
from codeopt.workloads.contract.program.relations import InputRelation, RelationKind, find_relations, shape
from codeopt.workloads.contract.program.tokens import PIECES, integer, read_text

LOOKED_AT = 300_000
"""Bytes of all known inputs together whose relations are looked for; the shortest come first."""
LAID_OUT = 12
"""Number of known inputs that show the layout; the others are read by it."""
LAID_OUT_WORDS = "no known input is laid out like that"


@dataclass(frozen=True)
class KnownInputs:
    inputs: tuple[bytes, ...]
    layout: Layout | None
    readings: tuple[ParsedInput, ...]
    relations: tuple[InputRelation, ...]

    def why_beyond(self, data: bytes) -> str:
        """Return a property of the known inputs that this one lacks. Empty if it is similar."""
        for words, holds in self._formats:
            if not holds(data):
                return words
        if self.layout is None:
            return "" if self._has_known_shape(data) else "no known input has lines like these"
        reading = self.layout.read(data)
        if reading is None:
            return LAID_OUT_WORDS
        for relation in self.relations:
            if not relation.holds(reading):
                return relation.broken
        if self._loose and not self._has_known_shape(data):
            return "no known input has lines like these"
        return ""

    @cached_property
    def lengths(self) -> dict[InputField, tuple[InputField, int]]:
        """Number elsewhere that says how long a list or word is, and what to add to it."""
        told = (r for r in self.relations if r.kind is RelationKind.LENGTH and r.roles[1].part != r.roles[0].part)
        lengths: dict[InputField, tuple[InputField, int]] = {}
        for relation in told:
            lengths.setdefault(relation.roles[0], (relation.roles[1], relation.detail))
        return lengths

    @cached_property
    def counts(self) -> list[InputField]:
        """Places of numbers that say how many lines, tokens or letters there are elsewhere."""
        parts = self.layout.parts if self.layout else ()
        lines = (part.count.scalar for part in parts if part.count)
        return [*dict.fromkeys((*lines, *(scalar for scalar, _ in self.lengths.values())))]

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Words about inputs that break each of the relations; two places may have the same words."""
        laid_out = () if self.layout is None else (*(each.broken for each in self.relations), LAID_OUT_WORDS)
        return (*laid_out, *(words for words, _ in (*self._formats, *self._lines)))

    def broken(self, data: bytes) -> frozenset[int]:
        """Numbers of the relations in `kept` that this input breaks; without those that its layout leaves open."""
        first = 0 if self.layout is None else len(self.relations) + 1
        found = {number for number, (_, holds) in enumerate((*self._formats, *self._lines), first) if not holds(data)}
        if self.layout is not None:
            reading = self.layout.read(data)
            if reading is None:
                return frozenset({*found, first - 1})
            found |= {number for number, each in enumerate(self.relations) if _breaks(each, reading)}
        return frozenset(found)

    def why_lines(self, data: bytes) -> str:
        """Return a property of the known inputs' lines that this one lacks, in any layout, or empty."""
        likely = dict((*self._formats, *shared_lines(self.inputs)))
        return next((words for words, holds in likely.items() if not holds(data)), "")

    @cached_property
    def _formats(self) -> list[Property]:
        of_blocks = block_relations(self.inputs) if self.layout is None or self._has_rest else []
        return [*shared(self.inputs, lines=self.layout is None), *of_blocks]

    @cached_property
    def _has_rest(self) -> bool:
        """Lines that nothing counts."""
        return self.layout is not None and any(part.rest for part in self.layout.parts)

    @cached_property
    def _lines(self) -> list[Property]:
        """Return relations of lines without a count. In a known layout they give no caveat, but are still broken."""
        return shared_lines(self.inputs) if self._has_rest else []

    @cached_property
    def _loose(self) -> bool:
        """Lists whose lengths nothing says: what they mean is not known."""
        assert self.layout is not None
        told = {relation.roles[0] for relation in self.relations if relation.kind is RelationKind.LENGTH}
        lists = [role for role in self.layout.roles if role.token is None and role not in told]
        return any(not self.layout.parts[role.part].single and self._is_numeric(role) for role in lists)

    def _is_numeric(self, role: InputField) -> bool:
        tokens = [token for reading in self.readings for token in reading.tokens(role)[:500]]
        return 2 * sum(integer(token) is not None for token in tokens) > len(tokens)

    def _has_known_shape(self, data: bytes) -> bool:
        """Every line as long as in some known input, and what may count something as it is there."""
        pieces = tuple(PIECES.split(data))
        return any(
            len(pieces) == len(known)
            and all(pieces[at] == known[at] for at in fixed)
            and all(shape(a) == shape(b) for a, b in zip(pieces[::2], known[::2], strict=True))
            for known, fixed in self._shapes
        )

    @cached_property
    def _shapes(self) -> list[tuple[tuple[bytes, ...], list[int]]]:
        found = []
        for data in self.inputs:
            text = read_text(data)
            free = {at for at in text.free if text.pieces[at] not in (b"0", b"-1") and not _alone(text.pieces, at)}
            found.append((text.pieces, [at for at in range(len(text.pieces)) if at not in free]))
        return found


def _breaks(relation: InputRelation, reading: ParsedInput) -> bool:
    """Return True if an input breaks a relation. A relation of numbers is open if another token is there."""
    try:
        return not relation.holds(reading)
    except ValueError:
        return False


def _alone(pieces: Sequence[bytes], at: int) -> bool:
    """The only token of its line."""
    before = at == 0 or b"\n" in pieces[at - 1]
    after = at + 1 >= len(pieces) or b"\n" in pieces[at + 1]
    return before and after


def look_at(inputs: Sequence[bytes]) -> KnownInputs:
    """Contract of the known inputs, the shortest of them first, as far as it can be found in little time."""
    return _look_at(tuple(choose_shortest(inputs)))


@lru_cache(maxsize=8)  # each seed asks again, and each way of making inputs
def _look_at(chosen: tuple[bytes, ...]) -> KnownInputs:
    layout = find_layout(_spread(chosen, LAID_OUT)) if any(chosen) else None
    readings = [layout.read(data) for data in chosen] if layout else []
    if layout is None or None in readings:
        return KnownInputs(chosen, None, (), ())
    read = tuple(reading for reading in readings if reading is not None)
    return KnownInputs(chosen, layout, read, find_relations(layout, read))


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


def _spread(inputs: Sequence[bytes], most: int) -> Sequence[bytes]:
    """The shortest and the longest, and some between."""
    if len(inputs) <= most:
        return inputs
    step = (len(inputs) - 1) / (most - 1)
    return [inputs[round(number * step)] for number in range(most)]
