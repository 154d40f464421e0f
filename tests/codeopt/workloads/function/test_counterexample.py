"""Calls as statements that show a difference."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from codeopt.workloads.function.counterexample import apart
from codeopt.workloads.source.literals import read


@pytest.mark.parametrize("value", ["'two words'", "'a\\n'", "b'ab'", "1000", "-1000", "2.5", "(1000, 2)"])
def test_equal_arguments_are_other_objects_however_they_are_given(value: str) -> None:
    """Python makes one object of equal literals in one expression."""

    def objects(*args: Any, **kwargs: Any) -> list[Any]:
        return [*args, *kwargs.values(), *[row[0] for row in kwargs["rows"]]]

    text = apart(read(f"f({value}, {value}, left={value}, right={value}, rows=[[{value}], [{value}]])"))
    *found, rows, one, two = eval(text, {"f": objects})
    assert rows == [[one], [two]]
    same = [*found, one, two]
    assert all(left == right and left is not right for left, right in combinations(same, 2))
