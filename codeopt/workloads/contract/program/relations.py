"""Relations that all known inputs keep, found by looking: each that could hold is asked of every one of them. As Daikon
finds invariants (Ernst et al. 2001): a list of what is likely, and what no known input breaks stays. A relation that
holds by chance makes a caveat of what would else reject a draft, and so errs on the side of the draft."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations, pairwise

from codeopt.workloads.contract.program.layout import InputField, Layout, ParsedInput
from codeopt.workloads.contract.program.tokens import CANONICAL, NUMBER, integer

CHANCE = 0.1
"""Maximum probability of an order by chance. If the known lists exceed it, the order is ignored."""
MOST_ROLES = 14
"""Maximum number of places whose pairs are looked at."""


class RelationKind(Enum):
    """Kind of a relation, as far as a generator of inputs has to know it to keep it."""

    RANGE = auto()
    LENGTH = auto()
    ORDER = auto()
    DISTINCT = auto()
    BOUND = auto()
    PAIR = auto()
    TREE = auto()
    OTHER = auto()


@dataclass(frozen=True)
class InputRelation:
    """Something that holds of every known input."""

    kind: RelationKind
    roles: tuple[InputField, ...]
    broken: str
    """Words about an input that breaks it: `a number that no known input has there`."""
    holds: Callable[[ParsedInput], bool]
    detail: int = 0
    """For ORDER the kind of order; for LENGTH and BOUND the difference from the number."""


def is_integer(readings: Sequence[ParsedInput], role: InputField) -> bool:
    """Return True if all tokens of a role are integers in the usual notation."""
    tokens = [token for reading in readings for token in reading.tokens(role)]
    return bool(tokens) and all(
        (value := integer(token)) is not None and b"%d" % value == token for token in dict.fromkeys(tokens)
    )


def find_relations(layout: Layout, readings: Sequence[ParsedInput]) -> tuple[InputRelation, ...]:
    """The likely relations that all of these keep."""
    numbers = [role for role in layout.roles if is_integer(readings, role)]
    scalars = [role for role in numbers if layout.parts[role.part].single and role.token is not None]
    many = [role for role in numbers if role not in scalars]
    words = [role for role in layout.roles if role not in numbers]
    found: list[InputRelation] = []

    def keep(relations: Iterator[InputRelation]) -> None:
        found.extend(relation for relation in relations if all(relation.holds(reading) for reading in readings))

    keep(_written(numbers))
    keep(_lengths(layout, scalars))
    keep(_word_lengths(many, layout.roles))
    keep(_bounds(many, scalars))
    keep(_ranges(layout, readings, numbers, found))
    keep(_between(scalars))
    keep(_orders(many, readings))
    keep(_pairs(layout, many))
    keep(_sums(many, scalars))
    keep(_graphs(many, scalars))
    keep(_words(words, readings))
    return tuple(found)


def _written(numbers: Sequence[InputField]) -> Iterator[InputRelation]:
    for role in numbers:
        yield InputRelation(
            RelationKind.OTHER,
            (role,),
            "no known input has another thing than whole numbers there",
            lambda r, role=role: all(map(CANONICAL.fullmatch, r.tokens(role))),  # type: ignore[misc]
        )


def _lengths(layout: Layout, scalars: Sequence[InputField]) -> Iterator[InputRelation]:
    """Lists and words as long as a number says; all lists of a block of one length."""
    for role in layout.roles:
        part = layout.parts[role.part]
        if role.token is not None:
            for scalar in scalars:
                if scalar != role:
                    yield InputRelation(
                        RelationKind.LENGTH,
                        (role, scalar),
                        "in all known inputs a number says how long the words are",
                        lambda r, role=role, s=scalar: all(len(t) == r.scalar(s) for t in r.tokens(role)),  # type: ignore[misc]
                    )
            continue
        for scalar in scalars:
            for offset in (0, -1, 1):
                yield InputRelation(
                    RelationKind.LENGTH, (role, scalar), "in all known inputs a number says how many follow",
                    lambda r, role=role, s=scalar, o=offset: all(  # type: ignore[misc]
                        len(line) == r.scalar(s) + o for line in r.lines(role)
                    ), offset,
                )  # fmt: skip
        for place in (0, 1, 2):  # u k v1 .. vk
            yield InputRelation(
                RelationKind.LENGTH,
                (role, InputField(role.part, role.line, place)),
                "in all known inputs a number says how many follow in its line",
                lambda r, role=role, p=place: all(  # type: ignore[misc]
                    len(line) > p and integer(line[p]) == len(line) - p - 1 for line in r.lines(role)
                ),
            )
        if not part.single:
            yield InputRelation(
                RelationKind.OTHER,
                (role,),
                "in all known inputs these lines are as long as each other",
                lambda r, role=role: len({len(line) for line in r.lines(role)}) <= 1,  # type: ignore[misc]
            )


def _word_lengths(numbers: Sequence[InputField], roles: Sequence[InputField]) -> Iterator[InputRelation]:
    """Words that are as long as a number in the same group of lines says."""
    for number in numbers:
        for role in roles:
            if number.token is not None and role.token is not None and role != number and role.part == number.part:
                words = "in all known inputs a number says how long the words next to it are"
                yield InputRelation(
                    RelationKind.OTHER,
                    (role, number),
                    words,
                    lambda r, role=role, n=number: all(  # type: ignore[misc]
                        len(word) == size for word, size in zip(r.tokens(role), r.integers(n), strict=True)
                    ),
                )


def _bounds(many: Sequence[InputField], scalars: Sequence[InputField]) -> Iterator[InputRelation]:
    """An index lies within a count."""
    for role in many:
        for scalar in scalars:
            for offset in (0, -1):
                yield InputRelation(
                    RelationKind.BOUND, (role, scalar), "in all known inputs these numbers are bounded by another",
                    lambda r, role=role, s=scalar, o=offset: (  # type: ignore[misc]
                        max(r.integers(role), default=-math.inf) <= r.scalar(s) + o
                    ), offset,
                )  # fmt: skip
            yield InputRelation(
                RelationKind.BOUND,
                (scalar, role),
                "in all known inputs these numbers are no less than another",
                lambda r, role=role, s=scalar: min(r.integers(role), default=math.inf) >= r.scalar(s),  # type: ignore[misc]
                1,
            )
        yield InputRelation(
            RelationKind.OTHER,
            (role,),
            "in all known inputs a number is no larger than its own place",
            lambda r, role=role: all(v <= i for i, v in enumerate(r.integers(role), 1)),  # type: ignore[misc]
        )


def _ranges(
    layout: Layout, readings: Sequence[ParsedInput], numbers: Sequence[InputField], found: Sequence[InputRelation]
) -> Iterator[InputRelation]:
    """From the smallest to the largest known; what counts may be larger, and what a count bounds."""
    counts = {*layout.counts, *(r.roles[1] for r in found if r.kind is RelationKind.LENGTH)}
    bounded = {r.roles[0] for r in found if r.kind is RelationKind.BOUND and r.roles[1] in counts}
    for role in numbers:
        values = [value for reading in readings for value in reading.integers(role)]
        low, high = min(values), max(values)
        yield InputRelation(
            RelationKind.RANGE, (role,), "no known input has so small a number there",
            lambda r, role=role, low=low: min(r.integers(role), default=low) >= low, low,  # type: ignore[misc]
        )  # fmt: skip
        if role not in counts and role not in bounded:
            yield InputRelation(
                RelationKind.OTHER,
                (role,),
                "no known input has so large a number there",
                lambda r, role=role, high=high: max(r.integers(role), default=high) <= high,  # type: ignore[misc]
            )
        step = math.gcd(*(value - low for value in values))
        if step > 1 and len(set(values)) >= 5:
            yield InputRelation(
                RelationKind.OTHER,
                (role,),
                "all known numbers there lie on steps, and these do not",
                lambda r, role=role, low=low, step=step: all(  # type: ignore[misc]
                    (v - low) % step == 0 for v in r.integers(role)
                ),
            )


def _between(scalars: Sequence[InputField]) -> Iterator[InputRelation]:
    """Relations between two numbers of the head."""
    for a, b in combinations(scalars[:MOST_ROLES], 2):
        for words, holds in _comparisons():
            yield InputRelation(
                RelationKind.OTHER,
                (a, b),
                f"in all known inputs {words}",
                lambda r, a=a, b=b, holds=holds: holds(r.scalar(a), r.scalar(b)),  # type: ignore[misc]
            )
        for one, other in ((a, b), (b, a)):
            yield InputRelation(
                RelationKind.OTHER,
                (one, other),
                "in all known inputs a graph could have as many edges",
                lambda r, n=one, m=other: r.scalar(m) <= r.scalar(n) * (r.scalar(n) - 1) // 2,  # type: ignore[misc]
            )
            yield InputRelation(
                RelationKind.OTHER,
                (one, other),
                "in all known inputs one number divides another",
                lambda r, n=one, m=other: r.scalar(n) != 0 and r.scalar(m) % r.scalar(n) == 0,  # type: ignore[misc]
            )


def _comparisons() -> tuple[tuple[str, Callable[[int, int], bool]], ...]:
    return (
        ("the first number is no larger than the other", lambda a, b: a <= b),
        ("the first number is no smaller than the other", lambda a, b: a >= b),
        ("the first number is smaller than the other", lambda a, b: a < b),
        ("the first number is larger than the other", lambda a, b: a > b),
        ("two numbers differ", lambda a, b: a != b),
    )


ORDERS: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a <= b, lambda a, b: a >= b, lambda a, b: a < b, lambda a, b: a > b,
)  # fmt: skip
"""Orders by `detail` of a relation: ascending, descending, and both without equal ones."""


def _orders(many: Sequence[InputField], readings: Sequence[ParsedInput]) -> Iterator[InputRelation]:
    """Yield sorted and distinct numbers, unless they are so by chance."""
    for role in many:
        lists = [each for reading in readings for each in reading.lists(role)]
        if not sorted_by_chance(lists):
            for number, order in enumerate(ORDERS):
                yield InputRelation(
                    RelationKind.ORDER, (role,), "all known inputs are sorted there",
                    lambda r, role=role, order=order: all(  # type: ignore[misc]
                        order(a, b) for each in r.lists(role) for a, b in pairwise(map(int, each))
                    ), number,
                )  # fmt: skip
        values = {token for each in lists for token in each}
        crowded = sum(len(each) * (len(each) - 1) / 2 for each in lists) / max(1, len(values))
        if math.exp(-crowded) < 2 * CHANCE:
            yield InputRelation(
                RelationKind.DISTINCT,
                (role,),
                "no known input has a number there twice",
                lambda r, role=role: all(len(set(each)) == len(each) for each in r.lists(role)),  # type: ignore[misc]
            )


def sorted_by_chance(lists: Sequence[Sequence[object]]) -> bool:
    """Return True if such short lists are often sorted by chance."""
    return math.prod(1 / math.factorial(min(len(each), 20)) for each in lists) >= CHANCE


def _pairs(layout: Layout, many: Sequence[InputField]) -> Iterator[InputRelation]:
    """Relations between two numbers of each line, and between lists of one length."""
    for a, b in combinations(many[:MOST_ROLES], 2):
        if a.part == b.part and a.line == b.line and a.token is not None and b.token is not None:
            for number, (words, holds) in enumerate(_comparisons()):
                yield InputRelation(
                    RelationKind.PAIR, (a, b), f"in all lines of known inputs {words}",
                    lambda r, a=a, b=b, holds=holds: all(  # type: ignore[misc]
                        map(holds, r.integers(a), r.integers(b))
                    ), number,
                )  # fmt: skip
            yield InputRelation(
                RelationKind.OTHER,
                (a, b),
                "no known input has the same pair in two lines",
                lambda r, a=a, b=b: _all_differ(  # type: ignore[misc]
                    [frozenset(pair) for pair in zip(r.integers(a), r.integers(b), strict=True)]
                ),
            )
        elif layout.parts[a.part].single and layout.parts[b.part].single:
            for words, holds in _comparisons():
                yield InputRelation(
                    RelationKind.OTHER,
                    (a, b),
                    f"in all known inputs, place by place, {words}",
                    lambda r, a=a, b=b, holds=holds: all(  # type: ignore[misc]
                        map(holds, r.integers(a), r.integers(b))
                    ),
                )


def _all_differ(values: Sequence[object]) -> bool:
    return len(set(values)) == len(values)


def _sums(many: Sequence[InputField], scalars: Sequence[InputField]) -> Iterator[InputRelation]:
    """Sum, largest and smallest of many against a number of the head."""
    parts: tuple[tuple[str, Callable[[Sequence[int]], float]], ...] = (
        ("the sum", sum),
        ("the largest", lambda v: max(v, default=0)),
        ("the smallest", lambda v: min(v, default=0)),
    )
    for role in many:
        for scalar in scalars:
            for name, measure in parts:
                for words, holds in (
                    ("no more than", lambda a, b: a <= b),
                    ("no less than", lambda a, b: a >= b),
                    ("just", lambda a, b: a == b),
                ):
                    yield InputRelation(
                        RelationKind.OTHER,
                        (role, scalar),
                        f"in all known inputs {name} is {words} another number",
                        lambda r, role=role, s=scalar, measure=measure, holds=holds: holds(  # type: ignore[misc]
                            measure(r.integers(role)), r.scalar(s)
                        ),
                    )


def _graphs(many: Sequence[InputField], scalars: Sequence[InputField]) -> Iterator[InputRelation]:
    """Edges that hold all nodes together, or no circle."""
    for a, b in combinations([role for role in many if role.token is not None][:MOST_ROLES], 2):
        if (a.part, a.line) != (b.part, b.line):
            continue
        for scalar in scalars:
            yield InputRelation(
                RelationKind.TREE,
                (a, b, scalar),
                "in all known inputs the edges reach every node",
                lambda r, a=a, b=b, s=scalar: _trees(r.integers(a), r.integers(b)) == (r.scalar(s), 1),  # type: ignore[misc]
            )
        yield InputRelation(
            RelationKind.OTHER,
            (a, b),
            "in all known inputs the edges make no circle",
            lambda r, a=a, b=b: _has_no_circle(r.integers(a), r.integers(b)),  # type: ignore[misc]
        )


def _has_no_circle(a: Sequence[int], b: Sequence[int]) -> bool:
    nodes, trees = _trees(a, b)
    return len(a) == nodes - trees


def _trees(a: Sequence[int], b: Sequence[int]) -> tuple[int, int]:
    """Nodes that have an edge, and the parts that they fall into."""
    above: dict[int, int] = {}

    def top(node: int) -> int:
        above.setdefault(node, node)
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for one, other in zip(a, b, strict=True):
        above[top(one)] = top(other)
    return len(above), sum(node == up for node, up in above.items())


def _words(words: Sequence[InputField], readings: Sequence[ParsedInput]) -> Iterator[InputRelation]:
    """Signs, lengths and how often single signs occur."""
    for role in words:
        tokens = [token for reading in readings for token in reading.tokens(role)]
        if not tokens:
            continue
        signs = alphabet(tokens)
        yield InputRelation(
            RelationKind.OTHER,
            (role,),
            "no known input has such signs there",
            lambda r, role=role, signs=signs: all(signs.issuperset(token) for token in set(r.tokens(role))),  # type: ignore[misc]
        )
        shapes = {_shape(token) for token in tokens}
        yield InputRelation(
            RelationKind.OTHER,
            (role,),
            "no known input has something written like that",
            lambda r, role=role, shapes=shapes: all(_shape(t) in shapes for t in set(r.tokens(role))),  # type: ignore[misc]
        )
        known = set(tokens)
        if len(known) <= 12 and len(tokens) >= 4 * len(known) and max(map(len, known)) > 1:
            yield InputRelation(
                RelationKind.OTHER,
                (role,),
                "no known input has such a word there",
                lambda r, role=role, known=known: known.issuperset(r.tokens(role)),  # type: ignore[misc]
            )
        yield InputRelation(
            RelationKind.OTHER,
            (role,),
            "no known input has a word of this length there",
            lambda r, role=role: len({len(token) for token in r.tokens(role)}) <= 1,  # type: ignore[misc]
        )
        if len(readings) > 2:
            for sign in sorted({sign for token in tokens for sign in token})[:12]:
                often = {b"".join(reading.tokens(role)).count(sign) for reading in readings}
                if len(often) == 1 and often != {0}:
                    yield InputRelation(
                        RelationKind.OTHER,
                        (role,),
                        f"all known inputs have {chr(sign)!r} there as often",
                        lambda r, role=role, sign=sign, often=often: b"".join(r.tokens(role)).count(sign) in often,  # type: ignore[misc]
                    )
        if not sorted_by_chance([list(set(each)) for reading in readings for each in reading.lists(role)]):
            yield InputRelation(
                RelationKind.ORDER,
                (role,),
                "all known words are sorted there",
                lambda r, role=role: all(a <= b for each in r.lists(role) for a, b in pairwise(each)),  # type: ignore[misc]
            )
        if len(tokens) > 6:
            yield InputRelation(
                RelationKind.DISTINCT,
                (role,),
                "no known input has a word there twice",
                lambda r, role=role: all(_all_differ(each) for each in r.lists(role)),  # type: ignore[misc]
            )


def alphabet(tokens: Sequence[bytes]) -> frozenset[int]:
    """Signs that such words are made of: those seen where they are few and seen often, else their whole kinds."""
    seen = {sign for token in tokens for sign in token}
    letters = sum(map(len, tokens))
    found = set(seen)
    for kind in (b"0123456789", bytes(range(97, 123)), bytes(range(65, 91))):
        own = seen & set(kind)
        if own and (len(own) > 8 or letters < 6 * len(own)):
            found |= set(kind)
    return frozenset(found)


def _shape(token: bytes) -> str:
    """Return the notation of a token: `number.3` has three places, `w9/9` is letters and numbers."""
    if (value := integer(token)) is not None:
        return "integer" if b"%d" % value == token else "digits"
    if NUMBER.fullmatch(token):
        return f"number.{len(token.partition(b'.')[2])}"
    return "word"
