"""`codeopt batch` as a user runs it: real processes, a real sandbox, a real server that misbehaves, `kill -9`."""
# looks at codeopt/cli/commands/batch, codeopt/batch/local, codeopt/batch/problem_job, codeopt/batch/on_ray

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder, ProblemStatus
from codeopt.batch.local import END_S
from tests.sandbox.machine import until
from tests.support.files import write_files
from tests.support.prices import set_prices
from tests.support.synthetic import QUICK, answers, write_set
from tests.support.wire_server import WireServer
from tests.support.wire_steps import status

ENV = {
    **{k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")},
    "NO_PROXY": "127.0.0.1",
}
BATCH = [sys.executable, "-m", "codeopt.cli.main", "batch"]
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_core_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks of cores are for the whole machine: a batch outside of the tests must not hold them up."""
    monkeypatch.setitem(ENV, "TMPDIR", str(tmp_path))


def start(set: Path, run: Path, *flags: str) -> subprocess.Popen[str]:
    command = [*BATCH, str(set), "--run-dir", str(run), *QUICK, *flags]
    return subprocess.Popen(
        command, env=ENV, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finish(set: Path, run: Path, *flags: str) -> tuple[int, str, str]:
    with start(set, run, *flags) as process:
        out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def statuses(run: Path) -> dict[str, ProblemStatus]:
    """What has become of each problem so far; empty while there is no batch yet."""
    if not (run / "batch.json").exists():
        return {}
    batch = BatchFolder(run)
    return {each.id: batch.status(each.id) for each in batch.problems()}


def count_of(run: Path, status: str) -> int:
    return sum(each.status == status for each in statuses(run).values())


def replies(run: Path) -> int:
    return BatchFolder(run).spent().replies if statuses(run) else 0


def with_model(server: WireServer) -> tuple[str, ...]:
    return "--model", "m", "--base-url", server.base_url


def test_a_batch_has_a_folder_of_its_own_once_its_set_was_read(tmp_path: Path) -> None:
    command = [*BATCH, "set", "--model", "rules", "--cores", "1", *QUICK]
    done = subprocess.run(command, env=ENV, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, f"there is no problem set {tmp_path}/set" in done.stderr, list(tmp_path.iterdir())) == (
        2,
        True,
        [],
    )
    write_files(tmp_path / "set", {"a.py": "print(1)\n", "b.py": "print(\n"})
    done = subprocess.run([*command, "--json"], env=ENV, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = statuses(run := tmp_path / ".codeopt/batch/set")
    report = json.loads(done.stdout.splitlines()[0])
    assert (done.returncode, report["status"], BatchFolder(run).facts.cores) == (5, {"skipped": 2}, 1)
    assert [(name, each.fault, each.attempts, each.accepted, each.time_spent.runs) for name, each in found.items()] == [
        ("a", "program", 1, False, 0), ("b", "program", 0, False, 0)
    ]  # fmt: skip
    files = ["batch.json", "lock", *["problem.json"] * 2, *["status.json"] * 2, "usage.jsonl", "worker-0.log"]
    assert sorted(path.name for path in run.rglob("*") if path.is_file()) == files
    assert (tmp_path / ".codeopt/.gitignore").read_text() == "*\n"


@pytest.mark.full
def test_every_problem_ends_with_a_row_whatever_the_server_does(
    tmp_path: Path, wire: Callable[..., WireServer]
) -> None:
    run, count = tmp_path / "run", 4
    with (tmp_path / "more.jsonl").open("w") as more:
        more.write((write_set(tmp_path, count)).read_text() + "no json\n")
    server = wire(answers(faults=0.3))
    code, out, err = finish(tmp_path / "more.jsonl", run, *with_model(server), "--json")
    assert code == 0, err
    report = json.loads(out)
    assert report["problems"] == count + 1
    assert report["status"] == {"done": count, "skipped": 1}
    assert report["judged"] == count
    assert report["correct_share"] == 1.0  # how many are faster depends on the machine
    assert report["replies"] == 2 * count  # one critique and one draft each, whatever was asked again
    assert len(server.requests) > 2 * count


@pytest.mark.full
def test_killed_at_any_moment_it_goes_on_and_asks_for_nothing_twice(
    tmp_path: Path, wire: Callable[..., WireServer]
) -> None:
    problems, run, count = write_set(tmp_path, 3), tmp_path / "run", 3
    server = wire(answers())
    for condition in (lambda: replies(run) >= 1, lambda: count_of(run, "done") >= 2):
        with start(problems, run, *with_model(server)) as process:
            assert until(condition, 120)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate(timeout=60)
    code, out, err = finish(problems, run, *with_model(server), "--json")
    assert code == 0, err
    assert json.loads(out)["status"] == {"done": count}
    assert replies(run) == 2 * count
    batch = BatchFolder(run)
    saved = [batch.load(each.id) for each in batch.problems()]
    assert [len(each.history.candidates) for each in saved if each] == [2] * count
    assert len(server.requests) <= 2 * count + 2 * 8  # only what was under way when it was killed, by 8 workers, twice
    assert finish(problems, run, *with_model(server), "--json")[0] == 0
    assert max(each.attempts for each in statuses(run).values()) <= 3


@pytest.mark.full
def test_workers_end_with_a_killed_batch_and_another_one_may_begin(tmp_path: Path) -> None:
    problems, run = write_set(tmp_path, 4, work=40_000), tmp_path / "run"
    with start(problems, run, "--model", "rules") as process:
        assert until(lambda: count_of(run, "running") > 0, 120)
        code, _, err = finish(problems, run, "--model", "rules")
        assert code == 2
        assert f"another batch is at work in {run} (process {process.pid})" in err
        children = _children(process.pid)
        assert children
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


def _children(parent: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


@pytest.mark.full
def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    problems, run = write_set(tmp_path, 3, work=6_000), tmp_path / "run"
    with start(problems, run, "--model", "rules") as process:
        assert until(lambda: any(run.glob("problems/*/state.json")), 120)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=END_S)  # after so long workers would be killed, in the middle of a round
    assert process.returncode == 130
    assert "warning: interrupted" in err
    assert not {each.status for each in statuses(run).values()} & {"failed", "skipped"}
    assert "Traceback" not in err


@pytest.mark.full
def test_the_limit_of_money_is_held_and_a_larger_one_goes_on(
    tmp_path: Path, wire: Callable[..., WireServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    problems, run, server = write_set(tmp_path, 2), tmp_path / "run", wire(answers())
    set_prices(monkeypatch, tmp_path / "config", "m", 1000, 1000)
    flags = (*with_model(server), "--cores", "1", "--json")
    ENV["PYTHONPATH"] = str(ROOT)
    command = [*BATCH, str(problems), "--run-dir", str(run), *QUICK, *flags]
    for limit, code in (("0.5", 6), ("1000", 0)):
        done = subprocess.run(
            [*command, "--max-cost", limit],
            env={**ENV, "XDG_CONFIG_HOME": str(tmp_path / "config")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == code, done.stderr
        report = json.loads(done.stdout)
        if code == 6:
            assert 0.5 <= report["cost_usd"] < 5
            assert {"pending", "paused"} & set(report["status"])
    assert report["status"] == {"done": 2}
    assert report["replies"] == 4


@pytest.mark.full
def test_a_server_that_fails_everybody_stops_the_batch(tmp_path: Path, wire: Callable[..., WireServer]) -> None:
    server = wire(lambda request: status(401))
    code, _, err = finish(write_set(tmp_path, 20), tmp_path / "run", *with_model(server))
    assert code == 4
    assert "the model failed in 8 problems in a row" in err
    assert "pending" in [each.status for each in statuses(tmp_path / "run").values()]
