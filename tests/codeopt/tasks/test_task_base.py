"""The base class of tasks: what has to be written, and what is said of what nobody would ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.program import Target
from codeopt.tasks import Task, open_task

LEAST = """\
from codeopt.tasks import Prompts, Task

class Mine(Task):
    name = "mine"
    prompts = Prompts.of("$guidance $rules", "$hints $answer", "$hints $answer")

    def why_not(self, candidate, original):
        return ""

    def score(self, candidate, original):
        return 1.0
"""
OBJECT = "class Mine:\n    name = 'mine'\n"


def opened(tmp_path: Path, text: str) -> Task:
    (tmp_path / "mine.py").write_text(f"{text}\nTASK = Mine()\n")
    return open_task(str(tmp_path / "mine.py"))


def test_four_members_are_enough(tmp_path: Path) -> None:
    task = opened(tmp_path, LEAST)
    assert (task.metric, task.measured_second, task.for_memory) == ("time", "", False)
    assert (task.needs_time, task.needs_model, task.of_texts) == (True, False, False)
    assert task.for_target(Target(Path("mod.py"), "f")) is task
    assert task.judge_view("a", "b") == ("a", "b")
    assert task.measure_change("a", "b") == ""
    assert task.nothing_accepted == "no candidate was right and better than the original"
    least = open_task(str(tmp_path / "mine.py"), 0.25)
    assert (least.min_gain, task.min_gain) == (0.25, 0.05)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OBJECT, "TASK is a Mine, which is no task"),
        (LEAST + "    needs_modle = True\n", "defines needs_modle, which no task has; needs_model is meant, or _needs"),
        (LEAST + "    def is_suficient(self, critique, history): ...\n", "is_sufficient is meant"),
        (LEAST + "    examples = ()\n", "defines examples, which no task has: write them into its prompts"),
        (LEAST + "    def task_score(self, candidate, original): ...\n", "no score_column, its heading"),
        (LEAST.replace("    name = ", "    named = "), "does not say its name"),
        (LEAST.replace("def score", "def scroe"), "Can't instantiate abstract class Mine"),
    ],
)
def test_what_would_be_ignored_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        opened(tmp_path, text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


OWN = [
    "weight = 2",
    "scores = ()",
    "measures = ()",
    "limit_s = 3.0",
    "def lines(self, source): ...",
    "def size(self): ...",
]


@pytest.mark.parametrize("line", OWN)
def test_members_of_its_own_are_its_own(line: str, tmp_path: Path) -> None:
    assert opened(tmp_path, f"{LEAST}    {line}\n").name == "mine"


@pytest.mark.parametrize("name", ["runtime", "memory", "readability", "runtime,memory,readability", "acronym"])
def test_our_tasks_say_a_column_where_they_have_a_score(name: str) -> None:
    task = open_task(name)
    assert bool(task.score_column) is (name != "runtime")
