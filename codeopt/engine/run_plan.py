"""Everything that an improvement decides before it runs anything, resolved once from options, environment and task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from codeopt.core.budget import Budget
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.target import Target
from codeopt.engine.limit import granted
from codeopt.engine.loop import SearchPlan
from codeopt.engine.open_model import RULES, check_models, chosen_models
from codeopt.engine.searches import Search, open_search
from codeopt.engine.wanted_rules import WantedRules, wanted_rules
from codeopt.tasks import Task, open_task
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.profile import Mode

MODEL_ROUNDS = 4
"""Rounds with a model where no limit is given, as in the paper; the rules stop by themselves."""


@dataclass(frozen=True)
class RunPlan:
    """One improvement before it begins. Nothing further on reads the environment, or asks who drafts."""

    options: ImproveOptions
    """The options with the proposer named that the environment may have chosen."""
    task: Task
    models: tuple[str, ...]
    """Language models that draft, in turn. Empty: the built-in rules alone."""
    rules: WantedRules
    stopping_rule: StoppingRule
    """Rule for the end of a comparison, its metric, and its error rate."""
    second_metric: Literal["auto", "memory", ""]
    """Second metric by which drafts are compared. Empty: none."""
    profile_modes: tuple[Mode, ...]
    """Profiles of the original to take: the rules read only where the time goes."""
    profile_drafts: bool
    search: SearchPlan
    budget: Budget

    @property
    def uses_model(self) -> bool:
        """A language model drafts."""
        return bool(self.models)

    @property
    def proposer(self) -> str:
        """Author of the drafts, as the user named it."""
        return self.options.model or RULES

    def at(self, target: Target) -> RunPlan:
        """The plan with the task as it is for one target."""
        return replace(self, task=self.task.for_target(target))


def make_plan(options: ImproveOptions) -> RunPlan:
    """Resolve the options; refuse what could not work, before anything is run. Raises UsageError, ModelError."""
    task = open_task(options.task, options.min_gain)
    second = task.measured_second
    rules = wanted_rules(options.select, options.ignore, memory="memory" in (task.metric, second))
    models = chosen_models(options)
    options = replace(options, model=(options.model or models[0]) if models else RULES)
    if models:
        check_models(options)
    elif task.needs_model:
        raise UsageError(f"the built-in rules do not know the task {task.name}", hint="give a model: --model NAME")
    search = open_search(options.search)
    clock = "memory" if task.metric == "memory" else options.metric
    modes: tuple[Mode, ...] = ("lines", "scalene") if models else ("lines",)
    return RunPlan(
        options=options,
        task=task,
        models=models,
        rules=rules,
        stopping_rule=granted(
            StoppingRule(worth_having=1 + task.min_gain, metric=clock, tolerated=task.tolerated_slowdown), options
        ),
        second_metric=second,
        profile_modes=() if options.no_profile else modes,
        profile_drafts=bool(models) and not options.no_profile,  # the rules go by the original's profile
        search=_search(options, models, search),
        budget=_budget(options, models),
    )


def _search(options: ImproveOptions, models: tuple[str, ...], search: Search) -> SearchPlan:
    """Return the plan of the search. The rules have their own search, which ends by itself."""
    if not models:
        return SearchPlan(patience=0, floor=False)
    return SearchPlan(search, options.candidates)


def _budget(options: ImproveOptions, models: tuple[str, ...]) -> Budget:
    rounds = options.max_rounds or (MODEL_ROUNDS if models else None)
    return Budget(rounds, options.time_limit_s, options.max_cost)
