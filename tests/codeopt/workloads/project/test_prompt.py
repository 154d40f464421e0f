"""Prompts for a project, made of profiles that are written down: source, figures, marks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.models.scripted import Scripted
from codeopt.proposers.language_model import LanguageModel
from codeopt.report.stacks import Frame
from codeopt.tasks import open_task
from codeopt.workloads.project.briefing import brief, is_vendored, library_shares
from codeopt.workloads.project.excerpts import SourcePage, named_places, round_views
from codeopt.workloads.project.profile import (
    CalledBy,
    ProjectProfile,
    Sample,
    make_profile,
)
from codeopt.workloads.project.project_program import ProtectedFiles
from codeopt.workloads.project.proposer import ProjectProposer, apply_answer
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run
from codeopt_sandbox.profile import HotFunction, HotLine, Profile
from tests.support.candidates import comparison

LONG = "\n".join(f"    x{n} = {n}" for n in range(2500))
CORE = f'''import re


def hot(a):
    """First.

    More.
    And more.
    """
    return a


def big(a):
{LONG}
    return hot(a)
'''
FILES = Revision({
    "app/core.py": CORE,
    "app/_vendor/lib.py": "def work(a):\n    return a\n",
    "app/setup_all.py": "def register(a):\n    return a\n\n\nregister(1)\n",
    "main.py": "from app.core import big\nbig(1)\n",
})  # fmt: skip
MAIN, HOT, BIG = Frame("<module>", "main.py", 0), Frame("hot", "app/core.py", 4), Frame("big", "app/core.py", 13)
VENDORED, LOADED = Frame("work", "app/_vendor/lib.py", 1), Frame("<module>", "app/setup_all.py", 0)
REGISTER = Frame("register", "app/setup_all.py", 1)
PLAIN = Run(0, None, 1.0, 1.0, 0, b"", b"")


def profile_of(*stacks: tuple[tuple[Frame, ...], float]) -> ProjectProfile:
    samples = [Sample(stack, 1, "", False, seconds) for stack, seconds in stacks]
    calls = [
        CalledBy(HOT, BIG, 900),
        CalledBy(VENDORED, HOT, 20),
        CalledBy(BIG, MAIN, 1),
        CalledBy(REGISTER, LOADED, 1),
    ]
    return make_profile(PLAIN, samples, calls, 0.0, {}, {})


WHOLE = profile_of(
    ((MAIN, BIG, HOT), 3.0), ((MAIN, BIG, HOT, VENDORED), 4.0), ((MAIN, BIG), 1.0), ((MAIN, LOADED, REGISTER), 2.0)
)


NOT_FIXED = ProtectedFiles()


def page(files: Revision = FILES, ground: ProtectedFiles = NOT_FIXED) -> SourcePage:
    return SourcePage(files, ground, WHOLE)


def test_a_librarys_copy_is_told_by_the_functions_of_the_project_above_it() -> None:
    assert [is_vendored(path) for path in ("a/_vendor/b.py", "vendor/c/d.py", "vendor.py", "a/vendors_list.py")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [(row.caller, row.library) for row in library_shares(WHOLE)] == [(HOT, "lib")]
    told = brief(WHOLE, "python main.py", "3.11", "", FILES).measured_facts
    assert " 40.0% lib below app/core.py::hot" in told
    assert "_vendor" not in told
    assert "_vendor" not in page().original()


@pytest.mark.parametrize(
    ("own", "above", "shown"),
    [(0.02, (), True), (0.0, (), False), (0.05, (LOADED,), False), (0.12, (LOADED,), True)],
)
def test_a_long_function_is_shown_whole_for_its_time(own: float, above: tuple[Frame, ...], shown: bool) -> None:
    """Time in the small functions that it calls counts also; while modules are imported more of its own is needed."""
    loop = "\n".join(["def loop(a):", *LONG.splitlines()[:150], "    return hot(a)", ""])
    spot, rest = Frame("loop", "app/loop.py", 1), Frame("hot", "app/core.py", 4)
    found = profile_of(((MAIN, *above, spot), own), ((MAIN, *above, spot, rest), 0.3 - own), ((MAIN,), 0.7))
    text = SourcePage({"app/core.py": CORE, "app/loop.py": loop}, NOT_FIXED, found).original()
    assert ("    x100 = 100\n" in text) is shown


def test_marks_of_lines_are_no_part_of_an_answer() -> None:
    answer = "# === file: app/core.py ===\n# --- line 4 ---\ndef hot(a):\n    # --- line 10 ---\n    return 1 * a\n"
    new = apply_answer(FILES, answer)["app/core.py"]
    assert "return 1 * a" in new
    assert "--- line" not in new


def test_a_draft_is_its_diff_and_its_profile_beside_the_round_before() -> None:
    edited = FILES.with_file("app/core.py", FILES["app/core.py"].replace("    return a\n", "    return +a\n"))
    outcome = (Outcome("command", CaseVerdict.AC, PLAIN),)
    original = Candidate(0, FILES, "", outcome, profile=profile(("app/core.py::hot", 0.8, 900)))
    first = Candidate(1, edited, "first", outcome, profile=profile(("app/core.py::hot", 0.5, 30)))
    second = Candidate(2, FILES.with_file("main.py", "big = 1\n"), "second", rejection="wrong")
    # The same clock for both: a run of 3 s of a draft that is 2x faster than a command of 1 s took 0.5 s.
    slow = (Outcome("command", CaseVerdict.AC, replace(PLAIN, cpu_s=3.0)),)
    compared = replace(first, outcomes=slow, comparison=comparison(ratio=2.0))
    assert "  800.0 ->   250.0 ms " in round_views(History((original, compared)), page())[1].profile
    third = Candidate(3, edited, "third", outcome, profile=profile(("app/core.py::fast", 0.25, 7)))
    history = History((original, first, second, third))
    views = round_views(history, page())
    assert "--- a/app/core.py\n+++ b/app/core.py\n@@ -8,5 +8,5 @@" in views[1].changes[0]
    assert "  800.0 ->   500.0 ms   1600.0 ->  1000.0 ms           900 -> 30  app/core.py::hot" in views[1].profile
    assert " 50.0% app/core.py:10  return a" in views[1].profile
    assert views[2].profile == ""
    assert {*views[3].changes} == {0, 1, 2}
    assert views[3].changes[1] == "(no file differs)"
    assert "beside that of round 1" in views[3].profile
    assert "  500.0 ->     0.0 ms   1000.0 ->     0.0 ms                      app/core.py::hot" in views[3].profile
    shown = ProjectProposer(None, WHOLE).excerpts(history)  # type: ignore[arg-type]
    assert shown.views[1].changes == views[1].changes
    assert shown.original.source.startswith("# === file: app/core.py ===")
    assert all(each.profile is None for each in shown.candidates)


def profile(*functions: tuple[str, float, int]) -> Profile:
    hot = tuple(HotFunction(name, 4, share, calls, total=2 * share) for name, share, calls in functions)
    lines = (HotLine(10, functions[0][1], 0, 0.1, "    return a", "app/core.py:10"),)
    return Profile("command", lines, hot, None, None, None, None, None, (), ())


MORE_FILES = FILES.with_file(
    "app/grid.py",
    """class Grid:
    size = 3

    def at(self, row):
        return row

    def __len__(self):
        return 9

    def corner(self):
        return 0


def at(a):
    return a


def sum(a):
    return a


def _bare(a):
    return a
""",
).with_file("app/rare.py", "def seldom(a):\n    return a\n\n\nLIMIT = 3\nimport numpy as np\nfrom app import grid\n")


@pytest.mark.parametrize(
    ("critique", "named"),
    [
        ("`hot` is slow.", [("app/core.py", "hot")]),
        ("Take app/core.py::hot, then `seldom(a)`", [("app/core.py", "hot"), ("app/rare.py", "seldom")]),
        ("Call Grid.at only once", [("app/grid.py", "Grid.at")]),
        ("Call `self.grid.at(3)`", [("app/grid.py", "Grid.at"), ("app/grid.py", "at")]),
        ("Take `np.hot(a)` and `grid.at(a)`", [("app/grid.py", "Grid.at"), ("app/grid.py", "at")]),
        ("Give `Grid` slots", [("app/grid.py", "Grid")]),
        ("The limit in rare.py is low", [("app/rare.py", "")]),
        ("It is hot at work, and seldom waits", []),
        ("`nowhere` and nowhere.py", []),
        ("`corner` and `sum(corner)`", []),
        ("`grid.corner` and `_bare`", [("app/grid.py", "Grid.corner"), ("app/grid.py", "_bare")]),
    ],
)
def test_names_in_a_critique_are_functions_classes_and_files(critique: str, named: list[tuple[str, str]]) -> None:
    shown = page(MORE_FILES)
    shown.original()
    assert list(named_places(critique, shown)) == named


def test_a_draft_that_fails_is_mended_in_the_function_that_fails() -> None:
    """The answer goes into the draft, so that its other changes need not be repeated."""
    broken = FILES.with_file("app/core.py", CORE.replace("    return a\n", "    return aa\n"))
    traceback = b'  File "/w/main.py", line 2, in <module>\n  File "/w/app/core.py", line 10, in hot\nNameError: aa\n'
    failed = Outcome("command", CaseVerdict.RE, replace(PLAIN, exit=1, stderr=traceback))
    history = History((
        Candidate(0, FILES, "", (Outcome("command", CaseVerdict.AC, PLAIN),)),
        Candidate(1, broken.with_file("main.py", "big = 1\n"), "a draft", (failed,), model="m"),
    ))  # fmt: skip
    model = Scripted(["SUMMARY: mended\n```python\n# === file: app/core.py ===\ndef hot(a):\n    return +a\n```"])
    inner = LanguageModel(
        model, open_task("runtime"), (Case("command", b""),), briefing=brief(WHOLE, "python main.py", "")
    )
    draft = ProjectProposer(inner, WHOLE).critique(history).draft
    asked = model.asked[0][-1].content
    assert "# --- line 4 ---\ndef hot(a):\n# --- line 10 ---\n    return aa\n" in asked
    assert ("def big" in asked, "NameError: aa" in asked, "+big = 1" in asked) == (False, True, True)
    assert asked.count("return aa\n") == 1
    assert draft is not None
    assert "return +a" in draft.revision["app/core.py"]
    assert draft.revision["main.py"] == "big = 1\n"


def test_what_a_shown_method_uses_of_its_large_class_is_shown() -> None:
    other = "\n".join(f"    def other{n}(self):\n        return {n * 1000}\n" for n in range(600))
    first = "class Book:\n    LIMIT = 3\n\n    def __init__(self):\n        self.rows = []\n"
    last = "    def rest(self):\n        return 1\n\n    def hot(self):\n        return self.rest() + self.LIMIT\n"
    text = f"{first}\n{other}\n{last}"
    spot = Frame("Book.hot", "app/book.py", text.count("\n") - 1)
    profile = make_profile(PLAIN, [Sample((MAIN, spot), spot.line, "", False, 1.0)], [], 0.0, {}, {})
    shown = SourcePage({"app/book.py": text}, NOT_FIXED, profile).original()
    assert all(part in shown for part in ("    LIMIT = 3\n", "self.rows = []", "def rest(self):"))
    assert "def other" not in shown
    small = text.replace(other, other[:1500].rpartition("    def")[0])
    assert "def other0" in SourcePage({"app/book.py": small}, NOT_FIXED, profile).original()
