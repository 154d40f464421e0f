"""The limit of a gate, as it is answered for a comparison that was timed, given up or not made."""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.options import ImproveOptions
from codeopt.report.verdict import Verdict
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.sequential_test import PAIRS_FACTOR, LimitAnswer, LimitRule, LimitTest


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
