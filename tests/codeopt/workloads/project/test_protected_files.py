"""What a project's command runs, tests, configuration and build files stay as they are, whatever a draft says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.program import changes_of
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.project_program import ProtectedReason, find_protected_files
from tests.codeopt.workloads.dedupe_project import IN_SCRIPT, Judged, judged_project
from tests.conftest import require_sandbox
from tests.support.files import make_repository


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    require_sandbox()
    root = make_repository(tmp_path_factory.mktemp("fixed"), IN_SCRIPT)
    with judged_project(root, "python main.py", "bubblewrap") as found:
        yield found


@pytest.mark.full
def test_past_the_proposer_it_is_refused_as_well_and_never_run(judged: Judged) -> None:
    """As a draft of an earlier version's saved run, or of a proposer of one's own."""
    program = judged.workload.program
    text = program.revision["main.py"]
    edited = program.revision.with_file("main.py", text.replace("print(_sizes(xs)", "print(0)\n    print(_sizes(xs)"))
    assert edited != program.revision
    assert changes_of(program, edited) == ()
    found = judged.judge.check(edited, "by hand")
    assert "main.py is fixed ground" in found.rejection


FILES = {
    "bench.py": "import subprocess, sys\nsubprocess.run([sys.executable, 'work/run.py'])\nopen('work/rows.csv')\n",
    "work/run.py": "import app.core\n",
    "work/rows.csv": "a\n1\n",
    "app/__init__.py": "",
    "app/__main__.py": "from app.core import f\nf()\n",
    "app/core.py": "def f():\n    pass\n",
    "src/lib/cli.py": "def main():\n    pass\n",
    "spec/core_spec.py": "def spec():\n    pass\n",
    "pytest.ini": "[pytest]\npython_files = *_spec.py\n",
    "inputs/a.py": "x = 1\n",
    "asv.conf.json": '{"benchmark_dir": "speed"}',
    "speed/words.py": "def time_it():\n    pass\n",
    "tox.ini": "[testenv:bench]\ncommands = python work/run.py\n",
    "hello_test.py": "from helper import x\n",
    "helper.py": "x = 1\n",
    "used.py": "import outer\n",
    "outer.py": "import inner\n",
    "inner.py": "x = 1\n",
    "inner_test.py": "import inner, outer\n",
}


@pytest.mark.parametrize(
    ("run", "path", "reason"),
    [
        ("python bench.py", "bench.py", ProtectedReason.COMMAND),
        ("python -u -X dev ./bench.py 3", "bench.py", ProtectedReason.COMMAND),
        ("python bench.py", "work/run.py", ProtectedReason.NAMED),
        ("python -m app", "app/__main__.py", ProtectedReason.COMMAND),
        ("python -Bm app.core", "app/core.py", ProtectedReason.COMMAND),
        ("python -m lib.cli", "src/lib/cli.py", ProtectedReason.COMMAND),
        ("python app", "app/__main__.py", ProtectedReason.COMMAND),
        ("python bench.py", "app/core.py", None),
        ("python -c 'import used, helper'", "helper.py", None),
        ("python bench.py", "helper.py", ProtectedReason.HELPER),
        ("python bench.py", "used.py", None),
        ("python bench.py", "outer.py", None),
        ("python bench.py", "inner.py", None),
        ("python bench.py", "spec/core_spec.py", ProtectedReason.TEST),
        ("python -m pytest -o python_files=use*.py", "used.py", ProtectedReason.TEST),
        ("python bench.py", "speed/words.py", ProtectedReason.TEST),
        ("python bench.py --on inputs/a.py", "inputs/a.py", ProtectedReason.GIVEN),
        ("python bench.py --on=inputs", "inputs/a.py", ProtectedReason.GIVEN),
        ("python bench.py app", "app/core.py", None),
        ("python -m pytest app/", "app/core.py", None),
        ("python bench.py", "tox.ini", ProtectedReason.BUILD),
        ("python bench.py", "asv.conf.json", ProtectedReason.CONFIGURATION),
    ],
)
def test_the_fixed_ground_of_a_command(run: str, path: str, reason: ProtectedReason | None, tmp_path: Path) -> None:
    files = {name: text.encode() for name, text in FILES.items()}
    assert find_protected_files(read_command(run, tmp_path), files).why(path) is reason


def test_a_project_of_nothing_else_says_what_to_do(tmp_path: Path) -> None:
    make_repository(tmp_path, {"main.py": "print(sum(range(10)))\n"})
    with (
        pytest.raises(UsageError, match=r"codeopt improve main.py -- ARGUMENTS"),
        judged_project(tmp_path, "python main.py", "bubblewrap"),
    ):
        raise AssertionError
