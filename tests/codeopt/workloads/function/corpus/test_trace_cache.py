"""A run of a project's tests is kept for all commands: used while nothing has changed that decides it."""
# looks at codeopt/workloads/function/corpus/existing_tests, codeopt/workloads/function/corpus/sources

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.cache import Cache, CacheKind, open_cache
from codeopt.core.console import Console
from codeopt.core.errors import Diagnostic
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TracedCalls
from codeopt.core.session import Mounts, Session
from codeopt.workloads.function.corpus.existing_tests import CachedRun, Times, TraceCache, codec_in, open_trace_cache
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.sandbox_view.linked import NO_LINKS
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Sandbox
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import make_repository, write_files

FILES = {
    "pkg/__init__.py": "",
    "pkg/mod.py": "from pkg.helper import plus\n\n\ndef total(items):\n    found = 0\n    for item in items:\n"
    "        found = plus(found, item)\n    return found\n\n\ndef twice(items):\n    return total(items) * 2\n\n\n"
    "def never(items):\n    return items\n",
    "pkg/helper.py": "def plus(a, b):\n    return a + b\n",
    "pkg/other.py": "THING = 1\n",
    "tests/test_mod.py": "from pkg.mod import total, twice\n\n\ndef test_total():\n    for size in range(8):\n"
    "        assert total([*range(size)]) == size * (size - 1) // 2\n    assert twice([1, 2, 3]) == 12\n\n\n"
    "def test_fails():\n    assert total([1]) == 2\n",
    "tests/conftest.py": "",
    "tests/test_apart.py": "def test_nothing():\n    pass\n",
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "README.md": "pkg\n",
}


@contextmanager
def _traces(project: Path, options: ImproveOptions | None = None, version: str = "3.99.1") -> Iterator[TraceCache]:
    """The kept runs of a project's tests, as a command has them; the cache lies beside the project."""
    kept_beside = partial(open_cache, folder=project.parent / "cache")
    session = Session(Console(quiet=True), open_sandbox=open_isolated, open_cache=kept_beside)
    chosen = options or ImproveOptions.of({"sandbox": "bubblewrap"})
    python = Interpreter(sys.executable, version, None, Origin.OWN)

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return open_isolated(chosen, notify=lambda line: None, mounts=mounts)

    with open_harness(read_function(project / "pkg" / "mod.py", "total"), open_with, chosen.tests) as harness:
        yield open_trace_cache(harness, chosen, session, python, NO_LINKS)


def _known(project: Path, **made: Any) -> TracedCalls | None:
    with _traces(project, **made) as traces:
        return traces.calls(project / "pkg" / "mod.py", "total")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that git tracks, whose tests were run once to rank its functions."""
    require_sandbox()
    project = make_repository(tmp_path_factory.mktemp("kept") / "project", FILES)
    path = project / "pkg" / "mod.py"
    with _traces(project) as traces:
        found = traces.times([path], [(path, "total"), (path, "twice"), (path, "never")])
        assert found.reused_from is None
        assert found.tests == 1
    return project


@pytest.fixture
def project(kept: Path, tmp_path: Path) -> Path:
    """A copy of it with its cache, elsewhere."""
    return Path(shutil.copytree(kept.parent, tmp_path / "copy")) / "project"


def test_the_calls_of_the_one_run_are_known_to_all(project: Path) -> None:
    found = _known(project)
    assert found is not None
    assert len(found.calls) == 10
    assert {test.rpartition("::")[2] for test in found.calls.values()} == {"test_total", "test_fails"}
    assert [each.rpartition("::")[2] for each in found.tests] == ["test_total"]
    (short,) = found.diagnostics  # told by each command that takes the run
    assert "1 of 2 tests fail on the original" in short.words


def test_times_are_those_of_the_earlier_run(project: Path) -> None:
    path = project / "pkg" / "mod.py"
    with _traces(project) as traces:
        found = traces.times([path], [(path, "total")])
        assert found.reused_from is not None
        assert set(found.seconds[path]) == {"total", "twice"}
        assert set(found.own) == {(path, "total"), (path, "twice")}
        more = traces.times([path, project / "pkg" / "helper.py"], [(path, "total")])
        assert more.reused_from is None  # shares are of the time of the tests of the same modules


REACHED = ("pkg/mod.py", "pkg/helper.py", "tests/test_mod.py", "tests/conftest.py", "pyproject.toml")


@pytest.mark.parametrize("name", REACHED)
def test_an_edit_of_what_the_tests_reach_makes_a_new_run(project: Path, name: str) -> None:
    with (project / name).open("a") as file:
        file.write("# changed\n")
    assert _known(project) is None


def test_a_new_test_makes_a_new_run(project: Path) -> None:
    test = "from pkg.mod import total\n\n\ndef test_it():\n    assert total([]) == 0\n"
    make_repository(project, {"tests/test_more.py": test})
    assert _known(project) is None


@pytest.mark.parametrize("name", ["README.md", "pkg/other.py", "tests/test_apart.py"])
def test_an_edit_elsewhere_does_not(project: Path, name: str) -> None:
    with (project / name).open("a") as file:
        file.write("# changed\n")
    assert _known(project) is not None


@pytest.mark.parametrize(
    "made",
    [{"version": "3.99.2"}, *({"options": ImproveOptions.of({"sandbox": "bubblewrap", **each})} for each in (
        {"memory": 300}, {"env": ["A=1"]}, {"tests": ["."]}, {"no_cache": True}))],
    ids=["python", "memory", "env", "tests", "no_cache"],
)  # fmt: skip
def test_what_runs_the_tests_decides(project: Path, made: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert _known(project, **made) is None


def test_options_of_the_judge_do_not(project: Path) -> None:
    asked = {"sandbox": "bubblewrap", "max_examples": 70, "strict": True, "timeout": 9.0, "max_pairs": 8}
    assert _known(project, options=ImproveOptions.of(asked)) is not None


@pytest.mark.parametrize(
    "broken", [lambda value: [], lambda value: {**value, "traces": 1}, lambda value: {"format": 9}]
)
def test_a_value_that_is_none_is_passed_over(project: Path, broken: Callable[[Any], Any]) -> None:
    cache = Cache(project.parent / "cache")
    (value,) = cache.values(CacheKind.TRACE)
    cache.put(CacheKind.TRACE, "broken", broken(value.value))
    assert _known(project) is not None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pkg/mod.py::total", "--"], "there is no command to run"),
        (["pkg/mod.py::total", "--tests", "tests", "--", "true"], "--tests and a command after -- exclude each other"),
        (["pkg/mod.py::total", "--what"], "unknown option --what"),
        (["pkg/mod.py"], "names no function"),
    ],
)
def test_bad_words_are_told(tmp_path: Path, words: list[str], said: str) -> None:
    write_files(tmp_path, FILES)
    done = codeopt("record", *words, cwd=tmp_path)
    assert (done.status, said in done.err) == (2, True), done.err


_NAMES = st.sampled_from(["a.py", "b/c.py", "d.py"])
_FUNCTION = st.tuples(_NAMES, st.sampled_from(["f", "g", "C.m"]))
_SHORT = st.none() | st.builds(Diagnostic, st.text(), st.text(), st.text())
_CALLS = st.builds(
    TracedCalls, st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), st.integers(0, 9)),
    st.lists(st.text()).map(tuple),
)  # fmt: skip


@given(
    st.sets(_NAMES), st.sets(_FUNCTION), st.dictionaries(_FUNCTION, st.tuples(st.floats(0, 9), st.floats(0, 9))),
    st.dictionaries(_FUNCTION, _CALLS), _SHORT, st.booleans(),
)  # fmt: skip
def test_a_run_comes_out_as_it_went_in(
    files: set[str], functions: set[tuple[str, str]], rows: dict[tuple[str, str], tuple[float, float]],
    traces: dict[tuple[str, str], TracedCalls], short: Diagnostic | None, flag: bool,
) -> None:  # fmt: skip
    root = Path("/project")
    seconds: dict[Path, dict[str, float]] = {}
    for (file, name), (total, _) in rows.items():
        seconds.setdefault(root / file, {})[name] = total
    own = {(root / file, name): own for (file, name), (_, own) in rows.items()}
    found = {(root / file, name): each for (file, name), each in traces.items()}
    run = CachedRun(
        tuple(sorted(root / each for each in files)), tuple(sorted((root / file, name) for file, name in functions)),
        Times(seconds, 1.5, 3, short, own, found, flag), timed=not flag, decided="d",
    )  # fmt: skip
    again = codec_in(root).read(CachedRun, json.loads(json.dumps(codec_in(root).write(run))))
    assert (again, again.times) == (run, run.times)
