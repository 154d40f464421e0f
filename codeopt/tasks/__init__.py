"""Objectives of an improvement, one a file, each defining `TASK`. `_` files hold what they share."""

from __future__ import annotations

from pathlib import Path

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.tasks._task import (
    MAX_SLOWDOWN,
    Aim,
    Metric,
    Prompts,
    Task,
    check_task,
    common_rejection,
    critic_is_done,
    too_slow,
)

__all__ = [
    "Aim", "MAX_SLOWDOWN", "Metric", "Prompts", "Task", "common_rejection", "critic_is_done", "open_task",
    "too_slow",
]  # fmt: skip


def open_task(name: str, min_gain: float | None = None) -> Task:
    """Return the task called `name`: a file of this folder, an entry point, a dotted path, or a path that ends in .py.

    Args:
        name: Name of a task, or several names between commas for one task with all their aims.
        min_gain: Replaces the task's own minimum gain.

    Raises:
        UsageError: There is no such task, or it is invalid.
    """
    if "," in name:
        from codeopt.tasks._several import together

        found = together([open_task(each.strip()) for each in name.split(",") if each.strip()])
    else:
        module = plugins.load_file(Path(name)) if name.endswith(".py") else plugins.load(__name__, name)
        if "TASK" not in vars(module):
            raise UsageError(f"{module.__name__} is not a task: it does not define TASK")
        found = check_task(vars(module)["TASK"], name)
    return found if min_gain is None else found.changed(min_gain=min_gain)
