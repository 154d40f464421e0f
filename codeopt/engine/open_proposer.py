"""The proposer of a plan, kept to the workload: the built-in rules, a language model, or both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer
from codeopt.engine.run_plan import RunPlan
from codeopt.proposers.rules import Rules, matches

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.model import Model
    from codeopt.workloads import Workload


def open_proposer(
    plan: RunPlan,
    workload: Workload,
    open_model: Callable[[ImproveOptions], Model],
    console: Console,
    tried: tuple[str, ...] = (),
) -> Proposer:
    """Open the author of the drafts. Before a model is asked, the draft of the rules is measured.

    tried: drafts of earlier runs, a line each.
    """
    options, task = plan.options, plan.task
    if not plan.uses_model:
        fixes = plan.rules.fixes_of_ruff(workload.baseline, console.warn)
        return Rules(workload.rules((*plan.rules.built_in, *fixes)))
    rules = Rules(workload.rules(plan.rules.built_in))
    from codeopt.proposers.language_model import LanguageModel

    hints = [f"{match.rule.name}: {match.rule.reason}" for match in matches(rules.rules, workload.baseline)]
    briefing = workload.briefing()
    briefing = replace(briefing, statement=plan.statement or briefing.statement, tried=tried)
    models: list[Proposer] = [
        LanguageModel(
            open_model(replace(options, model=name)),
            task,
            workload.suite.known,
            briefing=briefing,
            feedback=options.feedback,
            history=options.history,
            hints=hints if task.rules_first else (),
            notify=console.warn,
            structured=options.structured,
        )
        for name in plan.models
    ]
    from codeopt.proposers.rules_first import RulesFirst
    from codeopt.proposers.take_turns import TakeTurns

    adapted = workload.adapt(TakeTurns(models) if len(models) > 1 else models[0])
    return RulesFirst(rules, adapted) if plan.rules_first else adapted
