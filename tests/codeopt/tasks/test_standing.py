"""A task speaks its own words: in the table, the summary and the JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.standing import Standing, TaskMeasure
from tests.codeopt.command import codeopt, reply

TERSE = """\
n=int(input())
l=[]
for i in range(n):
    a,b=map(int,input().split())
    if a>b: l=l+[a-b]
    else: l=l+[b-a]
print(sum(l))
"""
CLEAR = '''\
def distance(first, second):
    """How far apart two numbers are."""
    return abs(first - second)


def main():
    # Each line holds one pair.
    pairs = [map(int, input().split()) for _ in range(int(input()))]
    print(sum(distance(first, second) for first, second in pairs))


main()
'''


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (TaskMeasure("comments", 0.02, 0.17, "%"), "comments 2 -> 17 %"),
        (TaskMeasure("branches", 14, 5), "branches 14 -> 5"),
        (TaskMeasure("functions", 3, 3), "functions 3"),
        (TaskMeasure("peak", 12.25, 6.0, " MiB"), "peak 12.2 -> 6 MiB"),
    ],
)
def test_a_measure_in_words(measure: TaskMeasure, words: str) -> None:
    assert measure.words == words


def test_what_did_not_change_is_left_out() -> None:
    measures = (TaskMeasure("comments", 0.0, 0.2, "%"), TaskMeasure("functions", 3, 3))
    found = Standing("readability", 0.41, 0.83, "more readable", measures, "as fast as before")
    assert found.words == "readability 0.41 -> 0.83: comments 0 -> 20 %; as fast as before"


def test_readability_is_told_as_readability(tmp_path: Path) -> None:
    (tmp_path / "terse.py").write_text(TERSE)
    (tmp_path / "cases").mkdir()
    for number, rows in enumerate([(1, 2), (5, 3), (4, 4), (-1, 7)], 1):
        size = number * 400  # the program that is clear is faster, too: its longer text takes longer to compile
        text = "".join(f"{rows[0] + k} {rows[1]}\n" for k in range(size))
        (tmp_path / "cases" / f"{number}.in").write_text(f"{size}\n{text}")
        (tmp_path / "cases" / f"{number}.out").write_text(f"{sum(abs(rows[0] + k - rows[1]) for k in range(size))}\n")
    hollow = "".join(f"{line}  #\n" for line in TERSE.splitlines())
    drafts = [
        f"Names.\nVERDICT: IMPROVE\n--- next answer ---\n{reply(text)}"
        for text in (CLEAR, hollow.replace("sum(l)", "sum(l + [0])"))
    ]
    (tmp_path / "script.txt").write_text("\n--- next answer ---\n".join(drafts))
    done = codeopt(
        "improve", "terse.py", "--task", "readability", "--model", "scripted:script.txt", "--max-rounds", "2",
        "--sandbox", "bubblewrap", "--max-pairs", "12", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.status == 0, done.err
    score = done.json["task_score"]
    assert score["name"] == "readability"
    assert score["after"] > score["before"] + 0.2
    names = {row["name"]: row for row in done.json["task_measures"]}
    assert names["functions"]["after"] == 2
    assert done.json["best_round"] == 1
    assert done.json["rounds"][0]["task_score"] == score
    assert done.json["rounds"][1]["verdict"] != "faster"
    assert "readability" in done.err.split("round  verdict")[1].splitlines()[0]
    assert "more readable" in done.err
    assert f"readability {score['before']:.2f} -> {score['after']:.2f}: comments 0 -> " in done.err
