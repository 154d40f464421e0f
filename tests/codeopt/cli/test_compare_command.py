"""`codeopt compare`: table, JSON, exit status, and every way to be refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.codeopt.command import FAST, SLOW, WRONG, Done, codeopt, write_problem
from tests.conftest import ISOLATING, require_sandbox

pytestmark = pytest.mark.full

SHORT = ("--sandbox", "bubblewrap", "--mutated-inputs", "off", "--max-pairs", "20", "-q")


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """A folder with slow.py, fast.py, wrong.py and three cases."""
    write_problem(tmp_path, SLOW, words=1200)
    (tmp_path / "fast.py").write_text(FAST)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


def compared(problem: Path, old: str, new: str, *flags: str) -> Done:
    return codeopt("compare", old, new, *SHORT, *flags, cwd=problem)


def test_slower_fails_only_when_asked(problem: Path) -> None:
    thrice = SLOW.replace("if word in seen:", "if seen.count(word) + seen.count(word) + seen.count(word):")
    (problem / "slower.py").write_text(thrice)
    done = compared(problem, "slow.py", "slower.py", "--json", "--fail-if-slower", "5%")
    assert done.json["verdict"] == "slower"
    assert done.json["limit"]["answer"] == "fail"
    assert done.status == 1
    shown = compared(problem, "slow.py", "slower.py", "--fail-if-slower", "9900%")
    assert shown.status == 0
    figures = done.json
    assert figures["ci_low"] <= figures["ratio"] <= figures["ci_high"] < 1
    assert figures["before"] < figures["after"]


def test_wrong_is_rejected_and_fails_unless_0_is_asked_for(problem: Path) -> None:
    done = compared(problem, "slow.py", "wrong.py", "--json")
    assert done.status == 1
    assert done.json["verdict"] == "wrong"
    assert compared(problem, "slow.py", "wrong.py", "--exit-zero").status == 0


WAITING = "import time\n" + SLOW.rstrip("\n") + "\ntime.sleep(0.3)\n"


def test_a_limit_is_tested_by_the_wall_clock_too(problem: Path) -> None:
    """It takes no more CPU time, and waits."""
    (problem / "waiting.py").write_text(WAITING)
    done = compared(problem, "slow.py", "waiting.py", "--fail-if-slower", "5%", "--json", "--metric", "cpu")
    assert (done.json["limit"]["answer"], done.json["limit"]["metric"]) == ("fail", "wall"), done
    assert done.status == 1


def test_the_least_gain_worth_having_is_the_user_s(problem: Path) -> None:
    done = compared(problem, "slow.py", "slow.py", "--json", "--min-gain", "50%")
    assert (done.json["verdict"], done.json["reason"]) == ("same", "less than 50% faster")


USAGE = [
    (("slow.py",), 2, "name OLD and NEW"),
    (("slow.py", "none.py"), 2, "none.py"),
    (("slow.py", "fast.py", "--cases", "nowhere"), 2, "nowhere"),
    (("slow.py", "fast.py", "--fail-if-slower", "x"), 2, "--fail-if-slower"),
    (("slow.py", "fast.py", "--fail-if-slower", "-1"), 2, "--fail-if-slower"),
    (("slow.py", "fast.py", "--max-pairs", "0"), 2, "--max-pairs"),
    (("slow.py", "fast.py", "--max-pairs", "3", "--fail-if-slower", "5%"), 2, "at least 7"),
    (("slow.py", "fast.py", "--metric", "sun"), 2, "--metric"),
    (("slow.py", "fast.py", "--stdin", "input.0.txt", "--cases", "."), 2, "not both"),
    (("wrong.py", "fast.py"), 5, "the original fails case"),
]


@pytest.mark.parametrize(("arguments", "status", "said"), USAGE)
def test_refused_in_one_line(arguments: tuple[str, ...], status: int, said: str, problem: Path) -> None:
    done = codeopt("compare", *arguments, "--sandbox", "bubblewrap", "--mutated-inputs", "off", cwd=problem)
    assert done.status == status
    assert len(done.facts) == 1
    assert said in done.err
    assert done.out == ""


@pytest.mark.parametrize("backend", ISOLATING)
def test_a_wrong_known_answer_ends_it_before_inputs_are_changed(backend: str, problem: Path) -> None:
    """Neither is the original run on changed inputs, nor NEW on another case."""
    require_sandbox(backend)
    done = codeopt("compare", "slow.py", "wrong.py", "--sandbox", backend, "-v", "--json", cwd=problem)
    assert (done.status, done.json["verdict"], done.json["tests"]["mutated_inputs"]) == (1, "wrong", 0)
    cases = [line for line in done.lines if re.search(r"\bcase \d+ of \d+", line)]
    assert len(cases) == 1, done.err
    assert not [line for line in done.lines if "changed" in line], done.err
