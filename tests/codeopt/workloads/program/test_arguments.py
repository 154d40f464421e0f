"""Programs with arguments and files, and programs that read nothing, by the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt

pytestmark = pytest.mark.full

SLOW = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--top", type=int, default=3)
parser.add_argument("file")
arguments = parser.parse_args()
counts = {}
words = []
with open(arguments.file) as lines:
    for line in lines:
        word = line.rstrip()
        if word not in words:
            words.append(word)
        counts[word] = counts.get(word, 0) + 1
words.sort(key=lambda word: (-counts[word], word))
with open("report.txt", "w") as report:
    for word in words:
        print(word, counts[word], file=report)
print(words[: arguments.top])
"""
FAST = SLOW.replace("if word not in words:", "if word not in counts:")
WRONG = FAST.replace("in words:\n        print(word, counts", "in sorted(words):\n        print(word, counts")
"""Prints the same; its report has another order."""
BUSY = "found = []\nfor n in range(1500):\n    if n not in found:\n        found.append(n)\nprint(len(found))\n"
SANDBOX = ("--sandbox", "bubblewrap")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A slow program, two others, and a file of words."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "fast.py").write_text(FAST)
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "words.csv").write_text("".join(f"w{n * 7 % 901}\n" for n in range(1200)))
    return tmp_path


def test_files_that_a_program_writes_are_compared(folder: Path) -> None:
    """A program that differs in one file alone is rejected; a right one is faster, on changed files and numbers too."""
    given = ("--json", "-q", *SANDBOX, "--", "--top", "2", "words.csv")
    wrong = codeopt("compare", "slow.py", "wrong.py", *given, cwd=folder).json
    assert (wrong["verdict"], "file report.txt: line" in wrong["reason"]) == ("wrong", True)
    fast = codeopt("compare", "slow.py", "fast.py", *given, cwd=folder).json
    assert fast["verdict"] == "faster"
    assert fast["tests"]["mutated_inputs"] > 10
    assert not (folder / "report.txt").exists()


def test_a_program_that_reads_nothing_is_improved_as_it_is(tmp_path: Path) -> None:
    """And the result says that it was checked on one input."""
    (tmp_path / "busy.py").write_text(f"def main():\n    pass\n\n{BUSY}")
    done = codeopt("improve", "busy.py", "--model", "rules", "--no-profile", "--json", *SANDBOX, cwd=tmp_path)
    assert done.status == 0, done.err
    assert done.json["tests"]["input_count"] == 1
    assert "checked on 1 input" in done.err
    assert "it is given no input" in done.json["diagnostics"][0]["message"]


BAD = {
    "a missing file": ("import sys\nprint(open(sys.argv[1]).read())\n", ["--", "nope.csv"], 5, "--with PATH"),
    "no arguments": ("import sys\nprint(sys.argv[1])\n", [], 5, "give its arguments after --"),
    "a large file": ("import sys\nprint(sys.argv[1])\n", ["--", "large"], 2, "at most 64 MiB"),
    "no file to bring": ("print(1)\n", ["--with", "nope"], 2, "there is no such file"),
    "a variable": ("print(1)\n", ["--env", "NOT_SET_HERE"], 2, "it is not set here"),
    "removes its input": (
        "import os\nprint(1)\nos.unlink('in.csv')\n",
        ["--", "in.csv"],
        5,
        "removes or replaces in.csv",
    ),
    "the network": (
        "import socket\nsocket.create_connection(('127.0.0.1', 9))\n",
        [],
        5,
        "needs the network or a service in line 2, `socket.create_connection(",
    ),
    "a name on the network": (
        "import urllib.request\n\nprint(urllib.request.urlopen('http://example.org/'))\n",
        [],
        5,
        "in line 3, `print(urllib.request.urlopen('http://example.org/'))`, which the sandbox has not",
    ),
    "a display": (
        "import sys\nsys.exit('qt.qpa.xcb: could not connect to display :0')\n",
        [],
        5,
        "it needs a display, which the sandbox has not",
    ),
    "a binary": ("\x7fELF\x02\x01\0\0", ["--", "a"], 2, "tool.py"),
    "a wrong argument": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\nprint(p.parse_args())\n",
        ["--", "x"],
        5,
        "invalid int value",
    ),
    "too much output": ("print('x' * 100_000_000)\n", [], 5, "more than 16777216 bytes)\n  hint: give a smaller case"),
    "too much in a file": ("open('o', 'w').write('x' * 100_000_000)\n", [], 5, "File too large"),
    "Python 2": ("print 'hello'\n", ["--", "a"], 2, "tool.py:1: "),
    "a shell script": ("#!/bin/sh\necho hello; ls -l\n", ["--", "a"], 2, "tool.py:2: "),
    "does nothing": ("def f(x):\n    return x\n", [], 5, "could be looked at: no test was found for tool"),
    "cases of a library": (
        "def f(x):\n    return x\n",
        ["--record", "x"],
        2,
        "--record is for one program or function",
    ),
    "cases and arguments": ("print(1)\n", ["--cases", ".", "--", "a"], 2, "--cases and -- ARGS"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line(what: str, tmp_path: Path) -> None:
    """And nothing of the user's has changed."""
    source, arguments, status, said = BAD[what]
    (tmp_path / "tool.py").write_text(source)
    (tmp_path / "in.csv").write_text("1,2\n")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(3 << 30)
    flags = ("-q", "--model", "rules", "--run-dir", tmp_path / "runs", *SANDBOX)
    done = codeopt("improve", "tool.py", *flags, *arguments, cwd=tmp_path)
    assert done.status == status, done.err
    assert len(done.facts) == 1
    assert said in done.err
    assert {path.name for path in tmp_path.iterdir()} <= {"tool.py", "in.csv", "large", "runs"}
    assert (tmp_path / "in.csv").read_text() == "1,2\n"
