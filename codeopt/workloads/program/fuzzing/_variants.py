"""Other values in a value's place, one at a time: each kind of thing that a program may not expect there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any

from codeopt.workloads.contract.program.inputs import EACH
from codeopt.workloads.contract.properties import LARGE
from codeopt.workloads.source.literals import Call
from codeopt.workloads.source.module_graph import read_module

NEAR_SQUARE = 94906268**2 - 1
"""An odd number beyond 2**53, which a float does not hold, and whose root a float rounds up."""
DEPTH = 6
MOST_NUMBERS = 12
"""Numbers of a program's text that are tried."""
MOST = 24
"""Maximum number of inputs at them."""
LONGEST = 100
"""Largest length that is tried; a value may be larger."""


def variants(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """Values with one part changed, within the first, the last and the second item of each list."""
    if type(value) is int:
        yield from (value + 1, value - 1, 0, -1, -value, 2 * value + 1, NEAR_SQUARE, 10**18 + 1, value + 0.5)
        yield f"{value}x"
        yield from (f"0{value}", f"+{value}", None)
    elif type(value) is float:
        yield from (-value, 0.0, value + 0.0625, float(LARGE), int(value), "nan", "1e3", f"{value}x", None)
    elif isinstance(value, str):
        yield from _other_texts(value)
    elif not isinstance(value, list | dict | tuple):
        yield from (not value, 7, "text")
    elif depth:
        yield from _other_lists(value, depth) if isinstance(value, list) else _other_records(value, depth)


def _other_records(value: Any, depth: int) -> Iterator[Any]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    if isinstance(value, dict):
        yield from ({name: value[name] for name in value if name != key} for key in keys)
    for key in keys:
        for new in variants(value[key], depth - 1):
            yield {**value, key: new} if isinstance(value, dict) else (*value[:key], new, *value[key + 1 :])
    if isinstance(value, dict):
        yield {**value, "another": next(iter(value.values()), 7)}
        yield {}
    elif len(value) > 1:
        yield (value[1], value[0], *value[2:])


def _other_texts(text: str) -> Iterator[Any]:
    half = max(1, len(text) // 2)
    # of two bytes; of two capitals; of another length in lower case
    yield from (f"{text[:-1]}{letter}" for letter in "\u00e9\u00df\u0130")
    yield from ("", text.upper(), text.lower(), text.swapcase(), text + text[-1:], text[:-1], text[::-1])
    yield from (f"{text[:half]} {text[half:] or 'b'}", f" {text}", f"{text} ", f"{text}\nb", f"{text}7", "7", "other")
    yield from (f"{text[:-1]}{sign}" for sign in "1-'\",.;")
    yield from (7, None, [text])


def _other_lists(value: list[Any], depth: int) -> Iterator[Any]:
    yield from ([], value[:1], value[:-1], value[1:], [*value, *value[-1:]], [*value, *value[:1]], value[::-1])
    if len(value) > 1:
        yield [value[1], value[0], *value[2:]]
        yield [*value[:-1], value[0]]
    for at in sorted({0, 1, len(value) - 1} & {*range(len(value))}):
        for new in variants(value[at], depth - 1):
            yield [*value[:at], new, *value[at + 1 :]]
        if at and isinstance(value[at], dict):  # one field as of the first record
            first = value[0] if isinstance(value[0], dict) else {}
            yield from ([*value[:at], {**value[at], key: first[key]}, *value[at + 1 :]] for key in first)


def boundaries(source: str) -> list[int]:
    """The numbers of a program's text, each with its neighbours."""
    found = [each.value for each in ast.walk(read_module(source)) if isinstance(each, ast.Constant)]
    numbers = dict.fromkeys(value for value in found if type(value) is int and 2 < value < 10**6)
    near = (each for value in list(numbers)[:MOST_NUMBERS] for each in (value, value + 1, value - 1))
    return list(dict.fromkeys(near))


def boundaries_in(
    base: Call, names: Sequence[str], pools: Mapping[tuple[Any, ...], Sequence[Any]], near: Sequence[int]
) -> Iterator[Call]:
    """A call with one value, or one length, at a boundary that no known value at its place has, by turns.

    `if len(name) <= 15` differs from `< 15` on words of 15 letters alone.
    """
    places = {(names.index(path[0]), path): _others(pool, near) for path, pool in pools.items()}

    def changed(at: int, path: Sequence[Any], new: Any) -> Call | None:
        value = _put(base.args[at], path[1:], new)
        return None if value is None else base.with_value(at, value)

    made = (map(partial(changed, *place), news) for place, news in places.items())
    return islice((call for turn in zip_longest(*made) for call in turn if call is not None), MOST)


def _put(value: Any, path: Sequence[Any], new: Any) -> Any:
    """A value with another part at the first place of a path. None if it has none."""
    if not path:
        return new
    step = 0 if path[0] == EACH and isinstance(value, list) else path[0]
    if isinstance(value, dict):
        return {**value, step: _put(value[step], path[1:], new)} if step in value else None
    if not isinstance(value, list | tuple) or type(step) is not int or step >= len(value):
        return None
    inner = _put(value[step], path[1:], new)
    return type(value)(chain(value[:step], [inner], value[step + 1 :])) if inner is not None else None


def _others(known: Sequence[Any], near: Sequence[int]) -> Iterator[Any]:
    """Values of one kind at the boundaries: numbers as they are, texts by their length."""
    if all(type(each) in (int, float) for each in known):
        yield from (number for number in near if number not in known)
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
