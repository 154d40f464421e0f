"""What users of any kind of program would type, with the wheel in an environment of its own: small projects, and the
commands for each.

    python -m tests.support.users_paths [NAME ...]

builds the wheel and prints for each path how long it took and what came of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.codeopt.command import AS_A_USER, Done, environment
from tests.support.files import write_files
from tests.support.pythons import python_of
from tests.support.wheels import bare, build, copy_packages

QUICK = ("--sandbox", "bubblewrap", "--no-profile", "--model", "rules")
GAIN = r"\d+(?:\.\d+)?x faster"
ACTIVATED = {"VIRTUAL_ENV": ".venv"}

UNIQUE = """\
def unique(words: list[str]) -> int:
    seen = []
    for word in words:
        if word not in seen:
            seen.append(word)
    return len(seen)
"""
STDIN = "import sys\n" + UNIQUE + "print(unique(sys.stdin.read().split()))\n"
SETTLED = (
    "def main():\n    seen = []\n    x = 1\n    for _ in range(2000):\n        x = (x * 75 + 74) % 65537\n"
    "        if x not in seen:\n            seen.append(x)\n    print(len(seen), x)\n\n\n"
    'if __name__ == "__main__":\n    main()\n'
)
TOP = (
    "import argparse\nimport csv\n\n\n"
    + UNIQUE.replace("return len(seen)", "return seen").replace("-> int", "-> list[str]")
    + """

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("-o", "--output", default="top.csv")
    args = parser.parse_args()
    with open(args.file, newline="") as file:
        names = unique([str(row[0]) for row in csv.reader(file)])
    with open(args.output, "w", newline="") as file:
        csv.writer(file).writerows([name] for name in sorted(names)[: args.top])
    print(len(names), "names")


main()
"""
)
PACKAGE = (
    "import sys\n\nfrom .core import keys\n\n\n"
    + UNIQUE
    + "\n\nwith open(sys.argv[1]) as file:\n    print(unique([str(key) for key in keys(file)]))\n"
)
ARRAYS = """\
import numpy as np


def unique(values: np.ndarray) -> int:
    seen = []
    for value in values:
        number = int(value)
        if number not in seen:
            seen.append(number)
    return len(seen)
"""
ARRAY_CALLS = (
    "import numpy as np\n\nCALLS = [((np.arange(size) * 7 % 211,), {}) for size in range(12)]\n"
    "BIG = [((np.arange(3000),), {})]\n"
)
FRAMES = """\
import pandas as pd


def unique(frame: pd.DataFrame) -> int:
    seen = []
    for name in frame["name"]:
        if name not in seen:
            seen.append(name)
    return len(seen)
"""
FASTER_FRAMES = (
    'import pandas as pd\n\n\ndef unique(frame: pd.DataFrame) -> int:\n    return len(set(frame["name"].tolist()))\n'
)
FRAME_CALLS = (
    "import pandas as pd\n\n\ndef frame(n):\n"
    "    return pd.DataFrame({'name': [str(k * 7 % 4001) for k in range(n)]})\n\n\n"
    "CALLS = [((frame(size),), {}) for size in range(12)]\nBIG = [((frame(2500),), {})]\n"
)
TESTS = """\
import pytest
from shop.basket import unique


@pytest.mark.parametrize("size", [*range(1, 12), 3000])
def test_unique(size):
    assert unique([str(n % 700) for n in range(size)]) == min(size, 700)
"""
SCRIPT = "from basket import unique\n\nfor n in [*range(1, 12), 3000]:\n    unique([str(k % 700) for k in range(n)])\n"
PYTEST = TESTS.replace("shop.basket", "basket")
TASKS = (
    "import asyncio\nfrom basket import unique\n\n\nasync def one(size):\n    await asyncio.sleep(0)\n"
    "    return unique([str(n % 700) for n in range(size)])\n\n\nasync def main():\n"
    "    await asyncio.gather(*map(one, [*range(1, 12), 3000]))\n\n\nasyncio.run(main())\n"
)
CELLS = ("words = [str(n * 7919 % 1500) for n in range(3000)]", UNIQUE, "print(unique(words))")
NOTEBOOK = json.dumps({
    "nbformat": 4, "nbformat_minor": 5, "metadata": {},
    "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in CELLS],
})  # fmt: skip
WORDS = " ".join(f"w{n * 7919 % 1700}" for n in range(3000))
LINES = "".join(f"w{n * 7919 % 1700}\n" for n in range(3000))


@dataclass(frozen=True)
class Step:
    """One command, and what its user must find."""

    arguments: tuple[str, ...]
    says: str
    """A pattern, in both outputs together."""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class UsersPath:
    """A project, and what its user types."""

    files: Mapping[str, str]
    steps: tuple[Step, ...]
    own_environment: bool = False
    """The project has its own .venv with pytest, of another Python where there is one."""


def _improve(target: tuple[str, ...], says: str, *flags: str, after: tuple[str, ...] = (), **variables: str) -> Step:
    return Step(("improve", *target, *QUICK, *flags, *after), f"(?s){says}.*{GAIN}", variables)


_RECORDED = r"12 new calls of unique"
_SRC = ("src/shop/basket.py::unique",)
PATHS: dict[str, UsersPath] = {
    "a stdin script with three cases": UsersPath(
        {"unique.py": STDIN, **{f"{n}.in": WORDS[: n * 4000] for n in (1, 2, 3)},
         **{f"{n}.out": f"{len(set(WORDS[: n * 4000].split()))}\n" for n in (1, 2, 3)}},
        (_improve(("unique.py",), "3 cases, 1 held out"),),
    ),
    "a src layout with its own environment and tests": UsersPath(
        {"pyproject.toml": "[project]\nname = 'shop'\n[tool.pytest.ini_options]\npythonpath = ['src']\n",
         "src/shop/__init__.py": "", "src/shop/basket.py": UNIQUE, "tests/test_basket.py": TESTS},
        (
            _improve(_SRC, r"python +\.venv/bin/python [\d.]+, pytest.* 12 tests", "-v"),
            Step(
                ("check", "src", "-v", *QUICK[:3]),
                r"(?s)python +\.venv/bin/python .*unique: \d+(?:\.\d+)?x",
                ACTIVATED,
            ),
        ),
        own_environment=True,
    ),
    "a script with arguments and a CSV file": UsersPath(
        {"top.py": TOP, "data.csv": "".join(f"n{n * 7919 % 1900},{n % 7}\n" for n in range(3000))},
        (_improve(("top.py",), r"1 case and \d+ mutated inputs", after=("--", "--top", "10", "data.csv")),),
    ),
    "a script with main() and no input": UsersPath(
        {"settled.py": SETTLED}, (_improve(("settled.py",), "1 input: nothing else was found"),)
    ),
    "functions of arrays and of frames": UsersPath(
        {"arrays.py": ARRAYS, "array_calls.py": ARRAY_CALLS,
         "frames.py": FRAMES, "faster.py": FASTER_FRAMES, "frame_calls.py": FRAME_CALLS},
        (
            _improve(("arrays.py::unique",), r"python +/\S+ 3\.\S+, pytest", "-v", "--python", sys.executable,
                     "--calls", "array_calls.py", "--no-tests"),
            Step(("compare", "frames.py::unique", "faster.py::unique", "--python", sys.executable, *QUICK[:2],
                  "--calls", "frame_calls.py", "--no-tests"), r"^(faster.py::unique|NEW) is \d+(?:\.\d+)?x faster   "),
        ),
    ),
    "a notebook": UsersPath({"words.ipynb": NOTEBOOK}, (_improve(("words.ipynb",), "1 input"),)),
    "a package by -m": UsersPath(
        {"tool/__init__.py": "", "tool/core.py": "def keys(lines):\n    return [line.strip() for line in lines]\n",
         "tool/__main__.py": PACKAGE, "words.txt": LINES},
        (_improve(("-m", "tool"), r"python -m tool .*1 case and \d+ mutated inputs", "-v", after=("--", "words.txt")),),
    ),
    "a function recorded from a script, pytest and asyncio": UsersPath(
        {"pyproject.toml": "[project]\nname = 'basket'\n", "basket.py": UNIQUE, "use.py": SCRIPT, "tasks.py": TASKS,
         "test_use.py": PYTEST},
        (
            Step(("record", "basket.py::unique", "--", "pytest", "-q", "test_use.py"), _RECORDED),
            Step(("record", "basket.py::unique", "--", "python", "tasks.py"), "0 new calls of unique"),
            _improve(("basket.py::unique",), "12 recorded", "--no-tests", "--run", "python use.py"),
        ),
        own_environment=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Walked:
    """How one step went."""

    step: Step
    done: Done
    seconds: float

    @property
    def problem(self) -> str:
        """What is not as it should be; empty where all is."""
        text = self.done.err + self.done.out
        wanted = 1 if self.step.arguments[0] == "check" else 0
        if self.done.status != wanted or "Traceback" in text:
            return f"exit status {self.done.status}: {text}"
        return "" if re.search(self.step.says, text, re.MULTILINE) else f"it does not say {self.step.says}: {text}"

    @property
    def result(self) -> str:
        """The gain, or the last line."""
        found = re.findall(rf"{GAIN}|\d+ new calls? of \w+|\d+(?:\.\d+)?x  ", self.done.err + self.done.out)
        return found[-1].strip() if found else self.done.err.splitlines()[-1]


def walk(path: UsersPath, programs: Path, folder: Path) -> list[Walked]:
    """Take it: the project's files, under git, then one command after the other."""
    write_files(folder, path.files)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    if path.own_environment:
        _own_environment(folder / ".venv")
    return [_step(step, programs, folder) for step in path.steps]


def _own_environment(folder: Path) -> None:
    """Of another Python than ours where there is one, with pytest."""
    python = python_of("3.13") or python_of("3.12") or sys.executable
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    copy_packages(["pytest"], folder)


def _step(step: Step, programs: Path, folder: Path) -> Walked:
    variables = {name: str(folder / value) for name, value in step.variables.items()}
    path = os.pathsep.join([*(f"{value}/bin" for value in variables.values()), str(programs), os.environ["PATH"]])
    env = environment(**{**AS_A_USER, "PATH": path, "PYTHONPATH": "", "VIRTUAL_ENV": "", **variables})
    start = time.perf_counter()
    done = subprocess.run(
        [programs / "codeopt", *step.arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env=env, timeout=240, check=False,
    )  # fmt: skip
    return Walked(step, Done(done.returncode, done.stdout, done.stderr), time.perf_counter() - start)


def main() -> int:
    """Print a row for each step; exit status 1 when one is not as it should be."""
    good = True
    print("| path | command | seconds | result |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        programs = bare(Path(temporary) / "environment", build(Path(temporary)))
        chosen = {name: path for name, path in PATHS.items() if not sys.argv[1:] or name in sys.argv[1:]}
        for number, (name, path) in enumerate(chosen.items()):
            folder = Path(temporary) / str(number)
            folder.mkdir()
            for walked in walk(path, programs, folder):
                good = good and not walked.problem
                command = " ".join(walked.step.arguments[:2])
                print(f"| {name} | {command} | {walked.seconds:.1f} | {walked.problem or walked.result} |", flush=True)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
