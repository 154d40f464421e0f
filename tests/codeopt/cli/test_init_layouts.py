"""The generated workflow installs a project the way the project does: its steps are run, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from codeopt.cli.commands.init import find_setup
from codeopt.core.errors import UsageError
from tests.codeopt.command import codeopt, environment
from tests.support.files import write_files
from tests.support.runner import run_step
from tests.support.wheels import closure, pack, tool

PROJECT = """
[project]
name = "shop"
version = "1.0"
requires-python = ">=3.11"
dependencies = [{needs}]
[build-system]
requires = ["{backend}"]
build-backend = "{module}"
"""
HATCH = PROJECT.format(needs='"iniconfig"', backend="hatchling", module="hatchling.build")
SOURCE = "git+https://example.org/codeopt@" + "0123456789" * 4


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a runner without a network."""
    pytest.importorskip("editables")
    home = tmp_path_factory.mktemp("runner")
    for name in ("bin", "temp", "wheels", "home"):
        (home / name).mkdir()
    (home / "bin/python").write_text(f'#!/bin/sh\nexec "{sys.base_prefix}/bin/python3" "$@"\n')
    (home / "bin/python").chmod(0o755)
    for name in closure(["pytest", "hatchling", "editables"]):
        pack(name, home / "wheels")
    kept = {name: value for name, value in environment().items() if not name.startswith(("PYTHON", "UV_", "VIRTUAL"))}
    return {
        **kept, "PATH": f"{home / 'bin'}{os.pathsep}{os.defpath}", "HOME": str(home / "home"),
        "PIP_FIND_LINKS": str(home / "wheels"), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_FIND_LINKS": str(home / "wheels"), "UV_NO_INDEX": "1", "UV_OFFLINE": "1", "UV_PYTHON_DOWNLOADS": "never",
        "POETRY_VIRTUALENVS_CREATE": "false",
    }  # fmt: skip


def with_requirements(folder: Path, _runner: dict[str, str]) -> None:
    write_files(folder, {"pyproject.toml": HATCH.replace('"iniconfig"', ""), "requirements.txt": "iniconfig\n"})


def with_uv(folder: Path, runner: dict[str, str]) -> None:
    pytest.importorskip("uv")
    tool("uv", Path(runner["PIP_FIND_LINKS"]))
    (folder / "pyproject.toml").write_text(HATCH)
    command = [Path(sys.executable).parent / "uv", "lock", "-q", "--python", f"{sys.base_prefix}/bin/python3"]
    subprocess.run(command, cwd=folder, env=runner, check=True, capture_output=True)


def with_poetry(folder: Path, runner: dict[str, str]) -> None:
    pytest.importorskip("poetry")
    tool("poetry", Path(runner["PIP_FIND_LINKS"]))
    text = PROJECT.format(needs="", backend="poetry-core", module="poetry.core.masonry.api")
    (folder / "pyproject.toml").write_text(text + '[tool.poetry]\npackages = [{include = "shop", from = "src"}]\n')
    subprocess.run([sys.executable, "-m", "poetry", "lock", "-q", "-n"], cwd=folder, env=runner, check=True)


@pytest.mark.full
@pytest.mark.parametrize(
    ("prepare", "named"),
    [
        (with_requirements, "pip, from requirements.txt"),
        (with_uv, "uv, from uv.lock"),
        (with_poetry, "poetry, from poetry.lock"),
    ],
)
def test_the_steps_make_an_environment_in_which_the_tests_run(
    prepare: Callable[[Path, dict[str, str]], None], named: str, runner: dict[str, str], tmp_path: Path
) -> None:
    """A package below `src`, which only an installation finds, and a package that it needs."""
    (tmp_path / "src/shop").mkdir(parents=True)
    (tmp_path / "src/shop/__init__.py").write_text("def total(prices):\n    return sum(prices)\n")
    (tmp_path / "test_shop.py").write_text("import shop\n\n\ndef test():\n    assert shop.total([1, 2]) == 3\n")
    prepare(tmp_path, runner)
    done = codeopt("init", "--github", "--gitlab", "--source", SOURCE, cwd=tmp_path)
    assert f"the project is installed by {named}" in done.err
    workflow = yaml.safe_load((tmp_path / ".github/workflows/codeopt.yml").read_text())
    (steps,) = (job["steps"] for job in workflow["jobs"].values())
    assert any(SOURCE in step.get("run", "") for step in steps)
    assert [step["with"]["python-version-file"] for step in steps if "cache" in step.get("with", {})] == [
        "pyproject.toml"
    ]
    (install,) = (step for step in steps if step.get("name") == "Install what the project's tests need")
    temp = tmp_path / "temp"
    temp.mkdir()
    done_step = run_step(install, tmp_path, {**runner, "RUNNER_TEMP": str(temp)}, {})
    assert done_step.returncode == 0, done_step.stdout + done_step.stderr
    python = temp / "project/bin/python"
    tests = subprocess.run([python, "-m", "pytest", "-q"], cwd=tmp_path, env=runner, capture_output=True, text=True)
    assert tests.returncode == 0, tests.stdout + tests.stderr
    job = yaml.safe_load((tmp_path / ".gitlab/codeopt.yml").read_text())["codeopt"]
    script = [line.replace('"$RUNNER_TEMP/project"', "/opt/project") for line in install["run"].splitlines()]
    assert {line.replace('"$RUNNER_TEMP/tools"', "/opt/tools") for line in script} <= set(job["script"])


@pytest.mark.parametrize(
    ("lock", "installs"),
    [
        ("uv.lock", "/bin/uv sync --quiet --frozen --python"),
        ("poetry.lock", "/bin/poetry install --quiet --no-interaction"),
        ("pdm.lock", "/bin/pdm sync --quiet --dev"),
    ],
)
def test_a_lock_is_installed_by_its_own_tool(lock: str, installs: str, tmp_path: Path) -> None:
    """Which pip installs beside the project's environment, where the tests' own tool then is, too."""
    write_files(tmp_path, {"pyproject.toml": HATCH, lock: ""})
    commands = find_setup(tmp_path).commands
    tool = lock.partition(".")[0]
    (own,) = (at for at, each in enumerate(commands) if each.endswith(f"/bin/pip install --quiet {tool}"))
    (sync,) = (at for at, each in enumerate(commands) if installs in each)
    assert own < sync < len(commands) - 1
    assert commands[-1].endswith(" pytest")


@pytest.mark.parametrize(
    ("files", "last"),
    [
        ({}, "if [ -f requirements.txt ]"),
        ({"setup.py": ""}, "install --quiet pytest -e ."),
        ({"requirements.txt": "", "dev-requirements.txt": ""}, "pytest -r dev-requirements.txt -r requirements.txt"),
        ({"pyproject.toml": HATCH + "[project.optional-dependencies]\ntest = []\n"}, 'pytest -e ".[test]"'),
        ({"pyproject.toml": "[dependency-groups]\ndev = []\ndocs = []\n"}, "pytest --group dev"),
        ({"pdm.lock": "", "pyproject.toml": HATCH}, "install --quiet pytest"),
    ],
)
def test_what_a_project_names_is_installed(files: dict[str, str], last: str, tmp_path: Path) -> None:
    write_files(tmp_path, files)
    assert last in find_setup(tmp_path).commands[-1]


def test_a_broken_project_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project")
    with pytest.raises(UsageError, match="cannot read"):
        find_setup(tmp_path)


@pytest.mark.parametrize("source", ["git+https://example.org/codeopt", "codeopt", "x; rm -rf /", "git+https://a@main"])
def test_a_source_that_can_move_is_refused(source: str, tmp_path: Path) -> None:
    done = codeopt("init", "--github", "--source", source, cwd=tmp_path)
    assert (done.status, len(done.facts), list(tmp_path.iterdir())) == (2, 1, [])
