"""Small changes of a text, one at a time: of its ends and spaces, its lines, single numbers and words, its lists and
counts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from codeopt.workloads.contract.program.formats import EXACT
from codeopt.workloads.contract.program.known_inputs import KnownInputs
from codeopt.workloads.contract.program.layout import EditableInput, InputField, ParsedInput, Place
from codeopt.workloads.contract.program.relations import RelationKind
from codeopt.workloads.contract.program.tokens import NUMBER, PIECES, integer
from codeopt.workloads.program.fuzzing._lengths import shrunk

LARGEST = 5000
"""Bytes of an input that is changed; a longer one is made as short where its text shows how."""
MOST_PLACES = 40
BASES = 3
"""Number of known inputs that are changed, the shortest of several lines or words first."""


def small_changes(known: KnownInputs, shown: Sequence[bytes], draw: random.Random) -> Iterator[bytes]:
    """Inputs with one small thing changed; `shown` are those whose values may be used."""
    bases = _bases(shown)
    yield b""
    yield b"\n"
    for data in bases:
        yield from _of_text(data, draw)
    for data in bases:
        reading = known.layout.read(data) if known.layout else None
        if reading is not None:
            yield from _LaidOut(known, reading, draw).changes()
        else:
            yield from _of_tokens(data, draw)


def _bases(shown: Sequence[bytes]) -> list[bytes]:
    """Short ones with something in them; of equal use, the shorter."""
    short = [data for data in dict.fromkeys(shown) if data.strip() and len(data) <= LARGEST]
    ordered = sorted(short, key=lambda data: (len(data.split()) < 5, len(data)))
    if ordered:
        return ordered[:BASES]
    shortest = min((data for data in shown if data.strip()), key=len, default=b"")
    return [shrunk(shortest, LARGEST / len(shortest)) or _first_lines(shortest)] if shortest else []


def _first_lines(data: bytes) -> bytes:
    """Return the first lines up to a size limit, or the whole text if the first line exceeds it."""
    end = data.rfind(b"\n", 0, LARGEST) + 1
    return data[:end] if end else data


def _of_text(data: bytes, draw: random.Random) -> Iterator[bytes]:
    lines = data.removesuffix(b"\n").split(b"\n")
    end = b"\n" * data.endswith(b"\n")
    yield data.removesuffix(b"\n") if end else data + b"\n"
    yield data.replace(b"\n", b"\r\n")
    yield data + b"\n"
    yield b"\n" + data
    yield data.replace(b" ", b"  ", 1)
    yield data.replace(b" ", b"\t", 1)
    yield data.replace(b" ", b"\t")
    yield b" " + data
    yield data.replace(b"\n", b" \n", 1)
    if len(lines) > 1:
        at = draw.randrange(len(lines) - 1)
        for changed in (
            [*lines[: at + 1], b"", *lines[at + 1 :]], [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
            [*lines, lines[-1]], [*lines[:-1], lines[-2]], lines[::-1], lines[:-1], [lines[0], *lines[2:]],
        ):  # fmt: skip
            yield b"\n".join(changed) + end


def _of_tokens(data: bytes, draw: random.Random) -> Iterator[bytes]:
    """Change one word or number after another, if nothing is known of their places."""
    pieces = PIECES.split(data)
    tokens = [at for at in range(0, len(pieces), 2) if pieces[at]]
    for at in _some(tokens, draw):
        near = pieces[tokens[tokens.index(at) - 1]]
        for new in variants(pieces[at], near):
            yield b"".join([*pieces[:at], new, *pieces[at + 1 :]])


def _some(places: Sequence[int], draw: random.Random) -> list[int]:
    return sorted(draw.sample(places, MOST_PLACES)) if len(places) > MOST_PLACES else list(places)


def variants(token: bytes, near: bytes = b"") -> Iterator[bytes]:
    """Other things in a token's place: of numbers other classes of numbers, of words other alphabets."""
    value = integer(token)
    if near and near != token:
        yield near
    if value is not None:
        for number in (value + 1, value - 1, 0, -1, -value, 2 * value + 1, EXACT + 1, 10**18 + 1):
            yield b"%d" % number
        yield b"%d.5" % value
        yield b"0%d" % value if value >= 0 else b"-0%d" % -value
        yield b"+%d" % abs(value)
    elif NUMBER.fullmatch(token):
        yield from (b"-" + token.lstrip(b"+-"), b"0", b"0.0", token + b"25", b"%d" % (EXACT + 1), b"1e3", b"nan")
    else:
        yield from _other_words(token)


def _other_words(token: bytes) -> Iterator[bytes]:
    for letter in ("\u00e9", "\u00df", "\u0130"):  # of two bytes; of two capitals; of another length in lower case
        yield token[:-1] + letter.encode()
    half = max(1, len(token) // 2)
    yield token[:half] + b" " + (token[half:] or b"b")
    yield token.swapcase()
    yield token.upper()
    yield token + token[-1:]
    if len(token) > 1:
        yield token[:-1]
        yield token[::-1]
    for sign in (b"1", b"-", b"'", b'"', b",", b"."):
        yield token[:-1] + sign


class _LaidOut:
    """Changes of one input by its layout."""

    def __init__(self, known: KnownInputs, base: ParsedInput, draw: random.Random) -> None:
        self.base, self.draw, self.layout = base, draw, base.layout
        self.ends = {
            role: (min(values), max(values))
            for role in dict.fromkeys(r.roles[0] for r in known.relations if r.kind is RelationKind.RANGE)
            if (values := [value for reading in known.readings for value in reading.integers(role)])
        }
        self.scalars = [role for role in self.ends if self.layout.parts[role.part].single and role.token is not None]
        self.lengths, self.counts = known.lengths, known.counts

    def changes(self) -> Iterator[bytes]:
        for role in self.layout.roles:
            yield from self._values(role)
        for size in (0, 1):
            for scalar in self.counts:
                yield self._counted(scalar, size)
        yield from self._lists()
        yield from self._blocks()

    def _values(self, role: InputField) -> Iterator[bytes]:
        """Other values at the first place with this role, the last, and one between."""
        places = EditableInput(self.base).places(role)
        if not places:
            return
        for number in sorted({0, self.draw.randrange(len(places)), len(places) - 1}):
            token = _at(places[number])
            for near in dict.fromkeys((number + step) % len(places) for step in (-1, 1)):
                other = _at(places[near])
                for new in (*variants(token, other), *self._near_numbers(role)):
                    yield self._with(role, {number: new})
                yield self._with(role, {number: other, near: token})

    def _near_numbers(self, role: InputField) -> Iterator[bytes]:
        """Yield values outside of the known range, and next to the numbers at the head."""
        if role in self.ends:
            low, high = self.ends[role]
            yield from (b"%d" % value for value in (low - 1, high + 1, 2 * high + 1))
            for scalar in self.scalars:
                value = self.base.scalar(scalar)
                yield from (b"%d" % near for near in (value, value + 1, value - 1))

    def _with(self, role: InputField, new: dict[int, bytes]) -> bytes:
        draft = EditableInput(self.base)
        places = draft.places(role)
        for number, token in new.items():
            line, at = places[number]
            line[at] = token
        return draft.write()

    def _counted(self, scalar: InputField, size: int) -> bytes:
        """The input with so many of what a number counts."""
        draft = EditableInput(self.base)
        draft.put(scalar, size)
        for number, part in enumerate(self.layout.parts):
            if part.count is not None and part.count.scalar == scalar:
                del draft.parts[number][max(0, size + part.count.offset) * len(part.widths) :]
        for role, (source, offset) in self.lengths.items():
            if source == scalar:
                for line in draft.lines(role):
                    if role.token is None:
                        del line[max(0, size + offset) :]
                    else:
                        line[role.token] = line[role.token][: max(0, size + offset)]
        return draft.write()

    def _lists(self) -> Iterator[bytes]:
        """A list without anything, shorter, longer, in another order."""
        for role in self.layout.roles:
            if role.token is not None:
                continue
            for row, line in enumerate(EditableInput(self.base).lines(role)[:3]):
                for new in ([], line[:1], line[:-1], [*line, *line[-1:]], line[::-1], sorted(line)):
                    draft = EditableInput(self.base)
                    draft.lines(role)[row][:] = new
                    yield draft.write()

    def _blocks(self) -> Iterator[bytes]:
        """Yield inputs with groups of lines exchanged, replaced, removed, or not as many as their count."""
        for number, part in enumerate(self.layout.parts):
            group = len(part.widths)
            lines = EditableInput(self.base).parts[number]
            groups = [lines[at : at + group] for at in range(0, len(lines), group)]
            if part.single or not groups:
                continue
            first, last = groups[0], groups[-1]
            kinds = [
                [last, *groups[1:-1], first], [*groups[:-1], first], [*groups[:-1], [line[::-1] for line in last]],
                [*groups[:-1], [line[::-1] for line in first]], groups[:-1], [*groups, last],
            ]  # fmt: skip
            for new in (*kinds, []) if part.rest else kinds:
                draft = EditableInput(self.base)
                draft.parts[number] = [line for each in new for line in each]
                yield draft.write()


def _at(place: Place) -> bytes:
    line, at = place
    return line[at]
