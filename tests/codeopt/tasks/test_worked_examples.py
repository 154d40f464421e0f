"""The few-shot examples say what is true: their programs are run, their critiques end as asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.proposers._prompt import WorkedExample
from codeopt.tasks import EXAMPLES

REPEATED = "\nprint(repeated(['b', 'a', 'a', 'b']))\n"


@pytest.mark.parametrize(
    ("name", "given", "printed"),
    [
        ("runtime_words", "5\nred\nblue\nred\nred\ngreen\n", ["2 3"] * 2),
        ("runtime_sums", "5 3\n4 -1 7 2 9\n1 3\n2 2\n4 5\n", ["10 -1 11", "6 0 9", "10 -1 11"]),
        ("readability_grades", "4\nmia 90\nben 50\nmia 75\nada 61\n", ["ada B ben C mia A"] * 2),
        ("readability_points", "2\n1 5\n10 15\n", ["8 23"] * 3),
        ("function_repeated", "", ["['b', 'a']", "['a', 'b']", "['b', 'a']"]),
    ],
)
def test_the_programs_print_what_the_example_says(name: str, given: str, printed: list[str]) -> None:
    candidates = WorkedExample.read(EXAMPLES / f"{name}.txt").history.candidates
    tail = "" if given else REPEATED
    runs = [
        subprocess.run(
            [sys.executable, "-I", "-c", c.source + tail], input=given.encode(), capture_output=True, check=True
        )
        for c in candidates
    ]
    assert [" ".join(run.stdout.decode().split()) for run in runs] == printed


@pytest.mark.parametrize("text", [None, "", "## Round 0: alone\n```python\nprint(1)\n```\n"])
def test_a_file_that_is_no_example_is_one_error(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "own.txt").write_text(text)
    with pytest.raises(UsageError, match="own.txt"):
        WorkedExample.read(tmp_path / "own.txt")
