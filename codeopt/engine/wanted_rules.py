"""The rewrite rules that --select and --ignore leave: ours, and the fixes of ruff."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeopt.core.errors import UsageError
from codeopt.rules import Rule, select_rules
from codeopt.rules._ruff_fixes import GROUPS, is_known, ruff_rules
from codeopt.rules._ruff_fixes import NAME as RUFF


def built_in_rules(select: Sequence[str], ignore: Sequence[str], *, memory: bool) -> tuple[Rule, ...]:
    """Our own rules that are wanted. memory: those that save memory, too; otherwise only if they are named. Raises
    UsageError for a name that no rule has."""
    for name in filter(_is_ruff, (*select, *ignore)):
        if not is_known(name):
            raise UsageError(f"{name} is not tried; of ruff's rules those of {', '.join(GROUPS)} are")
    own, without = ([name for name in names if not _is_ruff(name)] for names in (select, ignore))
    if select:
        return select_rules(own, without) if own else ()
    return tuple(rule for rule in select_rules((), without) if memory or rule.aim == "time")


def fixes_of_ruff(select: Sequence[str], ignore: Sequence[str], source: str, warn: Callable[[str], None]) -> list[Rule]:
    """Fixes of ruff for a program, as far as they are wanted."""
    if RUFF in ignore or (select and not any(map(_is_ruff, select))):
        return []
    found = ruff_rules(source)
    if found is None:
        warn("ruff does not run here, so its fixes are not tried")
        return []
    chosen = [rule for rule in found if not select or {RUFF, rule.name} & set(select)]
    return [rule for rule in chosen if rule.name not in ignore]


def _is_ruff(name: str) -> bool:
    return name.partition(":")[0] == RUFF
