"""Long calls near known ones: at least as long as the largest, with an odd item inside, and one ten times as long.

Most generated calls are short, so that people can read them. They miss an error in a candidate that recurses, or that
uses another algorithm from some length on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from codeopt.workloads.generated.derive import SMALL, Maker
from codeopt.workloads.generated.larger import can_grow, grow_call
from codeopt.workloads.generated.vocabulary import Vocabulary
from codeopt.workloads.source.literals import Call, Constructed, read, read_all

BASES = 6
"""The largest known calls that long ones are made of."""
LEAST = 70
"""Items of a long argument: what treats short ones in another way mostly begins to at 16, 32 or 64."""
LONGEST = 150_000
"""Maximum length of a long call, characters."""
ALL = 400_000
"""Maximum length of all long calls together, characters."""
LATE = 20
"""Least length of an argument in which an item of the second half is changed, and places that are looked at for
another item."""
ODD = 12
"""Characters of a text in which something is changed at once."""
TENFOLD = (10, 5, 3)
"""Factors by which the last call is larger; the first that the original can make is taken."""


def long_calls(calls: Sequence[str], count: int, seed: int, words: Vocabulary | None = None) -> list[str]:
    """Up to `count` of them, none of them among `calls`."""
    bases = _largest(calls)
    draw = random.Random(seed)
    if not bases:
        return []
    maker = Maker(draw, bases, words or Vocabulary(), small=False)
    found: dict[str, None] = dict.fromkeys(text for text in _changed_late(bases[0], seed) if text not in calls)
    total = sum(map(len, found))
    for attempt in range(count * 2):
        grown = _lengthened(bases[attempt % len(bases)], draw, seed + attempt)
        call = _with_odd(grown, maker) if grown is not None else None
        text = call.text() if call is not None else ""
        if text and len(text) <= LONGEST and text not in calls:
            found[text] = None
            total += len(text)
        if len(found) == count or total > ALL:
            break
    return list(found)


def _changed_late(base: Call, seed: int) -> Iterator[str]:
    """Yield the largest call with one item of the second half replaced, exchanged, or larger than all others.

    Its length and start stay, so a candidate that recognizes the known call by these is wrong on it.
    """
    draw = random.Random(seed)
    at = max(range(len(base.values)), key=lambda place: _length(base.values[place]))
    if not isinstance(base.values[at], list | str) or not LATE < len(base.values[at]) <= LONGEST // 2:
        return
    value: Any = base.values[at]
    one = draw.randrange(len(value) // 2, len(value))
    others = [place for place in draw.sample(range(len(value)), LATE) if value[place] != value[one]]
    for other in others[:1]:
        first, second = value[one : one + 1], value[other : other + 1]
        changed = value[:one] + second + value[one + 1 :]
        yield base.with_value(at, changed).text()
        yield base.with_value(at, changed[:other] + first + changed[other + 1 :]).text()
    if isinstance(value, list) and {type(item) for item in value} == {int}:
        yield base.with_value(at, [*value[:one], max(value) + 1, *value[one + 1 :]]).text()


def tenfold(calls: Sequence[str], seed: int) -> list[str]:
    """The largest call made still larger, the largest first."""
    bases = _largest(calls)[:1]
    grown = (grow_call(base, factor, seed) for base in bases for factor in TENFOLD)
    texts = (call.text() for call in grown if call is not None)
    return [text for text in texts if len(text) <= 10 * LONGEST]


def as_iterators(text: str, places: Sequence[int], least: int) -> str | None:
    """A call with the lists at some places as iterators over as many items; None where there is no such list."""
    call = read(text)
    lists = [at for at in places if call is not None and at < len(call.values) and isinstance(call.values[at], list)]
    if call is None or not lists or not all(call.values[at] for at in lists):
        return None
    for at in lists:
        value = call.values[at]
        call = call.with_value(at, Constructed("iter", (value * -(-least // len(value)),)))
    return call.text()


def _largest(calls: Sequence[str]) -> list[Call]:
    """Calls that can be made longer, the largest first; of calls of numbers alone those of the largest."""
    ordered = sorted(read_all(calls), key=_size, reverse=True)
    found = []
    for call in ordered:
        if can_grow(call):
            found.append(call)
        if len(found) == BASES:
            break
    return found


def _size(call: Call) -> tuple[int, int]:
    longest = max((_length(value) for value in call.values), default=0)
    return longest, max((abs(value) for value in call.values if type(value) is int), default=0)


def _length(value: Any) -> int:
    sized = isinstance(value, list | tuple | str | bytes | dict | set | frozenset)
    return len(value) if sized else max((_length(part) for part in getattr(value, "values", ())), default=0)


def _lengthened(base: Call, draw: random.Random, seed: int) -> Call | None:
    """At least LEAST items; as many as the base has, or up to three times as many. None for calls of numbers alone."""
    longest = _size(base)[0]
    if longest < 2:
        return None
    factor = max(draw.choice((1, 1, 2, 3)), -(-LEAST // longest))
    if factor == 1:
        return base
    return grow_call(base, factor, seed)


def _with_odd(call: Call, maker: Maker) -> Call | None:
    """Something odd within one long argument, and now and then another short one."""
    places = [at for at, value in enumerate(call.values) if _length(value) > SMALL]
    if not places:
        return None
    at = maker.draw.choice(places)
    maker.others = [value for place, value in enumerate(call.values) if place != at]
    changed = call.with_value(at, _odd(call.values[at], maker))
    short = [place for place in range(len(call.values)) if place not in places]
    if short and maker.draw.random() < 0.3:
        place = maker.draw.choice(short)
        maker.others = [value for other, value in enumerate(changed.values) if other != place]
        changed = changed.with_value(place, maker.change(changed.values[place], place))
    return changed


def _odd(value: Any, maker: Maker) -> Any:
    """One item that is changed, there twice, of the other sign, equal and of another type, or nothing."""
    draw = maker.draw
    if isinstance(value, str):
        at = draw.randint(0, len(value))
        return value[:at] + maker.text(value[at : at + ODD]) + value[at + ODD :]
    if isinstance(value, list) and value:
        at, other = draw.randrange(len(value)), draw.choice(value)
        item = value[at]
        signed = -item if type(item) in (int, float) else maker.change(item)
        ways = [*_put(value, at, [maker.change(item), other, signed, signed]), maker.with_odd(value)]
        return draw.choice([*ways, maker.with_twin(value), value[::-1], maker.ordered(value), value])
    if isinstance(value, Constructed):
        places = [at for at, part in enumerate(value.values) if _length(part) > SMALL]
        return value.with_value(places[0], _odd(value.values[places[0]], maker)) if places else value
    return maker.change(value)


def _put(value: list[Any], at: int, items: Sequence[Any]) -> Iterator[list[Any]]:
    for item in items:
        yield [*value[:at], item, *value[at + 1 :]]
