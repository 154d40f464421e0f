"""What cannot work ends in one clear line, the right exit status and no trace on the disk: a table, run for real."""
# looks at codeopt/cli/main, codeopt/cli/command, codeopt/cli/parser, codeopt/cli/commands/profile

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeopt.core.history import Candidate, History
from codeopt.core.model import Ledger
from codeopt.core.revision import Revision
from codeopt.core.run_store import RunFolder, SavedRun
from codeopt_sandbox.bubblewrap import find_bwrap
from tests.codeopt.command import FAST, SLOW, Done, codeopt, write_problem

USAGE, NO_SANDBOX, NO_MODEL, NOT_JUDGED = 2, 3, 4, 5
CRASHES = "n = int(input())\nprint(1 // (n - 3))\n"
MOODY = "import os\nn = int(input())\nprint(os.urandom(4).hex())\n"
TOO_LATE = "while True:\n    pass\n"


@dataclass(frozen=True)
class Bad:
    """What a user did wrong, and what is said of it."""

    said: str
    status: int = USAGE
    program: str | bytes = SLOW
    arguments: tuple[str, ...] = ("slow.py",)
    files: dict[str, str | bytes] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    cases: bool = True
    command: str = "improve"


PROFILE = (".", "--run", "python slow.py")
BAD = {
    "missing file": Bad("cannot read gone.py: No such file or directory", arguments=("gone.py",)),
    "directory": Bad(
        "folder has no function that could be improved", arguments=("folder",), files={"folder/x.txt": ""}
    ),
    "empty": Bad("slow.py is empty", program=""),
    "only a comment": Bad("slow.py is empty", program="# nothing\n"),
    "syntax error": Bad("slow.py:2: '(' was never closed", program="x = 1\nprint(\n"),
    "not UTF-8": Bad("slow.py is not UTF-8 text", program=b"print('\xff')\n"),
    "not UTF-8 further down": Bad("slow.py is not UTF-8 text", program=b"x = 1\n" * 9 + b"'\xff'\n"),
    "another encoding": Bad("slow.py is encoded in iso-8859-1", program=b"# coding: latin-1\nprint('\xe9')\n"),
    "too long for a program": Bad("slow.py is longer than 1 MiB", program="x = 1\n" * 200_000),
    "no end": Bad("/dev/zero: it is a device", arguments=("/dev/zero",)),
    "a null byte": Bad("source code string cannot contain null bytes", program=b"x = 1\0\n"),
    "no cases": Bad("slow.py has no test cases in ", cases=False),
    "no such folder of cases": Bad("--cases nowhere is not a directory", arguments=("slow.py", "--cases", "nowhere")),
    "no such input": Bad("cannot read nothing.txt", arguments=("slow.py", "--stdin", "nothing.txt")),
    "cases and stdin": Bad("not both", arguments=("slow.py", "--cases", ".", "--stdin", "input.0.txt")),
    "input only, original crashes": Bad(
        "the original fails case 0: error (exit status 1: ZeroDivisionError",
        NOT_JUDGED,
        program=CRASHES,
        cases=False,
        files={"input.0.txt": "3\n"},
    ),
    "a failing case": Bad(
        "the original fails case 1: wrong result (token 1: expected '4', got '3')",
        NOT_JUDGED,
        files={"output.1.txt": "4 2\n"},
    ),
    "another output each time": Bad(
        "the original does not print the same twice",
        NOT_JUDGED,
        program=MOODY,
        cases=False,
        files={"input.0.txt": "1\n"},
    ),
    "past the time limit": Bad(
        "the original fails case 0: time limit", NOT_JUDGED, program=TOO_LATE, arguments=("slow.py", "--timeout", "0.3")
    ),
    "a generator that fails": Bad(
        "generate.py 1 small failed: ValueError: no seed",
        NOT_JUDGED,
        cases=False,
        files={"generate.py": "raise ValueError('no seed')\n"},
    ),
    "unknown flag": Bad("unknown option --fast", arguments=("slow.py", "--fast")),
    "no file": Bad("TARGET is missing", arguments=()),
    "an empty target": Bad("'' names no file", arguments=("",)),
    "no name of a function": Bad("'slow.py::' names no function", arguments=("slow.py::",)),
    "an empty path": Bad("--cases: the path is empty", arguments=("slow.py", "--cases", "")),
    "a third target": Bad("two targets are needed", arguments=("slow.py",) * 3, command="compare"),
    "shortened flag": Bad("unknown option --max-r", arguments=("slow.py", "--max-r", "3")),
    "not a number": Bad("-n/--max-rounds: invalid count value: 'x'", arguments=("slow.py", "-n", "x")),
    "zero rounds": Bad("0 is not a whole number above zero", arguments=("slow.py", "-n", "0")),
    "a limit that is no number": Bad("nan is not a number above zero", arguments=("slow.py", "--timeout", "nan")),
    "unknown task": Bad("there is no task 'speed'\n  hint: choose one of:", arguments=("slow.py", "-t", "speed")),
    "a module that is no task": Bad("json.decoder is not a task", arguments=("slow.py", "-t", "json.decoder")),
    "a task that is not there": Bad("cannot import 'no.such'", arguments=("slow.py", "-t", "no.such")),
    "unknown rule": Bad("magic", arguments=("slow.py", "--select", "main_function,magic")),
    "a file for a rule": Bad("name it as my_package.own", arguments=("slow.py", "--select", "./own.py")),
    "unknown checker": Bad("there is no checker 'fuzzy'", arguments=("slow.py", "--check", "fuzzy")),
    "unknown sandbox": Bad("--sandbox: 'vm' is not one of ", arguments=("slow.py", "--sandbox", "vm")),
    "no such image": Bad(
        "bubblewrap runs the host's own interpreter", NO_SANDBOX, arguments=("slow.py", "--image", "no-such-image")
    ),
    "no such interpreter": Bad(
        "--python: /nowhere/python is not there", arguments=("slow.py", "--python", "/nowhere/python")
    ),
    "rules for readability": Bad(
        "the built-in rules do not know the task readability", arguments=("slow.py", "-t", "readability")
    ),
    "no key": Bad("set OPENAI_API_KEY", NO_MODEL, arguments=("slow.py", "--model", "gpt-5")),
    "no such key": Bad(
        "MY_KEY is not set",
        NO_MODEL,
        arguments=("slow.py", "--model", "gpt-5", "--api-key-env", "MY_KEY"),
    ),
    "not a web address": Bad("is not a web address", arguments=("slow.py", "--base-url", "ftp://x")),
    "no such model factory": Bad(
        "cannot load the model codeopt.models:gone", arguments=("slow.py", "--model", "codeopt.models:gone")
    ),
    "a file and a module": Bad("to name a model: --model NAME", arguments=("slow.py", "-m", "gpt-5")),
    "no recording": Bad(
        "cannot read the recording gone.jsonl", NO_MODEL, arguments=("slow.py", "--model", "replay:gone.jsonl")
    ),
    "the recording exists": Bad(
        "--record talk.jsonl exists",
        files={"talk.jsonl": "\n"},
        arguments=("slow.py", "--base-url", "http://127.0.0.1:9", "--record", "talk.jsonl"),
    ),
    "nothing to resume": Bad("there is no run to resume in gone", arguments=("slow.py", "--resume", "gone")),
    "a broken run": Bad(
        "cannot be read\n  hint: start a new run",
        files={"run/state.json": "{}"},
        arguments=("slow.py", "--resume", "run"),
    ),
    "write and output": Bad("give --write or -o FILE, not both", arguments=("slow.py", "--write", "-o", "fast.py")),
    "output to a directory": Bad(
        "cannot write folder: it is a directory", files={"folder/x": ""}, arguments=("slow.py", "-o", "folder")
    ),
    "output to nowhere": Bad("there is no directory", arguments=("slow.py", "-o", "gone/fast.py")),
    "unknown key": Bad(
        "has no key 'max-round'\n  hint: did you mean max-rounds?",
        files={"pyproject.toml": "[tool.codeopt]\nmax-round = 3\n"},
    ),
    "a wrong value in a file": Bad(
        "max-rounds: invalid", files={"pyproject.toml": "[tool.codeopt]\nmax-rounds = 'many'\n"}
    ),
    "a broken file of settings": Bad("cannot read", files={"pyproject.toml": "[tool.codeopt\n"}),
    "a wrong value in the environment": Bad(
        "CODEOPT_METRIC: 'sun' is not one of auto, cpu, wall", env={"CODEOPT_METRIC": "sun"}
    ),
    "a price in a project's file": Bad(
        "a project's file cannot decide prices",
        files={"pyproject.toml": "[tool.codeopt.prices.m]\ninput = 1\n"},
        arguments=("slow.py", "--model", "m", "--base-url", "http://127.0.0.1:9"),
    ),
    "a profile of a file": Bad("but slow.py is not one", arguments=("slow.py", *PROFILE[1:]), command="profile"),
    "an earlier profile and no page": Bad(
        "--before needs a page\n  hint: give --html FILE", arguments=(*PROFILE, "--before", "x"), command="profile"
    ),
    "an unknown format": Bad("unknown format 'xml'", arguments=(*PROFILE, "--export", "xml", "f"), command="profile"),
    "a profile to nowhere": Bad(
        "there is no directory", arguments=(*PROFILE, "--export", "speedscope", "gone/f"), command="profile"
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_one_line_the_right_status_and_nothing_written(bad: Bad, tmp_path: Path) -> None:
    if bad.cases:
        write_problem(tmp_path, words=300)
    files = {"slow.py": bad.program, **bad.files}
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = snapshot(tmp_path)
    sandbox = () if "--sandbox" in bad.arguments else ("--sandbox", "bubblewrap")
    done = codeopt(bad.command, *bad.arguments, "-q", *sandbox, cwd=tmp_path, env=bad.env)
    assert done.status == bad.status, done.err
    assert_one_line(done, bad.said)
    assert snapshot(tmp_path) == before


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def assert_one_line(done: Done, said: str) -> None:
    assert done.out == ""
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.lines[0].startswith("error: ")
    assert (len(done.facts), len(done.lines) <= 2) == (1, True), done.err


def test_a_run_of_another_program_is_not_resumed(tmp_path: Path) -> None:
    write_problem(tmp_path, words=300)
    RunFolder(tmp_path / "run").path.mkdir()
    RunFolder(tmp_path / "run").save(SavedRun(History((Candidate(0, Revision.of(FAST), "the original"),)), Ledger()))
    done = codeopt("improve", "slow.py", "--resume", "run", cwd=tmp_path)
    assert done.status == USAGE
    assert_one_line(done, "the run in run is of another program, or the program has changed")


@pytest.mark.parametrize("target", [("--write",), ("-o", "sub/fast.py")])
def test_a_read_only_folder_is_found_before_anything_runs(target: tuple[str, ...], tmp_path: Path) -> None:
    """Root may write where modes forbid it, so the folder is mounted read-only."""
    path = write_problem(tmp_path / "sub", words=300)
    seal = [find_bwrap(), "--dev-bind", "/", "/", "--ro-bind", tmp_path / "sub", tmp_path / "sub"]
    done = codeopt("improve", "sub/slow.py", *target, cwd=tmp_path, before=seal)
    assert done.status == USAGE
    assert_one_line(done, "is read-only for you\n  hint: -o FILE writes to another place")
    assert path.read_text() == SLOW


def test_a_current_folder_that_was_removed(tmp_path: Path) -> None:
    removed = ["sh", "-c", 'mkdir x; cd x; rmdir ../x; exec "$@"', "sh"]
    assert_one_line(codeopt("runs", cwd=tmp_path, before=removed), "the current folder was removed")
