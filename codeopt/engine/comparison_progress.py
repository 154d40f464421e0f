"""Limits of a comparison: its pairs, its time and a gate; progress in words, and advice where one ended undecided."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from codeopt.core.console import minutes
from codeopt.core.options import ImproveOptions
from codeopt.report.verdict import Verdict
from codeopt_sandbox.compare import Plan, StoppingRule
from codeopt_sandbox.sequential_test import FAR, FAR_PAIRS, PAIRS_FACTOR, LimitAnswer, LimitRule, LimitTest

MORE = 10
"""Factor on a limit that is worth trying where it ended a comparison undecided."""


def said_of_long_runs(plan: Plan | None, rule: StoppingRule) -> str:
    """Format the time that the comparison of a long program takes, before its first pair. Empty if pairs are cheap.

    rule: its stopping rule.
    """
    if plan is None:
        return ""
    pair_s = 2 * plan.longest_s * plan.repeats
    if pair_s * rule.fewest <= rule.max_seconds:
        return ""
    decide = f"{rule.fewest} decide, {FAR_PAIRS} if all are {FAR:g}x or more, {minutes(rule.fewest * pair_s)}"
    return f"pairs      few, as each takes {minutes(pair_s)}: {decide}"


def more_pairs(pairs: int, max_pairs: int, max_seconds: float) -> str:
    """Return advice on a comparison that ended undecided at one of its limits."""
    more = f"time: --max-seconds {math.ceil(MORE * max_seconds / 60)}m"
    if pairs >= max_pairs:
        more = f"pairs: --max-pairs {MORE * max_pairs}"
    return f"run it on an idle machine, or with more {more}"


@dataclass(frozen=True)
class ComparisonProgress:
    """A callback for each pair; most comparisons end long before the last that they may have."""

    doing: str
    rule: StoppingRule
    notify: Callable[[str], None]

    def __call__(self, pairs: int) -> None:
        last = self.rule.limit or self.rule  # pairs about a limit come after those of the decision
        most, fewest = max(self.rule.max_pairs, last.max_pairs), min(self.rule.fewest, self.rule.max_pairs)
        fewest = min(FAR_PAIRS if pairs < FAR_PAIRS else fewest, fewest)  # a large ratio ends it early
        of = f"at least {fewest}" if pairs < fewest else f"at most {most}"
        self.notify(f"{self.doing}, pair {pairs} of {of}")


def granted(rule: StoppingRule, options: ImproveOptions, limit: float | None = None) -> StoppingRule:
    """Return the rule with the pairs and the time that a user allows, for every command.

    limit: also tested, with its own pairs. None: no limit.
    """
    rule = replace(rule, max_pairs=options.max_pairs)
    if limit is not None:
        rule = replace(rule, limit=LimitRule(limit, max_pairs=PAIRS_FACTOR * rule.max_pairs))
    return rule.granted(options.max_seconds)


def answered(limit: float | None, found: Verdict) -> LimitTest | None:
    """The answer for a verdict; where NEW was given up, for its being at most so many times as fast. None without a
    limit."""
    if limit is None:
        return None
    if found.speedup and found.is_bound and found.speedup.ratio < 1 / (1 + limit):
        return LimitTest(limit, LimitAnswer.FAIL, 0.0, 0, metric="wall")
    return found.limit or LimitTest(limit, LimitAnswer.INCONCLUSIVE, 0.0, 0)
