"""A failing call is made smaller without becoming a failure of another kind; the first difference of long results."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns, open_harness
from codeopt.workloads.function.shrink import CallShrinker, first_difference
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox import Options, open_sandbox
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest.calls.outcome import of_plain
from tests.conftest import require_sandbox

ORIGINAL = "def f(rows):\n    return sum(row[1] for row in rows if row[0])\n"
WRONG = "def f(rows):\n    return sum(cents for kind, cents in rows)\n"
"""Counts rows without a kind; of an empty row it says ValueError, and the original IndexError."""
RAISES = "def f(rows):\n    return sum(row[1] for row in rows if row[0] != {}[row[0]])\n"


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FunctionHarness]:
    require_sandbox()
    path = tmp_path_factory.mktemp("shrink") / "rows.py"
    path.write_text(ORIGINAL)
    with open_harness(
        read_function(path, "f"), lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts))
    ) as opened:
        yield opened


@pytest.mark.parametrize(
    ("draft", "call", "said"),
    [
        (WRONG, "f([('a', 20), ('', 300), ('b', 4)])", "expected returns 0, got returns 1"),
        (RAISES, "f([('a', 20), ('', 300), ('b', 4)])", "expected returns 0, got raises KeyError"),
        (WRONG, "f([('a', 20), (), ('b', 4)])", "f([()]): expected raises IndexError, got raises ValueError"),
    ],
    ids=["returns", "raises instead", "raises another"],
)
def test_the_smallest_call_fails_as_the_first_does(draft: str, call: str, said: str, harness: FunctionHarness) -> None:
    shrinker = CallShrinker(TimedRuns(harness.runner), harness.revision, Revision.of(draft), AnswerComparison())
    found = shrinker.smallest(read(call))
    assert said in found.detail
    assert len(found.call.text) < len(call)


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
