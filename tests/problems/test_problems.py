"""Every bundled problem is complete; its slow and its fast program agree with each other and with the stored cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBLEMS = Path(__file__).parents[2] / "problems"
FOLDERS = sorted(folder for folder in PROBLEMS.iterdir() if (folder / "statement.md").exists())

each_problem = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def run(program: Path, *arguments: str, stdin: str = "") -> str:
    """What the program prints."""
    command = [sys.executable, str(program), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def generate(folder: Path, seed: int, size: str = "small") -> str:
    return run(folder / "generate.py", str(seed), size)


def stored_cases(folder: Path) -> list[tuple[str, str]]:
    """Input and output of case 0, 1, ..."""
    count = len(list(folder.glob("input.*.txt")))
    return [
        ((folder / f"input.{number}.txt").read_text(), (folder / f"output.{number}.txt").read_text())
        for number in range(count)
    ]


def test_there_are_twelve_problems_and_no_half_made_ones() -> None:
    folders = [folder for folder in PROBLEMS.iterdir() if folder.is_dir() and folder.name != "__pycache__"]
    assert sorted(folders) == FOLDERS
    assert len(FOLDERS) >= 12


@each_problem
def test_every_file_is_there(folder: Path) -> None:
    cases = len(list(folder.glob("input.*.txt")))
    wanted = {"statement.md", "slow.py", "fast.py", "generate.py"}
    wanted |= {f"{kind}.{number}.txt" for kind in ("input", "output") for number in range(cases)}
    assert {path.name for path in folder.iterdir() if path.is_file()} == wanted
    assert cases >= 5


@each_problem
def test_case_0_is_the_example_of_the_statement(folder: Path) -> None:
    _, example_input, _, example_output, _ = (folder / "statement.md").read_text().split("```")
    given, expected = stored_cases(folder)[0]
    assert (given.split(), expected.split()) == (example_input.split(), example_output.split())


@pytest.mark.full
@each_problem
@pytest.mark.parametrize("program", ["slow.py", "fast.py"])
def test_prints_the_stored_outputs(folder: Path, program: str) -> None:
    for given, expected in stored_cases(folder):
        assert run(folder / program, stdin=given).split() == expected.split()


@each_problem
def test_slow_and_fast_agree_on_generated_inputs(folder: Path) -> None:
    for seed in (4, 5):  # 1 to 3 are stored cases
        given = generate(folder, seed)
        assert run(folder / "slow.py", stdin=given).split() == run(folder / "fast.py", stdin=given).split()


@each_problem
def test_stored_cases_come_from_the_generator(folder: Path) -> None:
    """A seed always gives the same input. Cases 1 to 3 are small, the others large; the seed is the case's number."""
    for number, (given, _) in enumerate(stored_cases(folder)):
        if number > 0:
            assert given == generate(folder, number, "small" if number <= 3 else "large")
