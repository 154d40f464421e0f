"""Prompts for a project, made of profiles that are written down: source, figures, marks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.workloads.project.answers import apply_answer
from codeopt.workloads.project.fixed_ground import FixedGround, FixedReason
from codeopt.workloads.project.module_graph import ModuleGraph
from codeopt.workloads.project.profile import CalledBy, ProjectProfile, Sample, Spot, make_profile
from codeopt.workloads.project.prompt.briefing import brief, fixed_words
from codeopt.workloads.project.prompt.excerpts import ROOM, ranked, shown_source
from codeopt.workloads.project.prompt.imports import import_shares
from codeopt.workloads.project.prompt.round_views import round_views
from codeopt.workloads.project.prompt.vendored import is_vendored, library_shares
from codeopt.workloads.project.proposer import ProjectProposer
from codeopt.workloads.project.suite_tests import MOST_LISTED, _detail
from codeopt.workloads.project.test_runs import TestResults
from codeopt_sandbox.outcome import Outcome, Run, Verdict
from codeopt_sandbox.profile import HotFunction, HotLine, Profile

LONG = "\n".join(f"    x{n} = {n}" for n in range(900))
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
MAIN, HOT, BIG = Spot("main.py", "<module>", 0), Spot("app/core.py", "hot", 4), Spot("app/core.py", "big", 13)
VENDORED, LOADED = Spot("app/_vendor/lib.py", "work", 1), Spot("app/setup_all.py", "<module>", 0)
REGISTER = Spot("app/setup_all.py", "register", 1)
PLAIN = Run(0, None, 1.0, 1.0, 0, b"", b"")


def profile_of(*stacks: tuple[tuple[Spot, ...], float]) -> ProjectProfile:
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


def test_a_librarys_copy_is_told_by_the_functions_of_the_project_above_it() -> None:
    assert [is_vendored(path) for path in ("a/_vendor/b.py", "vendor/c/d.py", "vendor.py", "a/vendors_list.py")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [(row.caller, row.library) for row in library_shares(WHOLE)] == [(HOT, "lib")]
    told = brief(WHOLE, "python main.py", "3.11", "", FILES).measured_facts
    assert " 40.0% lib below app/core.py::hot" in told
    assert "_vendor" not in told
    assert "_vendor" not in shown_source(FILES, WHOLE, FixedGround())


def test_the_import_of_own_modules_is_told_apart_and_shown_last() -> None:
    loading = import_shares(WHOLE)
    assert (loading.share, loading.modules) == (pytest.approx(0.2), frozenset({"app/setup_all.py"}))
    told = brief(WHOLE, "python main.py", "3.11", "", FILES).measured_facts
    assert " 20.0% are the import of the project's own modules" in told
    assert "app/setup_all.py::register: 20% of the time is its own, while modules are imported" in told
    text = shown_source(FILES, WHOLE, FixedGround())
    assert text.index("def hot") < text.index("def register")


def test_what_works_while_modules_are_imported_comes_behind_all_others() -> None:
    """The import takes 9 s of 15, and is the last of seven functions all the same."""
    others = [Spot("app/core.py", f"f{number}", 20 + number) for number in range(6)]
    profile = profile_of(((MAIN, LOADED, REGISTER), 9.0), *(((MAIN, each), 1.0) for each in others))
    found = [function.qualname for function in ranked(FILES, profile, FixedGround())]
    assert (set(found[:6]), found[6:]) == ({each.qualname for each in others}, ["register"])


def test_source_has_numbers_and_room_and_no_long_docstring() -> None:
    text = shown_source(FILES, WHOLE, FixedGround())
    assert "# --- line 4 ---\ndef hot(a):\n# --- line 10 ---\n    return a\n" in text
    assert "\n\n\ndef big(a):\n# --- line 908 ---\n" in text
    assert "    return hot(a)\n" in text  # where a caller that is too long calls
    assert "x200 = 200" not in text
    assert len(text) < ROOM
    fixed = FixedGround({"app/core.py": FixedReason.COMMAND})
    assert "def hot" not in shown_source(FILES, WHOLE, fixed)


def test_marks_of_lines_are_no_part_of_an_answer() -> None:
    answer = "# === file: app/core.py ===\n# --- line 4 ---\ndef hot(a):\n    # --- line 10 ---\n    return 1 * a\n"
    new = apply_answer(FILES, answer)["app/core.py"]
    assert "return 1 * a" in new
    assert "--- line" not in new


def test_a_draft_is_its_diff_and_its_profile_beside_the_round_before() -> None:
    edited = FILES.with_file("app/core.py", FILES["app/core.py"].replace("    return a\n", "    return +a\n"))
    outcome = (Outcome("command", Verdict.AC, PLAIN),)
    original = Candidate(0, FILES, "", outcome, profile=profile(("app/core.py::hot", 0.8, 900)))
    first = Candidate(1, edited, "first", outcome, profile=profile(("app/core.py::hot", 0.5, 30)))
    second = Candidate(2, FILES.with_file("main.py", "big = 1\n"), "second", rejection="wrong")
    third = Candidate(3, edited, "third", outcome, profile=profile(("app/core.py::fast", 0.25, 7)))
    history = History((original, first, second, third))
    views = round_views(history)
    assert "--- a/app/core.py\n+++ b/app/core.py\n@@ -8,5 +8,5 @@" in views[1].change
    assert "800.0 ms  500.0 ms      900 -> 30" in views[1].profile
    assert " 50.0% app/core.py:10  return a" in views[1].profile
    assert views[2].profile == ""
    assert "beside that of round 1" in views[3].profile
    assert "500.0 ms    0.0 ms       30 -> 0" in views[3].profile
    shown = ProjectProposer(None, WHOLE).excerpts(history)  # type: ignore[arg-type]
    assert shown.views == views
    assert shown.original.source.startswith("# === file: app/core.py ===")
    assert all(each.profile is None for each in shown.candidates)


def profile(*functions: tuple[str, float, int]) -> Profile:
    hot = tuple(HotFunction(name, 4, share, calls) for name, share, calls in functions)
    lines = (HotLine(10, functions[0][1], 0, 0.1, "    return a", "app/core.py:10"),)
    return Profile("command", lines, hot, None, None, None, None, None, (), ())


def test_the_first_failing_test_is_told_with_its_variables_and_the_others_by_name() -> None:
    names = [f"t.py::test_{number}" for number in range(MOST_LISTED + 3)]
    why = "t.py:3: in test_0\n    assert f(n) == 1\nE   assert 2 == 1"
    results = TestResults(PLAIN, dict.fromkeys(names, False), {names[0]: why}, {names[0]: "n = 7"})
    told = _detail(names, results)
    assert told.startswith(f"t.py::test_0:\n{why}\nwhere\nn = 7\n")
    assert told.endswith(f"test_{MOST_LISTED} and 2 more")
    assert results.reason(names[0]) == "assert f(n) == 1 | assert 2 == 1"


def test_tests_of_the_fixed_ground_are_counted_and_a_long_script_is_cut() -> None:
    tests = {f"tests/test_{number:02}.py": FixedReason.TEST for number in range(30)}
    told = fixed_words(FixedGround({"run.py": FixedReason.COMMAND, **tests}), {"run.py": b"x = 1\n" * 2000})
    assert "tests/test_00.py, tests/test_01.py and 28 more (a test file)" in told
    assert "characters left out" in told
    assert len(told) < 4200


def test_a_helper_of_all_tests_is_found_by_reading_one_of_them() -> None:
    helpers = {"tests/kit.py": b"", "tests/rare.py": b""}
    tests = {f"tests/test_{number}.py": b"from tests.kit import x\n" for number in range(50)}
    tests["tests/test_9.py"] += b"import rare\n"
    graph = ModuleGraph({**helpers, **tests})
    assert set(graph.helpers_of(set(tests), "")) == set(helpers)
    assert len(graph._trees) < 10


def test_no_function_that_may_be_edited() -> None:
    history = History((Candidate(0, FILES.with_file("app/big.py", "x = 1\n" * ROOM), "", ()),))
    bare = replace(WHOLE, functions=())
    shown = ProjectProposer(None, bare).excerpts(history)  # type: ignore[arg-type]
    assert shown.original.source.startswith("# No function")
