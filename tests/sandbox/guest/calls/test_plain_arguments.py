"""Packed arguments tell of a change whenever their encoding does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.calls.answering import ArgumentsBefore, is_plain, packed_call
from codeopt_sandbox.guest.calls.repr.tree import written

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
PLAIN = st.recursive(
    NUMBERS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


def changed(args: tuple[Any, ...], change: Any, *, plain: bool) -> bytes:
    """What the arguments of a call become by `change`; empty where that is nothing."""
    call = eval(f"({args!r}, {{}})")
    code = compile("f(1)", "call", "eval") if plain else None
    before = ArgumentsBefore("module", call, code, lambda: eval(f"({args!r}, {{}})"))
    change(call[0])
    found = before.changed(call)
    if found is None:
        return b""
    tree, private, encoder = found
    return written([tree, private, encoder.opaque])


def set_first(value: Any) -> Any:
    """A change that puts a value in the first place of each list and dictionary at the top."""

    def change(args: Any) -> None:
        for each in args:
            if isinstance(each, list) and each:
                each[0] = value
            elif isinstance(each, dict):
                each["new"] = value

    return change


@given(args=st.lists(PLAIN, min_size=1, max_size=3).map(tuple), value=PLAIN)
def test_the_same_as_by_encodings(args: tuple[Any, ...], value: Any) -> None:
    assert changed(args, set_first(value), plain=True) == changed(args, set_first(value), plain=False)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda args: args[0].__setitem__(0, 1.0), id="another type of an equal value"),
        pytest.param(lambda args: args[0].__setitem__(0, True), id="a bool for one"),
        pytest.param(lambda args: args[0].append(object()), id="what cannot be packed"),
        pytest.param(lambda args: args[0].append(args[0]), id="a list within itself"),
        pytest.param(lambda args: args[0].__setitem__(2, args[0][1]), id="one list in two places"),
    ],
)
def test_changes_that_equality_does_not_see(change: Any) -> None:
    args = ([1, [2], [2]],)
    assert changed(args, change, plain=True) == changed(args, change, plain=False)
    assert packed_call((args, {}))


@given(args=st.lists(PLAIN, min_size=1, max_size=3).map(tuple))
def test_whoever_holds_the_parts(args: tuple[Any, ...]) -> None:
    call = args, {"key": list(args)}
    packed = packed_call(call)
    others = [*args, call[1]["key"], call]
    assert packed_call(call) == packed
    assert others


@pytest.mark.parametrize(
    ("call", "plain"),
    [("f([1, 'a', (2.5, None)], key={1: {2}})", True), ("f(b'1')", False), ("f(load('m', 'C'))", False)],
)
def test_what_is_plain(call: str, plain: bool) -> None:
    assert is_plain(compile(call, "call", "eval")) is plain
