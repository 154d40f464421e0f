"""A project with a slow function, its test under git; and what is left of a server's processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.codeopt.command import environment

SLOW = '''\
def repeated(words: list[str]) -> int:
    """How many words were there before."""
    seen = []
    count = 0
    for word in words:
        if word in seen:
            count += 1
        else:
            seen.append(word)
    return count
'''
RIGHT = '''\
def repeated(words: list[str]) -> int:
    """How many words were there before."""
    return len(words) - len(set(words))
'''
WRONG = RIGHT.replace("len(words) - len(set(words))", "len(set(words))")
TEST = """\
from words import repeated


def test_repeated():
    assert repeated(["a", "b", "a", "a"]) == 2
    assert repeated([str(n % 700) for n in range(3000)]) == 2300
"""
ENDLESS = "n = int(input())\nwhile True:\n    n += 1\n"
TARGET = "words.py::repeated"


def make_project(folder: Path) -> Path:
    """Committed, with a program that never ends beside it."""
    files = {
        "words.py": SLOW,
        "tests/test_words.py": TEST,
        "pyproject.toml": '[tool.codeopt]\nsandbox = "process"\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
        "endless/endless.py": ENDLESS,
        "endless/input.1.txt": "1\n",
        "endless/output.1.txt": "1\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ("git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all of it")):
        subprocess.run([*git, *arguments], check=True, env=environment())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but git's."""
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def processes(mark: str) -> list[str]:
    """Those that have a text in their environment, ours left out: a server, its workers, their sandboxes."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
