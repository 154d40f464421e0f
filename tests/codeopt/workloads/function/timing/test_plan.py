"""What is timed is told, with its sizes, and is what the user's own command calls a function with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.call import Call
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function import timing
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import CallTimeLimit, KnownCall
from codeopt.workloads.function.timing import Timed
from codeopt.workloads.generated.larger import size_of
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import CallBatch, Kind
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.calls.outcome import text_field
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import write_files
from tests.support.judges import ENOUGH_EXAMPLES, compared

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
    write_files(tmp_path, {"slow.py": SLOW, "fast.py": FAST, "test_slow.py": TESTS, "use.py": USE})
    return tmp_path


@pytest.mark.full
def test_recorded_calls_are_timed_first_and_their_sizes_are_told(project: Path) -> None:
    assert codeopt("record", "slow.py::pairs", "--", "python", "use.py", cwd=project).status == 0
    sides = ("slow.py::pairs", "fast.py::pairs", "--no-cache")
    found = codeopt("compare", *sides, "--json", cwd=project).json
    assert found["timed"].startswith("the longest recorded calls, 1 in a pass of ")
    assert found["timed"].endswith(", size 300")
    assert found["timed_sizes"] == [300]


@pytest.mark.full
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
        (("f([1])", "f([1])", "f([])"), (1,), "calls, size 1"),
        (("f([1])", "f(recipe('list', 9, 1, ('int', 0, 9), '', False), 5)"), (9,), "calls, size 9"),
        (("f([1])", "f(load('m', 'C')([1, 2, 3]))"), (3,), "calls, size 3"),
        (("f([1])", "f(unpickle('x'))"), (), "calls, of objects whose sizes cannot be read"),
    ],
)
def test_sizes_in_words(calls: tuple[str, ...], sizes: tuple[int, ...], words: str) -> None:
    """The first call is the warm-up, which is not timed."""
    found = sorted(int(size) for size in map(size_of, map(read, calls[1:])) if size)
    timed = Timed(CallBatch(calls, "time", warm=1), 0.1, 0.1, "calls", sizes=(*found,))
    assert (timed.sizes, timed.words) == (sizes, words)


TOTAL = """\
def f(xs: list[int]) -> int:
    \"\"\"
    >>> f([1, 2])
    3
    \"\"\"
    t = 0
    for x in xs:
        t += x
    return t
"""
LETTERS = """\
def f(text: str) -> dict[str, int]:
    \"\"\"
    >>> f("aab")
    {'a': 2, 'b': 1}
    \"\"\"
    out: dict[str, int] = {}
    for c in text:
        out[c] = out.get(c, 0) + 1
    return out
"""
JOINED = """\
def f(words: list[str]) -> str:
    \"\"\"
    >>> f(["a", "b"])
    'a b '
    \"\"\"
    out = ""
    for w in words:
        out = out + w + " "
    return out
"""
DOT = """\
def f(xs: list[int], ys: list[int]) -> int:
    \"\"\"
    >>> f([1, 2], [3, 4])
    11
    \"\"\"
    if len(xs) != len(ys):
        raise ValueError("not as long")
    t = 0
    for x, y in zip(xs, ys):
        t += x * y
    return t
"""
FEW = TOTAL.replace("    t = 0\n", "    if len(xs) > 2000:\n        raise ValueError(len(xs))\n    t = 0\n")


@pytest.mark.full
@pytest.mark.parametrize(
    ("old", "least", "most"),
    [
        pytest.param(TOTAL, 1_000, 10**6, id="numbers"),
        pytest.param(LETTERS, 1_000, 10**6, id="a text"),
        pytest.param(JOINED, 500, 10**6, id="words"),
        pytest.param(DOT, 1_000, 2 * 10**6, id="equal lengths"),
        pytest.param(FEW, 200, 2_000, id="rejected where it is larger"),
    ],
)
def test_calls_of_a_doctest_are_grown(tmp_path: Path, old: str, least: int, most: int) -> None:
    """Of a function with type hints and one doctest nothing is known but calls of a few items."""
    found = versions(tmp_path, old, f"x = 1\n\n\n{old}")
    sizes = found["timed_sizes"]
    assert least <= sizes[-1] <= most, found
    assert f"{sizes[-1]:,}" in found["timed"]


WHOLE = """\
def f(text: str) -> bool:
    \"\"\"
    >>> f("100003")
    True
    \"\"\"
    number = int(text)
    if number < 2:
        return False
    return not any(number % part == 0 for part in range(2, number))
"""


@pytest.mark.full
def test_a_call_whose_value_decides_the_time_is_timed_itself(tmp_path: Path) -> None:
    """Longer texts are numbers that a small one divides."""
    new = WHOLE.replace("range(2, number)", "range(2, int(number**0.5) + 1)")
    found = versions(tmp_path, WHOLE, new)
    assert (found["verdict"], found["timed_sizes"]) == ("faster", [6]), found


@pytest.mark.full
def test_a_big_call_that_does_not_return_in_time_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "BIG_S", 1.0)
    require_sandbox()
    fib = "def f(n: int) -> int:\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    write_files(tmp_path, {"old.py": fib, "new.py": fib.replace("f(n - 1) + f(n - 2)", "f(n - 2) + f(n - 1)")})
    (tmp_path / "calls.py").write_text("CALLS = [((n,), {}) for n in range(12)]\nBIG = [((70,), {})]\n")
    found = compared(f"{tmp_path}/old.py::f", f"{tmp_path}/new.py::f", 6, calls=f"{tmp_path}/calls.py")
    assert found["verdict"] == "inconclusive", found
    assert "no BIG call returns within 1 s: give a smaller one" in found["reason"]


@pytest.mark.full
def test_a_grown_call_is_checked(tmp_path: Path) -> None:
    """A draft that is wrong on large calls alone."""
    new = TOTAL.replace(TOTAL[TOTAL.index("    t = 0") :], "    return sum(xs) + (len(xs) > 3000)\n")
    found = versions(tmp_path, TOTAL, new)
    assert found["verdict"] == "wrong", found


@pytest.mark.parametrize("held_up", [1, 3, 40])
def test_calls_are_grown_again_where_a_pass_turns_out_short(monkeypatch: pytest.MonkeyPatch, held_up: int) -> None:
    """On a machine that others use, checked calls take longer than timed ones."""
    answered = KnownCall(read("f([1, 2])"), Answer(Kind.RETURNS, text_field("3")), "doctests", 2e-7 * held_up)

    def seconds(call: Call) -> float:
        return 1e-7 * size_of(call)

    def once(harness: object, calls: Sequence[Call], limit: CallTimeLimit) -> list[KnownCall]:
        made = [replace(answered, call=call, seconds=seconds(call) * held_up) for call in calls]
        return [known for known in made if known.seconds <= limit.call]

    def pass_seconds(harness: object, batch: CallBatch) -> tuple[float, float]:
        return sum(map(seconds, map(read, batch.calls[batch.warm :]))), 0.0

    monkeypatch.setattr(timing, "once", once)
    monkeypatch.setattr(timing, "deterministic", lambda harness, found: (list(found), None))
    monkeypatch.setattr(timing, "_timed_alike", lambda harness, known: [seconds(k.call) for k in known])
    monkeypatch.setattr(timing, "_pass_seconds", pass_seconds)
    unused: Any = None
    short = [replace(answered, call=read(f"f([{n}])"), seconds=n * 1e-9, source="type_hints") for n in range(3)]
    found = timing.choose(unused, CallCorpus(known=(answered, *short)), Contract())
    assert found.batch.calls[0] == answered.call.text
    assert timing.ENOUGH_S <= found.seconds <= timing.GROWN.call, found.words


def versions(folder: Path, old: str, new: str) -> dict[str, Any]:
    """The verdict on two versions of `f`."""
    require_sandbox()
    write_files(folder, {"old.py": old, "new.py": new})
    sides = (f"{folder}/old.py::f", f"{folder}/new.py::f")
    return compared(*sides, 6, max_examples=ENOUGH_EXAMPLES, no_cache=True)
