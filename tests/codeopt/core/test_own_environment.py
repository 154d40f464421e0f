"""A project with an environment of its own, improved from another folder, activated and not; arrays and data frames."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.codeopt.command import Done, codeopt
from tests.support.files import make_repository, write_files
from tests.support.pythons import python_of
from tests.support.wheels import pack

pytestmark = pytest.mark.full

WORDS = '''\
"""Words."""


def repeated(words: list[str]) -> int:
    """How many words were there before."""
    seen: list[str] = []
    count = 0
    for word in words:
        if word in seen:
            count += 1
        else:
            seen.append(word)
    return count
'''
TESTS = """\
import pytest
from pkg.words import repeated

@pytest.mark.parametrize("count", [0, 1, 10, 100, 400])
def test_repeated(count):
    words = [f"word{number if number % 5 else number // 2}" for number in range(count)]
    assert repeated(words) == count - len(set(words))
"""
FRAMES = '''\
"""Arrays and frames."""

import numpy as np
import pandas as pd


def spread(values):
    """The sum of squares of an array, and how often each value is there."""
    total = 0.0
    for value in values:
        total += value * value
    counts = pd.Series(values).value_counts().sort_index()
    return np.sqrt(total), counts
'''
FRAME_TESTS = """\
import numpy as np
import pytest
from frames import spread

@pytest.mark.parametrize("size", [*range(1, 12), 3000])
def test_spread(size):
    root, counts = spread(np.arange(size, dtype=float) % 7)
    assert counts.sum() == size and root >= 0
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In the src layout, installed in place; its environment has pytest, and another Python where there is one."""
    root = tmp_path_factory.mktemp("elsewhere") / "project"
    files = {
        ".gitignore": ".venv\n",
        "pyproject.toml": "",
        "src/pkg/__init__.py": "",
        "src/pkg/words.py": WORDS,
        "tests/test_words.py": TESTS,
    }
    write_files(root, files)
    python = python_of("3.13") or python_of("3.12") or sys.executable
    subprocess.run([python, "-m", "venv", "--without-pip", root / ".venv"], check=True)
    packages = next((root / ".venv" / "lib").glob("python*/site-packages"))
    (packages / "project.pth").write_text(f"{root}/src\n")
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        with zipfile.ZipFile(pack(name, root.parent)) as wheel:
            wheel.extractall(packages)
    return make_repository(root, {})


def improve(target: Path, function: str, folder: Path, *arguments: str | Path, **env: str) -> Done:
    return codeopt(
        "improve", f"{target}::{function}", "--model", "rules", "--sandbox", "bubblewrap", "--json", *arguments,
        cwd=folder, env=env,
    )  # fmt: skip


def test_the_projects_own_python_runs_its_tests_and_its_function(project: Path, tmp_path: Path) -> None:
    """From another folder; codeopt's own Python has another version, or at least other packages."""
    done = improve(project / "src" / "pkg" / "words.py", "repeated", tmp_path, "-v")
    python = project / ".venv" / "bin" / "python"
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert done.json["python"]["path"] == str(python)
    assert done.json["python"]["version"] == version
    assert any(line.startswith(f"python     {python} {version}, pytest ") for line in done.lines), done.err
    assert done.json["evidence"]["tests"] == 5
    assert "slow: line 9 " in done.err
    assert (done.status, done.json["accepted"]) == (0, True), done.err


def test_the_activated_one_is_taken_and_shows_its_hot_lines(project: Path) -> None:
    environment = {"VIRTUAL_ENV": str(project / ".venv")}
    arguments = ("profile", "src/pkg/words.py::repeated", "--sandbox", "bubblewrap", "--json")
    done = codeopt(*arguments, cwd=project, env=environment)
    assert done.status == 0, done.err
    assert done.json["python"]["origin"] == "VIRTUAL_ENV"
    assert done.json["lines"][0]["line"] == 9
    assert any("python -m pip install scalene" in note for note in done.json["notes"])


def test_arrays_and_frames_of_the_users_environment(tmp_path: Path) -> None:
    """The environment of these tests stands for the user's; it is named, as codeopt's own may be another."""
    write_files(tmp_path, {"pyproject.toml": "", "frames.py": FRAMES, "test_frames.py": FRAME_TESTS})
    assert Path(sysconfig.get_path("purelib"), "pandas").is_dir()
    done = improve(tmp_path / "frames.py", "spread", tmp_path, "--python", sys.executable, "--check", "float:1e-9")
    assert done.json["python"]["origin"] == "--python"
    assert done.json["evidence"]["tests"] == 12, done.err
    assert "slow: line 11 " in done.err or "slow: line 12 " in done.err or "slow: line 10 " in done.err
