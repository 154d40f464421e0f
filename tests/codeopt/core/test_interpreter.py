"""Which Python runs a program, and what is said of one that cannot."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Origin, find_interpreter
from codeopt_sandbox import interpreter as started
from tests.support.files import git, make_repository, write_files

NOTHING: dict[str, str] = {}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the src layout with a virtual environment."""
    root = tmp_path / "project"
    write_files(root, {"pyproject.toml": "", "src/pkg/mod.py": ""})
    venv.create(root / ".venv", symlinks=True)
    return root


def write_program(path: Path, text: str) -> Path:
    write_files(path.parent, {path.name: text})
    path.chmod(0o755)
    return path


def test_what_goes_before_what(project: Path, tmp_path: Path) -> None:
    place, own = project / "src" / "pkg" / "mod.py", str(project / ".venv" / "bin" / "python")
    activated = {"VIRTUAL_ENV": str(tmp_path / "activated")}
    venv.create(tmp_path / "activated", symlinks=True)
    found = [
        find_interpreter(sys.executable, place, environment=activated),
        find_interpreter(None, place, environment=activated),
        find_interpreter(None, place, environment=NOTHING),
        find_interpreter(None, tmp_path / "elsewhere.py", environment=NOTHING),
    ]
    assert [each.origin for each in found] == [Origin.NAMED, Origin.ACTIVATED, Origin.PROJECT, Origin.OWN]
    assert [each.path for each in found[1:3]] == [str(tmp_path / "activated" / "bin" / "python"), own]
    assert found[0].path == found[3].path == sys.executable


def test_the_nearest_environment_is_taken_and_none_from_outside_the_project(project: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", symlinks=True)
    (project / ".git").mkdir()
    inner = project / "packages" / "inner"
    venv.create(inner / "venv", symlinks=True)
    assert find_interpreter(None, inner / "x.py", environment=NOTHING).path == str(inner / "venv" / "bin" / "python")
    shutil.rmtree(project / ".venv")
    assert find_interpreter(None, project / "x.py", environment=NOTHING).origin is Origin.OWN


def test_a_link_a_shim_and_a_way_with_dots_lead_to_the_real_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = project / ".venv" / "bin" / "python"
    shim = write_program(tmp_path / "shims" / "pythonx", f'#!/bin/sh\nexec "{python}" "$@"\n')
    monkeypatch.chdir(project / "src")
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(project))
    for named in ("../.venv/bin/python", "pythonx", "~/.venv/bin/python", str(shim)):
        assert os.path.realpath(Path(find_interpreter(named, project).path).parent) == str(python.parent), named


def test_an_environment_says_what_it_has(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    version = sys.version.split()[0]
    assert (
        find_interpreter(None, project, environment=NOTHING).line == f"python     .venv/bin/python {version}, no pytest"
    )
    packages = next((project / ".venv" / "lib").glob("python*/site-packages"))
    write_files(packages, {"pytest-9.9.1.dist-info/METADATA": "Name: pytest\nVersion: 9.9.1\n"})
    (packages / "evil.pth").write_text("import os; os._exit(9)\n")
    found = find_interpreter(None, project, environment=NOTHING)
    assert found.line == f"python     .venv/bin/python {version}, pytest 9.9.1"


BROKEN = {
    "missing": (lambda path: None, "is not there"),
    "folder": (lambda path: path.mkdir(parents=True), "is a folder"),
    "dangling": (lambda path: path.symlink_to("/nowhere/python3.9"), "leads to /nowhere/python3.9, which is not there"),
    "not a program": (lambda path: write_program(path, "\x7fELF\x02\x01"), "is no program that this machine can run"),
    "not permitted": (lambda path: write_program(path, "x").chmod(0o644), "may not be started (permission denied)"),
    "no Python": (lambda path: write_program(path, "#!/bin/sh\necho hello\n"), "is no Python"),
    "its first line": (lambda path: write_program(path, "#!/nowhere/sh\n"), "what its first line names is not there"),
    "its base is gone": (
        lambda path: write_program(
            path, '#!/bin/sh\n[ "$1" = -V ] && echo Python 3.12.0 || { echo No module named encodings >&2; exit 1; }\n'
        ),
        "does not start: No module named encodings",
    ),
    "old": (lambda path: write_program(path, "#!/bin/sh\necho Python 2.7.18\n"), "is Python 2.7.18; 3.8 is the oldest"),
    "hangs": (lambda path: write_program(path, "#!/bin/sh\nsleep 60 & sleep 60\n"), "did not answer within 0.5 s"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_one_line_whoever_says_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it, said = BROKEN[name]
    python = tmp_path / "elsewhere" / "python"
    python.parent.mkdir()
    break_it(python)
    (tmp_path / "project" / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "project" / ".venv" / "bin" / "python").symlink_to(python)
    monkeypatch.setattr(started, "START_S", 0.5 if name == "hangs" else 10.0)
    activated = {"VIRTUAL_ENV": str(tmp_path / "project" / ".venv")}
    for named, environment, words in (
        (str(python), NOTHING, "--python: "), (None, activated, "VIRTUAL_ENV is set to "), (None, NOTHING, "--python"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as error:
            find_interpreter(named, tmp_path / "project", environment=environment)
        assert said in str(error.value)
        assert words in error.value.words
        assert "\n" not in error.value.words


def _program(project: Path, python: str) -> str:
    """A program of the project's, which leaves a mark."""
    write_program(project / python, f"#!/bin/sh\ntouch '{project.parent}/started'\nexec '{sys.executable}' \"$@\"\n")
    return str(project / python)


def _its_own_file(project: Path, python: Path) -> None:
    python.write_bytes(Path(_program(project, "bin/python")).read_bytes())
    python.chmod(0o755)


def _beside(project: Path, python: Path) -> None:
    _program(project.parent / "download", "python")
    python.symlink_to("../../../download/python")


def _of_the_current_folder(project: Path, python: Path) -> None:
    _program(project.parent / "download", "python")
    python.symlink_to(f"/proc/self/cwd/{os.path.relpath(project.parent / 'download', Path.cwd())}/python")


def _a_library(home: str) -> Callable[[Path, Path], None]:
    def bring(project: Path, python: Path) -> None:
        python.symlink_to(os.path.realpath(sys.executable))
        mark = f"open({str(project.parent / 'started')!r}, 'w')\n"
        for name in ("os", "encodings/__init__"):
            version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            write_program(project / "base" / "lib" / version / f"{name}.py", mark)
        (project / "base" / "bin").mkdir()
        (project / ".venv" / "pyvenv.cfg").write_text(f"home = {home.format(project)}\n")

    return bring


BROUGHT = {
    "a file in the environment": _its_own_file,
    "a link within the project": lambda project, python: python.symlink_to(_program(project, "bin/python")),
    "a relative link": lambda project, python: _program(project, "p/python") and python.symlink_to("../../p/python"),
    "a relative link out of the project": _beside,
    "a way through the current folder": _of_the_current_folder,
    "no Python": lambda project, python: python.symlink_to("/bin/sh"),
    "a standard library": _a_library("{}/base/bin"),
    "a standard library beside the current folder": _a_library("base/bin"),
}


@pytest.mark.parametrize("tracked", [None, False, True], ids=["no git", "untracked", "tracked"])
@pytest.mark.parametrize("brought", BROUGHT)
def test_nothing_that_a_project_may_have_brought_is_started(
    brought: str, tracked: bool | None, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git's word is not asked: a download may hold a repository of its own."""
    python = project / ".venv" / "bin" / "python"
    python.unlink()
    monkeypatch.chdir(project)
    BROUGHT[brought](project, python)
    if tracked is not None:
        git(project, "init", "-q")
    if tracked:
        git(project, "add", "-f", ".")
    for environment in (NOTHING, {"VIRTUAL_ENV": str(project / ".venv")}):
        with pytest.raises(UsageError, match="may have brought it"):
            find_interpreter(None, project, environment=environment)
    assert not (project.parent / "started").exists()


@pytest.mark.parametrize("named_by", ["a link of .venv", "VIRTUAL_ENV"])
def test_one_outside_of_the_project_is_the_users(
    named_by: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyenv's folder is a git checkout, and there may be no git."""
    checkout = tmp_path / "pyenv"
    python = write_program(checkout / "bin" / "python", f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    make_repository(checkout, {})
    git(project, "init", "-q")
    link = project / ".venv" / "bin" / "python"
    link.unlink()
    link.symlink_to(python)
    environment = {"VIRTUAL_ENV": str(checkout)} if named_by == "VIRTUAL_ENV" else NOTHING
    assert find_interpreter(None, project, environment=environment)
    monkeypatch.setenv("PATH", str(project))
    assert find_interpreter(None, project, environment=environment)


def test_an_environment_by_links_is_started_also_where_git_tracks_it(project: Path) -> None:
    """Its links lead to a Python of this machine."""
    make_repository(project, {})
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT
    (project / ".venv").rename(project.parent / "elsewhere")
    (project / ".venv").symlink_to("../elsewhere")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT


def test_an_environment_that_is_the_whole_project_is_started(project: Path) -> None:
    venv.create(project, symlinks=True)
    assert find_interpreter(None, project, environment={"VIRTUAL_ENV": str(project)}).origin is Origin.ACTIVATED


def test_no_tool_is_asked_and_no_path_in_a_file_is_followed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """hatch runs a plug-in that pyproject.toml names; poetry loads one, and pdm keeps a path in a file."""
    shutil.rmtree(project / ".venv")
    python = _program(tmp_path / "download", "python")
    for tool in ("poetry", "hatch", "pdm", "uv"):
        write_program(tmp_path / "tools" / tool, f"#!/bin/sh\ntouch '{tmp_path}/started'\necho {tmp_path}\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}{os.pathsep}{os.environ['PATH']}")
    (project / ".pdm-python").write_text(python)
    (project / "pyproject.toml").write_text("[tool.poetry]\n[tool.hatch.envs.default]\n[tool.pdm]\n[tool.uv]\n")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.OWN
    assert not (tmp_path / "started").exists()
