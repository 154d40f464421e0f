"""A failing call is made smaller without becoming a failure of another kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns, open_harness
from codeopt.workloads.function.shrink import CallShrinker
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Options, open_sandbox
from codeopt_sandbox.comparing import AnswerComparison
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
    found = shrinker.smallest(call)
    assert said in found.detail
    assert len(found.call) < len(call)
