"""The few-shot examples say what is true: their programs are run, their critiques end as asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.models._reply import is_done
from codeopt.proposers._examples import WorkedExample
from codeopt.tasks import EXAMPLES, open_task

FILES = sorted(EXAMPLES.iterdir())
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_draft_but_the_newest_has_a_critique_that_ends_as_asked_for(path: Path) -> None:
    example = WorkedExample.read(path)
    *earlier, newest = example.history.candidates
    assert all(c.critique.endswith("VERDICT: IMPROVE") for c in earlier)
    assert not newest.critique or is_done(newest.critique)
    assert all(example.measured.values())


def test_each_example_is_one_of_a_task_and_programs_show_both_verdicts() -> None:
    tasks = [open_task("runtime"), open_task("readability")]
    used = [path for task in tasks for path in (*task.examples, *task.function_examples)]
    assert sorted(used) == FILES
    for task in tasks:
        candidates = [c for path in task.examples for c in WorkedExample.read(path).history.candidates]
        assert {is_done(c.critique) for c in candidates if c.critique} == {True, False}


@pytest.mark.parametrize("text", [None, "", "## Round 0: alone\n```python\nprint(1)\n```\n"])
def test_a_file_that_is_no_example_is_one_error(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "own.txt").write_text(text)
    with pytest.raises(UsageError, match="own.txt"):
        WorkedExample.read(tmp_path / "own.txt")
