"""Nothing that a program prints can close its fence, steer a terminal or hide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.sanitize import cut, decoded, fenced, inline, printable

HOSTILE = st.text(st.one_of(st.sampled_from("`~\n\r\t \x1b\u2028\u202e\u200b"), st.characters()), max_size=200)


@given(HOSTILE)
def test_only_the_last_line_closes_a_fence(text: str) -> None:
    first, *inside, last = fenced(text, "text").split("\n")
    fence = first.removesuffix("text")
    assert set(fence) == {"`"}
    assert len(fence) >= 3
    assert last == fence
    assert not any(fence in line for line in inside)


@given(HOSTILE)
def test_what_is_printed_is_visible_and_stays_on_its_lines(text: str) -> None:
    shown = printable(text)
    assert all(char.isprintable() or char in "\n\t" or char.isspace() for char in shown)
    assert shown.count("\n") == text.count("\n")
    assert len(shown.splitlines()) <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("one\r\ntwo", "one\\x0d\ntwo"),
        ("\u202eabc", "\\u202eabc"),
        ("\U000e0041", "\\U000e0041"),
        ("Grüße 数", "Grüße 数"),
    ],
)
def test_printable(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_bytes_that_are_not_text_are_shown_as_bytes() -> None:
    assert decoded(b"ok \xff") == "ok \\xff"


def test_cut_keeps_both_ends_and_says_how_much_is_missing() -> None:
    text = cut("a" * 1000 + "b" * 1000, 10, 5)
    assert text == "a" * 10 + "\n[... 1,985 characters left out ...]\n" + "b" * 5
    assert cut("short") == "short"
    assert cut("abcdef", 3, 0) == "abc\n[... 3 characters left out ...]\n"


@given(HOSTILE)
def test_inline_is_one_line_without_fences(text: str) -> None:
    line = inline(text, 50)
    assert len(line.splitlines()) <= 1
    assert "`" not in line
    assert len(line) <= 53
