"""A call that takes seconds is timed on a part of its arguments, and made once in full on each side."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.call import Call
from codeopt.workloads._sizes import LONG_S, WANTED_S
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.resized import cut_call, first_part
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import write_files

OLD = "import time\n\n\ndef total(rows):\n    time.sleep(len(rows) / 1000)\n    return sum(rows)\n"
NEW = OLD.replace("/ 1000", "/ 10_000")
SLOW_ON_WHOLE = OLD.replace("len(rows) / 1000", "(0 if len(rows) < 3000 else 3) + len(rows) / 10_000")
WRONG = NEW.replace("sum(rows)", "sum(rows) + len(rows) // 3500")
WRONG_ELSEWHERE = NEW.replace("sum(rows)", "sum(rows) + (len(rows) == 1000)")
CALLS = "CALLS = [(([3, 1, 2],), {})]\nBIG = [((list(range(3500)),), {}), ((list(range(1000)),), {})]\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("new", "faster", "said"),
    [
        pytest.param(NEW, True, "on the whole of the longest call once", id="faster"),
        pytest.param(SLOW_ON_WHOLE, False, "on the whole of the longest call once", id="slow on the whole"),
        pytest.param(WRONG, False, "expected returns 6123250, got returns 6123251", id="wrong on the whole"),
        pytest.param(WRONG_ELSEWHERE, False, "expected returns 499500, got returns 499501", id="wrong on another"),
    ],
)
def test_the_whole_is_made_once(tmp_path: Path, new: str, faster: bool, said: str) -> None:
    require_sandbox()
    write_files(tmp_path, {"old.py": OLD, "new.py": new, "calls.py": CALLS})
    flags = ("--calls", "calls.py", "--mutated-inputs", "off", "--json")
    done = codeopt("compare", "old.py::total", "new.py::total", *flags, cwd=tmp_path)
    assert (done.json["verdict"] == "faster") == faster, done
    assert said in " ".join([*done.json["notes"], done.json["reason"]])
    if faster:
        assert "of the longest call" in done.json["timed"]
        assert done.json["ratio"] > 5


@given(st.lists(st.integers(), min_size=10), st.floats(0.01, 0.9))
def test_a_part_is_the_beginning_of_what_is_long(items: list[int], share: float) -> None:
    call = read(f"f({items!r}, 3, key={items!r})")
    part = first_part(call, share)
    assert part is not None
    first, number, last = part.values
    assert (number, first, last) == (3, items[: len(first)], items[: len(first)])
    assert len(first) == max(1, round(share * len(items)))


@pytest.mark.parametrize(
    ("text", "share", "part"),
    [
        ("f('abcdefghij', 7)", 0.3, "f('abc', 7)"),
        ("f(1000, 3)", 0.1, "f(100, 3)"),
        ("f({1: 2, 3: 4, 5: 6, 7: 8})", 0.5, "f({1: 2, 3: 4})"),
        ("f((1, 'a', 2))", 0.5, None),
        ("f([1, 2])", 0.5, None),
        ("f(BIG[0])", 0.5, None),
    ],
)
def test_what_is_cut(text: str, share: float, part: str | None) -> None:
    found = first_part(read(text), share)
    assert (found.text if found is not None else None) == part


@pytest.mark.parametrize(
    ("text", "seconds", "ends", "size"),
    [
        (f"f({[*range(1000)]})", 10.0, 1000, 70),
        (f"f({[*range(1000)]})", LONG_S, 1000, 280),
        (f"f({[*range(1000)]})", 0.99 * LONG_S, 1000, None),
        (f"f({[*range(1000)]})", 10.0, 50, None),  # it ends otherwise on a part
        ("f(BIG[0])", 10.0, 1000, None),
    ],
)
def test_the_part_on_which_a_call_takes_about_a_second(text: str, seconds: float, ends: int, size: int | None) -> None:
    def run(call: Call) -> KnownCall | None:
        items = len(call.values[0])
        return KnownCall(call, Answer("returns"), "", seconds * items / 1000) if items <= ends else None

    found = cut_call(KnownCall(read(text), Answer("returns"), "tests", seconds), run)
    assert (found is None) is (size is None)
    if found is not None:
        part, cut = found
        assert (len(part.call.values[0]), part.seconds, cut.seconds) == (size, cut.seconds, pytest.approx(WANTED_S))
        assert (cut.whole.text, cut.share, cut.whole_s) == (text, pytest.approx(WANTED_S / seconds), seconds)
