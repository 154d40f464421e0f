"""What a project's command runs, tests, configuration and build files stay as they are, whatever a draft says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.program import changes_of
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.project_program import ProtectedReason, find_protected_files
from tests.codeopt.workloads.dedupe_project import HONEST, IN_SCRIPT, Judged, judged_project, write_project
from tests.conftest import require_sandbox

STORED = '# === file: main.py ===\ndef main():\n    print("1999 1997001 1998 0 0")\n'
WEAKENED = "# === file: app/tests.py ===\ndef test_unhashable():\n    assert True\n"
UNHASHABLE = "# === file: app/core.py ===\ndef dedupe(xs):\n    return list(dict.fromkeys(xs))\n"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    require_sandbox()
    root = write_project(tmp_path_factory.mktemp("fixed"), IN_SCRIPT)
    with judged_project(root, "python main.py", "bubblewrap") as found:
        yield found


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (STORED, "main.py is fixed ground (the command runs it)"),
        (HONEST + STORED, "main.py is fixed ground (the command runs it)"),
        (UNHASHABLE + WEAKENED, "app/tests.py is fixed ground (a test file)"),
        (HONEST + "# === file: app/checks.py ===\nclass TotalTestCase:\n    def test_total(self):\n        pass\n",
         "app/checks.py is fixed ground (a test file)"),
        (HONEST + "# === file: app/fakes.py ===\ndef rows():\n    return [3, 1]\n",
         "app/fakes.py is fixed ground (only tests import it)"),
        (HONEST + "# === file: conftest.py ===\ncollect_ignore = ['app/tests.py']\n",
         "conftest.py is fixed ground (a test file)"),
        (HONEST + "# === file: ./conftest.py ===\ncollect_ignore = ['app/tests.py']\n", "fixed ground (a test file)"),
        (HONEST + "# === file: setup.py ===\nx = 1\n", "setup.py is fixed ground (a build file)"),
        (HONEST + "# === file: pyproject.toml ===\nx = 1\n", "pyproject.toml is fixed ground (configuration)"),
        (HONEST + "# === file: app/conftest.py ===\nx = 1\n", "no file app/conftest.py"),
        (HONEST + "# === file: sitecustomize.py ===\nx = 1\n", "no file sitecustomize.py"),
        (HONEST + "# === file: json.py ===\nx = 1\n", "no file json.py"),
        (HONEST + "# === file: app/evil.pth ===\nimport os\n", "no file app/evil.pth"),
        (HONEST + "# === file: ../outside.py ===\nx = 1\n", "no file ../outside.py"),
    ],
)  # fmt: skip
def test_a_draft_that_edits_it_is_told_so(judged: Judged, text: str, why: str) -> None:
    draft = judged.draft(text)
    assert why in draft.problem
    assert why in judged.judge.measure(draft, judged.history).rejection


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
    write_project(tmp_path, {"main.py": "print(sum(range(10)))\n"})
    with (
        pytest.raises(UsageError, match=r"codeopt improve main.py -- ARGUMENTS"),
        judged_project(tmp_path, "python main.py", "bubblewrap"),
    ):
        raise AssertionError
