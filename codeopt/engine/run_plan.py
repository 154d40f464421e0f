"""Everything that an improvement decides before it runs anything, resolved once from options, environment and task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Proposer
from codeopt.core.model import Budget
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.engine.judge import granted
from codeopt.engine.loop import SearchPlan
from codeopt.engine.open_session import RULES, check_models, chosen_models
from codeopt.engine.searches import open_search
from codeopt.proposers.rules import Rules, matches
from codeopt.rules import HotFiles, Rule, select_rules
from codeopt.rules._ruff_fixes import GROUPS, is_known, ruff_rules
from codeopt.rules._ruff_fixes import NAME as RUFF
from codeopt.tasks import Task, open_task
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.profile import Mode

if TYPE_CHECKING:
    from codeopt.core.model import Model
    from codeopt.workloads import Workload


@dataclass(frozen=True)
class RunPlan:
    """One improvement before it begins. Nothing further on reads the environment, or asks who drafts."""

    options: ImproveOptions
    """The options with the proposer named that the environment may have chosen."""
    task: Task
    models: tuple[str, ...]
    """Language models that draft, in turn. Empty: the built-in rules alone."""
    built_in: tuple[Rule, ...]
    """Built-in rules to try."""
    stopping_rule: StoppingRule
    """Rule for the end of a comparison, its metric, and its error rate."""
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

    @property
    def tries_ruff(self) -> bool:
        """Fixes of ruff are tried also."""
        select = self.options.select
        return RUFF not in self.options.ignore and (not select or any(map(_is_ruff, select)))

    def fixes_of_ruff(self, original: Candidate, warn: Callable[[str], None]) -> list[Rule]:
        """Fixes of ruff for a program, of a project for its hot files, as far as they are wanted."""
        if not self.tries_ruff:
            return []
        select, ignore = self.options.select, self.options.ignore
        files, hot = original.revision, HotFiles.of(original.profile)
        paths = files if files.is_one_file else [path for path, _ in hot.files if path in files]
        found = ruff_rules(*(files[path] for path in paths))
        if found is None:
            warn("ruff does not run here, so its fixes are not tried")
            return []
        chosen = [rule for rule in found if not select or {RUFF, rule.name} & set(select)]
        return [rule for rule in chosen if rule.name not in ignore]


def make_plan(options: ImproveOptions) -> RunPlan:
    """Resolve the options; refuse what could not work, before anything is run. Raises UsageError, ModelError."""
    task = open_task(options.task, options.min_gain)
    for name in filter(_is_ruff, (*options.select, *options.ignore)):
        if not is_known(name):
            raise UsageError(f"codeopt does not use ruff's {name}", hint=f"of ruff's rules it uses {', '.join(GROUPS)}")
    own, without = ([name for name in names if not _is_ruff(name)] for names in (options.select, options.ignore))
    built_in = select_rules(own, without) if own or not options.select else ()
    models = chosen_models(options)
    options = replace(options, model=(options.model or models[0]) if models else RULES)
    if models:
        check_models(options)
    elif task.needs_model:
        raise UsageError(f"the built-in rules do not know the task {task.name}", hint="give a model: --model NAME")
    search = open_search(options.search)
    clock = "memory" if task.metric == "memory" else options.metric
    modes: tuple[Mode, ...] = ("lines", "scalene") if models else ("lines",)
    # rounds with a model where no limit is given, as in the paper; the rules stop by themselves
    return RunPlan(
        options=options,
        task=task,
        models=models,
        built_in=built_in,
        stopping_rule=granted(
            StoppingRule(worth_having=1 + task.min_gain, metric=clock, tolerated=task.tolerated_slowdown), options
        ),
        profile_modes=() if options.no_profile else modes,
        profile_drafts=bool(models) and not options.no_profile,  # the rules go by the original's profile
        # the rules search by themselves
        search=replace(SearchPlan(search) if models else SearchPlan(patience=0, floor=False), quick=options.quick),
        budget=Budget(options.max_rounds or (4 if models else None), options.time_limit_s, options.max_cost),
    )


def open_proposer(
    plan: RunPlan,
    workload: Workload,
    open_model: Callable[[ImproveOptions], Model],
    console: Console,
    tried: tuple[str, ...] = (),
) -> Proposer:
    """Open the author of the drafts. A model is shown what the rules find in the original.

    tried: drafts of earlier runs, a line each.
    """
    options, task = plan.options, plan.task
    if not plan.uses_model:
        fixes = plan.fixes_of_ruff(workload.baseline, console.warn)
        return Rules(workload.rules((*plan.built_in, *fixes)))
    from codeopt.proposers.language_model import LanguageModel, TakeTurns

    aimed = () if task.needs_model or task.metric == "memory" else plan.built_in
    found = matches(workload.rules(aimed), workload.baseline)
    briefing = workload.briefing()
    # Of a function an excerpt is shown, whose lines have other numbers.
    rows = (match.rule.reason if briefing.functions else f"{match.place}: {match.rule.reason}" for match in found)
    briefing = replace(briefing, tried=tried, hints=tuple(dict.fromkeys(rows)))
    models: list[Proposer] = [
        LanguageModel(
            open_model(replace(options, model=name)),
            task,
            workload.suite.known,
            briefing=briefing,
            feedback=options.feedback,
            notify=console.warn,
            structured=options.structured,
        )
        for name in plan.models
    ]
    return workload.adapt(TakeTurns(models) if len(models) > 1 else models[0])


def _is_ruff(name: str) -> bool:
    return name.partition(":")[0] == RUFF
