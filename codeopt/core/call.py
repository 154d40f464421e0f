"""A call as a value: its arguments, what they are made of, and the text by which the sandbox knows it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codeopt_sandbox.guest.calls.recipes import DEEPENED, RECIPE, built
from codeopt_sandbox.guest.calls.repr.structure import number

LONGEST = 200_000
"""Characters of a call that others are made from; longer ones are used as they are."""


@dataclass(frozen=True)
class Opaque:
    """A part of a call that is no plain value and has no parts: `load('m', 'f')`, `unpickle('...')`, a lambda."""

    text: str


@dataclass(frozen=True)
class Constructed:
    """An object made by a class with arguments that can be changed: `load('m', 'C')(1)`, `Decimal('0.1')`,
    `used(load('m', 'C')(1), do.add(2))` after its method `add` was called."""

    maker: str
    """Text of the expression as it is written."""
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments, positional ones first."""
        return (*self.args, *(value for _, value in self.kwargs))

    def with_value(self, at: int, value: Any) -> Constructed:
        """Return the object with another argument at a place of `values`."""
        return Constructed(self.maker, *_put(self.args, self.kwargs, at, value))


@dataclass(frozen=True)
class Recipe:
    """A large generated argument, which the sandbox builds: a container of so many items of some kind."""

    container: str
    size: int
    seed: int
    kind: tuple[Any, ...]
    """Kind of the items, as codeopt_sandbox/guest/calls/recipes.py has it."""
    order: str = ""
    distinct: bool = False

    @cached_property
    def value(self) -> Any:
        """The argument itself."""
        return built(*vars_of(self))

    @property
    def words(self) -> str:
        """`<list of 100,000 items>`."""
        return f"<{self.container} of {self.size:,} {'character' if self.container == 'str' else 'item'}s>"

    def sample(self, most: int) -> Any:
        """The argument with so many items at most."""
        return self.value if self.size <= most else replace(self, size=most).value


def vars_of(recipe: Recipe) -> tuple[Any, ...]:
    """Return what the sandbox builds a recipe's argument from."""
    return recipe.container, recipe.size, recipe.seed, recipe.kind, recipe.order, recipe.distinct


Named = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Call:
    """A call of the function. It is told from others by its text: `f(1)` and `f(True)` are two."""

    args: tuple[Any, ...]
    kwargs: Named = ()

    @cached_property
    def text(self) -> str:
        """The call as the sandbox reads it."""
        return f"f({_given(self.args, self.kwargs)})"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_read(self) -> bool:
        """The values of its arguments are known."""
        return True

    @property
    def can_change(self) -> bool:
        """Its values are known, and it is short enough that others are made from it."""
        return len(self.text) <= LONGEST and self.is_read

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments, positional ones first."""
        return (*self.args, *(value for _, value in self.kwargs))

    def with_value(self, at: int, value: Any) -> Call:
        """Return the call with another value at a place of `values`."""
        return Call(*_put(self.args, self.kwargs, at, value))

    def built(self, most: int = sys.maxsize) -> Call:
        """Return the call with the arguments that its recipes give, at most `most` items each."""
        return Call(
            tuple(_built(value, most) for value in self.args),
            tuple((name, _built(value, most)) for name, value in self.kwargs),
        )


def _built(value: Any, most: int) -> Any:
    if isinstance(value, Recipe):
        return value.sample(most)
    if isinstance(value, Constructed):
        kwargs = tuple((name, _built(part, most)) for name, part in value.kwargs)
        return Constructed(value.maker, tuple(_built(part, most) for part in value.args), kwargs)
    return value


def _put(args: tuple[Any, ...], kwargs: Named, at: int, value: Any) -> tuple[tuple[Any, ...], Named]:
    """Arguments with another one at a place, named ones counted after the others."""
    if at < len(args):
        return (*args[:at], value, *args[at + 1 :]), kwargs
    at -= len(args)
    return args, (*kwargs[:at], (kwargs[at][0], value), *kwargs[at + 1 :])


def with_part(value: Any, at: Any, new: Any) -> Any:
    """An object, a dictionary or a sequence with another part: by its place among `values`, its key or its index."""
    if isinstance(value, Constructed):
        return value.with_value(at, new)
    return {**value, at: new} if isinstance(value, dict) else type(value)([*value[:at], new, *value[at + 1 :]])


def texts_of(calls: Iterable[Call]) -> tuple[str, ...]:
    """Calls as the sandbox reads them."""
    return tuple(call.text for call in calls)


def write(value: Any) -> str:
    """An expression for a plain value."""
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Constructed):
        return f"{value.maker}({_given(value.args, value.kwargs)})"
    if isinstance(value, Recipe):
        return f"{RECIPE}({_joined(vars_of(value))})"
    if isinstance(value, list):
        return f"[{_joined(value)}]"
    if isinstance(value, tuple):
        return f"({_joined(value)}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write(key)}: {write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}([{', '.join(sorted(map(write, value)))}])"
    if isinstance(value, complex):  # its repr loses the sign of a zero
        return f"complex({value.real!r}, {value.imag!r})"
    return number(value) if type(value) is int else repr(value)


def _given(args: Sequence[Any], kwargs: Sequence[tuple[str, Any]]) -> str:
    return ", ".join([*map(write, args), *(f"{name}={write(value)}" for name, value in kwargs)])


def _joined(values: Sequence[Any]) -> str:
    if {type(value) for value in values} <= _BY_REPR:  # long lists of numbers: 20 times as quick
        with suppress(ValueError):  # Python writes no int of more than 4,300 digits
            return repr([*values])[1:-1]
    return ", ".join(map(write, values))


def with_recipes_in_words(value: Any) -> Any:
    """A call as people read it, or a part of one, with words for what its recipes give."""
    if isinstance(value, Recipe):
        return Opaque(value.words)
    for at, part in enumerate(value.values if isinstance(value, Call | Constructed) else ()):
        value = value.with_value(at, with_recipes_in_words(part))
    return value


_BY_REPR = {int, float, str, bool, bytes, type(None)}


def is_deeper(value: Any) -> bool:
    """Return True if the sandbox nests a value deeper than any known one."""
    return isinstance(value, Opaque) and value.text.startswith(f"{DEEPENED}(")
