"""A project for a newer Python than codeopt's own: the line names the codeopt to install, and nothing is green."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from codeopt.core.interpreter import Origin, find_interpreter
from codeopt.core.project_python import newer_python
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.sandbox_view.test_linked import git
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


WORDS = (
    ("check", "."), ("check", "it.py"), ("compare", "it.py::one", "it.py::one"), ("compare", "--base", "HEAD"),
    ("improve", "it.py::one", "--model", "rules"), ("profile", "it.py::one"),
    ("review", "--base", "HEAD", "--model", "rules"),
)  # fmt: skip


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nothing_that_was_looked_at_is_never_green(tmp_path: Path, words: tuple[str, ...]) -> None:
    root = write_files(tmp_path, {"it.py": "def one():\n    pass\n", ".python-version": f"{NEWER}\n"})
    for each in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "as it was")):
        git(root, each)
    write_files(root, {"it.py": BROKEN})
    done = codeopt(*words, cwd=root)
    assert done.status in (2, 5), done.out + done.err
    assert re.search(rf"uvx --python {NEWER}( --from \S+)? codeopt", " ".join((done.out + done.err).split()))


def test_a_file_that_is_left_alone_anyhow_spoils_nothing(tmp_path: Path) -> None:
    root = write_files(tmp_path, {"templates/it.py": BROKEN})
    assert codeopt("check", ".", "--exclude", "templates", cwd=root).status == 0
    assert codeopt("check", ".", cwd=root).status == 5


def test_a_hook_of_pre_commit_has_the_users_environment(tmp_path: Path) -> None:
    """pre-commit activates the hook's environment, which is codeopt's own, on top of whatever the user activated."""
    write_files(
        tmp_path,
        {"mine/pyvenv.cfg": "", "project/.venv/pyvenv.cfg": "", "project/pyproject.toml": "", "project/it.py": ""},
    )
    for name in ("mine", "project/.venv"):
        (tmp_path / name / "bin").mkdir()
        (tmp_path / name / "bin/python").symlink_to(sys.executable)
    place, own = tmp_path / "project/it.py", {"VIRTUAL_ENV": sys.prefix}
    both = f"{sys.prefix}/bin:{tmp_path}/mine/bin:/usr/bin"
    hook = {**own, "PRE_COMMIT": "1", "PATH": f"{sys.prefix}/bin:/usr/bin"}
    found = [
        find_interpreter(None, place, environment=environment).path
        for environment in (own, hook, {**hook, "PATH": both})
    ]
    wanted = [f"{sys.prefix}/bin/python", f"{tmp_path}/project/.venv/bin/python", f"{tmp_path}/mine/bin/python"]
    assert [Path(each).parent for each in found] == [Path(each).parent for each in wanted]
    alone = find_interpreter(None, tmp_path / "it.py", environment=hook)
    assert alone.origin is Origin.OWN
