"""Whatever stands in a review that is not ours: nothing of it acts, in any report, on any platform."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.cache import Machine
from codeopt.core.evidence import CallEvidence, WorkloadEvidence
from codeopt.review.reporters import gitlab, markdown, rdjson, sarif
from codeopt.review.suggestion import FunctionRow, Review, ReviewTarget
from tests.support.reviews import file_diff, review, suggestion

BAIT = st.sampled_from(
    ["::set-env name=A::b", "\n::error::x", "##[group]x", "@octocat", "#12", "!3", "https://evil.example", "```\n",
     "````", "~~~\n", "</details>", "<img src=x onerror=y>", "<!-- codeopt:comment -->", "\n/merge\n", "[a](b)",
     "&#64;a", "\u202e", "\x1b[31m", "\r", "${{ secrets.X }}", "$(id)", "%0A::error::y", "x" * 200, "GH-1",
     "a.py,line=1"]
)  # fmt: skip
WORDS = st.lists(BAIT | st.text(max_size=8), max_size=5).map(" ".join)
PATHS = WORDS.map(lambda text: f"d/{text}.py")
CODE = st.lists(BAIT | st.just("\n"), max_size=8).map("".join)


@st.composite
def reviews(draw: st.DrawFn) -> Review:
    """With something hostile in every field that somebody else fills."""
    found = []
    diff = ""
    for _ in range(draw(st.integers(1, 3))):
        path, before = draw(PATHS), draw(CODE)
        after, improved = draw(CODE) + "pass\n", draw(CODE) + "pass # better\n"
        plain = "\n" not in path and "\r" not in path and "\t" not in path
        diff += file_diff(path, before, after) if plain else ""
        words = draw(st.lists(WORDS, max_size=2).map(tuple))
        evidence = WorkloadEvidence(CallEvidence(3, {draw(WORDS): 3}, 1.0, {}, 1))
        found.append(suggestion(path, after, improved, draw(WORDS), changes=words, evidence=evidence))
    machine = Machine(draw(WORDS), 2, draw(WORDS), draw(WORDS))
    skipped = (FunctionRow(ReviewTarget(draw(PATHS), draw(WORDS), Path("m.py")), draw(WORDS)),)
    made = review({}, *found, skipped=skipped, notices=(draw(WORDS),), machine=machine)
    return Review(**{**vars(made), "diff": diff})


def rendered(body: str) -> str:
    """What is left of a Markdown body where something could act: without code blocks, code spans and our own HTML."""
    lines, kept, fence = re.split("\n", body), [], ""
    for line in lines:
        mark = re.match(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})", line)
        if fence:
            fence = "" if re.fullmatch(rf" {{0,3}}{fence}`*[ \t]*", line) else fence
        elif mark:
            fence = mark.group(1)
        else:
            kept.append(line)
    assert not fence, "a block is left open"
    text = "\n".join(kept)
    text = re.sub(r"<summary>(?:<code>[^<>\n]*</code>)?[^<>\n]*</summary>", "", text)
    text = re.sub(r"(?<![`\\])(`+)(?!`)(?:[^\n]*?[^`\n])\1(?!`)", "", text)
    return re.sub(r"</?details>", "", text)


def assert_harmless(body: str) -> None:
    text = rendered(body)
    assert "<" not in text.replace("\\<", "")
    assert not re.search(r"(?<![\w`])@\w", text), "a mention"
    assert not re.search(r"(?<!\w)[#!]\d", text), "a reference"
    assert not re.search(r"https?://", text), "a link"
    assert not re.search(r"(?<!\\)\[", text), "a link"
    assert not re.search(r"^\s*/\w", text, re.MULTILINE), "a quick action"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e]", text), "a control character"


@given(reviews())
def test_nothing_in_a_comment_acts(found: Review) -> None:
    assert_harmless(markdown.render(found))
    for diagnostic in json.loads(rdjson.render(found))["diagnostics"]:
        assert_harmless(diagnostic["message"])
        for offered in diagnostic["suggestions"]:
            assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e]", offered["text"])


@given(reviews())
def test_reports_for_machines_are_one_object_in_ascii(found: Review) -> None:
    for report in (gitlab.render(found), sarif.render(found), rdjson.render(found)):
        assert report.isascii()
        assert isinstance(json.loads(report), dict | list)
    for one in json.loads(gitlab.render(found)):
        assert not {unicodedata.category(char) for char in one["description"]} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
