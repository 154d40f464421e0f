"""Hot lines, in this Python and in every other one of this machine."""
# looks at sandbox/codeopt_sandbox/guest/profile

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import RunDriver, profile
from tests.sandbox.profile.conftest import driver_of
from tests.sandbox.profile.test_hot_lines import PROGRAMS, assert_marked_is_first
from tests.support.pythons import RELEASES, python_of

CALLS = """\
import threading
def inner(number):
    total = 0
    for item in range(number):
        total += item
    return total
def numbers(count):
    for number in range(count):
        yield inner(10)
class Counter:
    def count(self):
        try:
            return [max(number for number in range(5)) for _ in numbers(40)]
        finally:
            next(iter([]), None)
def failing():
    raise KeyError
for _ in range(7):
    try:
        failing()
    except KeyError:
        pass
thread = threading.Thread(target=Counter().count)
thread.start()
thread.join()
"""


@pytest.fixture(params=["this", *RELEASES])
def any_python(request: pytest.FixtureRequest, tmp_path: Path) -> RunDriver:
    """Each in turn; what is not on this machine is skipped."""
    if request.param == "this":
        return request.getfixturevalue("run_driver")
    python = python_of(request.param)
    if python is None:
        pytest.skip(f"no Python {request.param} here")
    return driver_of(tmp_path, python)


@pytest.mark.full
@pytest.mark.parametrize("path", PROGRAMS[1::9], ids=lambda path: path.stem)
def test_in_every_python(path: Path, any_python: RunDriver) -> None:
    assert_marked_is_first(path, any_python)


def test_hits_and_calls_are_exact(any_python: RunDriver) -> None:
    found = profile(any_python, CALLS, Case("case", b""), modes=["lines"])
    hits = {line.line: line.hits for line in found.lines}
    calls = {(function.name, function.line): function.hits for function in found.functions}
    assert all("coarse" in note for note in found.notes)  # fifty runs of it are too short for shares
    assert {number: hits[number] for number in (3, 4, 5, 6, 8, 9, 17, 18, 20, 22)} == {
        3: 40, 4: 440, 5: 400, 6: 40, 8: 41, 9: 40, 17: 7, 18: 8, 20: 7, 22: 7,
    }  # fmt: skip
    assert calls["inner", 2] == 40
    assert calls["numbers", 7] == 41
    assert calls["Counter.count", 11] == 1
    assert calls["failing", 16] == 7


def test_a_process_may_have_any_bytes_as_its_name(run_driver: RunDriver) -> None:
    named = "import ctypes\nctypes.CDLL(None).prctl(15, b'\\xff) x', 0, 0, 0)\nsum(range(10**6))\n"
    found = profile(run_driver, named, Case("case", b""), modes=["lines"])
    assert not [note for note in found.notes if "failed" in note]
