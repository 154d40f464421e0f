"""What is asked of an arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.arenas.truth import Runner
from codeopt.core.options import ImproveOptions


@dataclass(frozen=True)
class Settings:
    """Data, and which part of them is judged in what way."""

    data: Path
    work: Path
    """Folder of files that are made: drafts with mistakes, checkers, calls."""
    only: tuple[str, ...] = ()
    wrong: int = 2
    """Drafts with a mistake a task, where the arena makes them."""
    shown: int = 4
    """Calls or tests of a task that the judge is given with a wrong draft."""
    size: int = 100
    """Largest size of a generated problem that is timed."""
    pairs: int = 8
    python: str | None = None
    sandbox: str = "bubblewrap"
    known: frozenset[str] = frozenset()
    """Names of the trials that an earlier run has judged."""

    @property
    def runner(self) -> Runner:
        """Finds out what is true."""
        return Runner(self.python, sandbox=self.sandbox)

    @property
    def quick_runner(self) -> Runner:
        """The same for drafts that may well not end."""
        return Runner(self.python, 15.0, self.sandbox)

    def wants(self, task: str) -> bool:
        """Whether a task is asked for."""
        return not self.only or any(word in task for word in self.only)

    def judged(self, task: str, drafts: Sequence[str]) -> Sequence[str]:
        """These drafts, where an earlier run has judged them all; they need not be made again then."""
        return drafts if all(f"{task} / {draft}" in self.known for draft in drafts) else ()

    def options(self) -> ImproveOptions:
        """Options of each comparison."""
        return ImproveOptions(sandbox=self.sandbox, python=self.python, max_pairs=self.pairs, no_tests=True)

    def written(self, task: str, name: str, text: str) -> Path:
        """A file that is made for a task."""
        path = self.work / task / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path
