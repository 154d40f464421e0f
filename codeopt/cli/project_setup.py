"""Commands that install a project for its tests: by the tool of its lock file, else by pip from its requirements."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt_sandbox.plain_files import read_text

LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm"}
FOR_TESTS = ("test", "tests", "testing", "dev")
"""Extras and dependency groups of these names are what tests need."""
REQUIREMENTS = re.compile(r"((dev|tests?|testing)[-_.])?requirements([-_.](dev|tests?|testing))?\.(txt|in)")


@dataclass(frozen=True)
class ProjectSetup:
    """The commands that make an environment, with `@ENV@` for its folder and `@TOOLS@` for one of a tool's own."""

    tool: str
    """uv, poetry, pdm or pip."""
    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    """Files that change when the environment does."""
    version_file: str = ""
    """The file that says which Python. Empty without such a file."""

    def shell(self, env: str, tools: str) -> list[str]:
        """The commands, for these folders."""
        return [command.replace("@ENV@", env).replace("@TOOLS@", tools) for command in self.commands]


def find_setup(root: Path) -> ProjectSetup:
    """Find how to install the project in a folder. Raises UsageError for a pyproject.toml that cannot be read."""
    table = _pyproject(root)
    tool, lock = next(((tool, name) for name, tool in LOCKS.items() if (root / name).is_file()), ("pip", ""))
    extras = _named(table.get("project", {}).get("optional-dependencies", {}))
    groups = _named(table.get("dependency-groups", {}))
    version_file = _version_file(root, table)
    if tool != "pip":
        return ProjectSetup(tool, _BY_TOOL[tool](extras), (lock,), version_file)
    files = sorted(path.name for path in root.iterdir() if path.is_file() and REQUIREMENTS.fullmatch(path.name))
    installable = "project" in table or "build-system" in table or (root / "setup.py").is_file()
    what = [f"-r {name}" for name in files if name.endswith(".txt")] + [f"--group {name}" for name in groups]
    if installable:
        what.append(f'-e ".[{",".join(extras)}]"' if extras else "-e .")
    keys = (*files, *(["pyproject.toml"] if table else []))
    return ProjectSetup("pip", tuple(_pip(what, newest=bool(groups))), keys, version_file)


def _pip(what: list[str], *, newest: bool) -> Iterable[str]:
    yield "python -m venv @ENV@"
    if newest:  # --group is there from pip 25.1 on
        yield "@ENV@/bin/pip install --quiet --upgrade pip"
    if what:
        yield f"@ENV@/bin/pip install --quiet pytest {' '.join(what)}"
        return
    yield "@ENV@/bin/pip install --quiet pytest"
    yield "if [ -f requirements.txt ]; then @ENV@/bin/pip install --quiet -r requirements.txt; fi"


def _uv(extras: list[str]) -> tuple[str, ...]:
    flags = "".join(f" --extra {name}" for name in extras)
    return (
        "python -m venv @TOOLS@",
        "@TOOLS@/bin/pip install --quiet uv",
        'export UV_CACHE_DIR="$(python -m pip cache dir)/uv" UV_PROJECT_ENVIRONMENT=@ENV@',
        f'@TOOLS@/bin/uv sync --quiet --frozen --python "$(command -v python)"{flags}',
        "@TOOLS@/bin/uv pip install --quiet --python @ENV@/bin/python pytest",
    )


def _poetry(extras: list[str]) -> tuple[str, ...]:
    flags = "".join(f" --extras {name}" for name in extras)
    return (
        "python -m venv @TOOLS@",
        "@TOOLS@/bin/pip install --quiet poetry",
        "python -m venv @ENV@",
        'export POETRY_CACHE_DIR="$(python -m pip cache dir)/poetry" VIRTUAL_ENV=@ENV@',
        f"@TOOLS@/bin/poetry install --quiet --no-interaction{flags}",
        "@ENV@/bin/pip install --quiet pytest",
    )


def _pdm(extras: list[str]) -> tuple[str, ...]:
    flags = "".join(f" --group {name}" for name in extras)
    return (
        "python -m venv @TOOLS@",
        "@TOOLS@/bin/pip install --quiet pdm",
        "python -m venv @ENV@",
        'export PDM_CACHE_DIR="$(python -m pip cache dir)/pdm" VIRTUAL_ENV=@ENV@',
        f"@TOOLS@/bin/pdm sync --quiet --dev{flags}",
        "@ENV@/bin/pip install --quiet pytest",
    )


_BY_TOOL = {"uv": _uv, "poetry": _poetry, "pdm": _pdm}


def _named(table: Mapping[str, Any]) -> list[str]:
    return [name for name in FOR_TESTS if name in table]


def _version_file(root: Path, table: Mapping[str, Any]) -> str:
    if (root / ".python-version").is_file():
        return ".python-version"
    by_poetry = table.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("python")
    return "pyproject.toml" if table.get("project", {}).get("requires-python") or by_poetry else ""


def _pyproject(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
