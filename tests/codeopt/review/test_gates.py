"""`codeopt check` and `codeopt compare --base` as gates, on real repositories."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.codeopt.command import QUICK, codeopt
from tests.codeopt.review.pull_request import BASE, REPEATED, REPEATED_TEST, propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

SHOP = f'''\
def shared(left, right):
    """What is on both lists."""
    keys = set(right)
    return [each for each in left if each in keys]


def flat(rows):
    return [cell for row in rows for cell in row]


{REPEATED}

def lonely(x):
    return x * 2
'''
TESTS = f"""\
from shop.lists import flat, repeated, shared


def test_shared():
    for n in range(12):
        assert shared(list(range(n)), list(range(0, n, 2))) == list(range(0, n, 2))
    assert len(shared(list(range(700)), list(range(500)))) == 500


def test_flat():
    for n in range(12):
        assert flat([[n, n]] * n) == [n] * 2 * n


{REPEATED_TEST}"""
FILES = {**BASE, "shop/lists.py": SHOP, "tests/test_lists.py": TESTS}


def test_only_what_is_slower_with_confidence_fails_the_job(tmp_path: Path) -> None:
    require_sandbox()
    slower = SHOP.replace("keys = set(right)", "keys = [set(right) for _ in range(9)][-1]").replace(
        "x * 2", "x * 2 + 0"
    )
    wrapped = "return [[cell] for row in rows for cell in row]"
    changed = slower.replace("return [cell for row in rows for cell in row]", wrapped)
    folder = propose(tmp_path / "r", FILES, {"shop/lists.py": changed + "\n\ndef new(x):\n    return x\n"})
    flags = ("--fail-if-slower", "5%", "--sandbox", "bubblewrap", "-q")
    done = codeopt("compare", "--base", "main", *flags, "--json", cwd=folder)
    assert done.status == 1, done.err
    rows = {row["function"]: row for row in done.json["functions"]}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "shared": "slower",
        "flat": "wrong",
        "lonely": "inconclusive",
    }
    assert rows["shared"]["ci_high"] < 0.9
    assert (done.json["verdict"], done.json["failed"]) == ("wrong", 1)
    assert "--tests PATH" in rows["lonely"]["reason"]


DOUBLE = "def double(n):\n    return n * 2\n"
DOUBLE_TEST = """\
from shop.numbers import double


def test_double():
    assert [double(n) for n in range(12)] == list(range(0, 24, 2))
    assert double(2718) == 5436
"""
ECHO = "print(sum(1 for _ in range(int(input()))))\n"


def test_what_no_longer_ends_is_wrong_and_not_slower(tmp_path: Path) -> None:
    """A program beyond the limit of a run, and a function beyond ten times its own time, which is 2 s at least."""
    require_sandbox()
    base = {**BASE, "shop/numbers.py": DOUBLE, "tests/test_numbers.py": DOUBLE_TEST, "echo/echo.py": ECHO}
    base |= {"echo/input.1.txt": "300000\n", "echo/output.1.txt": "300000\n"}
    spin = "def double(n):\n    while n == 2718:\n        pass\n    return n * 2\n"
    branch = {"shop/numbers.py": spin, "echo/echo.py": "while True:\n    pass\n" + ECHO}
    folder = propose(tmp_path / "r", base, branch)
    flags = ("--fail-if-slower", "5%", "--timeout", "2", "--mutated-inputs", "off", "--sandbox", "bubblewrap", "-q")
    done = codeopt("compare", "--base", "main", *flags, cwd=folder)
    assert done.status == 1, done.err
    rows = " ".join(done.out.split())
    assert " echo/echo.py wrong result: case 1: still running after 2 s" in rows
    assert " shop/numbers.py::double wrong result: double(2718): expected returns 5436, got takes longer" in rows


def test_a_change_of_other_things_fails_nothing(tmp_path: Path) -> None:
    folder = propose(tmp_path / "r", FILES, {"shop/lists.py": SHOP.replace('"""What', '"""All that')})
    done = codeopt("compare", "--base", "main", "--fail-if-slower", "5%", cwd=folder)
    assert done.status == 0, done.err
    assert re.fullmatch(r"0 changed functions against [0-9a-f]{7,40}\n", done.out)
    done = codeopt("compare", "--base", "main", "--json", cwd=folder)
    found = [done.json[name] for name in ("verdict", "inconclusive_about", "functions")]
    assert (done.status, found) == (0, ["same", None, []]), done.err


def test_check_names_the_slow_functions_and_what_the_rules_would_do(tmp_path: Path) -> None:
    require_sandbox()
    folder = propose(tmp_path / "r", FILES, {})
    done = codeopt("check", "shop", *QUICK, "--min-share", "20%", "-v", "--json", cwd=folder)
    assert done.status == 1, done.err
    assert "confirming" in done.err
    assert "timing smaller inputs" not in done.err  # neither is in the answer
    assert "profiling the result" not in done.err
    rows = {row["function"]: row for row in done.json["functions"]}
    assert rows["repeated"]["speedup"]["ci_low"] > 1.05
    assert rows["repeated"]["changes"]
    assert "no test runs it" in rows["lonely"]["reason"]
    assert "less than 20% of the time" in rows["shared"]["reason"]
    assert done.json["improved"] == 1


def test_check_of_nothing_slow_is_0(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a():\n    pass\n")
    done = codeopt("check", cwd=tmp_path)
    assert (done.status, done.out) == (0, "No function is there to check.\n"), done.err


def test_a_limit_that_cannot_be_told_is_no_success(tmp_path: Path) -> None:
    """The same text in other words, and no slowdown at all is allowed: no number of pairs shows that."""
    require_sandbox()
    other = SHOP.replace("keys = set(right)", "keys = set(iter(right))")
    folder = propose(tmp_path / "r", FILES, {"shop/lists.py": other})
    flags = (
        "--base",
        "main",
        "--model",
        "rules",
        "--max-functions",
        "1",
        "--sandbox",
        "bubblewrap",
        "--max-pairs",
        "7",
    )
    done = codeopt("review", *flags, "--fail-if-slower", "0", "--json", "-q", cwd=folder)
    assert ([row["answer"] for row in done.json["limits"]], done.status) == (["inconclusive"], 5), done.err
