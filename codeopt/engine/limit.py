"""The limit of a gate, as it is answered for a comparison that was timed, given up or not made."""

from __future__ import annotations

from dataclasses import replace

from codeopt_sandbox.compare import Comparison, StoppingRule
from codeopt_sandbox.limit_test import PAIRS_FACTOR, LimitAnswer, LimitRule, LimitTest


def with_limit(rule: StoppingRule, limit: float | None) -> StoppingRule:
    """The rule that tests a limit as well, with pairs of its own."""
    if limit is None:
        return rule
    return replace(rule, limit=LimitRule(limit, max_pairs=PAIRS_FACTOR * rule.max_pairs))


def answered(limit: float | None, found: Comparison | None, bound: float | None) -> LimitTest | None:
    """The answer for a comparison; where NEW was given up, for its being at most `bound` times as fast. None where
    there is no limit."""
    if limit is None:
        return None
    if bound is not None and bound < 1 / (1 + limit):
        return LimitTest(limit, LimitAnswer.BROKEN, 0.0, 0, clock="wall")
    tested = found.limit if found is not None and bound is None else None
    return tested or LimitTest(limit, LimitAnswer.UNKNOWN, 0.0, 0)
