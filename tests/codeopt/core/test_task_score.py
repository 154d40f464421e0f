"""A task speaks its own words: in the table, the summary and the JSON."""

from __future__ import annotations

import pytest

from codeopt.core.history import TaskMeasure, TaskScore


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
    found = TaskScore("readability", 0.41, 0.83, "more readable", measures, "as fast as before")
    assert found.words == "readability 0.41 -> 0.83: comments 0 -> 20 %; as fast as before"
