"""A search through the real command, sandbox and wire: killed in the middle, and gone on with."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.command import FAST, QUICK, SLOW, WRONG, codeopt, command, environment, reply, write_problem
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

pytestmark = pytest.mark.full

SET = SLOW.replace("seen = []", "seen = set()").replace("seen.append", "seen.add")
DRAFTS = [FAST, SET, WRONG, SET.replace("repeated", "again"), FAST.replace("words", "names"), "I would rather not."]


def test_drafts_of_two_chains_survive_a_kill(tmp_path: Path) -> None:
    require_sandbox()
    write_problem(tmp_path, words=1500)
    second_round, drafts, lock = threading.Event(), iter(DRAFTS), threading.Lock()
    critiques: list[str] = []

    def respond(request: Any) -> str:
        question = request["messages"][-1]["content"]
        with lock:
            if "# Step: critique" not in question:
                found = next(drafts)
                return reply(found, "a draft") if "print" in found else found
            critiques.append(question)
            if len(critiques) == 2:
                second_round.set()
            return f"CRITIQUE-{len(critiques)}\nVERDICT: IMPROVE"

    with WireServer(respond) as server:
        flags = ("--base-url", server.base_url, "--model", "m", *QUICK)
        search = {"CODEOPT_SEARCH": "best-of", "CODEOPT_CANDIDATES": "3"}
        with subprocess.Popen(
            command("improve", "slow.py", "-n", "2", *flags), cwd=tmp_path, env=environment(**search),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert second_round.wait(120)
            process.kill()
        (run,) = (tmp_path / ".codeopt" / "runs").iterdir()
        saved = json.loads((run / "state.json").read_text())
        assert [each["turn"] for each in saved["candidates"]] == [0, 1, 1, 1]
        drafts = iter(DRAFTS[3:])
        done = codeopt("improve", "slow.py", "-n", "2", "--resume", run, "--json", *flags, cwd=tmp_path, env=search)
    assert done.status == 0, done.err
    rounds = done.json["rounds"]
    assert [(each["turn"], each["chain"], each["parents"]) for each in rounds] == [(1, 1, [0])] * 3 + [(2, 2, [0])] * 3
    assert "CRITIQUE-1" not in critiques[-1]  # the chains know nothing of each other
    verdicts = [each["verdict"] for each in rounds]
    assert (verdicts[0], verdicts[2]) == ("wrong", "faster")
    assert [each["round"] for each in rounds[1]["siblings"]] == [3]
    assert rounds[1]["speedup"] is None  # right, and not the best of its round
    assert rounds[1]["siblings"][0]["relative_time"] < 1 < rounds[2]["siblings"][0]["relative_time"]
    assert rounds[3]["verdict"] == "wrong"
    assert all(each["effort"]["cases_s"] > 0 for each in rounds if each["verdict"] != "wrong")
    assert done.json["effort"]["confirmation_s"] > 0
    assert done.json["best_round"] in (3, 6)
