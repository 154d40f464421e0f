"""`codeopt improve FILE --run COMMAND`: a user's own command says which function matters, and how it is called."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.program import Target
from codeopt.workloads._run_first import run_first
from codeopt.workloads.function.recording import UsersCommand, run_shares
from tests.codeopt.command import codeopt, reply
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

pytestmark = pytest.mark.full

WORDS = """\
import asyncio, multiprocessing, sys, threading, time

def distinct(words: list[str]) -> int:
    seen: list[str] = []
    for word in words:
        if word not in seen:
            seen.append(word)
    return len(seen)

def text(n: int, name: str) -> list[str]:
    return [name + str(k * 7 % 1009) for k in range(n)]

def idle():
    time.sleep(0.2)

def never(x):
    return x

async def one(n: int) -> int:
    return distinct(text(n, "task"))

async def tasks():
    await asyncio.gather(*(one(n) for n in range(4)))

if __name__ == "__main__":
    print("words")
    for n in range(10):
        distinct(text(600, "main"))
    threads = [threading.Thread(target=lambda n=n: distinct(text(n, "thread"))) for n in range(2, 6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    asyncio.run(tasks())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.map(distinct, [text(n, "child") for n in range(2, 6)])
    idle()
"""
BETTER = "def distinct(words: list[str]) -> int:\n    return len(set(words))\n"
TESTS = "from words import distinct\n\ndef test_it():\n    assert distinct(['test', 'test']) == 1\n"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A script, and tests of it."""
    path = tmp_path / "words.py"
    path.write_text(WORDS)
    (tmp_path / "test_words.py").write_text(TESTS)
    (tmp_path / "all.sh").write_text(f"{sys.executable} words.py\n{sys.executable} -m pytest -q test_words.py\n")
    return path


def test_a_file_is_improved_by_its_own_run(words: Path) -> None:
    """Calls of a script, its threads, tasks and a child process, and of pytest: all of them are what is judged by."""
    require_sandbox()
    flags = ("--sandbox", "bubblewrap", "--no-tests", "--json", "--max-rounds", "1", "--no-profile")
    with WireServer(
        ["A list is searched.\nVERDICT: IMPROVE", reply(BETTER, "a set"), "Good.\nVERDICT: DONE"]
    ) as server:
        model = ("--base-url", server.base_url, "--model", server.model)
        done = codeopt("improve", "words.py", "--run", "sh all.sh", *flags, *model, cwd=words.parent)
    assert done.status == 0, done.err
    assert done.out.startswith("{")
    found = done.json
    assert "own time   distinct " in done.err
    assert "improving words.py::distinct" in done.err
    recording = found["recording"]
    assert (recording["function"], recording["status"], recording["lost"]) == ("distinct", 0, [])
    shares = recording["shares"]
    assert next(iter(shares)) == "distinct"
    assert shares["distinct"] > max(0.0, shares.get("text", 0.0))
    assert "idle" not in shares
    calls = (words.parent / ".codeopt/calls/words.distinct.txt").read_text()
    assert all(kind in calls for kind in ("main0", "thread0", "task0", "child0", "['test', 'test']"))
    assert recording["calls"] == len(calls.splitlines()) == 14
    assert found["evidence"]["sources"]["recorded"] == 14
    assert found["accepted"]
    assert found["speedup"]["ci_low"] > 1.5


def test_a_function_that_the_command_never_calls(words: Path) -> None:
    with pytest.raises(
        ProgramError, match="never called never: .*words.py was loaded, the function was not called"
    ) as error:
        run_first(Target(words, "never"), f"{sys.executable} {words}", print)
    assert error.value.exit_status == 5


def test_a_command_that_never_uses_the_file(words: Path) -> None:
    with pytest.raises(ProgramError, match="no function of .*words.py was seen at work"):
        run_shares(words, UsersCommand([sys.executable, "-c", "sum(range(10**6))"]))


@pytest.mark.parametrize(
    ("line", "why"), [(" ", "--run is empty"), ("python '", "No closing quotation"), ("gone-1 x", "cannot run gone-1")]
)
def test_a_command_that_is_none(words: Path, line: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        run_first(Target(words, "distinct"), line, print)


def test_a_project_cannot_choose_the_command(words: Path) -> None:
    (words.parent / "pyproject.toml").write_text('[tool.codeopt]\nrun = "touch made"\n')
    done = codeopt("improve", "words.py::distinct", "--model", "rules", cwd=words.parent)
    assert done.status == 2
    assert "no key 'run'" in done.err
    assert not (words.parent / "made").exists()
