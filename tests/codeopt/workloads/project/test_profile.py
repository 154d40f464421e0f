"""`codeopt profile --run COMMAND`: whose time a command's is, across the files of a project."""
# looks at codeopt/cli/commands/profile

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.report.stacks import Frame
from codeopt.workloads.project.briefing import brief
from codeopt.workloads.project.profile import (
    INTERPRETER,
    CalledBy,
    FunctionTime,
    LibraryTime,
    QueryLine,
    Sample,
    WaitLine,
    given_back,
    make_profile,
    with_sampled_lines,
)
from codeopt.workloads.project.project_program import read_project
from codeopt.workloads.project.watch import Names, worth_counting
from codeopt.workloads.project.watch import samples_of as read_samples
from codeopt.workloads.project.workload import as_profile
from codeopt_sandbox.outcome import Run
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import make_repository

STORE = """\
class Store:
    def __init__(self):
        self.rows = []

    def add(self, name, price):
        self.rows.append((name, price))

    def _find(self, name):
        return [price for each, price in self.rows if each == name]
"""
REPORT = """\
import json

from shop.store import Store


def report(n):
    store = Store()
    for k in range(n):
        store.add(f"item{k % 500}", k)
    return json.dumps({f"item{k}": sum(store._find(f"item{k}")) for k in range(500)})
"""
BENCH = "from shop.report import report\n\nprint(len(report(6000)))\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project of three files, which git tracks, beside a secret that nobody may see."""
    files = {"shop/__init__.py": "", "shop/store.py": STORE, "shop/report.py": REPORT, "bench.py": BENCH}
    make_repository(tmp_path, files)
    (tmp_path / ".env").write_text("TOKEN=1")
    return tmp_path


def test_where_the_time_of_a_command_goes(shop: Path) -> None:
    require_sandbox()
    flags = ("-v", "--sandbox", "bubblewrap", "--json", "--export", "speedscope", "out.json")
    done = codeopt("profile", "--run", "python bench.py", *flags, cwd=shop)
    assert done.status == 0, done.err
    found = done.json
    first = found["functions"][0]
    assert (first["file"], first["qualname"], first["calls"]) == ("shop/store.py", "Store._find", 500)
    assert 0.5 < first["own_share"] <= first["total_share"] <= 1
    assert found["targets"][0]["qualname"] == "Store._find"
    by_name = {row["qualname"]: row for row in found["functions"]}
    assert by_name["report"]["total_share"] >= first["own_share"] > by_name["report"]["own_share"]
    assert (
        found["lines"][0]["line"]
        == STORE.split("\n").index("        return [price for each, price in self.rows if each == name]") + 1
    )
    assert first["given"] == [{"parameter": "name", "type": "str", "least": 5, "most": 7}]
    assert by_name["report"]["given"] == [{"parameter": "n", "type": "int", "least": 6000, "most": 6000}]
    assert 0 < found["start_share"] < 0.9
    exported = json.loads((shop / "out.json").read_text())
    names = [frame["name"] for frame in exported["shared"]["frames"]]
    assert "Store._find" in names
    assert len(exported["profiles"][0]["samples"]) == len(exported["profiles"][0]["weights"]) > 0


LOOP = """\
def seen_twice(words):
    found = []
    for word in words:
        if words.count(word) > 1 and word not in found:
            found.append(word)
    return found
"""


def test_a_proposer_is_told_of_queries_and_waiting() -> None:
    queries = (QueryLine("m.py", "a", 2, 1200, 1200, 1, "b"), QueryLine("m.py", "b", 6, 3, 3, 1))
    waits = (WaitLine("m.py", "b", 7, "", 0.4, 0.4, False), WaitLine("m.py", "b", 8, "", 0.9, 0.9, True))
    found = replace(make_profile(PLAIN, samples_of(((A,), 1.0)), [], 0.0, {}, {}), queries=queries, waits=waits)
    told = brief(found, "python m.py", "3.11").measured_facts
    assert "N+1" in told
    assert "1,200 queries of one statement at m.py:2 in a, most for b" in told
    assert "m.py:6" not in told
    assert " 40.0% m.py:7 in b" in told
    assert "m.py:8" not in told
    rows = found.to_json()
    assert [row["queries"] for row in rows["queries"]] == [1200, 3]
    assert [row["for_others"] for row in rows["waits"]] == [False, True]


def test_what_a_run_is_given(shop: Path) -> None:
    (shop / "shop" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF")
    found = read_project(shop)
    assert {path for path, _ in found.files} == {
        "bench.py", "shop/__init__.py", "shop/report.py", "shop/store.py", "shop/fast.cpython-311-x86_64-linux-gnu.so",
    }  # fmt: skip
    assert "built in place" in found.notes[0]


def test_a_line_is_one_of_the_innermost_function_s_file() -> None:
    """A file that the command writes and runs is none of the project's: its lines are not its caller's."""
    names = Names({"bench.py": BENCH.encode()})
    inside, below = (
        read_samples([["/bench.py:0", *more], 128, 0, "", False, 0.5], names, 1) for more in ((), ("/written.py:1",))
    )
    assert inside == [Sample((Frame("<module>", "bench.py", 0),), 128, "", False, 0.5)]
    assert below == [replace(inside[0], line=0)]


def test_a_loop_s_end_without_a_line_is_all_of_its_lines() -> None:
    names = Names({"work.py": LOOP.encode(), "bench.py": BENCH.encode()})
    found = read_samples([["/work.py:1"], -5, 0, "", False, 0.6], names, 2)
    assert [(each.line, each.seconds) for each in found] == [(line, pytest.approx(0.1)) for line in (3, 4, 5)]
    assert [each.line for each in read_samples([["/bench.py:0"], -3, 0, "", False, 0.6], names, 2)] == [3]


A, B, MAIN = Frame("a", "m.py", 1), Frame("b", "m.py", 5), Frame("<module>", "m.py", 0)
PLAIN = Run(0, None, 1.0, 1.0, 0, b"", b"")


def samples_of(*rows: tuple[tuple[Frame, ...], float]) -> list[Sample]:
    return [Sample((MAIN, *stack), 1, "", False, seconds) for stack, seconds in rows]


def test_who_asks_again_is_a_target_too() -> None:
    """The remedy for parsing the same text over and over stands in the caller."""
    calls = [CalledBy(B, A, 100), CalledBy(A, MAIN, 1)]
    found = make_profile(PLAIN, samples_of(((A,), 0.1), ((A, B), 0.9)), calls, 0.0, {B: 0.9}, {})
    by_name = {f.qualname: f for f in found.targets}
    assert (by_name["a"].expected_gain, by_name["a"].why) == (pytest.approx(0.81), "its calls of b repeat earlier ones")
    assert by_name["b"].why == "90% of the time is its own"


def test_a_function_that_was_not_counted_has_no_count() -> None:
    """0 would be a count, too."""
    found = make_profile(PLAIN, samples_of(((A,), 0.6), ((B,), 0.4)), [CalledBy(A, MAIN, 7213)], 0.0, {}, {})
    assert {f.qualname: (f.calls, f.count) for f in found.functions} == {
        "a": (7213, "7,213"), "b": (None, "?"), "<module>": (None, "?"),
    }  # fmt: skip
    rows = {row["qualname"]: row["calls"] for row in found.to_json()["functions"]}
    assert rows == {"a": 7213, "b": None, "<module>": None}
    named = as_profile(found, Revision({"m.py": "def a():\n    pass\n"})).functions
    assert [(f.name, f.count) for f in named][:2] == [("m.py::a", "7,213"), ("m.py::b", "?")]


def test_hot_lines_of_samples_are_those_of_the_hottest_functions() -> None:
    samples = [
        Sample((MAIN, A), 2, "", False, 3.0), Sample((MAIN, A), 2, "json", False, 1.0),
        Sample((MAIN, B), 6, "", False, 1.0), Sample((MAIN, B), 7, "re", True, 5.0), Sample((), 0, "os", False, 2.0),
    ]  # fmt: skip
    found = with_sampled_lines(make_profile(PLAIN, samples, None, 0.0, {}, {}))
    rows = [(line.line, line.own_share, line.library_share) for line in found.lines]
    assert rows == [(2, pytest.approx(1 / 3), pytest.approx(1 / 12)), (6, pytest.approx(1 / 12), 0.0)]


def test_a_library_s_time_at_work_and_that_of_its_import_are_apart() -> None:
    samples = [
        Sample((MAIN, A), 2, "json", False, 3.0), Sample((MAIN, B), 7, "json", True, 1.0),
        Sample((MAIN, A), 3, "", False, 2.0), Sample((MAIN, A), 4, "", True, 2.5), Sample((), 0, "os", False, 1.5),
    ]  # fmt: skip
    found = make_profile(PLAIN, samples, None, 0.0, {}, {})
    assert found.libraries == (LibraryTime("json", "m.py", 2, 0.3), LibraryTime("os", "", 0, 0.15))
    assert found.imports == (LibraryTime(INTERPRETER, "m.py", 4, 0.25), LibraryTime("json", "m.py", 7, 0.1))


def test_who_spreads_work_often_is_a_target_and_the_outline_of_a_command_is_none() -> None:
    c = Frame("c", "m.py", 9)
    rows = samples_of(((A, B), 0.5), ((A, c), 0.4), ((A,), 0.1))
    often, once = (make_profile(PLAIN, rows, [CalledBy(A, MAIN, times)], 0.0, {}, {}).targets for times in (50, 1))
    assert next(f.expected_gain for f in often if f.qualname == "a") == pytest.approx(0.5)
    assert next(f.expected_gain for f in once if f.qualname == "a") == pytest.approx(0.1)


def test_time_that_samples_gave_to_another_is_given_back() -> None:
    """A new list takes long in C, and the handler of the clock runs when its function has returned."""
    samples, own = samples_of(((A,), 1.0)), {A: 0.01, B: 0.99}
    assert given_back(samples, {A: 0.5, B: 0.1}, [(A, B)]) == samples
    found = make_profile(PLAIN, given_back(samples, own, [(A, B)]), [CalledBy(B, A, 100)], 0.0, {}, {})
    assert {f.frame: f.own_share for f in found.functions if f.frame != MAIN} == pytest.approx(own)


LEAF = """\
ROWS = list(range(3000))


def known(x):
    return x in ROWS


print(sum(known(-k) for k in range(20000)))
"""


def test_what_a_hot_module_calls_is_counted_too() -> None:
    """No sample may have seen a function that computes in C."""
    module = FunctionTime("leaf.py", "<module>", 0, 0.9, 0.9, 0.0, None)
    assert worth_counting([module], Names({"leaf.py": LEAF.encode()})) == (Frame("known", "leaf.py", 4),)
