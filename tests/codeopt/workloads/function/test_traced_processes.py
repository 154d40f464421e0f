"""Functions that tests reach by another process, a thread or another runner are seen, and so is a draft there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.ranking import Ranking, ranked
from codeopt.workloads.function.corpus.existing_tests import failing, find_tests
from codeopt.workloads.function.harness import FunctionHarness, open_harness
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Options, Sandbox, open_sandbox
from tests.codeopt.review.pull_request import propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

REACHED = ("by_script", "by_name", "by_import", "by_pool", "by_spawn", "by_thread", "by_runpy")
CORE = "\n\n".join(
    f"def {name}(count):\n    return len({{number * number % 701 for number in range(count)}})\n"
    for name in (*REACHED, "by_nobody")
)
CORE += """

if __name__ == "__main__":
    import sys

    print(globals()[sys.argv[1]](3000))
"""
TESTS = """\
import multiprocessing
import runpy
import subprocess
import sys
import threading


def printed(*words):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_by_script():
    assert printed("app/core.py", "by_script") == "351"


def test_by_name():
    assert printed("-m", "app.core", "by_name") == "351"


def test_by_import():
    assert printed("-c", "import app.core; print(app.core.by_import(3000))") == "351"


def test_by_pool():
    from app.core import by_pool

    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(by_pool, [3000, 3000]) == [351, 351]


def test_by_spawn():
    from app.core import by_spawn

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(by_spawn, [3000]) == [351]


def test_by_thread():
    from app.core import by_thread

    found = []
    thread = threading.Thread(target=lambda: found.append(by_thread(3000)))
    thread.start()
    thread.join()
    assert found == [351]


def test_by_runpy(capsys):
    sys.argv[1:] = ["by_runpy"]
    runpy.run_module("app.core", run_name="__main__")
    assert capsys.readouterr().out.strip() == "351"
"""

MANAGE = """\
import os, sys, unittest  # django
os.environ["SETTINGS"] = "site"
assert sys.argv[1] == "test"
unittest.main(None, argv=["x", *sys.argv[3:]])
"""
CASES = """\
import importlib
import os
import unittest


class Core(unittest.TestCase):
    def setUp(self):
        self.core = importlib.import_module("app.core")

    def test_script(self):
        self.assertEqual(self.core.by_script(3000), 351)

    def test_fails(self):
        self.assertEqual(self.core.by_script(1), 7)

    @unittest.skip("not here")
    def test_skipped(self):
        self.core.by_nobody(1)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_sandbox()
    files = {"app/__init__.py": "", "app/core.py": CORE, "tests/test_core.py": TESTS}
    return propose(tmp_path_factory.mktemp("processes") / "r", files, {})


@pytest.fixture(scope="module")
def without_pytest(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bare") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


def opened(mounts: tuple[tuple[str, str], ...], python: str | None = None) -> Sandbox:
    return open_sandbox("bubblewrap", options=Options(mounts=mounts, python=python))


def ranking_of(folder: Path, python: str | None = None) -> Ranking:
    targets, _ = find_targets(whole_files([folder])[1], None)
    return ranked(targets, partial(opened, python=python))


@pytest.fixture(scope="module")
def harness(project: Path) -> Iterator[FunctionHarness]:
    with open_harness(read_function(project / "app/core.py", "by_script"), opened) as harness:
        yield harness


def test_each_way_to_a_function_is_seen(project: Path) -> None:
    """With its time, and the test that goes there; only what no test reaches is said to be so."""
    ranking = ranking_of(project)
    shares = {each.function: each.share for each in ranking.targets}
    assert {name for name, share in shares.items() if share is None} == {"by_nobody"}
    assert ranking.untested == "no test runs it"
    for (path, name), traced in ranking.traces.items():
        assert path.name == "core.py"
        assert f"tests/test_core.py::test_{name}" in traced.tests
    assert {name for _, name in ranking.traces} == set(REACHED)


@pytest.mark.parametrize("runner", ["manage.py", "unittest"])
def test_tests_of_other_runners_are_evidence(runner: str, tmp_path: Path, without_pytest: str) -> None:
    """Django's runner is asked before pytest, and that of unittest where pytest is missing."""
    files = {"app/__init__.py": "", "app/core.py": CORE, "app/tests.py": CASES}
    python = None
    if runner == "manage.py":
        files["manage.py"] = MANAGE
        files["app/tests.py"] = CASES.replace(
            "        self.core =", "        os.environ['SETTINGS']\n        self.core ="
        )
    else:
        python = without_pytest
    folder = propose(tmp_path / "r", files, {})
    ranking = ranking_of(folder, python)
    shares = {each.function: each.share for each in ranking.targets if each.path == "app/core.py"}
    assert {name for name, share in shares.items() if share is not None} == {"by_script"}
    (traced,) = ranking.traces.values()
    assert traced.tests == ("app/tests.py::Core::test_script",)
    assert {call.partition("\t")[0]: test for call, test in dict(traced.calls).items()} == {
        "f(3000)": "app/tests.py::Core::test_script",
        "f(1)": "app/tests.py::Core::test_fails",
    }
    (shortfall,) = ranking.diagnostics
    assert shortfall.words == (
        "1 of 2 tests fail on the original and counts for nothing: app/tests.py::Core::test_fails: "
        "AssertionError: 1 != 7"
    )
    with open_harness(read_function(folder / "app/core.py", "by_script"), partial(opened, python=python)) as harness:
        assert failing(harness, harness.source, traced.tests) == ""
        assert "351" in failing(harness, CORE.replace("return len", "return 1 + len"), traced.tests)
        (path,) = find_tests(harness, [harness.view.module]).reaching
        assert path.endswith("app/tests.py")
