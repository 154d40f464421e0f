"""Results of faults that are kept as they come, so that a run of an hour goes on where it was stopped.

One JSON line for each fault, with the digest of the tree, and one for each set of tests that passed without a fault.
What another tree gave is left in the file and not used. A line that was cut off when the run was killed is passed over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchmarks import keep_line, kept_lines

OWN_LIST = "benchmarks/faults.toml"
"""The list of faults. It is not part of a tree's digest, as the full text of a fault identifies it."""


class Answer(StrEnum):
    """Result of running a fault's tests."""

    SEEN = "seen"
    SURVIVED = "survived"
    NOT_APPLICABLE = "not applicable"
    FAILS_WITHOUT = "fails without"
    """A test fails in the tree as it is: what it says of a fault is nothing."""


@dataclass(frozen=True)
class Result:
    """Result of one fault."""

    answer: Answer
    seconds: float
    by: str = ""
    """The test that failed, or the end of what pytest said where there is no report."""


@dataclass
class Results:
    """Results of one tree, in memory and in a file if one is given."""

    tree: str = ""
    path: Path | None = None
    found: dict[str, Result] = field(default_factory=dict)
    """Results by the digest of the fault."""
    passing: set[str] = field(default_factory=set)
    """Tests that passed without a fault."""

    @classmethod
    def read(cls, path: Path | None, tree: str) -> Results:
        """Results of a tree that a file holds; none where there is no file."""
        kept = cls(tree, path)
        for entry in kept_lines(path):
            if entry["tree"] != tree:
                continue
            if "passing" in entry:
                kept.passing |= set(entry["passing"])
            else:
                kept.found[entry["key"]] = Result(Answer(entry["answer"]), entry["seconds"], entry["by"])
        return kept

    def keep(self, key: str, name: str, result: Result) -> Result:
        """Keep a fault's result."""
        self.found[key] = result
        self._append({"fault": name, "key": key, **asdict(result)})
        return result

    def keep_passing(self, tests: Sequence[str]) -> None:
        """Keep that tests pass without a fault."""
        self.passing |= set(tests)
        self._append({"passing": sorted(tests)})

    def _append(self, entry: dict[str, Any]) -> None:
        keep_line(self.path, {"tree": self.tree, **entry})


def tree_digest(root: Path) -> str:
    """Digest of all files of a tree but the list of faults."""
    whole = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink()):
        if (name := path.relative_to(root).as_posix()) != OWN_LIST:
            whole.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
