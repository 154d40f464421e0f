"""Evidence of a function from the cache: the same as collected, used only while nothing has changed that it stands
on, and never what must be unseen."""
# looks at codeopt/workloads/function/corpus_cache, codeopt/workloads/sandbox_view/reached

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.core.cache import CacheKind, open_cache
from codeopt.core.errors import Diagnostic
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.session import Session
from codeopt.workloads import WorkloadRequest, kind_of
from codeopt.workloads._evidence_cache import Parts
from codeopt.workloads.function.corpus.cases import CallCase
from codeopt.workloads.function.corpus.collect import with_given_calls
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import Exclusion, ExclusionReason, Exclusions, KnownCall
from codeopt.workloads.function.corpus_cache import CODEC, corpus_from_json, decided_by
from codeopt.workloads.function.counterexample import CallNames
from codeopt.workloads.function.function_target import FunctionTarget
from codeopt.workloads.function.timing import Timed
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import CallBatch, Kind
from codeopt_sandbox.guest.answer import KINDS, Answer, Field, Floats
from tests.conftest import require_sandbox
from tests.support.files import make_repository

FILES = {
    "pkg/__init__.py": "NAME = 'pkg'\n",
    "pkg/mod.py": "from pkg.helper import plus\n\ndef f(items: list[int]) -> int:\n"
    "    total = 0\n    for item in items:\n        total = plus(total, item)\n    return total\n",
    "pkg/helper.py": "from .deep import ONE\n\ndef plus(a, b):\n    return a + b * ONE\n",
    "pkg/deep.py": "ONE = 1\n",
    "pkg/other.py": "THING = 1\n",
    "pkg/table.csv": "1,2\n",
    "tests/test_mod.py": "from pkg.mod import f\n\ndef test_f():\n    assert f([1, 2, 3]) == 6\n",
    "tests/conftest.py": "",
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "README.md": "pkg\n",
    "calls.py": "CALLS = [(([n, n + 1],), {}) for n in range(12)]\nBIG = [((list(range(2000)),), {})]\n",
}


@contextmanager
def _opened(project: Path, *, version: str = "3.99.1", **options: Any) -> Iterator[FunctionTarget]:
    given = {"sandbox": "bubblewrap", "max_examples": 20, "calls": project / "calls.py", **options}
    chosen = ImproveOptions.of(given)
    session = Session(open_sandbox=open_isolated, open_cache=open_cache)
    target = Target(project / "pkg" / "mod.py", "f")
    python = Interpreter(sys.executable, version, None, Origin.OWN)
    request = WorkloadRequest(target, read_program(target.path), chosen, session, interpreter=python, needs_time=False)
    with kind_of(target, chosen).open_workload(request) as opened:
        assert isinstance(opened, FunctionTarget)
        yield opened


def _key(project: Path, **options: Any) -> Parts | None:
    """The key of the evidence; nothing is called for it."""
    with _opened(project, **options) as opened:
        asked = opened.request
        assert asked.interpreter is not None
        return decided_by(asked, with_given_calls(opened.harness, asked.options, ""), asked.interpreter)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project that git tracks, and the key of its function's evidence."""
    require_sandbox()
    project = make_repository(tmp_path_factory.mktemp("known") / "project", FILES)
    key = _key(project)
    assert key
    return project, key


@pytest.fixture
def project(known: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of it, elsewhere."""
    return Path(shutil.copytree(known[0], tmp_path / "copy"))


@pytest.fixture
def key(known: tuple[Path, str]) -> str:
    """The key of the unchanged project."""
    return known[1]


REACHED = ("pkg/mod.py", "pkg/helper.py", "pkg/deep.py", "pkg/__init__.py", "tests/test_mod.py", "tests/conftest.py",
           "pyproject.toml", "calls.py")  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
def test_text_that_is_reached_counts(project: Path, key: str, name: str) -> None:
    with (project / name).open("a") as file:
        file.write("# changed\n")
    assert _key(project) not in (key, None)


@pytest.mark.parametrize("name", ["README.md", "pkg/table.csv", "pkg/other.py", "pkg/new.py"])
def test_text_that_is_not_reached_does_not(project: Path, key: str, name: str) -> None:
    with (project / name).open("a") as file:
        file.write("# changed\n")
    assert _key(project) == key


@pytest.mark.parametrize(
    "options",
    [{"version": "3.99.2"}, {"max_examples": 21}, {"memory": 300}, {"timeout": 9.0}, {"no_tests": True},
     {"env": ["A=1"]}, {"check": "exact"}, {"strict": True}, {"calls": None}, {"sandbox": "process"}],
    ids=lambda options: next(iter(options)),
)  # fmt: skip
def test_what_decides_counts(project: Path, key: str, options: dict[str, Any]) -> None:
    assert _key(project, **options) != key


@pytest.mark.parametrize("options", [{"max_pairs": 8}, {"model": "rules"}, {"max_seconds": 60.0}, {"input_seed": 7}])
def test_what_decides_nothing_of_the_original_does_not(project: Path, key: str, options: dict[str, Any]) -> None:
    assert _key(project, **options) == key


READER = "import os.path\n\nTABLE = open(os.path.join(os.path.dirname(__file__), 'table.csv')).read()\n"


def test_a_data_file_that_may_be_read_counts(project: Path) -> None:
    with (project / "pkg" / "deep.py").open("a") as file:
        file.write(READER)
    before = _key(project)
    assert before == _key(project)
    (project / "pkg" / "table.csv").write_text("3,4\n")
    assert _key(project) not in (before, None)


def test_nothing_is_kept_of_what_may_read_elsewhere(project: Path) -> None:
    with (project / "pkg" / "deep.py").open("a") as file:
        file.write("def table():\n    return open('/etc/hostname').read()\n")
    assert _key(project) is None


def test_a_module_that_a_star_may_bring_counts(project: Path) -> None:
    sub = {"pkg/sub/__init__.py": "__all__ = ['named']\n", "pkg/sub/named.py": ""}
    make_repository(project, {"pkg/deep.py": "ONE = 1\nfrom pkg.sub import *\n", **sub})
    before = _key(project)
    (project / "pkg" / "sub" / "named.py").write_text("X = 1\n")
    assert _key(project) not in (before, None)


def test_a_module_brought_by_a_name_that_is_computed_counts(project: Path) -> None:
    with (project / "pkg" / "deep.py").open("a") as file:
        file.write("import importlib\nOTHER = importlib.import_module('pkg.' + 'other')\n")
    before = _key(project)
    (project / "pkg" / "other.py").write_text("THING = 2\n")
    assert _key(project) not in (before, None)


@pytest.mark.full
def test_answers_are_never_taken_from_the_cache(project: Path) -> None:
    with _opened(project) as opened:
        workload = opened.measure()
        right = _answers(workload)
        lie = Field("0" * 64, "0", 1)
        lies = tuple(replace(each, outcome=each.outcome.replace(value=lie)) for each in workload.corpus.known)
        liar = replace(workload.corpus, known=lies)
        workload.kept.save(CacheKind.CORPUS, CODEC.write((liar, CallNames())))
        workload = opened.measure()
        assert workload.corpus.reused_from is not None
        assert _answers(workload) == right
        asked = replace(opened, request=replace(opened.request, options=replace(opened.request.options, no_cache=True)))
        assert asked.measure().corpus.reused_from is None


def _answers(workload: FunctionWorkload) -> list[object]:
    """What drafts are held to, of calls that are made alone."""
    cases = [case for case in workload.suite.cases if isinstance(case, CallCase) and not case.several]
    answers = [case.answer for case in cases if case.answer]
    assert answers
    return [outcome.observed() for answer in answers for outcome in answer.outcomes]


LINE = st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=12)
NUMBER = st.floats(0, 10)
FLOATS = st.builds(Floats, LINE, LINE, st.integers(0, 9), NUMBER, NUMBER)
FIELD = st.builds(Field, LINE, LINE, st.integers(0, 9), st.booleans(), st.none() | FLOATS, st.none() | st.lists(LINE))
ANSWER = st.builds(
    Answer, st.sampled_from(KINDS), value=FIELD, raised=FIELD, output=FIELD, private=FIELD, exception=LINE,
    opaque=LINE, line=st.integers(0, 99), iterators=st.integers(0, 3), cut_short=st.booleans(), seconds=NUMBER,
)  # fmt: skip
OUTCOME = ANSWER | st.builds(Answer, st.just(Kind.RETURNS), steps=st.lists(ANSWER, max_size=3).map(tuple))
CALL = st.builds(KnownCall, LINE.map(read), OUTCOME, st.sampled_from(["generated", "tests", "calls_file"]), NUMBER)
COUNTS = st.dictionaries(st.builds(Exclusion, st.sampled_from([*ExclusionReason]), LINE), st.integers(0, 9), max_size=3)
LINES = st.lists(LINE, max_size=3).map(tuple)
CALLS = st.lists(LINE.map(read), max_size=3).map(tuple)
NUMBERS = st.lists(st.integers(1, 999), max_size=5).map(tuple)
WORDS = st.dictionaries(LINE, LINE, max_size=3)
CORPUS = st.builds(
    CallCorpus, st.lists(CALL, max_size=5).map(tuple), CALLS, st.builds(Exclusions, COUNTS, COUNTS), NUMBERS, NUMBERS,
    LINES, WORDS, st.lists(st.builds(Diagnostic, LINE, LINE, LINE), max_size=2).map(tuple),
)  # fmt: skip


@settings(max_examples=60)
@given(CORPUS, WORDS)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, corpus: CallCorpus, words: dict[str, str]) -> None:
    assert corpus_from_json(loads(dumps(CODEC.write((corpus, CallNames(words)))))) == (corpus, CallNames(words))


@given(LINES, NUMBER, LINE)
def test_round_trip_of_a_choice(calls: tuple[str, ...], seconds: float, note: str) -> None:
    batch = CallBatch(calls, "time", passes=3, warm=1, groups=(1, 2), iterators="flat", shared=True)
    timed = Timed(batch, seconds, seconds, note, seconds, sizes=(1, 2), largest=read(note))
    assert CODEC.read(Timed, loads(dumps(CODEC.write(timed)))) == timed
