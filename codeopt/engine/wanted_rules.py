"""The rewrite rules that --select and --ignore leave: ours, and the fixes of ruff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate
from codeopt.rules import HotFiles, Rule, select_rules
from codeopt.rules._ruff_fixes import GROUPS, is_known, ruff_rules
from codeopt.rules._ruff_fixes import NAME as RUFF


@dataclass(frozen=True)
class WantedRules:
    """Rules to try on a target."""

    built_in: tuple[Rule, ...]
    select: tuple[str, ...]
    """Names of the only rules to try. Empty: all."""
    ignore: tuple[str, ...]

    @property
    def ruff(self) -> bool:
        """Return whether fixes of ruff are tried also."""
        return RUFF not in self.ignore and (not self.select or any(map(_is_ruff, self.select)))

    def fixes_of_ruff(self, original: Candidate, warn: Callable[[str], None]) -> list[Rule]:
        """Fixes of ruff for a program, of a project for its hot files, as far as they are wanted."""
        if not self.ruff:
            return []
        files, hot = original.revision, HotFiles.of(original.profile)
        paths = files if files.is_one_file else [path for path, _ in hot.files if path in files]
        found = ruff_rules(*(files[path] for path in paths))
        if found is None:
            warn("ruff does not run here, so its fixes are not tried")
            return []
        chosen = [rule for rule in found if not self.select or {RUFF, rule.name} & set(self.select)]
        return [rule for rule in chosen if rule.name not in self.ignore]


def wanted_rules(select: tuple[str, ...], ignore: tuple[str, ...], *, memory: bool) -> WantedRules:
    """Return the rules that two lists of names leave. Raises UsageError for a name without a rule.

    memory: also include rules that save memory. Otherwise they are included only by name.
    """
    for name in filter(_is_ruff, (*select, *ignore)):
        if not is_known(name):
            raise UsageError(f"codeopt does not use ruff's {name}", hint=f"of ruff's rules it uses {', '.join(GROUPS)}")
    own, without = ([name for name in names if not _is_ruff(name)] for names in (select, ignore))
    if select:
        return WantedRules(select_rules(own, without) if own else (), select, ignore)
    built_in = (rule for rule in select_rules((), without) if memory or rule.aim == "time")
    return WantedRules(tuple(built_in), select, ignore)


def _is_ruff(name: str) -> bool:
    return name.partition(":")[0] == RUFF
