"""What the kinds of targets promise of what they read: a row is a text or a run, and what must come of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.analysis.facts import is_hinted
from codeopt.core.errors import Diagnostic, UsageError
from codeopt.workloads._runs import axes, in_order, other_environments
from codeopt.workloads.function.corpus.observe import Exclusion, ExclusionReason
from codeopt.workloads.function.corpus.sources import Found
from codeopt.workloads.function.harness import (
    is_a_generator_for_callers,
    make_target,
    receives,
    require_same_parameters,
)
from codeopt.workloads.module import is_library
from codeopt.workloads.program.differences import error_name
from codeopt.workloads.program.differential import ends_well, kind_of_change, patient
from codeopt.workloads.program.mutated_cases import MutatedCase
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.harnesses import Asv
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.suite import collected_files, named_tests
from codeopt.workloads.project.test_runs import TestResults as Results
from codeopt.workloads.project.test_runs import TestRunner as Runner
from codeopt.workloads.project.test_runs import argv_of, as_tests
from codeopt.workloads.source.functions import Function, ModuleFunctions
from codeopt_sandbox.guest.request import EMBEDDED, SHIFTED, USUAL
from codeopt_sandbox.outcome import Case, RunLimits
from tests.support.candidates import run


def function(text: str, name: str = "f") -> Function:
    return ModuleFunctions(Path("m.py"), text, ast.parse(text)).find(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("import os\nfrom re import sub\n\ndef f():\n    pass\n\nclass C:\n    pass\n", True),
        ("async def f():\n    pass\npass\n'words'\nN: int = 3\nM = [1]\n", True),
        ("N = len('a')\n", False),
        ("N = [k for k in 'ab']\n", False),
        ("print(1)\n", False),
        ("for k in 'a':\n    pass\n", False),
        ("if N:\n    M = 1\nelse:\n    M = 2\n", True),
        ("if N:\n    M = 1\nelse:\n    print(1)\n", False),
        ("if __name__ == '__main__':\n    M = 1\n", False),
        ("try:\n    import re\nexcept ImportError:\n    re = None\nelse:\n    A = 1\nfinally:\n    B = 1\n", True),
        ("try:\n    import re\nexcept ImportError:\n    print(1)\n", False),
        ("try:\n    import re\nfinally:\n    print(1)\n", False),
        ("from . import a\nprint(1)\n", True),
        ("from . import a\nif __name__ == '__main__':\n    print(1)\n", False),
    ],
)
def test_a_module_that_only_defines_is_a_library(text: str, expected: bool) -> None:
    assert is_library(text) is expected


@pytest.mark.parametrize(
    ("text", "receiving", "for_callers", "hinted"),
    [
        ("def f(): return 1", False, False, False),
        ("def f(n: int): yield n", False, False, True),
        ("def f(n, m=1): got = yield n", True, True, False),
        ("def f(n: int, *, k) -> 'Generator': yield n", False, True, False),
        ("def f(self, n: int, *, k=1): yield from n", False, False, True),
        ("def f(n: int, k=1):\n  try:\n    yield n\n  finally:\n    pass", False, True, True),
        ("def f(n: int, /, k):\n  with n:\n    yield from n", False, True, False),
        ("def f(n: int):\n  def g():\n    x = yield\n  return g", False, False, True),
    ],
)
def test_what_a_definition_says(text: str, receiving: bool, for_callers: bool, hinted: bool) -> None:
    node = function(text).node
    assert (receives(node), is_a_generator_for_callers(node), is_hinted(node)) == (receiving, for_callers, hinted)


MODULE = """\
N, (M, K) = 1, (2, 3)
T: int = 4
__all__ = []

class C:
    X = 1

def f(a, b=2, *c, d, **e):
    yield a

f.calls = 0
f.a.b = 1
g.calls = 0
"""


def test_a_function_is_found_in_the_guest() -> None:
    module = SimpleNamespace(name="pack.m", path=Path("/p/m.py"), root=Path("/p"))
    view: Any = SimpleNamespace(
        module=module, inside=lambda path, _: f"/in{path}", paths=lambda _: ("/in",), test_folders=[Path("/t")]
    )
    sandbox: Any = SimpleNamespace(isolated=True, limits=RunLimits(memory_mib=100))
    found = make_target(function(MODULE), view, sandbox, "CALLS = []", ("alias",))
    assert (found.module, found.file, found.qualname, found.paths) == ("pack.m", "/in/p/m.py", "f", ("/in",))
    assert (found.globals[:4], found.classes, found.attributes) == (("K", "M", "N", "T"), ("C",), ("f.calls",))
    assert (found.generator, found.receives, found.asynchronous, found.first_line) == (False, False, False, 9)
    assert (found.calls_file, found.memory_bytes) == ("CALLS = []", 60 << 20)
    assert (found.aliases[0], found.test_paths) == ("alias", ("/in/t",))


def test_only_functions_that_are_awaited_alike_are_compared() -> None:
    plain, waits = function("def f(a): return 0"), function("async def f(a): return 0")
    require_same_parameters(plain, plain)
    require_same_parameters(waits, waits)
    with pytest.raises(UsageError, match="only one of them is asynchronous"):
        require_same_parameters(plain, waits)


def test_environments_and_the_order_of_calls() -> None:
    shifted, embedded = other_environments("import os\nos.environ['B'], os.getenv('A'), os.environ['PATH']\n")
    assert (shifted.variables, embedded) == ((("A", "1"), ("B", "1")), EMBEDDED)
    assert in_order(USUAL, "abcd") == [*"abcd"]
    assert in_order(USUAL.replace(order="reversed"), "abcd") == [*"dcba"]
    shuffled = in_order(USUAL.replace(order="shuffled"), "abcd")
    assert (sorted(shuffled), shuffled == [*"abcd"]) == ([*"abcd"], False)
    assert axes(USUAL) == ""
    assert axes(USUAL.replace(timezone="AAA+3:30", name="x")) == "timezone AAA+3:30"
    assert "timezone" in axes(SHIFTED)


def test_what_sources_of_calls_find_is_added() -> None:
    gap, twice = Diagnostic("a", "b"), Exclusion(ExclusionReason.TWICE)
    one = Found((("tests", ("f(1)",)),), ("f(9)",), ("t1",), (gap,), {twice: 1}, {"f(1)": "t1"})
    two = Found((("doctests", ("f(2)",)),), ("f(8)",), ("t2",), (gap,), {twice: 2}, {"f(2)": "d"})
    both = one + two
    assert both.calls == (("tests", ("f(1)",)), ("doctests", ("f(2)",)))
    assert (both.big, both.tests, both.diagnostics) == (("f(9)",), ("t1",), (gap, gap))
    assert (dict(both.dropped), both.places) == ({twice: 3}, {"f(1)": "t1", "f(2)": "d"})
    assert (Found(()) + two).big == ("f(8)",)


@pytest.mark.parametrize(
    ("longest_s", "most_s", "limit"), [(0.001, 10, 0.1), (0.1, 10, 0.4), (9, 10, 1.0), (9, 0.5, 0.5)]
)
def test_a_changed_input_has_little_time(longest_s: float, most_s: float, limit: float) -> None:
    for waited, runs in ((0.0, [limit]), (limit / 4 + 0.01, [limit, 4 * limit])):
        asked = list[float]()

        def gives(
            *_: object, limits: RunLimits, waited: float = waited, asked: list[float] = asked, **__: object
        ) -> Any:
            asked.append(limits.seconds)
            return run(stop="time", exit=None, runqueue_wait_s=waited)

        sandbox: Any = SimpleNamespace(limits=RunLimits(seconds=most_s), run=gives)
        patient(sandbox, "x", longest_s)(Case("1", b""), "fork")
        assert asked == pytest.approx(runs)


def test_how_a_run_ended() -> None:
    case = Case("1", b"", exit=3)
    assert [ends_well(case, run(exit=status)) for status in (0, 3, 1, None)] == [True, True, False, False]
    assert not ends_well(case, run(stop="time"))
    traced = b"Traceback (most recent call last):\n  File\nValueError: a: b\n"
    assert (ends_well(case, run(stderr=traced)), ends_well(case, run(stderr=b"warning"))) == (False, True)
    assert (error_name(run(stderr=traced)), error_name(run(stderr=b"a\nlast line\n\n"))) == ("ValueError", "last line")
    names = ("longer.3", "alike.NAME.resampled.4", "x")
    assert [kind_of_change(MutatedCase(name, case, "")) for name in names] == ["longer", "alike.NAME", "x"]


@pytest.mark.parametrize(
    ("words", "pattern"),
    [(("-b", "time_x"), "time_x"), (("--bench", "a|b"), "a|b"), (("--bench=c",), "c"), (("-b",), ""), (("x",), "")],
)
def test_a_pattern_chooses_benchmarks(words: Sequence[str], pattern: str) -> None:
    project: Any = SimpleNamespace(files=(("asv.conf.json", b'{"benchmark_dir": "speed"}'),))
    command = read_command("python -m asv run", Path("/p"))
    changed, _ = Asv().fixed(replace(command, words=("-m", "asv", "run", *words)), project, 7)
    assert f"main('speed', {pattern!r}, 7, " in changed.words[1]


def test_tests_run_with_the_arguments_of_the_command() -> None:
    command = read_command("A=1 python bench.py --n 3", Path("/p"))
    nothing: Any = None
    runs = CommandRuns(nothing, nothing, command)
    for runner in Runner:
        made = as_tests(runs, (runner, ("-x",)), ["shop/tests.py"])
        assert (made.command.words[0], made.command.variables) == ("-c", command.variables)
        ((path, text),) = made.beside
        assert path in made.command.words[1]
        assert f"['bench.py', '--n', '3'], '{runner}', [" in text.decode()
        assert "'-x'], ['shop/tests.py'], " in text.decode()
    assert argv_of(read_command("python -m a.b 4", Path("/p"))) == ("a/b.py", "4")
    assert argv_of(read_command("python -c 'x' 4", Path("/p"))) == ("-c", "4")


def test_which_files_have_the_tests(tmp_path: Path) -> None:
    names = ["tests/test_a.py::test_x", "tests/test_b.py::Unit::test_y", "a/doc.py::a.doc.f"]
    paths = ["tests/test_a.py", "tests/test_b.py", "tests/test_c.py", "a/doc.py"]
    assert [*collected_files(names, paths)] == ["tests/test_a.py", "tests/test_b.py"]
    other = tmp_path / "other"
    given = [tmp_path / "t/test_a.py", other / "x.py", Path("/gone/b.py")]
    assert named_tests(given, [tmp_path / "t", tmp_path]) == ["test_a.py", "other/x.py"]


def test_why_a_test_of_the_project_failed() -> None:
    why = ">       assert f() == 1\nE       assert 2 == 1\nE        +  where 2 = f()\n\nt.py:3: AssertionError\n"
    found = Results(run(), {"a": False, "b": True}, {"a": why, "c": "Traceback\nKeyError: 3\n"}, {"a": "n = 1"})
    assert found.passed == ("b",)
    assert found.reason("a") == "> assert f() == 1 | assert 2 == 1 | + where 2 = f()"
    assert (found.reason("b"), found.reason("c")) == ("", "KeyError: 3")
    assert found.detail("a").endswith("\nwhere\nn = 1")
    assert "where\n" not in found.detail("c")
    assert [Results(each, {}).cut for each in (run(), run(stop="time"), run(exit=None))] == [False, True, True]
    assert Results(run(exit=4), {}).last_words == "exit status 4"
