"""A revision: the text of several files at one point in time."""

from __future__ import annotations

from codeopt.core.revision import Revision
from codeopt.workloads.project.text import line_offsets, pack, unpack

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


def test_a_draft_as_one_text_is_the_same_revision() -> None:
    """As prompts, answers and saved runs hold it."""
    text = pack(FILES)
    assert unpack(text) == FILES
    lines = text.split("\n")
    assert {path: lines[above] for path, above in line_offsets(FILES).items()} == {"b.py": "x = 1", "a.py": "y = 2"}
    assert unpack(f"Here it is:\n{text}") == FILES
    assert unpack("x = 1\n") == {}
