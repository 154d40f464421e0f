"""Your own objective: faster, and never longer. `codeopt improve slow.py --task examples.your_own_task`.

A task is a module with `TASK`, found by its dotted path; no edit anywhere else.
"""

from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.tasks.runtime import Runtime


@dataclass(frozen=True)
class Short(Runtime):
    """The runtime task, with one more condition."""

    name: str = "short"

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Why a candidate is out, in one line; empty when it is not."""
        if candidate.source.count("\n") > original.source.count("\n"):
            return "it has more lines than the original"
        return super().why_not(candidate, original)


TASK = Short()
