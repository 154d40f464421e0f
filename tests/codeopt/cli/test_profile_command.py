"""`codeopt profile`: the hot line first, the source with marks, the longest case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import SLOW, codeopt, write_problem

pytestmark = pytest.mark.full

HOT = SLOW.splitlines().index("    if word in seen:") + 1
WORDS = 6000  # so that no pause on a busy machine is a quarter of it


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_problem(tmp_path_factory.mktemp("problem"), words=WORDS).parent


def test_as_json(problem: Path) -> None:
    done = codeopt("profile", "slow.py", "--sandbox", "bubblewrap", "--json", "-q", cwd=problem)
    assert done.status == 0, done.err
    found = done.json
    assert found["schema"] == "codeopt.profile/1"
    assert found["case"] == "2"
    assert found["lines"][0]["line"] == HOT
    assert found["lines"][0]["share"] > 0.5
    assert found["lines"][0]["hits"] == WORDS
    shares = [line["share"] for line in found["lines"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=0.01)
    assert found["functions"][0]["name"] == "<module>"
    assert set(found["split"]) == {"python", "native", "system"}
    assert {"peak_mib", "lines"} <= set(found["memory"])


def test_a_program_that_waits(tmp_path: Path) -> None:
    """Told first, by a run that no profiler slows down: traced, its loop takes longer than it waits."""
    (tmp_path / "waits.py").write_text("import time\ntime.sleep(1)\nfor i in range(1_000_000):\n    i += 1\n")
    done = codeopt("profile", "waits.py", "--sandbox", "bubblewrap", "-q", cwd=tmp_path)
    assert done.status == 0, done.err
    assert done.out.splitlines()[1].startswith("It waits for ")
    assert "Next: " not in done.out


def test_one_input_by_name(problem: Path) -> None:
    flags = ("--stdin", "input.0.txt", "--sandbox", "bubblewrap", "--json", "-q")
    done = codeopt("profile", "slow.py", *flags, cwd=problem)
    assert done.status == 0, done.err
    assert done.json["case"] == "input.0.txt"
    assert max(line["hits"] for line in done.json["lines"]) == 4  # three words, and the end of the loop


def test_a_program_that_fails_is_profiled_as_far_as_it_goes(problem: Path) -> None:
    (problem / "fails.py").write_text(SLOW + "raise ValueError(seen)\n")
    done = codeopt("profile", "fails.py", "--cases", ".", "--sandbox", "bubblewrap", "--json", "-q", cwd=problem)
    assert done.status == 0, done.err
    assert done.json["lines"][0]["line"] == HOT
    assert any("ValueError" in note for note in done.json["notes"])
    assert not any("secretword" in note for note in done.json["notes"])


USAGE = [
    ((), "TARGET"),
    (("none.py",), "none.py"),
    (("slow.py", "--lines", "0"), "--lines"),
    (("slow.py", "--stdin", "none.txt"), "none.txt"),
    (("slow.py", "--sandbox", "moon"), "--sandbox"),
]


@pytest.mark.parametrize(("arguments", "said"), USAGE)
def test_refused_in_one_line(arguments: tuple[str, ...], said: str, problem: Path) -> None:
    done = codeopt("profile", *arguments, cwd=problem)
    assert done.status == 2
    assert len(done.facts) == 1
    assert said in done.err
    assert done.out == ""
