"""Iterators as arguments: written down by the items that are left of them, where that reads nobody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from codeopt_sandbox.guest.calls.listing import plain_source
from codeopt_sandbox.guest.tests.recorder import write


def half_read() -> Iterator[int]:
    found = iter([1, 2, 3])
    next(found)
    return found


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (half_read, "iter([2, 3])"),
        (lambda: iter({"a": (1,)}.items()), "iter([('a', (1,))])"),
        (lambda: (n for n in "ab"), None),
        (lambda: map(str, half_read()), None),
        (lambda: iter([object()]), None),
        (lambda: iter(range(10**6)), None),
        (count, None),
    ],
)
def test_an_iterator_is_written_by_its_items(make: Callable[[], Any], text: str | None) -> None:
    value = make()
    assert write(value) == plain_source(value) == text
    if text is not None:
        assert [*value] == [*make()]
