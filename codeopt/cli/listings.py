"""What `improve` shows without running anything: the lists of rules and tasks, and the plan of `--dry-run`."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from codeopt.core.options import ImproveOptions
from codeopt.core.screen import COLUMNS, columns
from codeopt.core.target import Target
from codeopt.engine.run_plan import make_plan
from codeopt.workloads import kind_of

if TYPE_CHECKING:
    from codeopt.rules import Rule


def list_rules(select: Collection[str], ignore: Collection[str]) -> str:
    """One line a rule; with `select` each of these in full. Raises UsageError."""
    from codeopt.rules import select_rules

    rules = select_rules(tuple(select), tuple(ignore))
    return "\n\n\n".join(map(_in_full, rules)) if select else _rows([(rule.name, rule.reason) for rule in rules])


def _in_full(rule: Rule) -> str:
    """Format the reason of a rule, its preconditions, and its example as a diff."""
    old, new = (text.splitlines() for text in (rule.example.before, rule.example.after))
    diff = difflib.unified_diff(old, new, "before", "after", lineterm="", n=99)
    kind = [
        "Only for whole programs that read standard input." if rule.scripts_only else "",
        "Cannot be proved safe from the text alone: the test cases decide." if rule.safety == "unsafe" else "",
    ]
    texts = [fill(text, COLUMNS) for text in (rule.reason, rule.preconditions, *kind)]
    return "\n\n".join(part for part in (rule.name, *texts, "\n".join(diff)) if part)


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    others = " " * (width + 2)
    return "\n".join(
        fill(text, COLUMNS, initial_indent=f"{name:<{width}}  ", subsequent_indent=others, break_on_hyphens=False)
        for name, text in rows
    )


def list_tasks() -> str:
    """Name, command and source of changes of each installed task, and below it what it is for. Raises UsageError."""
    from codeopt import tasks
    from codeopt.core import plugins

    def lines() -> Iterator[Sequence[str] | str]:
        for name in plugins.names(tasks.__name__):
            task = tasks.open_task(name)
            needs = "needs a model" if task.needs_model else "rules or a model"
            yield name, f"codeopt {'refine' if task.of_texts else 'improve'}", needs
            yield (plugins.load(tasks.__name__, name).__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")

    return "\n".join(columns([*lines()]))


# `codeopt improve --dry-run`: what would be done, by whom and by which clock; nothing is run.


SCHEMA = "codeopt.plan/1"


def dry_run(target: Target, options: ImproveOptions) -> dict[str, Any]:
    """The plan for a target as one JSON object. Raises CodeoptError for what `codeopt improve` would refuse at once."""
    plan = make_plan(options).at(target)
    kind = kind_of(target, plan.options)
    kind.read(target)
    return {
        "schema": SCHEMA,
        "target": str(target),
        "workload": kind.name,
        "task": plan.task.name,
        "proposer": plan.proposer,
        "models": list(plan.models),
        "rules": [
            *(rule.name for rule in plan.rules.built_in),
            *(["ruff"] if plan.rules.ruff and not plan.models else []),
        ],
        "budget": {
            "rounds": plan.budget.rounds,
            "seconds": plan.budget.seconds,
            "cost_usd": plan.budget.cost_usd,
        },
        "metric": plan.stopping_rule.metric,
        "second_metric": plan.second_metric or None,
        "min_gain": plan.task.min_gain,
        "max_pairs": plan.stopping_rule.max_pairs,
        "profile": list(plan.profile_modes),
        "profile_drafts": plan.profile_drafts,
        "judging": {
            "check": plan.options.check,
            "mutated_inputs": str(plan.options.mutated_inputs),
            "max_examples": plan.options.max_examples,
            "strict": plan.options.strict,
            "tests": plan.options.use_tests,
        },
        "sandbox": plan.options.sandbox,
        "python": plan.options.python,
        "timeout_s": plan.options.timeout,
        "memory_mib": plan.options.memory,
    }


def _seconds(timeout_s: float | None) -> str:
    return "as long as the original takes" if timeout_s is None else f"{timeout_s:g} s"


def in_words(found: Mapping[str, Any]) -> str:
    """Format the plan for a person, one line a choice."""
    judging = found["judging"]
    limits = {name: limit for name, limit in found["budget"].items() if limit is not None}
    rows = {
        "target": f"{found['target']}   {found['workload']}, task {found['task']}",
        "proposer": found["proposer"],
        "rules": f"{len(found['rules'])}" + (", ruff's fixes among them" if "ruff" in found["rules"] else ""),
        "budget": ", ".join(f"{name} {limit:g}" for name, limit in limits.items()) or "no limit",
        "metric": found["metric"] + (f", then {found['second_metric']}" if found["second_metric"] else ""),
        "gain": f"at least {found['min_gain']:g}, within {found['max_pairs']} pairs",
        "profile": ", ".join(found["profile"]) or "none",
        "judging": f"outputs by {judging['check']}, mutated inputs {judging['mutated_inputs']}"
        + (", strict" if judging["strict"] else "")
        + ("" if judging["tests"] else ", no tests"),
        "sandbox": f"{found['sandbox']}, {_seconds(found['timeout_s'])} and {found['memory_mib']} MiB a run",
        "python": found["python"] or "found when it runs",
    }
    return "\n".join(f"{name:<10} {text}" for name, text in rows.items() if text)
