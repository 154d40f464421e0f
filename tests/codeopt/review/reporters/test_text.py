"""Whatever stands in a file name, a program or a model's words shows up as text and does nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.sanitize import acts_in_a_log, fenced, log_line
from codeopt.review.reporters._finding import code, command_data, prose

HOSTILE = st.text(st.sampled_from("ab:#[]`\\@<>&;!1 \n\r\t\x1b\u202e/|*-.") | st.characters(), max_size=60)


@given(HOSTILE)
def test_a_line_for_a_log_is_one_line_without_commands_or_escapes(text: str) -> None:
    line = log_line(text)
    assert not acts_in_a_log(line)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]", line)


@pytest.mark.parametrize(
    "text",
    ["::set-env name=A::b", "  ::error::x", "a\r::error::x", "a\n\t::add-mask::x", "say ##[group]x", "##vso[task.x]y"],
)
def test_commands_in_a_log_are_known(text: str) -> None:
    assert acts_in_a_log(text)


@pytest.mark.parametrize("text", ["pkg/a.py::f", "Example::", "::", "# [a]", "x = a[::2]", "## [1.0] - now"])
def test_what_is_no_command_is_left_alone(text: str) -> None:
    assert not acts_in_a_log(text)
    assert log_line(text) == text


@given(HOSTILE)
def test_a_code_span_is_closed_by_its_own_marks_only(text: str) -> None:
    if span := code(text):
        marks = re.match("`+", span).group()  # type: ignore[union-attr]
        assert span.endswith(marks)
        assert marks not in re.findall("`+", span[len(marks) : -len(marks)])
        assert "\n" not in span


@given(HOSTILE)
def test_a_block_is_closed_by_its_own_fence_only(text: str) -> None:
    first, *inside, last = re.split("[\r\n]+", fenced(text, "python"))
    marks = first.removesuffix("python")
    assert last == marks
    assert not any(line.strip().startswith(marks) for line in inside)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("thanks @octocat", "@octocat"),
        ("fixes #12 and GH-3", "#12|GH-3"),
        ("&#64;octocat", "&#64"),
        ("see https://evil.example/x or www.evil.example", r"://|www\."),
        ("![x](y) [a](b)", r"(?<!\\)\["),
        ("<img src=x onerror=y>", "<"),
        ("<!-- codeopt:abc -->", "<"),
        ("/merge", "^/"),
        ("# title", "^#"),
        ("1. item", "^1"),
        ("[[page]]", r"\[\["),
        ("~label !3 $4 %5 ^6", r"[~!$%^]\w"),
        ("deadbeefcafe", "deadbeefcafe"),
        ("a\n\n/close", "\n"),
    ],
)
def test_prose_has_no_markup_mention_or_link(text: str, never: str) -> None:
    assert not re.search(never, prose(text))


@given(HOSTILE)
def test_prose_shows_the_text(text: str) -> None:
    shown = re.sub(r"\\([\\`*_\[\]>|~])", r"\1", prose(text).replace("\u200b", ""))
    assert shown.replace("&lt;", "<").replace("&amp;", "&") == log_line(text)


@given(HOSTILE)
def test_workflow_commands_keep_to_their_line(text: str) -> None:
    assert not {"\n", "\r"} & {*command_data(text)}
