"""Which functions come first: one run of the tests of all files says how long each takes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

from codeopt.cli.commands.check import table
from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.check import CheckedPart, CheckedTarget, ProjectCheck, listed
from codeopt.review.ranking import ranked
from codeopt.review.work import ReviewBudget, ReviewRun
from codeopt_sandbox import Options, Sandbox, open_sandbox
from codeopt_sandbox.errors import SandboxError
from tests.codeopt.review.pull_request import BASE, propose
from tests.conftest import require_sandbox

FILES = {
    **BASE,
    "shop/slow.py": "def spin(n):\n    return sum(i * i % 7 for i in range(n))\n\n\ndef unused():\n    return 1\n",
    "shop/slower.py": "from shop.slow import spin\n\n\ndef twice(n):\n    return spin(n) + spin(n)\n",
    "tests/test_slower.py": "from shop.slower import twice\n\n\ndef test_twice():\n    assert twice(100_000) > 0\n",
    "tests/test_broken.py": "import shop\nimport nowhere_to_be_found\n",
}


def test_all_files_share_one_run_of_their_tests(tmp_path: Path) -> None:
    require_sandbox()
    folder = propose(tmp_path / "r", FILES, {})
    repository, everything = whole_files([folder])
    targets, skipped = find_targets(everything, repository)
    assert skipped == []
    opened = []

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        opened.append(mounts)
        return open_sandbox("bubblewrap", options=Options(mounts=mounts))

    ranking = ranked(targets, open_with)
    found = {target.function: target for target in ranking.targets}
    assert len(opened) == 1
    assert list(found)[:2] == ["twice", "spin"]
    assert 0.5 < (found["spin"].share or 0) <= (found["twice"].share or 0) <= 1
    assert found["total"].seconds > 0
    assert (found["unused"].seconds, found["unused"].share) == (0, None)
    (shortfall,) = ranking.diagnostics
    assert shortfall.message == "1 test file cannot be loaded and counts for nothing"
    assert "No module named 'nowhere_to_be_found'" in shortfall.words


def test_why_no_time_is_known(tmp_path: Path) -> None:
    """There are no tests, and there is no sandbox to run them in."""
    require_sandbox()
    (tmp_path / "alone.py").write_text("def spin(n):\n    return n\n")
    repository, everything = whole_files([tmp_path])
    targets, _ = find_targets(everything, repository)
    found = ranked(targets, lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts)))
    assert [each.words for each in found.diagnostics] == ["no test was found for alone (--tests PATH names some)"]
    gone = ranked(targets, lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts, python="/gone")))
    (short,) = gone.diagnostics
    assert short.words.startswith("the tests could not be run: ")
    assert "/gone" in short.cause


def test_what_was_not_looked_at_is_counted() -> None:
    rows = [
        CheckedTarget("a.py", "slow", 0.5, 2.0, reason="rules found nothing to try"),
        CheckedTarget("a.py", "quick", 0.01, 0.04, reason="less than 5% of the time", judged=False),
        CheckedTarget("a.py", "quicker", 0.001, 0.004, reason="less than 5% of the time", judged=False),
        CheckedTarget("b.py", "unused", reason="no test runs it", judged=False),
        CheckedTarget("c.py", "", reason="is no Python"),
    ]
    assert table(ProjectCheck(tuple(rows))).splitlines() == [
        "0 of 5 functions can be faster by the built-in rules",
        "              of test time  result",
        "  a.py::slow           50%  rules found nothing to try",
        "  c.py                      is no Python",
        "Not tried: 2 more (less than 5% of the time)",
        "Not tried: 1 more (no test runs it)",
    ]


MANY = """\
def f{k}(xs):  {ignore}
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out


"""


def steps_of_reading(folder: Path, functions: int, *, ignore: str = "") -> int:
    """Number of Python calls that listing, ranking and the table take for one file of so many functions."""
    folder.mkdir()
    (folder / "many.py").write_text("".join(MANY.format(k=k, ignore=ignore * (k == 1)) for k in range(functions)))
    count = 0

    def on_event(_frame: FrameType, event: str, _value: object) -> None:
        nonlocal count
        count += event == "call"

    def open_none(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        raise SandboxError("none here")

    sys.setprofile(on_event)
    try:
        found = listed(CheckedPart((folder,)))
        ranking = ranked(found.targets, open_none)
        work = ReviewRun(ReviewBudget(None))
        work.stop(found.targets, "no time", 6)
        verdicts = work.verdicts()
        rows = [verdicts.reasons[target.path, target.function] for target in ranking.targets]
    finally:
        sys.setprofile(None)
    assert len(rows) + len(found.left_alone) == functions
    return count


@pytest.mark.parametrize("ignore", ["", "# codeopt: ignore"])
def test_reading_grows_with_the_number_of_functions_and_not_its_square(tmp_path: Path, ignore: str) -> None:
    first, second, third = (
        steps_of_reading(tmp_path / str(functions), functions, ignore=ignore) for functions in (50, 100, 200)
    )
    assert third - second < 3 * (second - first), "linear: twice as many more, square: four times"
