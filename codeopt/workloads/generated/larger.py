"""The size of a call, and a call made larger, so that a clock can see it: longer lists and texts, also of those that
an object is made of."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from codeopt.core.call import LONGEST, Call, Constructed, Opaque, Recipe, write
from codeopt.workloads.generated.derive import Maker
from codeopt.workloads.generated.vocabulary import Vocabulary
from codeopt_sandbox.guest.calls.recipes import DEEPENED

SHORT = 2
"""Length of a value that does not give the size of a call if another value, or a number, is larger."""


def size_of(call: Call) -> float:
    """Size of all that is long in a call; of a call of numbers alone the largest, if a float can hold it: no call
    grows by a number that is larger; else that of its short values. 0 of one that cannot be read."""
    lengths = list(_lengths(call))
    numbers = [abs(value) for value in call.values if type(value) is int]
    long = sum(length for length in lengths if length > SHORT)
    return float(long or min(max(numbers, default=sum(lengths)), sys.float_info.max))


def unit_of(call: Call) -> str:
    """What its size counts: `items`, or `n` where it is a number itself."""
    long = any(length > SHORT for length in _lengths(call))
    return "items" if long or not any(type(value) is int for value in call.values) else "n"


def size_by(unit: str, call: Call) -> float:
    """Size of a call among others of which some may be longer."""
    return size_of(call) if unit == "n" else float(sum(_lengths(call)))


def _lengths(value: Call | Constructed) -> Iterator[int]:
    """Lengths of the arguments, and of what objects are made of."""
    for part in value.values:
        if isinstance(part, Recipe):
            yield part.size
        elif isinstance(part, list | str | bytes | dict | set | frozenset):
            yield len(part)
        elif isinstance(part, Constructed):
            yield from _lengths(part)


def _other(value: Constructed, maker: Maker) -> Constructed:
    """Another object of its kind, mostly with another text or number."""
    for at, part in enumerate(value.values):
        if type(part) is str and part and maker.draw.random() < 0.7:
            value = value.with_value(at, part + str(maker.draw.randint(0, 999)))
        elif type(part) in (int, float):
            value = value.with_value(at, maker.change(part))
    return value


MOST_LETTERS = 10**7
"""Characters of a grown call: sizes may be those of a number of forty digits, beside a text."""


def grow(call: Call, factor: int, seed: int = 0) -> Call | None:
    """The call with every list, text and dictionary that has some size `factor` times as long, and varied; None when
    nothing in it can grow, or would grow beyond MOST_LETTERS. A call of numbers alone grows by its largest number."""
    if factor * len(call.text) > MOST_LETTERS and any(map(_grows, call.values)):
        return None
    maker = Maker(random.Random(seed), [call], Vocabulary(), False)
    grown = call
    for at, value in enumerate(call.values):
        grown = grown.with_value(at, _larger(value, factor, maker))
    if grown.values == call.values:
        numbers = [(value, at) for at, value in enumerate(call.values) if type(value) is int and 1 < value < 10**6]
        if not numbers:
            return None
        value, at = max(numbers)
        grown = call.with_value(at, int(value * (1 + factor / 4)) + 1)
    return grown


def can_grow(call: Call) -> bool:
    """Return True if `grow` makes the call larger."""
    return any(map(_grows, call.values)) or any(type(value) is int and 1 < value < 10**6 for value in call.values)


def _grows(value: Any) -> bool:
    if isinstance(value, list | str | bytes):
        return len(value) > 2
    if isinstance(value, dict | set | frozenset):
        return len(value) > 2 and all(type(key) in (int, str) for key in value)
    if isinstance(value, tuple):
        return len(value) > 3 and len({type(item) for item in value}) == 1
    inside = isinstance(value, Constructed) and value.maker.startswith(("load(", "used", "iter", "deque"))
    return inside and any(_grows(part) for part in value.values if isinstance(part, list | Constructed))


def _larger(value: Any, factor: int, maker: Maker) -> Any:
    """A list or a text of some length made longer, and those that an object is made of; others as they are."""
    if not _grows(value):
        return value
    if isinstance(value, list | str | bytes):
        return _longer(value, factor, maker)
    if isinstance(value, dict | set | frozenset):
        # other keys of the same kind, numbers or texts, with values of the known ones
        keys = list(value) if isinstance(value, dict) else sorted(value, key=repr)
        spread = max((abs(key) for key in keys if type(key) is int), default=0) + 1
        found = dict(value) if isinstance(value, dict) else dict.fromkeys(keys)
        for copy in range(1, factor):
            for key in keys:
                new = key + copy * spread if type(key) is int else f"{key}{maker.draw.randint(0, 10 * factor)}"
                found.setdefault(new, found[key])
        return found if isinstance(value, dict) else type(value)(found)
    if isinstance(value, tuple):
        return tuple(_longer(list(value), factor, maker))
    for at, part in enumerate(value.values):
        if isinstance(part, list | Constructed):
            value = value.with_value(at, _larger(part, factor, maker))
    return value


def _longer(value: Any, factor: int, maker: Maker) -> Any:
    """Copies one after another; of lists of numbers and texts each copy is a little different."""
    if not isinstance(value, list):
        return value * factor
    found = list(value)
    whole = [item for item in value if type(item) is int]
    spread = max(map(abs, whole), default=0) * factor
    smallest = min(whole, default=0)
    least = -spread if smallest < 0 else min(smallest, 1)  # zero among numbers that are all above it is another matter
    width = max(spread, 1) - least + 1
    random = maker.draw.random
    if len(whole) == len(value) and width < 2**52:  # the commonest, and long
        return found + [least + int(random() * width) for _ in range((factor - 1) * len(value))]
    for _ in range(factor - 1):
        for item in value:
            if type(item) is int:
                found.append(least + (int(random() * width) if width < 2**52 else maker.draw.randrange(width)))
            elif type(item) is float:
                found.append(maker.draw.uniform(0.5, 1.5) * item)
            elif type(item) is str:
                found.append(maker.texts.shuffled(item))
            elif type(item) is Constructed:
                found.append(_other(item, maker))
            else:
                found.append(item)
    return found


# Calls that are deeper than any known one and exceed the recursion limit.
#
# Only such calls show an error of a candidate that replaces a recursion by a loop. A list of parents, edges or
# followers becomes a chain. A nested value is nested further, and a short list becomes a long one. The original
# decides if a call makes sense.

DEEP = 1200
"""Levels: more than the interpreter's usual limit of a recursion, 1000."""
BASES = 12
"""Number of known calls that are looked at, the largest."""
LEAST = 3
"""Minimum number of items of a chain: a shorter one says nothing."""


def deep_calls(bases: Sequence[Call]) -> list[Call]:
    """One of each way and argument, longer ones last."""
    found: dict[Call, None] = {}
    for at in range(max((len(base.values) for base in bases), default=0)):
        given = [base for base in bases if at < len(base.values)]
        found_chain = chained([base.values[at] for base in given])
        if found_chain is not None:
            value, near = found_chain
            unlike = Opaque(f"{DEEPENED}(None, {write(value)}, 0)")
            found[given[0].with_value(at, value if near else unlike)] = None
        for base in sorted(given, key=lambda each: len(write(each.values[at])))[-BASES:]:
            value = base.values[at]  # deeper nested lists, tuples or dictionaries
            if (shell := _shell(value, value)) is not None:
                found[base.with_value(at, Opaque(f"{DEEPENED}(lambda inner: {shell}, {write(value)}, {DEEP})"))] = None
                break
    # the largest call with DEEP items, unless other long calls have as many
    sized = [(max((len(v) for v in each.values if isinstance(v, list | str)), default=0), each) for each in bases]
    size, largest = max(sized, key=lambda pair: pair[0], default=(0, None))
    if largest is not None and LEAST <= size <= DEEP // 3:
        grown = grow(largest, DEEP // size + 1, 1)
        if grown is not None and len(grown.text) < LONGEST:
            found[grown] = None
    return list(found)


def chained(values: Sequence[Any]) -> tuple[Any, bool] | None:
    """Return a chain in the form that all values have, and whether these are nearly chains. None if no form fits."""
    forms = (
        (_parents, lambda sample: [sample[0], *range(DEEP - 1)]),
        (_others_parents, lambda sample: [*range(sample[0], DEEP)]),
        (_pairs, _chain_of_pairs),
        (_followers, _chain_of_followers),
    )
    for of, make in forms:
        links = [of(value) for value in values]
        long = [(value, link) for value, link in zip(values, links, strict=True) if link is not None and len(link) > 1]
        if len(long) >= LEAST and None not in links:
            sample, link = max(long, key=lambda pair: len(pair[1]))
            # the longest path of predecessors
            depths: dict[Any, int] = {}
            for start in link:
                path: list[Any] = []
                node = start
                while node in link and node not in depths and len(path) <= len(link):
                    path.append(node)
                    node = link[node]
                for number, each in enumerate(reversed(path), depths.get(node, 0) + 1):
                    depths[each] = number
            # a chain is like the known ones where their depth is this share of their length
            return make(sample), max(depths.values(), default=0) >= 0.25 * len(link)
    return None


def _parents(value: Any) -> dict[int, int] | None:
    """Parents in a list that gives for each place an earlier one, for the first itself or none."""
    if not isinstance(value, list) or not value or not all(type(item) is int for item in value):
        return None
    if value[0] not in (-1, 0) or not all(0 <= item < at for at, item in enumerate(value) if at):
        return None
    return dict(enumerate(value[1:], 1))


def _others_parents(value: Any) -> dict[int, int] | None:
    """Parents in a list that gives an earlier node for each from the second on, where the first is node 1."""
    if not isinstance(value, list) or not all(type(item) is int and 0 < item <= at for at, item in enumerate(value, 1)):
        return None
    return dict(enumerate(value, 2))


def _pairs(value: Any) -> dict[int, int] | None:
    """Parents in a list of edges of a tree, which give a later node, or name it first."""
    if not isinstance(value, list) or not all(isinstance(item, list | tuple) and len(item) == 2 for item in value):
        return None
    if not all(type(node) is int and node >= 0 for item in value for node in item):
        return None
    found = {max(item): min(item) for item in value}
    return found if len(found) == len(value) and all(a != b for a, b in found.items()) else None


def _chain_of_pairs(sample: list[Any]) -> list[Any]:
    first = min(min(item) for item in sample)
    upwards = sum(item[0] < item[1] for item in sample) * 2 >= len(sample)
    kind = type(sample[0])
    return [kind((at, at + 1) if upwards else (at + 1, at)) for at in range(first, first + DEEP)]


def _followers(value: Any) -> dict[Any, Any] | None:
    """Predecessors in a mapping of nodes to those that follow each."""
    if not isinstance(value, dict) or len({type(key) for key in value}) > 1:
        return None
    if not all(type(key) in (int, str) for key in value):
        return None
    if not all(isinstance(part, list | tuple | set) for part in value.values()):
        return None
    if not all(type(node) in (int, str) and node in value for part in value.values() for node in part):
        return None
    return {node: key for key, part in value.items() for node in part}


def _chain_of_followers(sample: dict[Any, Any]) -> dict[Any, Any]:
    kind = type(next(part for part in sample.values() if part))
    keys = list(range(DEEP)) if isinstance(next(iter(sample)), int) else [f"n{at}" for at in range(DEEP)]
    return {key: kind([keys[at + 1]] if at + 1 < DEEP else []) for at, key in enumerate(keys)}


def _shell(value: Any, top: Any, depth: int = 2) -> str | None:
    """Return the text of one level, with `inner` in place of the first part of the same kind.

    Plain parts are kept, in a sequence only one of them.
    """
    if not depth or not isinstance(value, list | tuple | dict):
        return None
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for at, part in items:
        alike = type(part) is type(top) and (not isinstance(top, dict) or set(part) == set(top))
        inner = "inner" if alike else _shell(part, top, depth - 1)
        if inner is None:
            continue
        if isinstance(value, dict):
            plain = {key: each for key, each in items if not isinstance(each, list | tuple | dict)}
            return "{" + "".join(f"{write(key)}: {write(each)}, " for key, each in plain.items()) + f"{at!r}: {inner}}}"
        before = (
            value[:at] if isinstance(value, tuple) else [i for i in value if not isinstance(i, list | tuple | dict)][:1]
        )
        after = value[at + 1 :] if isinstance(value, tuple) else []
        parts = [*map(write, before), inner, *map(write, after)]
        return f"[{', '.join(parts)}]" if isinstance(value, list) else f"({', '.join(parts)},)"
    return None


def simpler(value: Any, depth: int = 4) -> Iterator[Any]:
    """Simpler values of the same type: a half of it, then less and less gone, then simpler items."""
    if type(value) in (list, tuple, str, bytes) and value:
        yield value[:0]
        sizes = dict.fromkeys(max(1, len(value) >> halved) for halved in range(1, len(value).bit_length() + 1))
        cuts = ((at, size) for size in sizes for at in range(0, min(len(value), 30 * size), size))
        yield from (value[:at] + value[at + size :] for at, size in cuts)
        for at, item in enumerate(value[:20] if type(value) in (list, tuple) and depth else ()):
            yield from (type(value)([*value[:at], less, *value[at + 1 :]]) for less in simpler(item, depth - 1))
    elif type(value) is int and value:  # nearer to nothing
        step = value - 1 if value > 0 else value + 1
        yield from dict.fromkeys((0, 1 if value > 1 else 0, value // 2, abs(value), step))
    elif type(value) is float and value == value and value not in (0.0, 1.0):
        yield from (0.0, 1.0)
    elif isinstance(value, Constructed):
        yield from _plainer(value, depth)
    elif isinstance(value, dict):
        for key in list(value)[:30]:
            yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, set):
        for item in sorted(value, key=repr)[:30]:
            yield value - {item}


def _plainer(value: Constructed, depth: int) -> Iterator[Any]:
    """An object without what need not be given for it, used less often, made of simpler parts."""
    if value.maker == "used":
        yield value.args[0]
        for at in range(1, len(value.args)):
            yield Constructed("used", (*value.args[:at], *value.args[at + 1 :]))
    for at in range(len(value.kwargs)):
        yield Constructed(value.maker, value.args, (*value.kwargs[:at], *value.kwargs[at + 1 :]))
    for at, part in enumerate(value.values if depth else ()):
        yield from (value.with_value(at, less) for less in simpler(part, depth - 1))
