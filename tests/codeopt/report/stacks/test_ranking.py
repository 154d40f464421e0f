"""`codeopt check --profile FILE`: what production spends decides which functions are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.report.stacks import Frame, StackProfile
from codeopt.review.check import CheckedPart, listed
from codeopt.review.ranking import rank_by_profile
from tests.codeopt.command import QUICK, codeopt
from tests.codeopt.review.test_gates import FILES
from tests.conftest import require_sandbox
from tests.support.files import write_files

ORDERS = """\
import json


def twice(rows):
    def inner(row):
        return row * 2

    return [inner(row) for row in rows]


class Basket:
    def total(self):
        return sum(price for price in self.rows)

    def text(self):
        return json.dumps(self.rows)


class Other:
    def total(self):
        return 0
"""
AT = "/srv/app/src/shop/orders.py"
STDLIB = "/usr/lib/python3.11/json/encoder.py"


def frame(name: str, line: int = 0, file: str = AT) -> Frame:
    return Frame(name, file, line)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    one = "def f():\n    return 1\n"
    write_files(tmp_path, {
        "src/shop/orders.py": ORDERS, "src/shop/json/encoder.py": "def encode(x):\n    return x\n",
        "src/shop/a/util.py": one, "src/shop/b/util.py": one,
    })  # fmt: skip
    return tmp_path


@pytest.mark.parametrize(
    ("stack", "owner"),
    [
        ([frame("twice", 4)], "twice"),
        ([frame("twice", 8), frame("<listcomp>", 8)], "twice"),
        ([frame("twice", 8), frame("twice.<locals>.inner", 6)], "twice"),
        ([frame("Basket.total")], "Basket.total"),
        ([frame("total", 13)], "Basket.total"),
        ([frame("total", 21)], "Other.total"),
        ([frame("total")], None),
        ([frame("text", 16), frame("encode", 3, STDLIB)], "Basket.text"),
        ([frame("text", 99)], "Basket.text"),
        ([frame("encode", 1, STDLIB)], None),
        ([frame("twice", 4, "/venv/lib/python3.11/site-packages/shop/orders.py")], "twice"),
        ([frame("twice", 4, "/venv/lib/python3.11/site-packages/other/shop/orders.py")], None),
        ([frame("twice", 4, "shop/orders.py")], "twice"),
        ([frame("twice", 4, "./src/shop/orders.py")], "twice"),
        ([frame("twice", 4, "C:\\app\\src\\shop\\orders.py")], "twice"),
        ([frame("twice", 4, "/srv/app/unrelated_orders.py")], None),
        ([frame("f", 1, "util.py")], None),
        ([frame("f", 1, "b/util.py")], "f"),
        ([frame("<module>", 1)], None),
    ],
)
def test_whose_time_a_stack_is(stack: list[Frame], owner: str | None, project: Path) -> None:
    targets = listed(CheckedPart((project,))).targets
    known = (tuple([frame("twice", 4)]), 1.0)
    found = rank_by_profile(targets, StackProfile.of("p", "seconds", [(tuple(stack), 3.0), known]))
    first = found.targets[0]
    if owner is None:
        assert (first.function, first.share) == ("twice", 0.25)
    else:
        assert first.function == owner
        assert first.share == (1.0 if owner == "twice" else 0.75)
        assert first.seconds == (4.0 if owner == "twice" else 3.0)
    assert found.share == (0.25 if owner is None else 1.0)


def test_check_ranks_by_what_production_spends(tmp_path: Path) -> None:
    require_sandbox()
    write_files(tmp_path, FILES)
    (tmp_path / "prod.txt").write_text("main (run.py:3);flat (/app/shop/lists.py:8) 90\nmain (run.py:3) 10\n")
    done = codeopt("check", "shop", *QUICK, "--profile", "prod.txt", "--min-share", "95%", "--json", cwd=tmp_path)
    rows = {row["function"]: row for row in done.json["functions"]}
    assert rows["flat"]["share"] == 0.9
    assert rows["repeated"]["reason"] == "the profile has no time in it"
    assert rows["flat"]["reason"] == "less than 95% of the time"
    assert done.json["profile"] == "prod.txt"
    assert "90% of 100 samples in prod.txt" in done.err


@pytest.mark.parametrize(
    ("content", "why"),
    [("f (other.py:1) 3\n", "none of its time is in the functions that are checked\n  hint: it names other.py"),
     ("f 3\n", "it names no files"), ("", "it holds no samples"), (None, "No such file")],
)  # fmt: skip
def test_a_profile_that_says_nothing_is_one_line(content: str | None, why: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"m.py": "def f(x):\n    return x\n"})
    if content is not None:
        (tmp_path / "p").write_text(content)
    done = codeopt("check", "m.py", "--profile", "p", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert why in done.err
    assert len(done.facts) == 1
