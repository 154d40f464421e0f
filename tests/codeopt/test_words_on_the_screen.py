"""Words of the screen: the real error of what failed, no empty tables, help for a bare command."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.words import error_line
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.test_linked_packages import git, write

TRACEBACK = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'x'\n"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (f"{TRACEBACK}\nsee the log for more\n", "ModuleNotFoundError: No module named 'x'"),
        ("ImportError while loading conftest\nE   ModuleNotFoundError: y\n=== 1 error", "ModuleNotFoundError: y"),
        ("ERROR: usage: pytest [options]\n  inifile: None\n  rootdir: /tmp\n", "ERROR: usage: pytest [options]"),
        (f"{TRACEBACK}core.exceptions.ImproperlyConfigured: no\nbye\n", "core.exceptions.ImproperlyConfigured: no"),
        ("no luck\nbye\n", "bye"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_line_that_says_why(said: str, line: str) -> None:
    assert error_line(said) == line


def test_a_failing_command_is_told_by_its_error(tmp_path: Path) -> None:
    text = "import atexit\natexit.register(print, 'bye')\nraise ValueError('this is why')\n"
    write(tmp_path, {"it.py": text})
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        git(tmp_path, words)
    done = codeopt("profile", ".", "--run", "python it.py", cwd=tmp_path)
    assert "ValueError: this is why" in done.err


def test_no_table_is_empty(tmp_path: Path) -> None:
    write(tmp_path, {"it.py": "print(1)\n"})
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        git(tmp_path, words)
    done = codeopt("profile", ".", "--run", "python it.py", cwd=tmp_path)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    heads = [line for line, after in zip(lines, [*lines[1:], ""], strict=True) if line.endswith(":") and not after]
    assert heads == []


def test_codeopt_alone_lists_the_commands(tmp_path: Path) -> None:
    alone, asked = codeopt(cwd=tmp_path), codeopt("--help", cwd=tmp_path)
    assert (alone.status, alone.out) == (0, asked.out)
