"""Readability of one function: what the change is about, by the project's own linter settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.analysis.nodes import changed_part
from codeopt.core.history import Candidate, Preference, Preferred
from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.core.ruff import settings_of
from codeopt.tasks import open_task
from codeopt.tasks._readability_measures import Focus, measure_both, parts
from codeopt.tasks.readability import gain

AROUND = "".join(f"def helper_{at}(a, b):\n    x = a\n    y = b\n    return x+y\n\n\n" for at in range(40))
TERSE = """\
class Box:
    def area(self, w, h):
        a = w*h
        if a>9: a = 9
        return a
"""
CLEAR = """\
LARGEST = 9


class Box:
    def area(self, width, height):
        \"\"\"Square metres, as many as fit.\"\"\"
        return limited(width * height)


def limited(area):
    \"\"\"No lorry takes more than that.\"\"\"
    return min(area, LARGEST)
"""


def test_the_change_is_the_function_and_what_is_new() -> None:
    old, new = parts(AROUND + TERSE, AROUND + CLEAR, Focus("Box.area"))
    assert old.startswith("def area(self, w, h):\n    a = w*h")
    assert "def limited" in new
    assert "class Box" not in new
    assert "helper_" not in old + new
    assert changed_part(AROUND + TERSE, AROUND + TERSE, "Box.area")[0] == ((242, 245),)


def test_a_function_is_not_drowned_in_its_module() -> None:
    """Of the whole module the gain is nothing."""
    alone = gain(AROUND + CLEAR, AROUND + TERSE, Focus("Box.area"))
    whole = gain(AROUND + CLEAR, AROUND + TERSE)
    assert alone is not None
    assert whole is not None
    assert alone > 4 * whole


@pytest.mark.parametrize("name", ["pyproject.toml", "ruff.toml"])
def test_the_projects_own_linter_settings_count(name: str, tmp_path: Path) -> None:
    """Found as ruff finds them; what they do not ask for is no finding, and the other way round."""
    (tmp_path / "pkg").mkdir()
    file = tmp_path / "pkg" / "boxes.py"
    prefix = "tool.ruff." if name == "pyproject.toml" else ""
    focus = Focus("Box.area", str(file))
    by_ours, _ = measure_both(TERSE, CLEAR, focus)
    (tmp_path / name).write_text(f'[{prefix}lint]\nselect = ["D102", "E225", "E226"]\npreview = true\n')
    settings_of.cache_clear()
    focus = replace(focus, file=str(file.parent / "other.py"))
    Path(focus.file).touch()
    by_theirs, clear = measure_both(TERSE, CLEAR, focus)
    assert {each.code for each in by_ours.findings or ()} == {"E701", "PLR1730"}
    assert {each.code for each in by_theirs.findings or ()} >= {"D102", "E225"}
    assert clear.findings == ()


def test_several_aims_keep_to_the_function_too() -> None:
    task = open_task("runtime,readability").for_target(Target(Path("mod.py"), "Box.area"))
    original, draft = Candidate(0, Revision.of(AROUND + TERSE), "o"), Candidate(1, Revision.of(AROUND + CLEAR), "d")
    assert task.aims[1].focus.qualname == "Box.area"  # type: ignore[attr-defined]
    assert not task.aims[1].worse(draft, original)  # type: ignore[attr-defined]
    assert task.judge_question
    assert "helper_" not in "".join(task.judge_view(original.source, draft.source))
    disliked = replace(draft, preference=Preference(Preferred.FIRST, "names"))
    assert "prefers the original" in task.aims[1].worse(disliked, original)  # type: ignore[attr-defined]
    assert open_task("runtime").for_target(Target(Path("mod.py"), "f")).name == "runtime"
