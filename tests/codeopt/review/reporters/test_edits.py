"""Edits give the improved file to the letter, and each is inside one hunk of the change or known to be outside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.revision import lines_of
from codeopt.review.reporters._finding import LineEdit, edits, hunks, inside, whole
from tests.support.files import git, make_repository
from tests.support.reviews import file_diff, shown

LINE = st.sampled_from(["", "a", "b", "    c", "--- x", "+++ y", "@@ -1 +1 @@", "\f", "d\r", "\\ No newline"])
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + ("\n" if lines and end else ""), st.lists(LINE, max_size=40), st.booleans()
)


def apply(original: str, changes: Sequence[LineEdit]) -> str:
    """`original` after the edits, which are in order and do not overlap."""
    lines, done, parts = lines_of(original), 0, []
    for edit in changes:
        parts += [*lines[done : edit.start - 1], edit.text]
        done = edit.end
    return "".join([*parts, *lines[done:]])


@given(TEXT, TEXT)
def test_edits_give_the_improved_text(original: str, improved: str) -> None:
    found = edits(original, improved)
    assert apply(original, found) == improved
    assert bool(found) == (original != improved)
    for one, other in zip(found, found[1:], strict=False):
        assert one.end + 1 < other.start


@given(TEXT, TEXT, TEXT)
def test_every_edit_is_inside_one_hunk_or_none_is(before: str, original: str, improved: str) -> None:
    ranges = shown({"a.py": (before, original)})["a.py"]
    placed = inside(original, edits(original, improved), hunks(file_diff("a.py", before, original)))
    if placed is None:
        outside = [e for e in edits(original, improved) if not any(_near(e.start, e.end, lines) for lines in ranges)]
        assert outside
        return
    assert apply(original, placed) == improved
    for edit in placed:
        assert edit.start <= edit.end
        assert sum(edit.start in lines and edit.end in lines for lines in ranges) == 1


def _near(start: int, end: int, lines: range) -> bool:
    """A replacement is inside, an insertion has a neighbour that is."""
    return (start in lines and end in lines) if start <= end else (start in lines or end in lines)


@given(TEXT, TEXT)
def test_hunks_are_read_as_they_were_written(before: str, after: str) -> None:
    found = hunks(file_diff("a.py", before, after))
    assert [range(hunk.start, hunk.end + 1) for hunk in found] == [
        r for r in shown({"a.py": (before, after)})["a.py"] if r
    ]


@given(TEXT.filter(bool), TEXT)
def test_of_a_whole_file_one_edit_does(original: str, improved: str) -> None:
    placed = inside(original, edits(original, improved), [whole("a.py", original)])
    assert placed is not None
    assert len(placed) <= 1
    assert apply(original, placed) == improved


NAMES = [
    "plain.py",
    "with space.py",
    "naïve.py",
    "tab\there.py",
    "new\nline.py",
    'quo"te.py',
    "back\\slash.py",
    "b/a.py",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each name changed in the middle; one file renamed, one deleted, one without a last line end."""
    lines = [f"line {n}\n" for n in range(1, 31)]
    files = {**dict.fromkeys([*NAMES, "old_name.py"], "".join(lines)), "gone.py": "something else\n"}
    root = make_repository(tmp_path_factory.mktemp("repository"), files, "one")
    for name in NAMES:
        (root / name).write_text("".join([*lines[:14], "changed\n", *lines[15:]]).removesuffix("\n"))
    (root / "gone.py").unlink()
    (root / "old_name.py").rename(root / "new_name.py")
    (root / "new_name.py").write_text("".join([*lines[:4], *lines[5:]]))
    git(root, "add", "-A")
    return root


@pytest.mark.parametrize("settings", [[], ["-c", "core.quotePath=false"]], ids=["quoted", "unquoted"])
def test_what_git_writes_is_understood(repository: Path, settings: list[str]) -> None:
    found = hunks(git(repository, *settings, "diff", "--cached", "-M"))
    assert {hunk.path for hunk in found} == {*NAMES, "new_name.py"}
    for name in NAMES:
        middle, last = (hunk for hunk in found if hunk.path == name)
        assert (middle.start, middle.end) == (12, 18)
        assert (last.start, last.end) == (27, 30)
    (renamed,) = (hunk for hunk in found if hunk.path == "new_name.py")
    assert (renamed.start, renamed.end) == (2, 7)


@pytest.mark.parametrize(
    "text", ["", "@@ -1 +1 @@\n", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", '+++ "b/\\9\\\n@@ -1 +1 @@\n a\n']
)
def test_a_diff_that_is_cut_or_broken_is_no_accident(text: str) -> None:
    assert all(hunk.path for hunk in hunks(text))
