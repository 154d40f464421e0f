"""Objects written as calls of their classes, and what has no such call."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import attrs
import pydantic
import pytest

from codeopt_sandbox.guest.calls.arguments import Arguments, CallNamespace
from codeopt_sandbox.guest.calls.controller import compiled
from codeopt_sandbox.guest.calls.listing import ConstructorWriter, makes
from codeopt_sandbox.guest.calls.recipes import with_one_object
from codeopt_sandbox.guest.request import FunctionRef


class Colour(enum.Enum):
    RED = 1


class At(NamedTuple):
    x: int
    y: int = 0


@dataclass
class Entry:
    key: str
    weight: int = 1


@dataclass
class Bag:
    entries: list[Entry] = field(default_factory=list)
    version: int = 0
    _found: dict[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class Slotted:
    __slots__ = ("left", "right")
    left: Any
    right: Any


@attrs.define
class Defined:
    key: str
    _rank: int = 0


class Model(pydantic.BaseModel):
    key: str
    weight: int = 1
    more: dict[str, int] = {}


class Plain:
    def __init__(self, things: Sequence[object], /, size: int = 0, *, colour: Colour = Colour.RED) -> None:
        self.things, self._size, self.colour = list(things), size, colour


class Wide:
    def __init__(self, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0,
                 h: int = 0, i: int = 0) -> None:  # fmt: skip
        self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h, self.i = a, b, c, d, e, f, g, h, i


class Split:
    def __init__(self, text: str) -> None:
        self.words = text.split()


class Counted:
    made = 0

    def __init__(self) -> None:
        Counted.made += 1
        self.number = Counted.made


def knot() -> list[Any]:
    found = Plain([])
    found.things.append(found)
    return [found]


def named(name: str) -> str:
    return f"load({__name__!r}, {name!r})"


NAMES = CallNamespace(FunctionRef(__name__, "", "f"))
WRITTEN = [
    (Entry("a", 2), f"{named('Entry')}('a', weight=2)"),
    (Bag([Entry("a")], 3), f"{named('Bag')}(entries=[{named('Entry')}('a', weight=1)], version=3)"),
    (At(1), f"{named('At')}(1, y=0)"),
    (Slotted(1, Slotted("a", None)), f"{named('Slotted')}(1, {named('Slotted')}('a', None))"),
    (Defined("k", 4), f"{named('Defined')}('k', rank=4)"),
    (Model(key="k", more={"a": 2}), f"{named('Model')}(key='k', more={{'a': 2}})"),
    (Plain([1.5], 2), f"{named('Plain')}([1.5], size=2, colour={named('Colour.RED')})"),
    (Wide(c=4), f"{named('Wide')}(c=4)"),
    ({"a": [At(1, 2)]}, f"{{'a': [{named('At')}(1, y=2)]}}"),
]
NOT_WRITTEN = [Split("a b"), Counted(), Bag(_found={"a": Entry("a")}), [shared := Entry("a"), shared], knot()]


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_an_object_is_the_call_that_makes_it(value: object, text: str) -> None:
    assert ConstructorWriter(__name__).write(value) == text
    assert makes(NAMES, text, value)


@pytest.mark.parametrize(
    "value", NOT_WRITTEN, ids=["other fields", "counted", "private state", "twice", "within itself"]
)
def test_what_its_constructor_does_not_make_is_not_written(value: object) -> None:
    text = ConstructorWriter(__name__).write(value)
    assert text is None or not makes(NAMES, text, value)


def test_methods_that_were_called_stand_behind_the_constructor() -> None:
    steps = [("__init__", (["a"],), {}), ("append", (At(1),), {"twice": True})]
    text = ConstructorWriter(__name__).history(Plain, steps)
    assert text == f"used({named('Plain')}(['a']), do.append({named('At')}(1, y=0), twice=True))"
    assert ConstructorWriter(__name__).history(Plain, [steps[0], *[steps[1]] * 20]) is None


@pytest.mark.parametrize("shared", [True, False])
def test_objects_that_are_written_alike_are_one_where_they_are_shared(shared: bool) -> None:
    at = f"{named('Plain')}(['é'], size=2)"
    arguments = Arguments(FunctionRef(__name__, "", "f"))
    if shared:
        arguments.share()
    calls = (f"f({at}, {{1: {at}, 'a': 1}})", f"f({at}, {named('Plain')}([]))")
    one, other = (arguments.fresh(compiled(with_one_object(call))) for call in calls)
    assert (one[0][0] is other[0][0]) is shared
    assert (one[0][0] is one[0][1][1]) is shared
    assert (vars(one[0][0]), vars(other[0][1])) == (vars(Plain(["é"], 2)), vars(Plain([])))
