"""Iterators as arguments: written down by the items that are left of them, where that reads nobody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from codeopt_sandbox.guest.calls.listing import plain_source
from codeopt_sandbox.guest.tests.writing import write


def half_read() -> Iterator[int]:
    found = iter([1, 2, 3])
    next(found)
    return found


@pytest.mark.parametrize(
    ("make", "recorded", "listed"),
    [
        (half_read, "iter([2, 3])", "iter([2, 3])"),
        (lambda: iter({"a": (1,)}.items()), "iter([('a', (1,))])", "iter([('a', (1,))])"),
        (lambda: (n for n in "ab"), None, "iter(['a', 'b'])"),
        (lambda: map(str, half_read()), None, "iter(['2', '3'])"),
        (lambda: iter([object()]), None, None),
        (lambda: iter(range(10**6)), None, None),
        (count, None, None),
    ],
)
def test_an_iterator_is_written_by_its_items(make: Callable[[], Any], recorded: str | None, listed: str | None) -> None:
    value = make()
    assert write(value) == recorded
    if recorded is not None:
        assert [*value] == [*make()]
    assert plain_source(make()) == listed
