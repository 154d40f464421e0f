"""The session of a single command: its models and its proposer are those that the options choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from codeopt.core.cache import open_cache
from codeopt.core.console import Console
from codeopt.core.interpreter import Interpreter
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer
from codeopt.core.run_store import Runs, open_runs
from codeopt.core.session import SandboxOpener, Session
from codeopt.engine.open_model import open_chosen_model
from codeopt.engine.run_plan import RunPlan
from codeopt.proposers.rules import Rules, matches

if TYPE_CHECKING:
    from codeopt.core.model import Model
    from codeopt.workloads import Workload


def open_session(
    console: Console | None = None,
    *,
    open_sandbox: SandboxOpener = open_isolated,
    interpreter: Interpreter | None = None,
    began: float | None = None,
    runs: Callable[[ImproveOptions], Runs] = open_runs,
    on_verdict: Callable[[Mapping[str, Any]], None] = lambda found: None,
    command: tuple[str, ...] = (),
) -> Session:
    """Return a session that can open models and that caches evidence.

    console: receiver of messages, None for no output. interpreter: the Python for all runs, if it is known already.
    began: start of the command by `time.monotonic()`, if
    its limit counts from there. runs: place of the runs. on_verdict, command: as in Session.
    """
    return Session(
        console or Console(quiet=True),
        open_sandbox=open_sandbox,
        open_model=open_chosen_model,
        open_cache=open_cache,
        interpreter=interpreter,
        began=began,
        runs=runs,
        on_verdict=on_verdict,
        command=command,
    )


# The proposer of a plan, kept to the workload: the built-in rules, or language models.


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
        fixes = plan.rules.fixes_of_ruff(workload.baseline, console.warn)
        return Rules(workload.rules((*plan.rules.built_in, *fixes)))
    from codeopt.proposers.language_model import LanguageModel

    aimed = () if task.needs_model else tuple(rule for rule in plan.rules.built_in if rule.aim == task.metric)
    found = matches(workload.rules(aimed), workload.baseline)
    briefing = workload.briefing()
    # Of a function an excerpt is shown, whose lines have other numbers.
    rows = (match.rule.reason if briefing.functions else f"{match.place}: {match.rule.reason}" for match in found)
    hints = list(dict.fromkeys(rows))
    briefing = replace(briefing, tried=tried)
    models: list[Proposer] = [
        LanguageModel(
            open_model(replace(options, model=name)),
            task,
            workload.suite.known,
            briefing=briefing,
            feedback=options.feedback,
            hints=hints,
            notify=console.warn,
            structured=options.structured,
        )
        for name in plan.models
    ]
    from codeopt.proposers.take_turns import TakeTurns

    return workload.adapt(TakeTurns(models) if len(models) > 1 else models[0])
