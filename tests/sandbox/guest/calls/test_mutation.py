"""Changes that a caller makes of arguments and results: what is another object, what is changed in place."""

from __future__ import annotations

import copy
import datetime
from collections import OrderedDict, deque
from typing import Any

import pytest

from codeopt_sandbox.guest.calls.mutation import Apart, InPlace, Joined, corrupt_result, mutable_parts, mutate_result


class Box:
    """What it holds is its own, or its callers' to set."""

    def __init__(self, **state: Any) -> None:
        vars(self).update(state)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return 1


class Asks(Box):
    def __call__(self) -> None:
        """Can be called."""


DAY = datetime.date(2020, 1, 2)


@pytest.mark.parametrize(
    ("old", "new", "in_place", "done", "closed"),
    [
        ([1, 2], [3], True, True, False),
        ([1, 2], [1, 2], True, False, False),
        ([1], [1, 1], True, True, False),
        (deque([1]), deque([2]), True, True, False),
        (bytearray(b"a"), bytearray(b"b"), True, True, False),
        ({1, 2}, {2, 3}, True, True, False),
        ({1}, {1}, True, False, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True, False),
        ({"a": [1]}, {"a": [1]}, True, False, False),
        ({"a": 1}, {"a": 2}, True, True, False),
        ([[[1]]], [[[2]]], True, True, False),
        ([1], (1,), False, False, False),
        ((1, [2]), (1, [3]), False, False, False),
        (5, 6, False, False, False),
        (OrderedDict(a=1), OrderedDict(a=2), False, False, False),
        (Box(a=1), Box(a=2), True, True, False),
        (Box(a=1), Box(a=1), True, False, False),
        (Box(a=1, _kept=2), Box(a=3), True, True, False),
        (Box(a=1, _own=2), Box(a=3, _own=2), False, False, True),
        (Box(a=1), Box(), False, False, False),
        (Asks(a=1), Asks(a=2), False, False, False),
    ],
)
def test_an_argument_becomes_another(old: Any, new: Any, in_place: bool, done: bool, closed: bool) -> None:
    """In place if its caller could; what a call has put there stays."""
    change, kept = InPlace(), dict(getattr(old, "__dict__", {}))
    (found,), more = change.of_call(((old,), {}), ((new,), {}))
    assert (found is old, found is new, more) == (in_place, not in_place, {})
    assert (change.done, change.closed) == (done, closed)
    expected = Box(**vars(new), _kept=2) if "_kept" in kept else new
    assert (found, list(found) if isinstance(found, dict) else ()) == (
        expected,
        list(new) if isinstance(new, dict) else (),
    )


def test_calls_of_other_arguments_are_not_alike() -> None:
    one = (([1],), {"k": [1]})
    for other in ((([1], 2), {"k": [1]}), (([1],), {"j": [1]})):
        assert InPlace().of_call(copy.deepcopy(one), other) is other
    args, kwargs = InPlace().of_call(one, (([2],), {"k": [3]}))
    assert (args[0] is one[0][0], kwargs["k"] is one[1]["k"], one) == (True, True, (([2],), {"k": [3]}))


def nested(depth: int, value: int) -> list[Any]:
    return [nested(depth - 1, value)] if depth else [value]


@pytest.mark.parametrize(("depth", "same"), [(5, True), (6, False)])
def test_so_deep_it_is_changed(depth: int, same: bool) -> None:
    old, new = nested(depth, 1), nested(depth, 2)
    inner = old
    for _ in range(depth):
        inner = inner[0]
    InPlace().of_call(((old,), {}), ((new,), {}))
    assert (inner == [2], old) == (same, new)


@pytest.mark.parametrize(
    ("value", "apart"),
    [
        (1024, False), (1025, True), (-5, False), (-6, True), ("a", False), ("ab", True), (b"a", False), (b"ab", True),
        (1.5, True), (float("nan"), False), (True, False), (None, False), (DAY, True), (int, False),
    ],
)  # fmt: skip
def test_a_part_is_an_equal_other_object(value: Any, apart: bool) -> None:
    """Where Python has more than one of it; the containers that can be changed stay the same."""
    box = Box(a=value)
    box.__class__ = type("Mine", (Box,), {"__module__": "mod"})
    held: list[Any] = [[value], {value: value}, deque([value]), box, (value, [value])]
    (list_, dict_, deque_, box_, tuple_), more = Apart("mod").call((tuple(held), {"k": value}))
    found = [list_[0], *dict_, *dict_.values(), deque_[0], box_.a, tuple_[0], tuple_[1][0], more["k"]]
    assert [each is not value for each in found] == [apart] * 8
    assert all(each == value or value != value for each in found)
    assert [each is was for each, was in zip((list_, dict_, deque_, box_), held, strict=False)] == [True] * 4


def test_objects_of_others_are_left_alone() -> None:
    box, some = Box(a="ab"), {"ab"}
    was = box.a, next(iter(some))
    Apart("mod").call(((box, some), {}))
    assert (box.a is was[0], next(iter(some)) is was[1]) == (True, True)


def test_equal_values_become_one_object() -> None:
    days = [datetime.date(2020, 1, day) for day in (2, 2, 3)]
    joiner = Joined("mod")
    (found,), _ = joiner.call(((days,), {}))
    assert (found[0] is found[1], found[0] is found[2], joiner.met) == (True, False, True)
    joiner = Joined("mod")
    joiner.call((([DAY, datetime.datetime(2020, 1, 2), "ab", "ab"],), {}))
    assert joiner.met is False


@pytest.mark.parametrize(
    ("value", "becomes"),
    [
        ([1], [1, "spoiled"]),
        (deque([1]), deque([1, "spoiled"])),
        ({"a": [1]}, {"a": [1, "spoiled"], "spoiled": "spoiled"}),
        (OrderedDict(a=1), OrderedDict(a=1, spoiled="spoiled")),
        ({1}, {1, "spoiled"}),
        (frozenset({1}), frozenset({1})),
        (bytearray(b"x"), bytearray(b"xspoiled")),
        (([1], "a", 2), ([1, "spoiled"], "a", 2)),
        (Box(a=[1]), Box(a=[1])),
        ([[[[1]]]], [[[[1], "spoiled"], "spoiled"], "spoiled"]),
    ],
)
def test_a_result_is_spoiled(value: Any, becomes: Any) -> None:
    """With its parts, down to a depth, here 2; not the objects in it."""
    mutate_result(value, 2)
    assert value == becomes


def test_arrays_are_spoiled() -> None:
    numpy = pytest.importorskip("numpy")
    for kind, becomes in (("?", [True, False]), ("i4", [1, 3]), ("f8", [1.0, 3.0]), ("S1", [b"0", b"1"])):
        value = numpy.array([0, 1]).astype(kind)
        mutate_result(value, 2)
        assert value.tolist() == becomes
        value.flags.writeable = False
        mutate_result([value], 2)
        assert value.tolist() == becomes


def test_objects_get_other_public_attributes() -> None:
    box = Box(a=1, _b=2)
    corrupt_result([box, 5, DAY])
    assert vars(box) == {"a": "spoiled", "_b": 2}


def test_parts_that_can_be_changed() -> None:
    value = ([[1]], {"a": {2}}, bytearray(b"x"), Box(a=1), 1, "a", None, ..., len, int)
    for depth, found in enumerate(([], [[[1]], {"a": {2}}, bytearray(b"x")], [[1], [[1]], {2}, {"a": {2}}, value[2]])):
        assert [part for _, part in mutable_parts(value, depth)] == found
