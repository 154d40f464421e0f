"""A reader's own project: the files that the documents' commands name, small and quick to judge.

Only slow.py has something to gain: where no draft is made, a command is done once the original was measured.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.codeopt.command import SLOW, write_problem
from tests.support.files import make_repository

_WORK = """\
def work():
    mixed = 0
    for i in range(100_000):
        mixed ^= i * i
    return mixed


print(work())
"""
_TOOL = f"""\
import sys
from pathlib import Path


def text(name):
    return Path(name).read_text() if Path(name).is_file() else ""


print(*sys.argv[1:], *map(text, sys.argv[1:]))
{_WORK}"""
_MODULE = '''\
def function(wanted: list[int], known: list[int]) -> list[int]:
    """Those that are known.

    >>> function([1, 2, 3], [3, 1])
    [1, 3]
    """
    kept = set(known)
    return [number for number in wanted if number in kept]
'''
_CALLS = """\
CALLS = [((list(range(n)), list(range(0, n, 3))), {}) for n in range(6)]
BIG = [((list(range(900)), list(range(0, 900, 3))), {})]
"""
_PROGRAM = (
    '\n\nif __name__ == "__main__":\n    numbers = [*map(int, input().split())]\n    print(len(f(numbers, numbers)))\n'
)
_FILES = {
    "tool.py": _TOOL,
    "package/__init__.py": "",
    "package/__main__.py": _TOOL,
    "new_main.py": _TOOL,
    "data.csv": "name,size\nlamp,4\nhut,12\n",
    "data/first.txt": "1\n",
    "config.toml": "size = 3\n",
    "in.txt": " ".join(map(str, range(1500))) + "\n",
    "pkg/__init__.py": "",
    "pkg/mod.py": _MODULE,
    "old.py": _MODULE.replace("function", "f").replace("set(known)", "[*known]") + _PROGRAM,
    "new.py": _MODULE.replace("function", "f") + _PROGRAM,
    "calls.py": _CALLS,
    "script.py": "from pkg.mod import function\n\nfor n in range(60, 75):\n    function([*range(n)], [3])\n",
    "tests/test_mod.py": "from pkg.mod import function\n\n\ndef test_function():\n"
    "    for n in range(60, 75):\n        assert function([*range(n)], [0, 1]) == [0, 1]\n",
    "conftest.py": "",
    "analysis.ipynb": json.dumps(
        {
            "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": SLOW, "execution_count": None}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
}  # fmt: skip


def write_project(folder: Path) -> Path:
    """The project in a new folder, held by git, with one change that is not committed."""
    write_problem(folder, words=1500)
    make_repository(folder, _FILES, "as it was")
    with (folder / "pkg" / "mod.py").open("a") as file:
        file.write("\n\nLIMIT = 3\n")
    return folder
