"""The profile of a function is of its calls: what its module does when it is imported counts for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt

MODULE = """\
TABLE = []
for number in range(300_000):
    TABLE.append(number % 7)


class Sized:
    def __init__(self, n):
        self.n = n
        for number in range(n * 50):
            TABLE[number % 7] = 0


def f(sized):
    total = 0
    for number in range(sized.n):
        total += number * number
    return total + TABLE[0]
"""
CALLS = """\
import sys
def calls(most):
    return [((sys.modules["slow_import"].Sized(n),), {}) for n in range(most - 14, most)]
CALLS = calls(14)
BIG = calls(3000)
"""


@pytest.mark.full
def test_neither_the_import_nor_the_making_of_arguments_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "slow_import.py").write_text(MODULE)
    (tmp_path / "calls.py").write_text(CALLS)
    flags = ("--calls", "calls.py", "--sandbox", "bubblewrap", "--json", "-q")
    done = codeopt("profile", "slow_import.py::f", *flags, cwd=tmp_path)
    assert done.status == 0, done.err
    hot = [line for line in done.json["lines"] if line["share"] > 0]
    assert {line["line"] for line in hot} == {14, 15, 16, 17}, hot
    assert [function["name"] for function in done.json["functions"]] == ["f"]
