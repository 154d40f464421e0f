"""How far a comparison is, in words: its pairs so far, and what the others take at most."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from codeopt.core.console import minutes
from codeopt_sandbox.compare import Plan, StoppingRule


def said_of_long_runs(plan: Plan | None, rule: StoppingRule) -> str:
    """The time that a comparison of a long program takes, said before the first; empty where pairs are cheap. rule: the
    one by which it is compared."""
    if plan is None:
        return ""
    pair_s = 2 * plan.longest_s * plan.repeats
    if pair_s * rule.fewest <= rule.max_seconds:
        return ""
    return f"pairs      few, as each takes {minutes(pair_s)}: {rule.fewest} decide, {minutes(rule.fewest * pair_s)}"


@dataclass(frozen=True)
class ComparisonProgress:
    """A callback for each pair; most comparisons end long before the last that they may have."""

    doing: str
    rule: StoppingRule
    notify: Callable[[str], None]
    began: float = field(default_factory=time.monotonic)

    def __call__(self, pairs: int) -> None:
        """Say how far it is, after `pairs` pairs."""
        taken = time.monotonic() - self.began
        each = taken / max(1, pairs)
        fewest = min(self.rule.fewest, self.rule.max_pairs)
        of = f"at most {self.rule.max_pairs}"
        left = min(self.rule.max_seconds - taken, (self.rule.max_pairs - pairs) * each)
        if pairs < fewest and left < (fewest - pairs) * each:  # of a long program: its time is over before these are
            of, left = f"at least {fewest}", (fewest - pairs) * each
        self.notify(f"{self.doing}, pair {pairs} of {of}, {minutes(max(0.0, left))} left")
