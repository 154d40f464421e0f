"""The proposer that the options ask for, kept to the workload: the built-in rules, a language model, or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer
from codeopt.engine.open_model import check_model, one_by_one, wants_model
from codeopt.proposers.rules import Rules, matches
from codeopt.rules import Rule, select_rules
from codeopt.rules._ruff_fixes import GROUPS, is_known, ruff_rules
from codeopt.rules._ruff_fixes import NAME as RUFF
from codeopt.tasks import Task

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.model import Model
    from codeopt.workloads import Workload


def check_proposer(options: ImproveOptions, task: Task) -> None:
    """Refuse, before anything is run, what could not write drafts. Raises UsageError, ModelError."""
    _built_in(options, task)
    if wants_model(options):
        check_model(options)
    elif task.needs_model:
        raise UsageError(f"the built-in rules know nothing of {task.name}; give a model (--model NAME)")


def open_proposer(
    options: ImproveOptions,
    task: Task,
    workload: Workload,
    open_model: Callable[[ImproveOptions], Model],
    console: Console,
) -> Proposer:
    """Who writes the drafts. Before a model is asked, what the rules make of the target is measured."""
    if not wants_model(options):
        return Rules(workload.rules((*_built_in(options, task), *_of_ruff(options, workload, console))))
    rules = Rules(workload.rules(_built_in(options, task)))
    from codeopt.proposers.language_model import LanguageModel

    hints = [f"{match.rule.name}: {match.rule.reason}" for match in matches(rules.rules, workload.baseline)]
    briefing = workload.briefing()
    models: list[Proposer] = [
        LanguageModel(
            open_model(each),
            task,
            workload.suite.known,
            briefing=briefing,
            feedback=options.feedback,
            history=options.history,
            hints=hints if task.rules_first else (),
            on_text=ReplyProgress(console),
            notify=console.warn,
            structured=options.structured,
        )
        for each in one_by_one(options)
    ]
    from codeopt.proposers.rules_first import RulesFirst
    from codeopt.proposers.take_turns import TakeTurns

    adapted = workload.adapt(TakeTurns(models) if len(models) > 1 else models[0])
    return RulesFirst(rules, adapted) if task.rules_first and not options.model_only else adapted


def _built_in(options: ImproveOptions, task: Task) -> tuple[Rule, ...]:
    """The rules of ours that are wanted, those for memory where memory is compared or they are named. Raises
    UsageError."""
    for name in filter(_is_ruff, (*options.select, *options.ignore)):
        if not is_known(name):
            raise UsageError(f"{name} is not tried; of ruff's rules those of {', '.join(GROUPS)} are")
    select, ignore = ([name for name in names if not _is_ruff(name)] for names in (options.select, options.ignore))
    if options.select:
        return select_rules(select, ignore) if select else ()
    memory = task.for_memory
    return tuple(rule for rule in select_rules((), ignore) if memory or rule.aim == "time")


def _of_ruff(options: ImproveOptions, workload: Workload, console: Console) -> list[Rule]:
    """What ruff would mend in the program, as far as it is wanted."""
    if RUFF in options.ignore or (options.select and not any(map(_is_ruff, options.select))):
        return []
    found = ruff_rules(workload.baseline.source)
    if found is None:
        console.warn("ruff does not run here, so its fixes are not tried")
        return []
    chosen = [rule for rule in found if not options.select or {RUFF, rule.name} & set(options.select)]
    return [rule for rule in chosen if rule.name not in options.ignore]


def _is_ruff(name: str) -> bool:
    return name.partition(":")[0] == RUFF


class ReplyProgress:
    """Says how much of a reply is there."""

    def __init__(self, console: Console) -> None:
        self._console, self._characters = console, 0

    def __call__(self, text: str) -> None:
        self._characters += len(text)
        self._console.progress(f"the model writes, {self._characters} characters so far")
