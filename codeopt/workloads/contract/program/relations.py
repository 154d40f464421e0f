"""Relations that all known inputs keep, found by looking: each that could hold is asked of every one of them. As Daikon
finds invariants (Ernst et al. 2001): a list of what is likely, and what no known input breaks stays. A relation that
holds by chance makes a caveat of what would else reject a draft, and so errs on the side of the draft."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from itertools import chain, combinations, pairwise, product
from typing import Any

from codeopt.workloads.contract.program.formats import is_exact
from codeopt.workloads.contract.program.layout import InputField, Layout, ParsedInput
from codeopt.workloads.contract.program.tokens import CANONICAL, NUMBER, integer

CHANCE = 0.1
"""Maximum probability of an order by chance. If the known lists exceed it, the order is ignored."""
MOST_ROLES = 14
"""Maximum number of places whose pairs are looked at."""
FEW_WORDS = 12
"""Maximum number of distinct words that are all that a place may have."""
_FRACTION = re.compile(rb"[+-]?\d*\.\d+")
Compare = Callable[[Any, Any], bool]
Roles = Sequence[InputField]


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

    broken: str
    """Words about an input that breaks it: `a number that no known input has there`."""
    test: Callable[..., bool]
    """Called with an input and the roles."""
    roles: tuple[InputField, ...]
    kind: RelationKind = RelationKind.OTHER
    detail: int = 0
    """For ORDER and PAIR the place in COMPARISONS; for LENGTH and BOUND the difference from the number."""

    def holds(self, reading: ParsedInput) -> bool:
        """Return True if an input keeps it. Raises ValueError if there is a word where it is about numbers."""
        return self.test(reading, *self.roles)


COMPARISONS: tuple[tuple[str, Compare], ...] = (
    ("the first number is no larger than the other", operator.le),
    ("the first number is no smaller than the other", operator.ge),
    ("the first number is smaller than the other", operator.lt),
    ("the first number is larger than the other", operator.gt),
    ("two numbers differ", operator.ne),
)
_MEASURES: tuple[tuple[str, Callable[[Sequence[int]], int]], ...] = (
    ("the sum", sum),
    ("the largest", partial(max, default=0)),
    ("the smallest", partial(min, default=0)),
)
_SIZES = (("no more than", operator.le), ("no less than", operator.ge), ("just", operator.eq))


def _is_integer(readings: Sequence[ParsedInput], role: InputField) -> bool:
    """Return True if all tokens of a role are integers in the usual notation."""
    tokens = [token for reading in readings for token in reading.tokens(role)]
    return bool(tokens) and all(
        (value := integer(token)) is not None and b"%d" % value == token for token in dict.fromkeys(tokens)
    )


def find_relations(layout: Layout, readings: Sequence[ParsedInput]) -> tuple[InputRelation, ...]:
    """The likely relations that all of these keep."""
    numbers = [role for role in layout.roles if _is_integer(readings, role)]
    scalars = [role for role in numbers if layout.parts[role.part].single and role.token is not None]
    many = [role for role in numbers if role not in scalars]
    words = [role for role in layout.roles if role not in numbers]
    found: list[InputRelation] = []
    likely = chain(
        _values(layout),
        (_each("no known input has another thing than whole numbers there", CANONICAL.fullmatch, r) for r in numbers),
        _lengths(layout, scalars),
        _word_lengths(many, layout.roles),
        _bounds(many, scalars),
        _ranges(layout, readings, numbers, found),
        _between(scalars),
        *(_orders(role, [each for reading in readings for each in reading.lists(role)]) for role in many),
        _pairs(layout, many),
        _sums(many, scalars),
        _graphs(many, scalars),
        *(_words(role, readings) for role in words),
    )
    for relation in likely:  # the ranges look at those that are found
        if all(map(relation.holds, readings)):
            found.append(relation)
    return tuple(found)


def _each(words: str, holds: Callable[[bytes], object], role: InputField) -> InputRelation:
    """A relation that holds of each token of a role."""
    return InputRelation(words, lambda r, a: all(map(holds, set(r.tokens(a)))), (role,))


def _values(layout: Layout) -> Iterator[InputRelation]:
    """Blocks and lists that are not empty, and classes of tokens that no known input has at a place."""
    for number, part in enumerate(layout.parts):
        if not part.single:
            words = "no known input is without these lines"
            yield InputRelation(words, lambda r, a: bool(r.parts[a.part]), (InputField(number, 0, None),))
    for role in layout.roles:
        if role.token is None:
            words = "no known input has an empty list there"
            yield InputRelation(words, lambda r, a: all(map(len, r.lines(a))), (role,))
    places = [role for role in layout.roles if role not in layout.counts]
    yield from (_each("no known input has a number of 2**53 or more there", is_exact, role) for role in places)
    for role in places:
        yield _each("no known input has a fraction there", lambda token: not _FRACTION.fullmatch(token), role)
    yield from (_each("all known words there are ASCII", bytes.isascii, role) for role in places)


def _lengths(layout: Layout, scalars: Roles) -> Iterator[InputRelation]:
    """Lists and words as long as a number says; all lists of a block of one length."""
    for role in layout.roles:
        if role.token is not None:
            words = "in all known inputs a number says how long the words are"
            for scalar in scalars:
                if scalar != role:
                    yield InputRelation(words, _are_so_long, (role, scalar), RelationKind.LENGTH)
            continue
        for scalar, more in product(scalars, (0, -1, 1)):
            words, test = "in all known inputs a number says how many follow", partial(_are_so_many, more=more)
            yield InputRelation(words, test, (role, scalar), RelationKind.LENGTH, more)
        for place in (0, 1, 2):  # u k v1 .. vk
            words, count = "in all known inputs a number says how many follow in its line", replace(role, token=place)
            yield InputRelation(words, _follow_in_line, (role, count), RelationKind.LENGTH)
        if not layout.parts[role.part].single:
            words = "in all known inputs these lines are as long as each other"
            yield InputRelation(words, lambda r, a: len({*map(len, r.lines(a))}) <= 1, (role,))


def _are_so_long(r: ParsedInput, words: InputField, size: InputField) -> bool:
    return all(len(word) == r.scalar(size) for word in r.tokens(words))


def _are_so_many(r: ParsedInput, lists: InputField, count: InputField, more: int) -> bool:
    return all(len(line) == r.scalar(count) + more for line in r.lines(lists))


def _follow_in_line(r: ParsedInput, lists: InputField, count: InputField) -> bool:
    at = count.token or 0
    return all(len(line) > at and integer(line[at]) == len(line) - at - 1 for line in r.lines(lists))


def _word_lengths(numbers: Roles, roles: Roles) -> Iterator[InputRelation]:
    """Words that are as long as a number in the same group of lines says."""
    words = "in all known inputs a number says how long the words next to it are"
    for number, role in product(numbers, roles):
        if number.token is not None and role.token is not None and role != number and role.part == number.part:
            yield InputRelation(words, lambda r, a, b: [*map(len, r.tokens(a))] == r.integers(b), (role, number))


def _bounds(many: Roles, scalars: Roles) -> Iterator[InputRelation]:
    """An index lies within a count."""
    for role in many:
        for scalar in scalars:
            for more in (0, -1):
                words, test = "in all known inputs these numbers are bounded by another", partial(_is_within, more=more)
                yield InputRelation(words, test, (role, scalar), RelationKind.BOUND, more)
            words = "in all known inputs these numbers are no less than another"
            yield InputRelation(
                words, lambda r, a, b: min(r.integers(b), default=math.inf) >= r.scalar(a), (scalar, role),
                RelationKind.BOUND, 1,
            )  # fmt: skip
        words = "in all known inputs a number is no larger than its own place"
        yield InputRelation(words, lambda r, a: all(v <= at for at, v in enumerate(r.integers(a), 1)), (role,))


def _is_within(r: ParsedInput, many: InputField, count: InputField, more: int) -> bool:
    return max(r.integers(many), default=-math.inf) <= r.scalar(count) + more


def _ranges(
    layout: Layout, readings: Sequence[ParsedInput], numbers: Roles, found: Sequence[InputRelation]
) -> Iterator[InputRelation]:
    """From the smallest to the largest known; what counts may be larger, and what a count bounds."""
    counts = {*layout.counts, *(r.roles[1] for r in found if r.kind is RelationKind.LENGTH)}
    bounded = {r.roles[0] for r in found if r.kind is RelationKind.BOUND and r.roles[1] in counts}
    for role in numbers:
        values = [value for reading in readings for value in reading.integers(role)]
        yield from _range(role, values, role in counts or role in bounded)


def _range(role: InputField, values: Sequence[int], open_above: bool) -> Iterator[InputRelation]:
    low, high = min(values), max(values)
    step = math.gcd(*(value - low for value in values))
    yield InputRelation(
        "no known input has so small a number there", lambda r, a: min(r.integers(a), default=low) >= low, (role,),
        RelationKind.RANGE, low,
    )  # fmt: skip
    if not open_above:
        words = "no known input has so large a number there"
        yield InputRelation(words, lambda r, a: max(r.integers(a), default=high) <= high, (role,))
    if step > 1 and len(set(values)) >= 5:
        words = "all known numbers there lie on steps, and these do not"
        yield InputRelation(words, lambda r, a: all((value - low) % step == 0 for value in r.integers(a)), (role,))


def _between(scalars: Roles) -> Iterator[InputRelation]:
    """Relations between two numbers of the head."""
    edges = "in all known inputs a graph could have as many edges"
    divides = "in all known inputs one number divides another"
    for pair in combinations(scalars[:MOST_ROLES], 2):
        yield from (InputRelation(f"in all known inputs {words}", _all(holds), pair) for words, holds in COMPARISONS)
        for ends in (pair, pair[::-1]):
            yield InputRelation(edges, lambda r, n, m: r.scalar(m) <= r.scalar(n) * (r.scalar(n) - 1) // 2, ends)
            yield InputRelation(divides, lambda r, n, m: r.scalar(n) != 0 and r.scalar(m) % r.scalar(n) == 0, ends)


def _all(holds: Compare) -> Callable[..., bool]:
    """Test of the numbers at two places, one after the other."""
    return lambda r, a, b: all(map(holds, r.integers(a), r.integers(b)))


def _in_order(holds: Compare, kind: Callable[[bytes], Any]) -> Callable[..., bool]:
    return lambda r, a: all(holds(one, two) for each in r.lists(a) for one, two in pairwise(map(kind, each)))


def _are_distinct(r: ParsedInput, role: InputField) -> bool:
    return all(map(_all_differ, r.lists(role)))


def _all_differ(values: Sequence[object]) -> bool:
    return len(set(values)) == len(values)


def _orders(role: InputField, lists: Sequence[Sequence[bytes]]) -> Iterator[InputRelation]:
    """Yield sorted and distinct numbers, unless they are so by chance."""
    if not sorted_by_chance(lists):
        for number, (_, order) in enumerate(COMPARISONS[:4]):
            test = _in_order(order, int)
            yield InputRelation("all known inputs are sorted there", test, (role,), RelationKind.ORDER, number)
    values = {token for each in lists for token in each}
    crowded = sum(len(each) * (len(each) - 1) / 2 for each in lists) / max(1, len(values))
    if math.exp(-crowded) < 2 * CHANCE:
        words = "no known input has a number there twice"
        yield InputRelation(words, _are_distinct, (role,), RelationKind.DISTINCT)


def sorted_by_chance(lists: Sequence[Sequence[object]]) -> bool:
    """Return True if such short lists are often sorted by chance."""
    return math.prod(1 / math.factorial(min(len(each), 20)) for each in lists) >= CHANCE


def _pairs(layout: Layout, many: Roles) -> Iterator[InputRelation]:
    """Relations between two numbers of each line, and between lists of one length."""
    for pair in combinations(many[:MOST_ROLES], 2):
        a, b = pair
        if a.part == b.part and a.line == b.line and a.token is not None and b.token is not None:
            for number, (words, holds) in enumerate(COMPARISONS):
                words = f"in all lines of known inputs {words}"
                yield InputRelation(words, _all(holds), pair, RelationKind.PAIR, number)
            yield InputRelation("no known input has the same pair in two lines", _have_no_pair_twice, pair)
        elif layout.parts[a.part].single and layout.parts[b.part].single:
            for words, holds in COMPARISONS:
                yield InputRelation(f"in all known inputs, place by place, {words}", _all(holds), pair)


def _have_no_pair_twice(r: ParsedInput, a: InputField, b: InputField) -> bool:
    return _all_differ([frozenset(pair) for pair in zip(r.integers(a), r.integers(b), strict=True)])


def _sums(many: Roles, scalars: Roles) -> Iterator[InputRelation]:
    """Sum, largest and smallest of many against a number of the head."""
    for role, scalar, (name, measure), (words, holds) in product(many, scalars, _MEASURES, _SIZES):
        test = partial(_is_sized, measure=measure, holds=holds)
        yield InputRelation(f"in all known inputs {name} is {words} another number", test, (role, scalar))


def _is_sized(
    r: ParsedInput, many: InputField, scalar: InputField, measure: Callable[[Sequence[int]], int], holds: Compare
) -> bool:
    return holds(measure(r.integers(many)), r.scalar(scalar))


def _graphs(many: Roles, scalars: Roles) -> Iterator[InputRelation]:
    """Pairs in lines are the edges of a tree or forest."""
    for a, b in combinations([role for role in many if role.token is not None][:MOST_ROLES], 2):
        if (a.part, a.line) == (b.part, b.line):
            words = "in all known inputs the edges reach every node"
            yield from (InputRelation(words, _are_a_tree, (a, b, scalar), RelationKind.TREE) for scalar in scalars)
            yield InputRelation("in all known inputs the edges make no circle", _make_no_circle, (a, b))


def _are_a_tree(r: ParsedInput, a: InputField, b: InputField, count: InputField) -> bool:
    return _trees(r.integers(a), r.integers(b)) == (r.scalar(count), 1)


def _make_no_circle(r: ParsedInput, a: InputField, b: InputField) -> bool:
    nodes, trees = _trees(r.integers(a), r.integers(b))
    return len(r.integers(a)) == nodes - trees


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


def _words(role: InputField, readings: Sequence[ParsedInput]) -> Iterator[InputRelation]:
    """Signs, lengths and how often single signs occur."""
    tokens = [token for reading in readings for token in reading.tokens(role)]
    if not tokens:
        return
    signs, shapes, known = alphabet(tokens), {shape(token) for token in tokens}, set(tokens)
    yield _each("no known input has such signs there", signs.issuperset, role)
    yield _each("no known input has something written like that", lambda token: shape(token) in shapes, role)
    if len(known) <= FEW_WORDS and len(tokens) >= 4 * len(known) and max(map(len, known)) > 1:
        yield _each("no known input has such a word there", known.__contains__, role)
    words = "no known input has a word of this length there"
    lengths = {*map(len, tokens)}
    if len(lengths) == 1:
        yield _each(words, lambda token: len(token) in lengths, role)
    else:  # as long as each other, and each input has its own length
        yield InputRelation(words, lambda r, a: len({*map(len, r.tokens(a))}) <= 1, (role,))
    for sign in sorted({sign for token in tokens for sign in token})[:12] if len(readings) > 2 else ():
        often = {_count(reading, role, sign) for reading in readings}
        if len(often) == 1 and often != {0}:
            test = partial(_has_as_often, sign=sign, often=often.pop())
            yield InputRelation(f"all known inputs have {chr(sign)!r} there as often", test, (role,))
    if not sorted_by_chance([list(set(each)) for reading in readings for each in reading.lists(role)]):
        words, sorted_words = "all known words are sorted there", _in_order(operator.le, bytes)
        yield InputRelation(words, sorted_words, (role,), RelationKind.ORDER)
    if len(tokens) > 6:
        yield InputRelation("no known input has a word there twice", _are_distinct, (role,), RelationKind.DISTINCT)


def _count(r: ParsedInput, role: InputField, sign: int) -> int:
    return b"".join(r.tokens(role)).count(sign)


def _has_as_often(r: ParsedInput, role: InputField, sign: int, often: int) -> bool:
    return _count(r, role, sign) == often


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


def shape(token: bytes) -> str:
    """Return the notation of a token: `number.3` has three places, `w9/9` is letters and numbers."""
    if (value := integer(token)) is not None:
        return "integer" if b"%d" % value == token else "digits"
    if NUMBER.fullmatch(token):
        return f"number.{len(token.partition(b'.')[2])}"
    return "word"
