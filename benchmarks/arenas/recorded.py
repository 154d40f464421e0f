"""A stand-in for a language model: it gives the drafts that models really wrote for a task, one after another.

    ARENA_TASKS=SET CODEOPT_FEEDBACK=measured codeopt batch SET --model benchmarks.arenas.recorded:drafts -n 20 ...

SET holds TASK/slow.py and TASK/drafts/*.py, as `codeopt import algotune` writes it. Which task it is asked about shows
the request, which holds the original. Nothing says which draft is good: the judge alone chooses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.model import Message, Model, Reply
from codeopt.models import Settings

VARIABLE = "ARENA_TASKS"
DONE = "VERDICT: DONE\nThere is no further draft."


@dataclass
class RecordedDrafts:
    """Gives each draft of the task that a request is about once, in the order of their names."""

    tasks: Path
    name: str = "recorded drafts"
    context_tokens: int = 1_000_000
    given: dict[str, int] = field(default_factory=dict)
    """Number of drafts that were given, by task."""

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The next draft; the end where there is none."""
        task = self._task("\n".join(message.content for message in messages))
        drafts = sorted((task / "drafts").glob("*.py")) if task else []
        at = self.given.get(task.name, 0) if task else 0
        if task:
            self.given[task.name] = at + 1
        text = DONE
        if at < len(drafts):
            text = f"```python\n{drafts[at].read_text('utf-8', 'replace')}\n```\nSUMMARY: {drafts[at].stem}\n"
        return Reply(text, 0, 0, 0.0, 0.0, self.name)

    def _task(self, request: str) -> Path | None:
        """The task whose original stands in a request: the one of whose lines the most do."""
        lines = set(map(str.strip, request.splitlines()))
        shares = {path: _share(path / "slow.py", lines) for path in self.tasks.iterdir() if (path / "drafts").is_dir()}
        return max(shares, key=lambda path: shares[path], default=None)


def _share(path: Path, lines: set[str]) -> float:
    own = {line for line in map(str.strip, path.read_text("utf-8").splitlines()) if line}
    return len(own & lines) / max(1, len(own))


def drafts(name: str, settings: Settings) -> Model:
    """The model. Raises UsageError without a folder of tasks."""
    folder = os.environ.get(VARIABLE, "")
    if not folder or not Path(folder).is_dir():
        raise UsageError(f"{VARIABLE} names no folder of tasks; `codeopt import algotune` writes one")
    return RecordedDrafts(Path(folder))
