"""One plan, resolved once: it holds what the environment chose."""

from __future__ import annotations

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.engine.run_plan import make_plan


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
