"""A revision: the text of several files at one point in time."""

from __future__ import annotations

from hashlib import sha256

import pytest

from codeopt.core.revision import Revision, pack
from codeopt.workloads.project.project_program import unpack

FILES = {"b.py": "x = 1\n", "a.py": "y = 2\n# === file: no.py === \n"}


def test_equal_files_are_one_revision() -> None:
    one, other = Revision(FILES), Revision(dict(reversed(FILES.items())))
    assert one == other
    assert hash(one) == hash(other)
    assert one.digest == other.digest
    moved = Revision({"b.py": FILES["a.py"], "a.py": FILES["b.py"]})
    assert moved != one
    assert moved.digest != one.digest


def test_a_revision_does_not_change() -> None:
    files = dict(FILES)
    one = Revision(files)
    files["a.py"] = ""
    new = one.with_file("b.py", "x = 2\n").with_file("c.py", "")
    assert one == FILES
    assert new.changed_files(one) == ("b.py",), "a file that is new is no change of another"


def test_what_a_model_is_shown_and_answers_is_the_same_revision() -> None:
    text = pack(FILES)
    assert unpack(text) == FILES
    assert unpack(f"Here it is:\n{text}") == FILES
    assert unpack("x = 1\n") == {}
    assert pack(Revision.of("x = 1\n")) == "x = 1\n"


def test_a_target_that_is_one_file() -> None:
    one = Revision.of("x = 1\n")
    assert one.is_one_file
    assert one.text == one.with_file("", "x = 1\n").text == "x = 1\n"
    assert one.digest == sha256(b"x = 1\n").hexdigest(), "as saved runs and JSON have always told it"
    assert one != Revision.of("x = 1\n", "rival.py"), "two sides are told apart by who they are, not by their text"


@pytest.mark.parametrize("files", [{}, FILES])
def test_several_files_have_no_text(files: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="has no text of its own"):
        _ = Revision(files).text
