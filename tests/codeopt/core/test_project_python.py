"""A project for a newer Python than codeopt's own: the line names the codeopt to install, and nothing is green."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codeopt.core.interpreter import newer_python
from tests.codeopt.command import codeopt
from tests.support.files import write_files

NEWER = f"{sys.version_info[0]}.{sys.version_info[1] + 1}"
BROKEN = "def one(:\n    pass\n"
"""Text that no release reads stands for text of a newer one: which one depends on the Python that runs the tests."""


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({".venv/pyvenv.cfg": f"home = /usr/bin\nversion = {NEWER}.1\n"}, ".venv"),
        ({"venv/pyvenv.cfg": f"version_info = {NEWER}.1.final.0\n"}, "venv"),
        ({".python-version": f"{NEWER}\n"}, ".python-version"),
        ({"pyproject.toml": f"[project]\nrequires-python = '>={NEWER}'\n"}, "pyproject.toml"),
        ({"pyproject.toml": f"[tool.poetry.dependencies]\npython = '^{NEWER}'\n"}, "pyproject.toml"),
    ],
)
def test_the_release_that_a_project_is_for(tmp_path: Path, files: dict[str, str], place: str) -> None:
    root = write_files(tmp_path, {**files, "src/it.py": BROKEN, ".git/HEAD": ""})
    found = newer_python(root / "src/it.py", {})
    assert found is not None
    assert (found.words, found.place) == (NEWER, place)


@pytest.mark.parametrize(
    "files",
    [{}, {".python-version": "3.8\n"}, {"pyproject.toml": "[project]\nrequires-python = '>=3.9,<4.5'\n"},
     {"pyproject.toml": "project = 3\n"}, {".venv/pyvenv.cfg": "version\n"}],
)  # fmt: skip
def test_an_older_one_is_not_the_reason(tmp_path: Path, files: dict[str, str]) -> None:
    assert newer_python(write_files(tmp_path, {**files, ".git/HEAD": ""}) / "it.py", {}) is None


def test_a_file_that_is_left_alone_anyhow_spoils_nothing(tmp_path: Path) -> None:
    root = write_files(tmp_path, {"templates/it.py": BROKEN})
    assert codeopt("check", ".", "--exclude", "templates", cwd=root).status == 0
    assert codeopt("check", ".", cwd=root).status == 5
