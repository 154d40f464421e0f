"""The first difference of two long results is named by its place, with both values."""

from __future__ import annotations

import pytest

from codeopt.workloads.function.shrink import first_difference
from codeopt_sandbox.guest.calls.outcome import of_plain


@pytest.mark.parametrize(("old", "new", "said"), [
    ([*range(9)], [*range(8), -1], "item 8 of 9: expected 8, got -1"),
    ([[1], [2, 3]], [[1], [2, "3"]], "item 1 of 2: item 1 of 2: expected 3, got '3'"),
    ({"a": [1.5], "b": 2}, {"a": [1.5], "b": None}, "key 'b': expected 2, got None"),
    ({"a": 1}, {"b": 1}, "key 0 of 1: at character 1: expected 'a', got 'b'"),
    ((1, 2), (1, 2, 3), "expected 2 items, got 3"),
    ([1], (1,), "expected [1], got (1,)"),
    ("x" * 99 + "a", "x" * 99 + "b", f"at character 100: expected '{'x' * 20}a', got '{'x' * 20}b'"),
    ([1, 2], [1, 2], ""),
])  # fmt: skip
def test_place_and_values(old: object, new: object, said: str) -> None:
    assert first_difference(of_plain(old), of_plain(new)) == said
