"""What the input of a program is like, in words."""

from __future__ import annotations

import pytest

from codeopt.workloads.program.briefing import input_shape


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("5\n", "1 line"),
        (
            "3\n1 2\n3 4\n5 6\n",
            "4 lines; 1 to 2 words on each; the first is the number of those that follow; the first words of the "
            "lines are whole numbers of up to 1 digits, 3 distinct of 3, sorted",
        ),
        (
            "4\n30 -20 20 10\n",
            "2 lines; 1 to 4 words on each; the words of the longest line are whole numbers of up to 2 digits, "
            "negative ones too, 4 distinct of 4",
        ),
        (
            "b\nsecret\na\n",
            "3 lines; 1 word on each; the first words of the lines have 1 to 6 characters, 2 distinct of 2, "
            "sorted downwards",
        ),
    ],
)
def test_lines_and_words(text: str, said: str) -> None:
    assert input_shape(text) == said
