"""Built-in rewrite rules: deterministic, behaviour-preserving, no model and no key. One rule a file.

A rule is a callback on one kind of node that yields edits, or nothing when it does not match or cannot show that the
behaviour stays the same: `@rule(ast.Compare, example=EXAMPLE)`. The judge has the last word on every rewrite: a rule
has to be sound, it does not have to be right about what pays. All that a rule needs is imported from here; what can be
known of a program is in `codeopt.analysis`.

Rules read the syntax tree (`ast`, with exact positions) and replace only the text of the nodes they change, so
formatting and comments survive by construction; nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from codeopt import analysis
from codeopt.analysis import *  # noqa: F403 - all that a rule asks of a program is imported from here too
from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.rules._explanation import Explanation, explain, refusals
from codeopt.rules._questions import PARSERS, bare_calls, dotted, ignores_line_end, place_before
from codeopt.rules._rule import Context, Example, Hot, HotFiles, Rule, as_diff, bind_stream, plain_import, rule

__all__ = [
    "Context",
    "Example",
    "Explanation",
    "Hot",
    "HotFiles",
    "PARSERS",
    "Rule",
    "all_rules",
    "as_diff",
    "bare_calls",
    "bind_stream",
    "dotted",
    "explain",
    "ignores_line_end",
    "load_rule",
    "place_before",
    "plain_import",
    "refusals",
    "rule",
    "select_rules",
]
__all__ += analysis.__all__


def load_rule(name: str) -> Rule:
    """Return a rule by its name, or by the dotted path of a module that makes one with `@rule`.

    Raises:
        UsageError: The module makes no rule, or several.
    """
    made = [value for value in vars(plugins.load("codeopt.rules", name)).values() if isinstance(value, Rule)]
    if len(made) != 1:
        raise UsageError(f"{name!r} has to make one rule with @codeopt.rules.rule, and makes {len(made)}")
    return made[0]


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of the folder and of installed plug-ins, in the order in which they are stacked."""
    known = [load_rule(name) for name in plugins.names("codeopt.rules")]
    return tuple(sorted(known, key=lambda each: each.priority))  # those of one priority stay in the order of names


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Return the rules of `select` (all if it is empty) without those of `ignore`.

    Raises:
        UsageError: A name is unknown.
    """
    wanted = [load_rule(name) for name in select] or list(all_rules())
    unwanted = {load_rule(name).name for name in ignore}
    return tuple(each for each in sorted(wanted, key=_rank) if each.name not in unwanted)


def _rank(one: Rule) -> int:
    order = [each.name for each in all_rules()]
    return order.index(one.name) if one.name in order else len(order)
