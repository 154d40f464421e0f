"""What `improve` shows without running anything: the lists of rules and tasks."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from codeopt.core.screen import COLUMNS, columns

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
    texts = [rule.reason, rule.preconditions]
    texts += ["Only for whole programs that read standard input."] if rule.scripts_only else []
    texts += ["Cannot be proved safe from the text alone: the test cases decide."] if rule.safety == "unsafe" else []
    texts = [fill(text, COLUMNS) for text in texts]
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
