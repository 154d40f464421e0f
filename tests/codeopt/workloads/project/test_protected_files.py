"""What a project's command runs, tests, configuration and build files stay as they are, whatever a draft says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.program import changes_of
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.protected_files import ProtectedReason, find_protected_files
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.dedupe_project import HONEST, IN_SCRIPT, Judged, judged_project, write_project
from tests.codeopt.workloads.shop import answer
from tests.conftest import ISOLATED, require_sandbox

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


@pytest.mark.full
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/core.py", "def total(xs):\n    return sum(set(xs))\n"),
        ("app/latest.py", "def newest(xs):\n    return max(xs)\n"),
        ("app/contest.py", "def winner(xs):\n    return min(xs)\n"),
        ("app/testing.py", "class BaseTestCase:\n    def check(self, xs):\n        return min(xs)\n"),
    ],
)
def test_what_the_script_imports_may_be_edited(judged: Judged, path: str, text: str) -> None:
    draft = judged.draft(f"# === file: {path} ===\n{text}")
    assert draft.problem == ""
    assert [each.path for each in changes_of(judged.workload.program, draft.revision)] == [path]


@pytest.mark.full
def test_an_answer_may_repeat_it_as_it_is(judged: Judged) -> None:
    script = IN_SCRIPT["main.py"].partition("\n\n\n")[2].partition("\n\n\n")[0]
    assert judged.draft(f"{HONEST}# === file: main.py ===\n{script}\n").problem == ""


@pytest.mark.full
def test_a_proposer_reads_it_and_the_result_lists_it(judged: Judged) -> None:
    about = judged.workload.briefing().source_facts
    assert "main.py (the command runs it)" in about
    assert "range(6000)" in about
    found = judged.workload.evidence().command.protected_files
    assert {"file": "app/tests.py", "why": "a test file"} in found["files"]
    assert not any(row["file"] == "app/core.py" for row in found["files"])


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


@pytest.mark.full
@pytest.mark.parametrize("backend", ISOLATED)
def test_by_the_public_door(backend: str, tmp_path: Path) -> None:
    """A stored answer and a weakened test; a proposer hears why, and no file is other than it was."""
    require_sandbox(backend)
    root = write_project(tmp_path / "app", IN_SCRIPT)
    again = "More.\nVERDICT: IMPROVE"
    answers = [
        again,
        answer("stored", STORED),
        answer("weakened", UNHASHABLE + WEAKENED),
        "Good.\nVERDICT: DONE",
    ]
    script = tmp_path / "answers.txt"
    script.write_text("\n--- next answer ---\n".join(answers))
    flags = ("--model", f"scripted:{script}", "--max-rounds", "2", "--sandbox", backend, "--json", "-v")
    done = codeopt("improve", ".", "--run", "python main.py", *flags, cwd=root)
    assert done.status == 6, done.err  # the two rounds are spent, and nothing was right
    stored, weakened = done.json["rounds"]
    assert "main.py is fixed ground" in str(stored)
    assert "app/tests.py is fixed ground" in str(weakened)
    assert (done.json["accepted"], done.json["diff"]) == (False, "")
    assert {"file": "main.py", "why": "the command runs it"} in done.json["protected_files"]["files"]
    assert "main.py (the command runs it)" in done.err
