"""Whether the built-in rules have a draft of a function at all: reading its text says so before anything is run."""

from __future__ import annotations

from codeopt.core.errors import CodeoptError
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.engine.run_plan import make_plan
from codeopt.proposers.rules import matches
from codeopt.workloads.function.view import function_rules
from codeopt.workloads.source.functions import read_function


class NothingToTry(CodeoptError):
    """No rule has a draft, and no model is asked."""


def require_draft(target: Target, options: ImproveOptions) -> None:
    """Raise NothingToTry for a function that no rule matches where the rules alone draft, so that no call need be
    collected; UsageError for options or a target that make no sense.

    Where nothing is measured each line counts as hot: what is found here is all that could be found later.
    """
    plan = make_plan(options).at(target)
    if plan.uses_model or not target.name:
        return
    original = Candidate(0, Revision.of(read_function(target.path, target.name).source), "the original")
    rules = (*plan.rules.built_in, *plan.rules.fixes_of_ruff(original, lambda line: None))
    if not matches(function_rules(rules, target.name), original):
        raise NothingToTry("the rules know nothing to try for it; --model NAME asks a language model")
