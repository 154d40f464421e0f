"""What is known when a run is ended, by whom or what ever, is told and kept. Signals come when a line says how far it
is."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.console import CallbackConsole, Console
from codeopt.core.errors import ProgramError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.run_clock import DeadlineReached, RunClock
from codeopt.core.run_store import RunFolder
from codeopt.core.session import Session
from codeopt.core.step_error import StepError
from codeopt.engine.improve import improve
from codeopt.engine.open_session import open_session
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.program import OpenedProgram
from codeopt_sandbox import RunLimits, Sandbox
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.errors import OriginalUnsteady, SandboxError
from codeopt_sandbox.outcome import CaseVerdict
from tests.codeopt.command import FAST, QUICK, codeopt, command, environment, reply, write_problem
from tests.codeopt.review.pull_request import BASE, propose
from tests.conftest import ISOLATING, open_or_skip, require_sandbox
from tests.support.candidates import outcome
from tests.support.wire_server import WireServer

QUIET_JUDGE = ("--sandbox", "bubblewrap", "--mutated-inputs", "off")
ENDLESS = "while True:\n    pass\n"


@contextmanager
def started(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """A command under way."""
    with subprocess.Popen(
        command(*arguments), cwd=folder, env=environment(**(env or {})), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def until(process: subprocess.Popen[str], pattern: str) -> list[str]:
    """The lines of standard error up to one in which the pattern is found."""
    assert process.stderr
    seen = []
    for line in process.stderr:
        seen.append(line.rstrip("\n"))
        if re.search(pattern, line):
            return seen
    pytest.fail(f"ended without a line like {pattern!r}: {seen}")


@contextmanager
def profiling_its_first_draft(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An improvement whose first draft is judged, and not profiled yet."""
    write_problem(folder, words=800)
    with (
        WireServer(["a set\nVERDICT: IMPROVE", reply(FAST, "a set")]) as server,
        started(folder, "improve", "slow.py", "--base-url", server.base_url, "-v", "--json", *QUIET_JUDGE) as process,
    ):
        until(process, r"verify 1 of 4: profiling\b")
        yield process


@pytest.mark.full
def test_a_draft_whose_profile_is_interrupted_is_confirmed(tmp_path: Path) -> None:
    require_sandbox()
    with profiling_its_first_draft(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert (found["accepted"], found["best_round"], found["stop_reason"]) == (True, 1, "interrupted")
    assert "--model NAME" not in err
    assert sum(found["seconds_by_step"].values()) == pytest.approx(found["seconds"], abs=0.05)


SHOP = "def {0}(n):\n    return sum(range(n))\n"
CHANGED = "def {0}(n):\n    total = 0\n    for each in range(n):\n        total += each\n    return total\n"
SHOP_TEST = """\
from shop.{0} import {0}


def test_{0}():
    assert [{0}(n) for n in range(12)] == [0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55]
    assert {0}(20000) == 199990000
"""
NAMES = ("first", "second")


def proposal(folder: Path) -> Path:
    """A change of two functions, each in a file of its own."""
    files = {f"shop/{name}.py": SHOP.format(name) for name in NAMES}
    files |= {f"tests/test_{name}.py": SHOP_TEST.format(name) for name in NAMES}
    return propose(folder, {**BASE, **files}, {f"shop/{name}.py": CHANGED.format(name) for name in NAMES})


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=int)
def test_a_comparison_of_a_change_keeps_what_was_compared(number: int, tmp_path: Path) -> None:
    require_sandbox()
    folder = proposal(tmp_path / "r")
    flags = ("--sandbox", "bubblewrap", "--max-pairs", "20", "--json")
    with started(folder, "compare", "--base", "main", *flags) as process:
        (*_, told) = until(process, r"^1 of 2: ")
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert "shop/first.py::first" in told
    assert "slower" in told
    if number == signal.SIGKILL:
        return
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["stop_reason"] == "interrupted"
    assert [row["verdict"] for row in found["functions"]] == ["slower", "inconclusive"]
    assert {row["reason"] for row in found["functions"][1:]} == {"not compared: interrupted"}
    assert err.splitlines()[-1] == "Next: the same command with only shop/second.py"


class FailsAt(Console):
    """A console at which one step fails: the one whose progress line matches."""

    def __init__(self, step: str, error: StepError) -> None:
        super().__init__(quiet=True)
        self._step, self._error = step, error

    def progress(self, line: str) -> None:
        if re.match(self._step, line):
            raise self._error


ERRORS = (SandboxError("the guest is gone"), ProgramError("it cannot be timed"), OriginalUnsteady("now", outcome()))


@pytest.mark.full
@pytest.mark.parametrize(
    ("step", "error", "pairs"),
    [
        ("comparing, pair 3 ", ERRORS[0], 3),
        ("comparing, pair 2 ", ERRORS[2], 2),
        ("profiling$", ERRORS[0], None),
        ("confirming", ERRORS[1], None),
        ("timing smaller inputs", ERRORS[0], None),
    ],
)
def test_what_was_measured_before_a_step_that_fails_is_kept(
    step: str, error: StepError, pairs: int | None, tmp_path: Path
) -> None:
    """In the result, in its JSON and on the disk; and the run goes on from there."""
    require_sandbox()
    write_problem(tmp_path, words=2000)
    (tmp_path / "answers.txt").write_text(reply(FAST, "a set"))
    given = {"model": f"scripted:{tmp_path / 'answers.txt'}", "feedback": "none", "max_rounds": 1, "run_dir": tmp_path}
    given |= {"sandbox": "bubblewrap", "mutated_inputs": "off"}
    target, options = Target(tmp_path / "slow.py"), ImproveOptions.of(given)
    broken = improve(target, options, open_session(FailsAt(step, error)))
    (row,), (saved,) = broken.to_json()["rounds"], RunFolder(broken.saved).read().history.candidates[1:]
    found = saved.comparison
    assert found is not None
    assert row["speedup"]["pairs"] == found.pairs
    assert (found.pairs == pairs) if pairs else (found.decision is Decision.FASTER)
    assert broken.accepted == (step in ("profiling$", "timing smaller inputs"))
    assert broken.failure is (None if broken.accepted else error)
    if not broken.accepted:
        again = improve(target, replace(options, resume=broken.saved), open_session(CallbackConsole(print)))
        assert (again.accepted, len(again.history.candidates)) == (True, 2), again.reason
    elif step == "timing smaller inputs":
        assert str(error) in " ".join(each.words for each in broken.verdict.evidence.gaps)


@pytest.mark.full
def test_a_comparison_that_is_interrupted_shows_its_pairs(tmp_path: Path) -> None:
    require_sandbox()
    write_problem(tmp_path, words=2000)
    (tmp_path / "new.py").write_text(FAST)
    with started(tmp_path, "compare", "slow.py", "new.py", "-v", "--json", *QUIET_JUDGE) as process:
        until(process, "comparing, pair 1 ")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    found = json.loads(out)
    assert (process.returncode, found["verdict"]) == (130, "inconclusive"), err
    assert found["pairs"] >= 1
    assert found["ratio"] > 1


@pytest.mark.full
def test_the_time_limit_ends_an_original_that_does_not_end(tmp_path: Path) -> None:
    """The run has no limit of its own where nobody gives one."""
    require_sandbox()
    write_problem(tmp_path, ENDLESS, words=10)
    done = codeopt("improve", "slow.py", "--model", "rules", "--max-seconds", "2", *QUICK, cwd=tmp_path)
    assert done.status == 6, done.err
    assert done.lines[-2:] == [
        "error: the time limit of 2 s is reached before the original was measured",
        "  hint: --max-seconds raises it",
    ]


@pytest.mark.full
@pytest.mark.parametrize("backend", ISOLATING)
def test_what_the_deadline_ends_is_no_verdict(backend: str) -> None:
    with open_or_skip(backend, RunLimits(seconds=100)) as guest:
        clock = RunClock()
        limited = RunClock(1.0).within(lambda: open_or_skip(backend, RunLimits(seconds=100)))
        with pytest.raises(DeadlineReached), limited() as sandbox:
            sandbox.run(ENDLESS)
        assert guest.run("print(1)").stdout == b"1\n"
        assert clock.left is None


@pytest.mark.full
def test_the_deadline_also_ends_what_runs_on_another_core() -> None:
    limited = RunClock(1.0).within(lambda: open_or_skip("bubblewrap", RunLimits(seconds=100)))
    with limited() as sandbox:
        other = sandbox.on_other_core()
        if other is None:
            pytest.skip("there is one core")
        with pytest.raises(DeadlineReached), other:
            other.run(ENDLESS)


def test_time_is_reserved_for_what_comes_after() -> None:
    clock = RunClock(100.0, started=RunClock().started)
    clock.reserved = 30.0
    assert clock.left is not None
    assert clock.left <= 70.0
    clock.earlier_s = 80.0
    assert clock.is_over
    with pytest.raises(DeadlineReached):
        clock.check()
    with clock.spare():
        clock.check()  # what can be spared is given up
        raise AssertionError
    assert 0.0 < clock.left <= 20.0


TAKES = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end:\n    pass\nprint(input())\n"


@pytest.mark.full
@pytest.mark.parametrize("backend", ISOLATING)
def test_the_original_runs_as_long_as_it_takes_and_a_draft_that_hangs_is_ended(backend: str, tmp_path: Path) -> None:
    (tmp_path / "input.1.txt").write_text("1\n")
    path = tmp_path / "slow.py"
    path.write_text(TAKES.format(0.6))
    with open_or_skip(backend, RunLimits(seconds=0.3)) as guest:
        (case,) = (workload := OpenedProgram(asked(path, guest, None), guest).measure()).suite.cases
        assert guest.limits.seconds >= 4 * 0.6
        assert workload.run_case(Revision.of(TAKES.format(0.7)), case).verdict is CaseVerdict.AC
        assert workload.run_case(Revision.of(ENDLESS), case).verdict is CaseVerdict.TLE
    with open_or_skip(backend, RunLimits(seconds=0.3)) as guest, pytest.raises(ProgramError, match="--timeout"):
        OpenedProgram(asked(path, guest, 0.3), guest).measure()


def asked(path: Path, guest: Sandbox, timeout: float | None) -> WorkloadRequest:
    """A request with a sandbox that is open already."""
    options = ImproveOptions.of({"timeout": timeout, "mutated_inputs": "off"})
    return WorkloadRequest(Target(path), read_program(path), options, Session(), needs_time=False)
