"""The one deadline of a command of many functions: each step looks at it, and comparisons may take what is granted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

import codeopt
from codeopt.cli.main import main
from codeopt.core.console import Console
from codeopt.core.errors import INTERRUPTED, CodeoptError, ProgramError
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import DeadlineReached, RunClock
from codeopt.core.session import Session
from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.check import CheckedPart, check, listed
from codeopt.review.ranking import ranked
from codeopt.review.suggestion import RowState
from codeopt.review.work import ReviewBudget
from codeopt.serving.handlers import handle
from codeopt.serving.request import Operation, OperationRequest
from codeopt_sandbox.compare import StoppingRule
from tests.codeopt.command import codeopt as run_codeopt
from tests.conftest import require_sandbox
from tests.support.files import make_repository, write_files

LOOP = """\
def labels(names: list[str]) -> list[str]:
    known: list[str] = []
    for name in names:
        if name not in known:
            known.append(name)
    return known
"""
FILES = {"one.py": LOOP, "two.py": LOOP, "broken.py": "def (\n"}


class Looks(RunClock):
    """A clock whose time is up after so many looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(limit=3.0)
        self.looks = looks

    @property
    def is_over(self) -> bool:
        """Count the look."""
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("command", ["check .", "review --base HEAD --strict"])
def test_no_file_is_read_after_the_deadline_and_each_is_named(command: str, tmp_path: Path) -> None:
    """Not even the one that cannot be read."""
    make_repository(tmp_path, {}, "first")
    make_repository(tmp_path, FILES)
    flags = ("--json", "--max-seconds", "0.000001")
    done = run_codeopt(*command.split(), *flags, cwd=tmp_path)
    why = "not looked at: the time limit of 1e-06 s is reached"
    rows = done.json["functions" if command == "check ." else "skipped"]
    assert [(row["path"], row["reason"]) for row in rows] == [(name, why) for name in sorted(FILES)]
    said = done.json["stop_reason"] if command == "check ." else " ".join(done.json["notices"])
    assert "the time limit of 1e-06 s is reached (--max-seconds)" in said
    assert done.status == 6


def test_a_check_whose_time_is_up_before_the_first_function_is_not_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files are read; the limit is reached while they are ranked."""
    write_files(tmp_path, {"one.py": LOOP, "two.py": LOOP})
    monkeypatch.setattr("codeopt.review.check.rank", _out_of_time)
    monkeypatch.chdir(tmp_path)
    status = main(["check", ".", "--max-seconds", "60", "--json"])
    found = json.loads(capsys.readouterr().out)
    why = "not tried: the time limit of 60 s is reached (--max-seconds)"
    assert (status, [row["reason"] for row in found["functions"]]) == (6, [why] * 2)


def _out_of_time(*_: object) -> NoReturn:
    raise DeadlineReached


def test_several_functions_are_not_read_after_the_deadline(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    done = run_codeopt("improve", ".", "--max-seconds", "0.000001", cwd=tmp_path)
    assert (done.status, "is reached" in done.err) == (6, True)


@pytest.mark.parametrize("looks", [0, 1, 2, 3])
def test_reading_stops_between_two_files(looks: int, tmp_path: Path) -> None:
    write_files(tmp_path, {f"m{number}.py": LOOP for number in range(3)})
    _, change = whole_files([tmp_path])
    before = len(change.files)  # so many looks are taken before: files of which something may have been moved
    targets, skipped = find_targets(change, None, clock=Looks(before + looks))
    assert (len(targets), [each.state for each in skipped]) == (looks, [RowState.NOT_READ] * (3 - looks))


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_ranking_stops_between_two_files(looks: int, tmp_path: Path) -> None:
    """The third look is the one before the tests are run."""
    write_files(tmp_path, {f"m{number}.py": LOOP for number in range(2)})
    targets, _ = find_targets(whole_files([tmp_path])[1], None)

    def open_none(mounts: Any) -> Any:
        raise AssertionError("no sandbox is opened after the deadline")

    with pytest.raises(DeadlineReached):
        ranked(targets, open_none, clock=Looks(looks))


class Interrupted(RunClock):
    """A clock whose user gives up."""

    @property
    def is_over(self) -> bool:
        """End it."""
        raise KeyboardInterrupt


@pytest.mark.parametrize(("clock", "interrupted"), [(Looks(0), False), (Interrupted(), True)], ids=["time", "user"])
def test_a_check_says_whether_a_limit_or_its_user_ended_it(clock: RunClock, interrupted: bool, tmp_path: Path) -> None:
    write_files(tmp_path, {"m.py": LOOP})
    part = CheckedPart((tmp_path,))
    found = check(part, listed(part).targets, ImproveOptions(), ReviewBudget(clock=clock), Session())
    assert (found.failure == INTERRUPTED, found.left) == (interrupted, (tmp_path / "m.py",))


def _command(*words: str) -> Callable[[float | None], object]:
    return lambda seconds: main([*words, *(["--max-seconds", str(seconds)] if seconds else [])], time.monotonic())


def _asked(operation: Operation, **fields: Any) -> Callable[[float | None], object]:
    more = {"sandbox": "bubblewrap", "no_tests": True}
    return lambda seconds: handle(
        OperationRequest(operation, options=more | ({"max_seconds": seconds} if seconds else {}), **fields),
        Console(quiet=True),
    )


LOOKED_AT = ("--no-tests", "--sandbox", "bubblewrap")
DOORS: dict[str, Callable[[float | None], object]] = {
    "improve": _command("improve", "one.py::labels", "--model", "rules", *LOOKED_AT),
    "several": _command("improve", "one.py", "--model", "rules", *LOOKED_AT),
    "check": _command("check", "one.py", "--min-share", "0", *LOOKED_AT),
    "review": _command("review", "--base", "HEAD", "--model", "rules", *LOOKED_AT),
    "compare": _command("compare", "one.py::labels", "two.py::labels", *LOOKED_AT),
    "API": lambda seconds: codeopt.improve("one.py::labels", model="rules", sandbox="bubblewrap", max_seconds=seconds),
    "server's improve": _asked(Operation.IMPROVE, target="one.py::labels"),
    "server's check": _asked(Operation.CHECK, paths=("one.py",), min_share=0.0),
    "server's compare": _asked(Operation.COMPARE, target="one.py", new_source=LOOP + "\n\nx = 1\n"),
}


@pytest.mark.parametrize(("seconds", "most"), [(None, 30.0), (3000.0, 3000.0)], ids=["usual", "granted"])
@pytest.mark.parametrize("door", DOORS)
def test_a_comparison_may_take_the_time_that_a_user_grants(
    door: str, seconds: float | None, most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_sandbox()
    make_repository(tmp_path, {}, "first")
    make_repository(tmp_path, {"one.py": LOOP, "two.py": LOOP + "\n"})
    monkeypatch.chdir(tmp_path)
    rules = []

    def request(target: Any, program: Any, options: Any, session: Any, rule: StoppingRule, **more: Any) -> Any:
        rules.append(rule.max_seconds)
        raise ProgramError("the rule is known")

    for module in ("improve", "compare"):
        monkeypatch.setattr(f"codeopt.engine.{module}.WorkloadRequest", request)
    with suppress(CodeoptError):
        DOORS[door](seconds)
    assert set(rules) == {most}
