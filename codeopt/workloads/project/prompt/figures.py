"""Rows of a profile for a language model. It is shown the source of each function that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codeopt.report.stacks.model import Frame
from codeopt.workloads.project.profile import CalledBy, FunctionTime, LineTime, ProjectProfile
from codeopt.workloads.project.prompt.imports import ImportShares, import_shares
from codeopt.workloads.project.prompt.vendored import LibraryShare, is_vendored, library_shares

ROWS = 8
"""Maximum number of rows of a table."""
MOST_CALLERS = 3
"""Maximum number of callers of a function that are named."""
LEAST = 0.01
"""Minimum share of the command that is worth a row."""
HOT = 0.03
"""Own share from which on a function is shown whole: a hole in one of 27 % hid the line that a round was lost on."""
MULTIPLIED = 2
"""Calls that a function makes of another each time it is called, from which on the number can be lowered there."""
LOADING_LEAST = 0.05
"""Minimum share of the command that is worth a row for a function at work while modules are imported."""


@dataclass(frozen=True)
class Figures:
    profile: ProjectProfile

    @cached_property
    def loading(self) -> ImportShares:
        """The part of the time in which modules are imported."""
        return import_shares(self.profile)

    @property
    def functions(self) -> tuple[FunctionTime, ...]:
        worth = (f for f in self.profile.functions if f.total_share >= LEAST and not self.is_import(f))
        return tuple(f for f in worth if not is_vendored(f.file))[: 2 * ROWS]

    @property
    def repeating(self) -> tuple[tuple[float, str], ...]:
        """Shares of the command that are spent in calls which repeat earlier ones, with words for them."""
        rows = [(f.asks_again, f"{f.qualname} calls {f.asked}") for f in self.functions if f.asks_again >= LEAST]
        return tuple(sorted(rows, reverse=True)[:ROWS])

    @property
    def lines(self) -> tuple[LineTime, ...]:
        """Hot lines."""
        return tuple(x for x in self.profile.lines if x.own_share >= LEAST and not is_vendored(x.file))[:ROWS]

    @property
    def libraries(self) -> tuple[LibraryShare, ...]:
        """Libraries by the function that their time belongs to."""
        return tuple(row for row in library_shares(self.profile) if row.share >= LEAST)[:ROWS]

    def callers(self, function: FunctionTime) -> tuple[CalledBy, ...]:
        """Functions of the project that call one, the most often calling first."""
        place = (function.qualname, function.file)
        rows = (row for row in self.profile.callers if row.callee and row.callee[:2] == place)
        return tuple(sorted((row for row in rows if row.caller), key=lambda row: -row.calls)[:MOST_CALLERS])

    @cached_property
    def hot(self) -> tuple[FunctionTime, ...]:
        """Functions with time of their own, the largest first. What runs while modules are imported is last."""
        found = [f for f in self._ranked if f.own_share >= HOT]
        return tuple(sorted(found, key=lambda f: (self.loading.is_loading(f), -f.own_share)))

    @property
    def named(self) -> tuple[FunctionTime, ...]:
        """Functions to show, each once: the hot ones, then their callers, then what else the rows name, by total time.

        A caller that only passes a call on is no place to save it, so its own callers follow, up to one that multiplies
        it. What runs while modules are imported is last.
        """
        found, passing = list(self.hot), [f for f in self.hot if not self.loading.is_loading(f)]
        while passing:
            for row in self.callers(passing.pop(0)):
                caller = self._known.get(row.caller[:2]) if row.caller else None
                if caller in self._ranked and caller not in found:
                    found.append(caller)
                    if caller.calls and row.calls < MULTIPLIED * caller.calls:
                        passing.append(caller)
        return tuple(dict.fromkeys([*found, *self._ranked]))

    @cached_property
    def _known(self) -> Mapping[tuple[str, str], FunctionTime]:
        return {(f.qualname, f.file): f for f in self.profile.functions}

    @cached_property
    def _ranked(self) -> tuple[FunctionTime, ...]:
        """Functions that the rows name, each once, by total time."""
        below = [self._known[spot[:2]] for spot in self._spots() if spot[:2] in self._known]
        found = sorted({*self.functions, *below}, key=lambda f: (-f.total_share, f.file, f.line))
        found.sort(key=self.loading.is_loading)
        return tuple(f for f in found if f.qualname != "<module>" and not self.is_import(f))

    def _spots(self) -> Iterator[Frame]:
        """Yield functions that are named in addition to the tables of functions."""
        for function in self.functions:
            yield from (row.caller for row in self.callers(function) if row.caller)
        yield from (row.caller for row in self.libraries)
        for line in self.lines:
            above = [f for f in self.profile.functions if f.file == line.file and f.line <= line.line]
            yield from (f.frame for f in sorted(above, key=lambda f: f.line)[-1:])

    def is_import(self, function: FunctionTime) -> bool:
        """Return True if a function belongs to the import of modules and has too little time for a row of its own."""
        imported = function.qualname == "<module>" and self.loading.is_imported(function.file)
        return (imported and function.own_share < LEAST) or (
            function.total_share < LOADING_LEAST and self.loading.is_loading(function)
        )
