"""A run that is ended from outside: Ctrl-C, the same from a CI system, and a kill that nothing can catch."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.codeopt.command import FAST, QUICK, SLOW, command, environment, reply, write_problem
from tests.codeopt.command import codeopt as run_to_end
from tests.support.wire_server import WireServer
from tests.support.wire_steps import hang

pytestmark = pytest.mark.full

GOOD_DRAFT = ["try a set\nVERDICT: IMPROVE", reply(FAST, "a set")]
Kill = Callable[["subprocess.Popen[str]"], None]


def to_one(number: int) -> Kill:
    return lambda process: process.send_signal(number)


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`codeopt improve slow.py ...` under way."""
    with subprocess.Popen(
        command("improve", "slow.py", *arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def with_a_good_draft(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has found the fast program and waits for what a silent model says of it."""
    with (
        WireServer([*GOOD_DRAFT, hang()]) as server,
        started(folder, "--base-url", server.base_url, *arguments, *QUICK) as process,
    ):
        read_until(process, "x faster")
        yield process


def read_until(process: subprocess.Popen[str], words: str) -> None:
    """Until standard error has a line with these words."""
    assert process.stderr
    seen = []
    for line in process.stderr:
        if words in line:
            return
        seen.append(line)
    pytest.fail(f"ended without a line with {words!r}: {seen}")


@pytest.mark.parametrize(
    "interrupt",
    [
        pytest.param(to_one(signal.SIGINT), id="kill -INT"),
        # to every process in the foreground, the sandbox's own too
        pytest.param(lambda process: os.killpg(process.pid, signal.SIGINT), id="Ctrl-C in a terminal"),
        pytest.param(to_one(signal.SIGTERM), id="kill -TERM"),
    ],
)
def test_the_best_so_far_is_confirmed_and_reported(interrupt: Kill, tmp_path: Path) -> None:
    write_problem(tmp_path, words=1500)
    with with_a_good_draft(tmp_path, "--json") as process:
        interrupt(process)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    result = json.loads(out)
    assert (result["accepted"], result["best_round"], result["stop_reason"]) == (True, 1, "interrupted")
    assert "Traceback" not in err


def test_a_second_one_ends_at_once_with_what_is_known_and_how_to_go_on(tmp_path: Path) -> None:
    write_problem(tmp_path, words=1500)
    with with_a_good_draft(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        read_until(process, "warning: interrupted")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    (run,) = (tmp_path / ".codeopt" / "runs").iterdir()
    known, *_, last = err.splitlines()
    so_far = r"(.*, which is not confirmed: |not confirmed: right on all that was tried, .*; )interrupted"
    assert re.fullmatch(f"no faster version found: round 1 is {so_far}", known)
    assert last == f"Next: codeopt improve --resume {run.relative_to(tmp_path)}"
    listed = run_to_end("runs", cwd=tmp_path).out.split()
    assert listed[0] == "interrupted"
    assert_goes_on(tmp_path, listed[-1])


def test_before_the_first_draft_there_is_nothing_to_report(tmp_path: Path) -> None:
    write_problem(tmp_path, "while True:\n    pass\n")
    with started(tmp_path, "--timeout", "100", "-v", *QUICK) as process:
        read_until(process, "sandbox  ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.splitlines()[-1]) == (130, "", "error: interrupted")
    assert (tmp_path / "slow.py").read_text() == "while True:\n    pass\n"
    assert not (tmp_path / ".codeopt").exists()


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Nothing that was measured or paid for is done again."""
    write_problem(tmp_path, words=1500)
    with with_a_good_draft(tmp_path) as process:
        process.kill()
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "slow.py").read_text() == SLOW
    assert_goes_on(tmp_path)


def assert_goes_on(folder: Path, run: str = "last") -> None:
    """With one request for a critique of the draft that was saved, and the tokens of before."""
    with WireServer(["nothing left\nVERDICT: DONE"]) as server:
        arguments = ("--base-url", server.base_url, "--resume", run, "--json", *QUICK)
        done = run_to_end("improve", "slow.py", *arguments, cwd=folder)
        assert len(server.requests) == 1
        assert FAST in server.prompts[0]
    assert done.status == 0, done.err
    assert (done.json["best_round"], done.json["stop_reason"]) == (1, "nothing left to improve")
    assert done.json["tokens"]["out"] > 20


def test_wherever_it_comes_the_status_is_ours(tmp_path: Path) -> None:
    """Within an exec of text, too, by which `python -m` would end itself with the signal."""
    hook = (
        "import codeopt.cli.main\ndef main(argv=None, began=None):\n    try:\n        exec('raise KeyboardInterrupt')\n"
    )
    hook += "    except KeyboardInterrupt:\n        return 130\ncodeopt.cli.main.main = main\n"
    (tmp_path / "sitecustomize.py").write_text(hook)
    env = {**environment(), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[3])])}
    assert subprocess.run(command("runs"), env=env, cwd=tmp_path).returncode == 130
