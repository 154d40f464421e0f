"""A project with a slow function, its test under git; and what is left of a server's processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.support.files import make_repository

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
    assert repeated([str(n % 300) for n in range(600)]) == 300
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
    return make_repository(folder, files, "all of it")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but git's."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kept = (path.as_posix() for path in paths if ".git" not in path.parts)
    return {path: (folder / path).read_bytes() for path in kept}


@dataclass(frozen=True)
class Process:
    """One that ran when we looked."""

    number: int
    parent: int
    started: str
    """Tells it from a later one of the same number."""
    command: str

    @property
    def alive(self) -> bool:
        """It still runs; a zombie does not."""
        return process(self.number) == self


def process(number: int) -> Process | None:
    """None where there is none, or it has ended."""
    folder = Path("/proc", str(number))
    try:
        words = (folder / "stat").read_text().rpartition(")")[2].split()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return None
    return None if words[0] in "ZX" else Process(number, int(words[1]), words[19], command)


def family(mark: str) -> list[Process]:
    """Processes that have a text in their environment, and all that came from them: a server, its workers, their
    sandboxes."""
    every = [process(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")]
    known = {each.number: each for each in every if each}
    found = {number for number in known if number != os.getpid() and _is_marked(number, mark)}
    while more := {each.number for each in known.values() if each.parent in found} - found:
        found |= more
    return [known[number] for number in sorted(found)]


def _is_marked(number: int, mark: str) -> bool:
    try:
        return mark.encode() in Path("/proc", str(number), "environ").read_bytes()
    except OSError:
        return False
