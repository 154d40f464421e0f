"""Numbers of a program's text are tried as values and as lengths of what it reads."""

from __future__ import annotations

import json

import pytest

from codeopt.workloads.program.mutated_cases import boundary_cases
from codeopt_sandbox.outcome import Case

LOG = b"".join(b"10.0.%d.%d - - [10/Oct/2025:13:00:0%d +0000] ok %d\n" % (n, 9 ** (n % 3), n, n) for n in range(1, 9))
ITEMS = json.dumps([{"name": "ab" * n, "price": 3 * n} for n in range(1, 6)]).encode()


@pytest.mark.parametrize(
    ("source", "path", "known", "wanted"),
    [
        ("print(len(line) <= 15)", "a.log", LOG, {b"15": 15, b"16": 16, b"14": 14}),
        ("print(price < 40)", "a.json", ITEMS, {b'"price": 40': 1, b'"price": 41': 1, b'"price": 39': 1}),
    ],
)
def test_values_and_lengths_at_the_numbers_of_the_text(
    source: str, path: str, known: bytes, wanted: dict[bytes, int]
) -> None:
    case = Case("one", b"", args=(path,), files=((path, known),))
    made = [dict(each.case.files or ())[path] or b"" for each in boundary_cases(source, [case])]
    if path.endswith(".log"):
        assert {len(data.split(b" ")[0]) for data in made} >= set(wanted.values())
    else:
        assert all(any(text in data for data in made) for text in wanted)


def test_a_program_without_numbers_has_no_boundaries() -> None:
    assert not list(boundary_cases("print(input())", [Case("one", b"3\n1 2 3\n")]))
