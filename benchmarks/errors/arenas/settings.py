"""Settings of an arena: its data, and which part of them is judged in what way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors.arenas import name_of
from benchmarks.errors.arenas.truth import Runner
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
        """Runner that finds out what is true."""
        return Runner(self.python, sandbox=self.sandbox)

    @property
    def quick_runner(self) -> Runner:
        """Return the same runner with a limit of 15 s, for drafts that may not end."""
        return Runner(self.python, 15.0, self.sandbox)

    def folders(self, holds: str) -> Iterator[Path]:
        """Folders of the tasks that are asked for, by name, with a file or folder of this name in each."""
        for folder in sorted(path.parent for path in self.data.glob(f"*/{holds}")):
            if not self.only or any(word in folder.name for word in self.only):
                yield folder

    def knows(self, task: str, drafts: Sequence[str]) -> bool:
        """Return whether an earlier run has judged all of these drafts, so that they need not be made again."""
        return all(name_of(task, draft) in self.known for draft in drafts)

    def options(self) -> ImproveOptions:
        """Options of each comparison."""
        return ImproveOptions(sandbox=self.sandbox, python=self.python, max_pairs=self.pairs, no_tests=True)

    def written(self, task: str, name: str, text: str) -> Path:
        """A file that is made for a task."""
        path = self.work / task / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path
