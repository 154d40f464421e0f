"""One plan, resolved once: it holds what the environment chose; --dry-run shows it and runs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.engine.run_plan import make_plan
from tests.codeopt.command import codeopt

MARK = "ran"
PROGRAM = f"open({MARK!r}, 'w').close()\nprint(sum(range(int(input()))))\n"


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_the_rules_draft_where_no_model_is_set_up() -> None:
    plan = make_plan(ImproveOptions())
    assert (plan.models, plan.proposer, plan.options.model) == ((), "rules", "rules")
    assert (plan.budget.rounds, plan.profile_modes, plan.profile_drafts) == (None, ("lines",), False)


def test_what_the_environment_chose_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker with another environment makes the same plan of it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    plan = make_plan(ImproveOptions(max_seconds=9))
    assert (plan.models, plan.proposer, plan.uses_model) == (("gpt-5",), "gpt-5", True)
    assert (plan.budget.rounds, plan.budget.seconds, plan.profile_drafts) == (4, 9, True)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-y")
    assert make_plan(plan.options) == plan
    assert make_plan(ImproveOptions(model="rules")).models == ()


def test_models_take_turns() -> None:
    options = ImproveOptions(model="a, b", base_url="http://127.0.0.1:9", task="readability", max_rounds=2)
    plan = make_plan(options)
    assert (plan.models, plan.budget.rounds) == (("a", "b"), 2)
    with pytest.raises(UsageError, match="--model a,rules "):
        make_plan(ImproveOptions(model="a,rules", base_url="http://127.0.0.1:9"))


def test_a_dry_run_shows_the_plan_and_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(PROGRAM)
    words = ("improve", "slow.py", "--model", "rules", "--dry-run")
    done = codeopt(*words, cwd=tmp_path)
    assert done.status == 0, done.err
    assert "proposer   rules" in done.out
    found = codeopt(*words, "--json", "--max-rounds", "3", cwd=tmp_path).json
    assert (found["schema"], found["workload"], found["budget"]["rounds"]) == ("codeopt.plan/1", "program", 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slow.py"]


def test_a_dry_run_refuses_what_a_run_refuses_at_once(tmp_path: Path) -> None:
    assert codeopt("improve", "gone.py", "--dry-run", cwd=tmp_path).status == 2
    (tmp_path / "slow.py").write_text(PROGRAM)
    done = codeopt("improve", "slow.py", "--dry-run", cwd=tmp_path, env={"CODEOPT_TASK": "nowhere"})
    assert (done.status, done.out) == (2, "")
