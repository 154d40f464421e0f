"""A large call in other shapes: its items all distinct or few, in order or not, fewer and more, found or not.

A draft is chosen by its time on a few large calls; what else its users call it with may take longer than before.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codeopt.workloads.function.calls.larger import grow_call
from codeopt.workloads.source.literals import Call, Recipe, read
from codeopt_sandbox.guest.calls.recipes import REVERSED, SORTED

FEW = 3
"""Number of distinct items where many are equal."""
SHORT = 8
"""Divisor of the length of a short variant of the call."""
LONG = 4
"""Factor of the length of a long variant of the call."""
LEAST = 16
"""Items of an argument that has a shape."""
MOST_TEXT = 300_000
FAR = 1_000_003
"""Added to a number that is then not among the others."""


def shapes(text: str, seed: int) -> dict[str, str]:
    """The call in each shape that it can have, by what that is called."""
    call = read(text)
    places = [at for at, value in enumerate(call.values) if _has_shape(value)] if call is not None else []
    if call is None or not places:
        return {}
    draw = random.Random(seed)
    found = {name: _with(call, places, way, draw) for name, way in _WAYS.items()}
    if len(places) > 1:
        found["nothing found"] = _with(call, places[1:], _NOTHING_FOUND, draw)
    if any(isinstance(call.values[at], Recipe) for at in places):
        longer = _with(call, places, _LONGER, draw)
    else:
        longer = grow_call(call, LONG, seed)
    found[f"{LONG} times as long"] = longer
    texts = {name: other.text() for name, other in found.items() if other is not None}
    return {name: each for name, each in texts.items() if each != text and len(each) <= MOST_TEXT}


def _has_shape(value: Any) -> bool:
    return isinstance(value, Recipe) or (isinstance(value, list | str | dict | set) and len(value) >= LEAST)


@dataclass(frozen=True)
class _Way:
    """A transformation of a large argument."""

    of_items: Callable[[list[Any], random.Random], list[Any] | None]
    of_recipe: Callable[[Recipe], Recipe | None]


def _with(call: Call, places: list[int], way: _Way, draw: random.Random) -> Call | None:
    """Return the call with all large arguments transformed. None if one cannot be."""
    for at in places:
        try:
            value = _made_anew(call.values[at], way, draw)
        except TypeError:  # items that have no order, or no hash
            return None
        if value is None:
            return None
        call = call.with_value(at, value)
    return call


def _made_anew(value: Any, way: _Way, draw: random.Random) -> Any:
    """Transform a large argument. None if that is impossible. Raises TypeError."""
    if isinstance(value, Recipe):
        recipe = way.of_recipe(value)
        return recipe if recipe is not None and len(recipe.sample(LEAST)) else None
    items = way.of_items(list(value.items()) if isinstance(value, dict) else list(value), draw)
    return items if items is None else "".join(items) if isinstance(value, str) else type(value)(items)


def _distinct(values: list[Any], draw: random.Random) -> list[Any] | None:
    """Return as many values of the same type, all of them distinct; None where that cannot be done."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        low = -8 * len(values) if min(values) < 0 else 0
        return draw.sample(range(low, low + 16 * len(values)), len(values))
    if kinds == {float}:
        return [draw.uniform(min(values), max(values) + 1) for _ in values]
    if kinds == {str} and all(len(value) == 1 for value in values):
        letters = [chr(code) for code in range(0x61, 0x61 + 4 * len(values)) if chr(code).isalpha()]
        return draw.sample(letters, len(values)) if len(letters) >= len(values) else None
    return [f"{value}{at}" for at, value in enumerate(values)] if kinds == {str} else None


def _few(values: list[Any], draw: random.Random) -> list[Any]:
    return [draw.choice(values[:FEW]) for _ in values]


def _other(value: Any) -> Any:
    """A new value of the same type as `value` that no known call contains."""
    if isinstance(value, tuple):
        return (_other(value[0]), *value[1:])
    return value + FAR if type(value) in (int, float) else f"{value}~" if isinstance(value, str) else value


def _distinct_recipe(recipe: Recipe) -> Recipe | None:
    if recipe.distinct or recipe.container not in ("list", "tuple") or recipe.kind[0] != "int":
        return None
    _, low, high = recipe.kind
    return replace(recipe, kind=("int", low, max(high, low + 16 * recipe.size)), distinct=True)


def _few_recipe(recipe: Recipe) -> Recipe | None:
    if recipe.container not in ("list", "tuple", "str") or recipe.distinct:
        return None
    some = tuple(dict.fromkeys(recipe.sample(LEAST)))[:FEW]
    return replace(recipe, kind=("one of", some)) if all(isinstance(item, int | float | str) for item in some) else None


def _other_recipe(recipe: Recipe) -> Recipe | None:
    if recipe.kind[0] not in ("int", "float") or recipe.container == "dict":
        return None
    name, low, high = recipe.kind
    return replace(recipe, kind=(name, low + FAR, high + FAR))


def _in_order(order: str) -> Callable[[Recipe], Recipe | None]:
    return lambda recipe: replace(recipe, order=order) if recipe.container in ("list", "tuple") else None


_WAYS = {
    "all items distinct": _Way(_distinct, _distinct_recipe),
    "few distinct items": _Way(_few, _few_recipe),
    "sorted": _Way(lambda values, draw: sorted(values), _in_order(SORTED)),
    "sorted the other way round": _Way(lambda values, draw: sorted(values)[::-1], _in_order(REVERSED)),
    "shuffled": _Way(lambda values, draw: draw.sample(values, len(values)), _in_order("")),
    f"1/{SHORT} as long": _Way(
        lambda values, draw: values[: len(values) // SHORT], lambda recipe: replace(recipe, size=recipe.size // SHORT)
    ),
}
_NOTHING_FOUND = _Way(lambda values, draw: [_other(value) for value in values], _other_recipe)
_LONGER = _Way(lambda values, draw: values, lambda recipe: replace(recipe, size=recipe.size * LONG))
