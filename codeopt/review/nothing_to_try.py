"""Check from the text alone, before any run, whether a built-in rule applies to a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import indent

from codeopt.analysis.nodes import Def
from codeopt.core.errors import CodeoptError
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.engine.run_plan import make_plan
from codeopt.proposers.rules import matches
from codeopt.workloads.function.view import BY_CALLS, function_rules
from codeopt.workloads.source.functions import read_functions

GUESSES = ("list[str]", "list[int]", "str", "int", "dict[str, int]", "set[str]")
"""Types that calls may show of a parameter without a hint: the ones that rules ask for."""


class NothingToTry(CodeoptError):
    """Error if no rule applies and no model is used."""


def require_draft(target: Target, options: ImproveOptions) -> None:
    """Raise NothingToTry for a function that no rule matches if only rules are used, so that no call need be collected.

    Without a measurement each line counts as hot, and rules that depend on the types of calls match for any likely
    types. So this finds every match that could appear later. Raises UsageError for invalid options or targets.
    """
    plan = make_plan(options).at(target)
    if plan.uses_model or not target.name:
        return
    module = read_functions(target.path)
    module.find(target.name)
    node, source = module.named[target.name][0], module.source
    original = Candidate(0, Revision.of(source), "the original")
    rules = (*plan.built_in, *plan.fixes_of_ruff(original, lambda line: None))
    if matches(function_rules(rules, target.name), original):
        return
    text = ast.unparse(node)  # alone in its classes: a long module takes a rule seconds for each guess
    for name in reversed(target.name.split(".")[:-1]):
        text = f"class {name}:\n{indent(text, '    ')}"
    imports = [ast.unparse(each) for each in module.tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    alone = Candidate(0, Revision.of("\n".join([*imports, text, ""])), "the function by itself")
    usual = plan.built_in
    for number, guess in enumerate(_guesses(node)):
        guessing = function_rules(usual, target.name, guess)
        if matches(guessing, alone):
            return
        if not number:
            asking = {each.name.removesuffix(BY_CALLS) for each in guessing if each.asks_types(alone.revision.text)}
            usual = tuple(each for each in usual if each.name in asking)
    raise NothingToTry("no rule applies", hint="--model NAME asks a language model")


def _guesses(node: Def) -> Iterator[tuple[tuple[str, str], ...]]:
    """Types that calls may show of the parameters without a hint: lists, one of them of another type."""
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = [each.arg for each in given if each.annotation is None and each.arg not in ("self", "cls")]
    for usual in GUESSES[:2] if names else ():
        yield tuple((name, usual) for name in names)
        for other in names:
            for guess in GUESSES:
                if guess != usual:
                    yield tuple((name, guess if name == other else usual) for name in names)
