"""Rules and a language model together, through the real command line and a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import FAST, QUICK, codeopt, reply, write_problem
from tests.support.wire_server import WireServer

pytestmark = pytest.mark.full


def test_the_rules_program_is_round_one_and_the_model_sees_what_was_measured(tmp_path: Path) -> None:
    write_problem(tmp_path)
    answers = ["Line 6 searches a list.\nVERDICT: IMPROVE", reply(FAST, "a set"), "Good.\nVERDICT: DONE"]
    with WireServer(answers) as server:
        flags = ("--base-url", server.base_url, "--model", server.model, *QUICK, "--max-rounds", "1", "--json")
        done = codeopt("improve", "slow.py", *flags, cwd=tmp_path, env={"CODEOPT_MODEL_ONLY": "0"})
        prompt = server.prompts[0]
    first, second = done.json["rounds"]
    assert "list_membership_to_set" in first["summary"]
    assert "main_function" in first["summary"]
    assert first["verdict"] == "faster"
    assert second["summary"] == "a set"
    assert "seen_set.add(word)" in prompt, "the model is asked about the rules' program"
    assert "list_membership_to_set, line " in prompt, "and reads which rules matched, and where"
    assert "original / this = " in prompt, "with its figures"
    assert done.json["stop_reason"] == "the limit of 1 round is reached", "which count the model's drafts"
