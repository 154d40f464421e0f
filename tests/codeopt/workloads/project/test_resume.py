"""An improvement of a project that `kill -9` ends, before anything is saved and after a round, and that goes on."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from codeopt.workloads.project.files import read_project
from codeopt.workloads.project.project_program import read_text
from codeopt.workloads.project.proposer import apply_answer
from tests.codeopt.command import codeopt, command, environment
from tests.codeopt.workloads.shop import ADD, FIND, HEAD, answer, write_shop
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer
from tests.support.wire_steps import hang

HALF = ["The store is searched for each name.\nVERDICT: IMPROVE", answer("half of it", HEAD + FIND), hang()]
WHOLE = ["The index is not kept.\nVERDICT: IMPROVE", answer("an index", HEAD + ADD + "\n" + FIND),
         "Good.\nVERDICT: DONE"]  # fmt: skip
FLAGS = ("improve", "--run", "python bench.py", "--resume", "run", "--sandbox", "bubblewrap", "--json", "-v")


def killed_at(words: str, shop: Path, server: WireServer) -> None:
    """The command, until it says something."""
    with subprocess.Popen(
        command(*FLAGS, "--base-url", server.base_url), cwd=shop, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr
        said = next((line for line in process.stderr if words in line), "")
        process.kill()
    assert words in said


@pytest.mark.full
def test_the_same_command_goes_on_after_each_kill_and_ends_with_the_same_patch(tmp_path: Path) -> None:
    require_sandbox()
    shop = write_shop(tmp_path / "shop")
    run = shop / "run"
    run.mkdir()
    before = read_text(shop, read_project(shop))
    with WireServer(HALF) as server:
        killed_at("sandbox  ", shop, server)
        assert (list(run.iterdir()), server.requests) == ([], [])
        killed_at("round 1 ", shop, server)
        asked = len(server.requests)
    saved = json.loads((run / "state.json").read_text())
    assert (len(saved["candidates"]), asked >= 2) == (2, True)
    with WireServer(WHOLE) as server:
        done = codeopt(*FLAGS, "--base-url", server.base_url, "--write", cwd=shop)
    assert done.status == 0, done.err
    assert [each["verdict"] for each in done.json["rounds"]] == ["wrong", "faster"]
    expected = apply_answer(before.revision, HEAD + ADD + "\n" + FIND)
    assert (shop / "shop/store.py").read_text() == expected["shop/store.py"]
    assert read_text(shop, read_project(shop)).revision == expected
