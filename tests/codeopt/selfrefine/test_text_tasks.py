"""The paper's text tasks: from a first draft to a refined one, through the command line and a real HTTP server."""
# looks at codeopt/selfrefine

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeopt.selfrefine.tasks.acronym import spelling
from codeopt.selfrefine.tasks.constrained_generation import coverage
from codeopt.selfrefine.tasks.math_reasoning import is_solved
from codeopt.selfrefine.text_task import MOST, TextTask, read_scores
from codeopt.tasks import open_task
from tests.codeopt.command import Done, codeopt
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

TASKS = {
    "acronym": ("Sequence to sequence learning", "SELF", "SEQUEL"),
    "sentiment_reversal": ("The soup was warm and the staff kind.", "Bad soup.", "The soup came cold, the staff rude."),
    "dialogue_response": ("A: I lost my dog.\nB:", "Ok.", "I am so sorry. Where did you see her last?"),
    "constrained_generation": ("dog, ball, park", "A dog runs.", "The dog chased its ball across the park."),
    "math_reasoning": ("Ann has 3 boxes of 4 pens. How many pens?", "print(3 + 4)", "boxes = 3\nprint(boxes * 4)"),
}


def scored(name: str, score: int, verdict: str = "IMPROVE") -> str:
    """A critique as it is asked for."""
    task = open_task(name)
    assert isinstance(task, TextTask)
    return "\n".join([*(f"{a.name}: {score}/{MOST} - so so" for a in task.aspects), f"VERDICT: {verdict}"])


def block(text: str) -> str:
    return f"```\n{text}\n```"


def refine(*arguments: str | Path, answers: Sequence[str], cwd: Path) -> tuple[Done, list[str]]:
    """The command against a server that gives these answers, and the prompts that the server got."""
    with WireServer(answers) as server:
        model = ("--model", server.model, "--base-url", server.base_url)
        return codeopt("refine", *arguments, *model, "--sandbox", "bubblewrap", cwd=cwd), server.prompts


def test_the_first_draft_stands_where_nothing_is_better(tmp_path: Path) -> None:
    answers = (block("SELF"), scored("acronym", 4), block("ZZZ"), scored("acronym", 1))
    done, _ = refine("--task", "acronym", "Some title", "--max-rounds", "1", answers=answers, cwd=tmp_path)
    assert (done.status, done.out) == (0, "SELF\n"), done.err
    assert "no better version found: no draft scored higher than the first" in done.err


def test_a_full_score_ends_it(tmp_path: Path) -> None:
    answers = (block("STILE\nSome TItLE"), scored("acronym", MOST, "DONE"))
    done, _ = refine("--task", "acronym", "Some title", "--json", answers=answers, cwd=tmp_path)
    assert done.json["rounds"] == []
    assert "nothing left to improve" in done.err


def test_a_program_that_fails_is_no_answer(tmp_path: Path) -> None:
    require_sandbox()
    right, fails = f"```python\n{TASKS['math_reasoning'][2]}\n```", "```python\nprint(1 / 0)\n```"
    answers = (right, scored("math_reasoning", 3), fails, fails.replace("1", "2"), "BETTER: SAME", "BETTER: SAME")
    done, prompts = refine("-t", "math_reasoning", "A problem", "-n", "2", "--json", answers=answers, cwd=tmp_path)
    assert "It was not scored: ZeroDivisionError" in prompts[3]
    assert done.json["text"].strip().endswith("print(boxes * 4)")
    assert done.json["rounds"][0]["verdict"] == "wrong"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-t", "acronym", "A title", "--model", "rules"], "the built-in rules do not know the task acronym"),
        (["-t", "runtime", "A title", "--model", "scripted:s"], "is for programs"),
        (["-t", "nonsense", "A title", "--model", "scripted:s"], "there is no task 'nonsense'"),
        (["-t", "acronym", "   ", "--model", "scripted:s"], "the input is empty"),
        (["-t", "acronym", "missing.txt", "--model", "scripted:s"], "there is no such file"),
    ],
)
def test_what_cannot_be_refined_is_one_line(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "s").write_text("never asked")
    done = codeopt("refine", *arguments, cwd=tmp_path)
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("SEQLEARN\nSEQuence to sequence LEARNing", 1.0),
        ("Seqlearn: SEQuence to sequence LEARNing", 1.0),
        ("SEQL\nsequence to sequence learning", 0.0),
        ("SEQL\nSEQuence to sequence learning", 6 / 7),
        ("", 0.0),
    ],
)
def test_letters_of_an_acronym_are_compared_with_the_capitals(text: str, share: float) -> None:
    assert spelling("Sequence to sequence learning", text).share == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "share"),
    [("The dogs played ball in parks", 1.0), ("a dog", 1 / 3), ("hotdog football parka", 0.0), ("", 0.0)],
)
def test_coverage_counts_concepts_in_their_usual_forms(text: str, share: float) -> None:
    assert coverage("dog, ball, park", text).share == pytest.approx(share)


@pytest.mark.parametrize(
    ("key", "printed", "solved"),
    [
        ("#### 12", "12", True), ("12", "12.0", True), ("1,200", "1200", True), ("12", "13", False),
        ("12", "no idea", False), ("0.3", "0.30000000000000004", True),
    ],
)  # fmt: skip
def test_an_answer_is_compared_as_a_number(key: str, printed: str, solved: bool) -> None:
    assert is_solved(key, printed) is solved


def test_scores_are_read_where_they_stand() -> None:
    aspects = open_task("acronym").aspects  # type: ignore[attr-defined]
    text = "- **Pronunciation**: 3/5 - hard\nspelling: 4 - fine\nrelation: 9/5\n2. connotation - 2.5/5\nnothing"
    assert dict(read_scores(text, aspects)) == {"pronunciation": 0.6, "spelling": 0.8, "connotation": 0.5}


RELEASE_NOTES = """\
from codeopt.selfrefine import Aspect, TextCheck, TextTask


def names_every_change(asked: str, text: str) -> TextCheck:
    changes = [line.partition(":")[0] for line in asked.splitlines() if line.strip()]
    told = [name for name in changes if name.lower() in text.lower()]
    return TextCheck(len(told) / max(1, len(changes)), f"{len(told)} of {len(changes)} changes are told")


TASK = TextTask(
    name="release_notes",
    role="You write release notes for the people who use a program, not for those who wrote it.",
    asked="the changes, one a line: the name of a thing, a colon, what was done",
    answer="the release notes",
    aspects=(
        Aspect("use", "each entry says what a user can do now, or no longer has to"),
        Aspect("order", "what breaks something comes first, then what is new, then what was mended"),
        Aspect("brevity", "no entry is longer than a line"),
    ),
    check=names_every_change,
)
"""
"""As the page on writing a task has it, and nothing but that."""
CHANGES = "search: regular expressions\nexport: CSV files are quoted\nlogin: no longer asks twice"


def test_a_sixth_task_is_one_file(tmp_path: Path) -> None:
    """From its first draft to a refined one; a worse one after it is not taken."""
    (tmp_path / "release_notes.py").write_text(RELEASE_NOTES)
    (tmp_path / "changes.txt").write_text(CHANGES)
    told = "Search takes regular expressions. Export quotes CSV files. Login asks once."

    def marks(score: int) -> str:
        return "\n".join(f"{name}: {score}/{MOST}" for name in ("use", "order", "brevity")) + "\nVERDICT: IMPROVE"

    drafts = ["Search is better.", told, "Everything is better."]
    answers = [answer for text, score in zip(drafts, (2, 4, 4), strict=True) for answer in (block(text), marks(score))]
    asked = ("changes.txt", "--task", "release_notes.py", "-n", "2", "--json")
    done, prompts = refine(*asked, answers=answers, cwd=tmp_path)
    assert done.status == 0, done.err
    assert "3 of 3 changes are told" in prompts[3]
    assert done.json["text"].strip() == told
    assert done.json["accepted"]
    assert not {"verdict", "speedup"} & {*done.json, *done.json["rounds"][0]}  # a text has a score and no speed
    checks = [
        next(m["after"] for m in r["task_score"]["measures"] if "check" in m["name"]) for r in done.json["rounds"]
    ]
    assert checks == [1.0, 0.0]
    assert len(RELEASE_NOTES.splitlines()) <= 120
