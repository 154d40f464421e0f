"""What is timed is told, with its sizes, and is what the user's own command calls a function with."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.function.timing.plan import Timed
from codeopt_sandbox.calls import CallBatch
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox

SLOW = """\
def pairs(items: list[int]) -> int:
    found = 0
    for one in items:
        for other in items:
            found += one == other
    return found
"""
FAST = "def pairs(items: list[int]) -> int:\n    return sum(items.count(one) for one in items)\n"
TESTS = "from slow import pairs\n\ndef test_pairs():\n    assert pairs([1, 1, 2]) == 5\n"
TESTS += "    assert pairs(list(range(900))) == 900\n"
USE = "from slow import pairs\n\nprint(pairs([3, 3]), pairs([*range(300)]), pairs([*range(20)]))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A function, a draft of it, tests with a longer call than the application makes, and the application."""
    require_sandbox()
    for name, text in {"slow.py": SLOW, "fast.py": FAST, "test_slow.py": TESTS, "use.py": USE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_recorded_calls_are_timed_first_and_their_sizes_are_told(project: Path) -> None:
    assert codeopt("record", "slow.py::pairs", "--", "python", "use.py", cwd=project).status == 0
    sides = ("slow.py::pairs", "fast.py::pairs", "--no-cache")
    found = codeopt("compare", *sides, "--json", cwd=project).json
    assert found["timed"].startswith("the longest recorded calls, 1 in a pass of ")
    assert found["timed"].endswith(", size 300")
    assert found["timed_sizes"] == [300]
    assert "timed: the longest recorded calls, 1 in a pass of " in codeopt("compare", *sides, cwd=project).out


def test_without_a_recording_the_longest_known_call_is_timed(project: Path) -> None:
    found = codeopt("compare", "slow.py::pairs", "fast.py::pairs", "--no-cache", "--json", cwd=project).json
    assert "recorded" not in found["timed"]
    assert max(found["timed_sizes"]) >= 900


@pytest.mark.parametrize(
    ("calls", "sizes", "words"),
    [
        (("f([1])", "f([1, 2, 3, 4])", "f('abc')"), (3, 4), "calls, sizes 3 to 4"),
        (("f([1])", "f([1, 2, 3, 4])"), (4,), "calls, size 4"),
        (("f([1])", "f(1200)", "f(7)"), (7, 1200), "calls, sizes 7 to 1,200"),
        (("f([1])", "f(unpickle('x'))"), (), "calls"),
    ],
)
def test_sizes_in_words(calls: tuple[str, ...], sizes: tuple[int, ...], words: str) -> None:
    """The first call is the warm-up, which is not timed."""
    timed = Timed(CallBatch(calls, "time", warm=1), 0.1, 0.1, "calls")
    assert (timed.sizes, timed.words) == (sizes, words)
