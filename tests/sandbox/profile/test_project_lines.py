"""Lines of a project's functions under a timer that no busy loop may take for itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from codeopt_sandbox.guest.tests import project_lines
from codeopt_sandbox.guest.tests.project_lines import IN_A_ROW, WINDOW, LineTimes

SOURCE = """\
def busy(count, signal):
    for k in range(count):
        pass
    signal()
    for k in range(count):
        pass
    return k


def other():
    return 1
"""
FIRST, SECOND = (2, 3), (5, 6)


def timed(folder: Path, run: Callable[[dict[str, Any], LineTimes], None]) -> dict[int, int]:
    """Number of timings by line of what runs, with the lines of both functions to be timed."""
    path = folder / "m.py"
    path.write_text(SOURCE)
    space: dict[str, Any] = {}
    exec(compile(SOURCE, str(path), "exec"), space)
    written: list[str] = []
    times = LineTimes(str(folder), [("m.py", 1, 7), ("m.py", 10, 11)], written.append, 60.0)
    before = sys.gettrace()
    sys.settrace(times.begin)
    try:
        run(space, times)
    finally:
        sys.settrace(before)
    times.write()
    found: dict[int, int] = {}
    for text in written:
        _, line, _, count = json.loads(text.removeprefix("@ line "))
        found[line] = found.get(line, 0) + count
    return found


def test_a_busy_function_is_timed_as_a_whole_after_a_while(tmp_path: Path) -> None:
    found = timed(tmp_path, lambda space, times: space["busy"](IN_A_ROW, lambda: None))
    assert sum(found[line] for line in FIRST) == pytest.approx(IN_A_ROW, abs=10)
    assert not found.keys() & set(SECOND)
    assert found[-1] >= 1


def test_after_a_signal_its_lines_are_timed_again_for_a_moment(tmp_path: Path) -> None:
    def run(space: dict[str, Any], times: LineTimes) -> None:
        space["busy"](IN_A_ROW, lambda: times.again(0, sys._getframe(1)))

    found = timed(tmp_path, run)
    assert sum(found[line] for line in SECOND) == pytest.approx(WINDOW, abs=10)


def test_others_are_timed_line_by_line_all_the_while(tmp_path: Path) -> None:
    def run(space: dict[str, Any], times: LineTimes) -> None:
        space["busy"](IN_A_ROW, lambda: None)
        for _ in range(3):
            space["other"]()
            space["busy"](1, lambda: None)

    found = timed(tmp_path, run)
    assert found[11] == 3
    assert -10 not in found


def test_only_a_function_that_was_timed_as_a_whole_hears_the_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_lines, "IN_A_ROW", 50)

    def run(space: dict[str, Any], times: LineTimes) -> None:
        def hear() -> None:
            frame: FrameType | None = sys._getframe(1)
            times.again(0, frame)
            assert times.left[space["busy"].__code__] == WINDOW

        space["busy"](60, hear)

    assert sum(timed(tmp_path, run)[line] for line in SECOND) == pytest.approx(120, abs=4)
