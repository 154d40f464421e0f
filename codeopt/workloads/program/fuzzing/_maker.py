"""Makes inputs that keep what all known ones keep: other values at their places, fewer and more of what is counted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from codeopt.workloads.contract.program.known_inputs import KnownInputs
from codeopt.workloads.contract.program.layout import EditableInput, InputField, ParsedInput, Place
from codeopt.workloads.contract.program.relations import InputRelation, RelationKind, alphabet

TRIES = 12
"""Number of attempts to keep all patterns by chance, if no repair is known."""
MOST_EVEN = 1 << 50
SHORT = 5000  # bytes; of longer inputs fewer tries
MOST_BYTES = 150_000
"""Approximate maximum size of a longer input, bytes; a known one that is as long stays so."""

RELATED: Mapping[str, Callable[[int, int], int]] = {
    "twice": lambda one, other: 2 * one,
    "twice_another": lambda one, other: 2 * other,
    "sum": lambda one, other: one + other,
    "difference": lambda one, other: abs(one - other),
}
"""Ways to make a number of two others. Rare by chance, and often what a program asks about: a pair with a given sum, in
which nobody may be paired with itself."""
Lines = list[list[bytes]]


@dataclass(frozen=True)
class SizeTarget:
    """Length of a new input, relative to the longest known one."""

    factor: float
    least_bytes: int = 0


class ConstrainedGenerator:
    """Generator of inputs like the known ones; `draw` decides everything."""

    def __init__(
        self, known: KnownInputs, shown: Sequence[ParsedInput], draw: random.Random, scale: float = 1.0
    ) -> None:
        assert known.layout is not None
        self.known, self.draw, self.layout = known, draw, known.layout
        self.shown = shown
        """Known inputs whose values may be used: the others are held out."""
        self.scale = scale
        """Longest known input / longest analysed input."""
        self.numbers = {r.roles[0]: r.detail for r in known.relations if r.kind is RelationKind.RANGE}
        self.lengths, self.counts = known.lengths, known.counts

    def inputs(
        self, base: ParsedInput, ways: Sequence[str], amount: SizeTarget | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Yield one input for each way of choosing values, if a similar one was found."""
        is_short = len(base.write()) < SHORT and (amount is None or amount.factor <= 1)
        for way in ways:
            for _ in range(TRIES if is_short else 2):
                made = self._made(base, way, amount)
                if made is not None and not self.known.why_beyond(made):
                    yield way, made
                    break

    def _made(self, base: ParsedInput, way: str, amount: SizeTarget | None) -> bytes | None:
        draft = EditableInput(base)
        if amount is not None:
            self._resize(draft, amount)
        if way in RELATED:
            if not self._relate(draft, RELATED[way]):
                return None
        else:
            for role in self.layout.roles:
                if role not in self.counts:
                    self._revalue(draft, role, way)
        self._repair(draft)
        return draft.write()

    def with_chain(self, base: ParsedInput, roles: Sequence[InputField], nodes: int, low: int, up: bool) -> bytes:
        """An input with about so many nodes, each joined to the one before it: in two columns, or in a list of
        parents."""
        draft = EditableInput(base)
        longest = max(
            (reading.scalar(role) for reading in self.shown for role in self.counts), default=len(draft.parts[-1])
        )
        self._resize(draft, SizeTarget(max(1.01, nodes / (self.scale * max(1, longest)))))
        lines = draft.lines(roles[0])
        for number, line in enumerate(lines, low):
            if len(roles) == 1:
                line[:] = [b"%d" % (low + at) for at in range(len(line))]
            else:
                ends = (number, number + 1) if up else (number + 1, number)
                for role, end in zip(roles, ends, strict=True):
                    line[role.token or 0] = b"%d" % end
        return draft.write()

    def _relate(self, draft: EditableInput, related: Callable[[int, int], int]) -> bool:
        """Set one number to a result of others, preferably a number that is alone. False if no number may change."""
        roles = [role for role in self.numbers if role not in self.counts and any(draft.lists(role))]
        alone = [role for role in roles if self.layout.parts[role.part].single and role.token is not None]
        if not roles:
            return False
        others = [role for role in roles if role not in alone] or roles
        target = self.draw.choice(alone if alone and self.draw.random() < 0.7 else roles)
        one, other = (int(line[at]) for line, at in (self._place(draft, self.draw.choice(others)) for _ in range(2)))
        low, high = self._ends(draft, target)
        line, at = self._place(draft, target)
        line[at] = b"%d" % (value := related(one, other))
        return low <= value <= high

    def _place(self, draft: EditableInput, role: InputField) -> tuple[list[bytes], int]:
        """Return a line with a token of this role, and the token's place in it."""
        line = self.draw.choice([line for line in draft.lines(role) if line])
        return line, self.draw.randrange(len(line)) if role.token is None else role.token

    def _resize(self, draft: EditableInput, amount: SizeTarget) -> None:
        """Another number at a place that counts, and as much of all that it counts; else of what nothing counts."""
        for role in [self.draw.choice(self.counts)] if self.counts else []:
            known = [reading.scalar(role) for reading in self.shown]
            now = draft.scalar(role)
            size = self._size(_bytes(line for part in draft.parts for line in part) / max(1, now), known, amount)
            draft.put(role, size)
        for number, part in enumerate(self.layout.parts):
            if part.count is not None:
                source = part.count.scalar
                size = draft.scalar(source) + part.count.offset
                draft.parts[number] = self._pieces(draft.parts[number], max(0, size), len(part.widths))
            elif part.rest and not self.counts:
                group = len(part.widths)
                known = [len(reading.parts[number]) // group for reading in self.shown]
                size = self._size(
                    _bytes(draft.parts[number]) / max(1, len(draft.parts[number]) // group), known, amount
                )
                draft.parts[number] = self._pieces(draft.parts[number], max(1, size), group)
        self._relist(draft, amount)

    def _size(self, unit_bytes: float, known: Sequence[int], amount: SizeTarget) -> int:
        """Return a number of units of this size, if known inputs have these numbers of them."""
        if amount.factor <= 1:
            return self.draw.randint(min(known), max(known))
        longest, each = max(1, *known), max(1.0, unit_bytes)
        wanted = max(int(amount.factor * self.scale * longest) + 1, int(amount.least_bytes / each))
        return max(min(longest + 1, int(MOST_BYTES / each)), min(wanted, int(MOST_BYTES / each)))

    def _pieces(self, lines: Lines, groups: int, width: int) -> Lines:
        """A number of groups of lines, in their order as far as there are enough."""
        have = [lines[at : at + width] for at in range(0, len(lines), width)] or self._known_groups(width)
        extra = self.draw.choices(have, k=max(0, groups - len(have))) if have else []
        return [list(line) for group in [*have[:groups], *extra] for line in group]

    def _known_groups(self, width: int) -> list[Lines]:
        found = [
            [list(line) for line in part[at : at + width]]
            for reading in self.shown
            for part, about in zip(reading.parts, self.layout.parts, strict=True)
            if len(about.widths) == width and not about.single
            for at in range(0, len(part), width)
        ]
        return found[:100]

    def _relist(self, draft: EditableInput, amount: SizeTarget) -> None:
        """Adjust lists and words to the numbers that count them. Lists without a count become longer also."""
        for role in self.layout.roles:
            lines = draft.lines(role)
            if role.token is None and role in self.lengths:
                source, more = self.lengths[role]
                size = max(0, draft.scalar(source) + more)
                for line in lines:
                    line[:] = self._more(line, size)
            elif role.token is None and self.layout.parts[role.part].single and not self.counts:
                known = [len(reading.lines(role)[0]) for reading in self.shown]
                size = self._size(_bytes(lines[:1]) / max(1, len(lines[0])), known, amount)
                lines[0][:] = self._more(lines[0], max(1, size))
            elif role.token is not None and role not in self.numbers and self._may_reword(role):
                self._reword(draft, role, amount)

    def _may_reword(self, role: InputField) -> bool:
        """Return True for a word whose length is a number of the input, and for a single one without a count."""
        return role in self.lengths or (not self.counts and self.layout.parts[role.part].single)

    def _reword(self, draft: EditableInput, role: InputField, amount: SizeTarget) -> None:
        tokens = [token for reading in self.shown for token in reading.tokens(role)]
        signs, lines = sorted(alphabet(tokens)) or [97], draft.lines(role)
        for line in lines:
            if role in self.lengths:
                size = min(draft.scalar(self.lengths[role][0]), MOST_BYTES // len(lines))
            else:
                size = self._size(1.0, [len(token) for token in tokens], amount)
            line[role.token or 0] = bytes(self.draw.choices(list(line[role.token or 0]) or signs, k=max(1, size)))

    def _more(self, tokens: Sequence[bytes], size: int) -> list[bytes]:
        kept = list(tokens[:size])
        return [*kept, *self.draw.choices(list(tokens) or [b"0"], k=size - len(kept))]

    def _revalue(self, draft: EditableInput, role: InputField, way: str) -> None:
        """Other values at one place."""
        if way == "one" and self.draw.random() > 1.5 / len(self.layout.roles):
            return
        places = draft.places(role)
        choose = self._chooser(draft, role, way, len(places))
        if way == "shuffled":
            values = [line[at] for line, at in places]
            if role.token is None or not self.layout.parts[role.part].single:
                self.draw.shuffle(values)
            _put(places, values)
            return
        for line, at in [self.draw.choice(places)] if way == "one" and places else places:
            line[at] = choose(line[at])

    def _chooser(self, draft: EditableInput, role: InputField, way: str, count: int) -> Callable[[bytes], bytes]:
        if role in self.numbers:
            low, high = self._ends(draft, role)
            if way == "even":
                return self._evenly([b"%d" % self.draw.randint(low, high) for _ in range(5)], count)
            few = [self.draw.randint(low, high) for _ in range(2)]
            if way == "ends":
                return lambda token: b"%d" % self.draw.choice((low, high))
            if way == "repeated":
                return lambda token: b"%d" % self.draw.choice(few)
            if high - low < MOST_EVEN:  # a third of the time that randint takes
                return lambda token: b"%d" % (low + int(self.draw.random() * (high - low + 1)))
            return lambda token: b"%d" % self.draw.randint(low, high)
        tokens = [t for reading in self.shown for t in reading.tokens(role)[:300]] or [b"a"]
        signs = sorted(alphabet(tokens))
        if way == "even":
            return self._evenly(self.draw.sample(tokens, min(5, len(tokens))), count)
        if way in ("repeated", "ends"):
            some = self.draw.sample(tokens, min(2, len(tokens)))
            return lambda token: self.draw.choice(some)
        if all(t.isdigit() or b"." in t for t in tokens) or self.draw.random() < 0.3:
            return lambda token: self.draw.choice(tokens)
        return lambda token: bytes(self.draw.choices(signs, k=len(token)))

    def _evenly(self, values: Sequence[bytes], count: int) -> Callable[[bytes], bytes]:
        """Return a choice of values with equal frequencies, if their number allows it. Then no value is the most
        frequent."""
        some = next((n for n in range(len(set(values)), 1, -1) if count % n == 0), min(2, len(set(values))))
        turns = cycle(list(dict.fromkeys(values))[:some])
        return lambda token: next(turns)

    def _ends(self, draft: EditableInput, role: InputField) -> tuple[int, int]:
        """Smallest and largest number at a place, as a count bounds it."""
        values = [value for reading in self.shown for value in reading.integers(role)]
        low, high = min(values), max(values)
        bounds = [
            r for r in self.known.relations if r.kind is RelationKind.BOUND and r.roles[0] == role and r.detail < 1
        ]
        tops = [draft.scalar(r.roles[1]) + r.detail for r in bounds]
        bounded = [top for r, top in zip(bounds, tops, strict=True) if r.roles[1] in self.counts]
        high = min(tops) if bounded else min([high, *tops])
        return low, max(low, high)

    def _repair(self, draft: EditableInput) -> None:
        """Restore patterns that other values broke; the orders come last."""
        for relation in self.known.relations:
            if relation.kind is RelationKind.TREE:
                self._connect(draft, relation)
            elif relation.kind is RelationKind.DISTINCT and relation.roles[0] in self.numbers:
                self._set_apart(draft, relation.roles[0])
        for relation in self.known.relations:
            if relation.kind is RelationKind.PAIR:
                self._order_pairs(draft, relation)
            elif relation.kind is RelationKind.ORDER:
                self._sort(draft, relation)

    def _set_apart(self, draft: EditableInput, role: InputField) -> None:
        low, high = self._ends(draft, role)
        for places in draft.lists(role):
            if len({line[at] for line, at in places}) < len(places) <= high - low + 1:
                _put(places, [b"%d" % value for value in self.draw.sample(range(low, high + 1), len(places))])

    def _sort(self, draft: EditableInput, relation: InputRelation) -> None:
        role, down = relation.roles[0], relation.detail in (1, 3)
        key: Callable[[bytes], bytes | int] = int if role in self.numbers else bytes
        lines = draft.lines(role)
        if role.token is None:
            for line in lines:
                line[:] = sorted(line, key=key, reverse=down)
            return
        ordered = sorted(map(list, lines), key=lambda line: key(line[role.token or 0]))  # whole lines with their column
        for line, new in zip(lines, reversed(ordered) if down else ordered, strict=True):
            line[:] = new

    def _order_pairs(self, draft: EditableInput, relation: InputRelation) -> None:
        a, b = relation.roles
        assert a.token is not None
        assert b.token is not None
        low, high = self._ends(draft, a)
        for line in draft.lines(a):
            one, other = int(line[a.token]), int(line[b.token])
            if one == other and relation.detail in (2, 3, 4) and high > low:
                other = one - 1 if one > low else one + 1
            if (relation.detail in (0, 2) and one > other) or (relation.detail in (1, 3) and one < other):
                one, other = other, one
            line[a.token], line[b.token] = b"%d" % one, b"%d" % other

    def _connect(self, draft: EditableInput, relation: InputRelation) -> None:
        """A random tree first; further edges as they are."""
        a, b, count = relation.roles
        assert a.token is not None
        assert b.token is not None
        lines = draft.lines(a)
        nodes = draft.scalar(count)
        low = self.numbers.get(a, 1)
        names = self.draw.sample(range(low, low + nodes), nodes)
        for number, line in enumerate(lines[: nodes - 1], 1):
            one, other = names[number], names[self.draw.randrange(number)]
            line[a.token], line[b.token] = b"%d" % one, b"%d" % other


def _put(places: Iterable[Place], values: Sequence[bytes]) -> None:
    for (line, at), value in zip(places, values, strict=True):
        line[at] = value


def _bytes(lines: Iterable[Sequence[bytes]]) -> int:
    return sum(sum(map(len, line)) + max(1, len(line)) for line in lines)


def shortest_and_longest(readings: Sequence[ParsedInput], most: int) -> list[ParsedInput]:
    """The readings to change, the shortest and the longest among them."""
    ordered = sorted(readings, key=lambda reading: sum(len(part) for part in reading.parts))
    return [*ordered[: most - 1], *ordered[-1:]] if len(ordered) > most else ordered
