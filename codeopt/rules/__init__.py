"""Built-in rewrite rules: deterministic, behaviour-preserving, no model and no key. One rule a file.

A rule is a function from source text to source text, or to None when it does not match or cannot show that the
behaviour stays the same. The judge has the last word on every rewrite: a rule has to be sound, it does not have
to be right about what pays.

Rules read the syntax tree (`ast`, with exact positions) and replace only the text of the nodes they change, so
formatting and comments survive by construction; nothing heavy is imported.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from codeopt import registry
from codeopt.errors import UsageError
from sandbox.profile import Profile

HOT_SHARE = 0.005
"""A line below this share of the time cannot be worth a change by itself. Flat profiles have dozens at 2 %."""

FIRST = (
    "main_function",
    "stdin_readline",
    "stdout_write",
    "eval_input",
    "numpy_to_list",
    "unused_import",
    "modular_factorial",
    "while_to_range",
    "guard_break",
    "loop_invariant",
    "repeated_call",
    "row_hoist",
    "literal_sum",
    "min_max_conditional",
)
"""The order of stacking: what opens the door to others first, then by measured pay; the rest follows by name."""


@dataclass(frozen=True)
class Hot:
    """The 1-based lines worth changing, hottest first; empty: nothing was measured, so every line may be."""

    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, profile: Profile | None) -> Hot:
        """The lines that took a measurable share of the time."""
        if profile is None:
            return cls()
        return cls(tuple(h.line for h in profile.lines if h.share >= HOT_SHARE))

    def touches(self, first: int, last: int) -> bool:
        """Some line from `first` to `last` is worth changing."""
        return not self.lines or any(first <= line <= last for line in self.lines)

    def moved(self, old: str, new: str) -> Hot:
        """The same lines in a rewritten text; every line of a changed block is hot when one of the old block was."""
        if not self.lines:
            return self
        before, after = ([line.strip() for line in text.splitlines()] for text in (old, new))
        place: dict[int, list[int]] = {}
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            for i in range(i1, i2):
                place[i + 1] = [j1 + i - i1 + 1] if tag == "equal" else list(range(j1 + 1, j2 + 1))
        return Hot(tuple(dict.fromkeys(line for old_line in self.lines for line in place.get(old_line, ()))))


@dataclass(frozen=True)
class Rule:
    """One rewrite."""

    name: str
    """The name of its file."""
    reason: str
    """One line: why it helps; shown to users, and given to a language model as a hint where the rule matches."""
    before: str
    """A small program that the rule changes."""
    after: str
    """What it makes of it."""
    limits: str
    """When it refuses, and what it takes for granted."""
    rewrite: Callable[[str, Hot], str | None]
    """The new source; None when the rule does not match, or when the behaviour might change."""
    scripts_only: bool = False
    """For whole programs that read stdin and print; not for modules that others import."""
    by_tests: bool = False
    """It cannot be proved safe from the text alone (it depends on what the input looks like): the test cases decide."""


def rule(name: str) -> Rule:
    """One rule by its name, or by the dotted path of a module outside the package that defines `RULE`."""
    found = getattr(registry.load("codeopt.rules", name), "RULE", None)
    if not isinstance(found, Rule):
        raise UsageError(f"{name!r} defines no RULE of type codeopt.rules.Rule")
    return found


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of the folder and of installed plug-ins, in the order in which they are stacked."""
    known = registry.names("codeopt.rules")
    ranked = [name for name in FIRST if name in known]
    return tuple(rule(name) for name in [*ranked, *(name for name in known if name not in ranked)])


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules of `select` (all when empty) without those of `ignore`; a name that does not exist is a UsageError."""
    wanted = [rule(name) for name in select] or list(all_rules())
    unwanted = {rule(name).name for name in ignore}
    return tuple(r for r in sorted(wanted, key=_rank) if r.name not in unwanted)


def _rank(one: Rule) -> int:
    order = [r.name for r in all_rules()]
    return order.index(one.name) if one.name in order else len(order)
