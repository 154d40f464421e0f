"""Built-in rewrite rules: deterministic, behaviour-preserving, no model and no key.

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
from types import ModuleType

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


GROUP = "codeopt.rules"


def load_rule(name: str) -> Rule:
    """Return a rule by its name, or by the dotted path of a module that makes one with `@rule`.

    Raises:
        UsageError: There is no such rule. The module makes no rule, or several.
    """
    known = {each.name: each for each in all_rules()}
    if found := known.get(name.replace("-", "_")):
        return found
    installed = plugins.installed(GROUP).names
    if "." not in name and name not in installed:
        raise UsageError(f"there is no rule {name!r}", hint=f"choose one of: {', '.join(sorted(known))}")
    return _only_rule(name)


def _only_rule(name: str) -> Rule:
    """The rule of a module that is no file of this folder. Raises UsageError."""
    made = _made_in(plugins.load(GROUP, name))
    if len(made) != 1:
        raise UsageError(f"{name!r} has to make one rule with @codeopt.rules.rule, and makes {len(made)}")
    return made[0]


def _made_in(module: ModuleType) -> list[Rule]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of the folder and of installed plug-ins, in the order in which they are stacked.

    Raises:
        UsageError: A plug-in has the name of a built-in rule, or cannot be imported.
    """
    others = plugins.installed(GROUP)
    known: dict[str, Rule] = {}
    for file in (name for name in plugins.names(GROUP) if name not in others.names):
        known |= {each.name: each for each in _made_in(plugins.load(GROUP, file))}
    for entry in others:
        if entry.name in known:
            hint = "give its entry point another name"
            raise UsageError(f"the rule {entry.name} ({entry.value}) has the name of a built-in one", hint=hint)
        known[entry.name] = _only_rule(entry.name)
    return tuple(sorted(known.values(), key=lambda each: (each.priority, each.name)))


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Return the rules of `select` (all if it is empty) without those of `ignore`.

    Raises:
        UsageError: A name is unknown.
    """
    order = {each.name: place for place, each in enumerate(all_rules())}
    wanted = [load_rule(name) for name in select] or list(all_rules())
    unwanted = {load_rule(name).name for name in ignore}
    ranked = sorted(wanted, key=lambda each: order.get(each.name, len(order)))
    return tuple(each for each in ranked if each.name not in unwanted)
