"""Contract of a function's arguments: types that hints and known calls show, and relations that all known calls keep
and its code relies on. Inputs outside the contract can only produce caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from codeopt.core.call import Call, Opaque, Recipe, is_deeper
from codeopt.workloads.contract.declared import SAMPLE, DeclaredTypes, declared_types
from codeopt.workloads.contract.function_text import StatedBound, relied_on, stated_bounds
from codeopt.workloads.contract.relations import Relation, find_relations, parts, repaired
from codeopt.workloads.contract.seen import ON_THE_SPOT, Broken, Seen, in_one_line, seen
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import CallText
from codeopt_sandbox.guest.calls.recipes import SORTED

MOST_TEXT = 2_000_000
"""Characters of known calls that are looked at."""

EACH = 6
"""Calls that break one thing alone, of each."""
BREAK = "calls that break: "
"""Start of the reason for which a call is unusual that breaks a relation, or a bound of the docstring."""
FORBIDDEN = "calls that the type hints do not allow"


@dataclass(frozen=True)
class Contract:
    """Decides if a generated call is similar to known ones."""

    names: tuple[str, ...] = ()
    """Names of the parameters, by place."""
    shown: Mapping[str, Seen] = field(default_factory=dict)
    """Values that known calls give, by parameter."""
    relations: tuple[Relation, ...] = ()
    stated: tuple[StatedBound, ...] = ()
    """Bounds that the docstring states and no known call breaks."""
    declared: DeclaredTypes = DeclaredTypes()
    columns: bool = False
    """True if relations are about columns of tables too."""
    narrowed: Callable[[Sequence[Call]], Mapping[Call, str]] | None = field(default=None, compare=False)
    """Asks the user's expression about some calls, in one run of the sandbox: the reason why each is outside, empty for
    those inside. None where there is no expression."""
    narrowed_to: str = ""
    """The expression."""

    @property
    def words(self) -> str:
        """`n >= 1; items: non-empty list of int >= 0; narrowed to n < 9`; empty where nothing is known."""
        said = (*(each.words for each in self.stated), *(each.words for each in self.relations))
        learnt = in_one_line(self.shown, said)
        return "; ".join(filter(None, [learnt, f"narrowed to {self.narrowed_to}" * bool(self.narrowed_to)]))

    def outside(self, call: Call) -> str:
        """Return why a call is outside of the user's expression. Empty if it is inside, or without an expression."""
        return self.ask([call]).get(call, "")

    def ask(self, calls: Sequence[Call]) -> Mapping[Call, str]:
        """Why calls are outside of the user's expression. All are asked at once, as each would be a run of its own."""
        return self.narrowed(calls) if self.narrowed is not None else {}

    def inside(self, calls: Sequence[Call]) -> list[Call]:
        """The calls that do not go beyond the contract."""
        similar = [call for call in calls if not self._first_broken(call)]
        outside = self.ask(similar)
        return [call for call in similar if not outside.get(call)]

    def beyond(self, call: Call) -> str:
        """Return why a call is outside of the contract, or empty."""
        broken = self._first_broken(call)
        return broken.words if broken else self.outside(call)

    def reasons(self, call: Call) -> dict[str, bool]:
        """Return everything by which a call differs from the known ones, and whether that is a type."""
        return {each.words: isinstance(each.what, str) for each in self.broken(call)}

    def within(self, calls: Sequence[Call]) -> dict[Call, Call]:
        """Return the calls inside the contract by the original call, with changes that restore patterns."""
        kept = {call: call if not any(self.broken(call)) else self.repaired(call) for call in calls}
        kept = {call: keeping for call, keeping in kept.items() if keeping is call or not any(self.broken(keeping))}
        outside = self.ask(list(kept.values()))
        return {call: keeping for call, keeping in kept.items() if not outside.get(keeping)}

    @cached_property
    def _first_broken(self) -> Callable[[Call], Broken | None]:
        """Returns the first thing that a call breaks. Each is looked at once, as it may be long."""
        return cache(lambda call: next(self.broken(call), None))

    def shaped(self, calls: Sequence[Call]) -> list[Call]:
        """Calls changed so that they keep all that known calls keep; and for each thing that any of them breaks a few
        that break it alone."""
        found: dict[Call, None] = {}
        often: Counter[str] = Counter()
        for call in calls:
            broken = self._first_broken(call)
            if broken is None:
                found[call] = None
                continue
            kept = self.repaired(call)
            if not self._first_broken(kept):
                found[kept] = None
            if often[broken.words] < EACH:
                alone = self.repaired(call, (broken.what,))
                if {each.what for each in self.broken(alone)} == {broken.what}:
                    often[broken.words] += 1
                    found[alone] = None
        return list(found)

    def repaired(self, call: Call, spare: Collection[object] = ()) -> Call:
        """Types and properties of each argument first, then relations, of which one may break another. spare: what the
        call may break."""
        values = by_name(call, self.names)
        whole = by_name(call.built(), self.names) if self.relations else {}
        given: Mapping[str, Any] = {}
        for name, value in values.items():
            for each in self.stated:
                if each not in spare and each.breaks(name, value):
                    value = each.nearest(value)
            known = self.shown.get(name)
            if known and not isinstance(value, Recipe) and not (self._fits(name, value) and known.missing(value)):
                value = known.repaired(value, spare)
            given = {**given, name: whole[name] if isinstance(value, Recipe) and whole else value}
        # times that relations are restored
        for _ in range(2):
            given = repaired(self.relations, given, spare, columns=self.columns)
        for at, (name, value) in enumerate(values.items()):
            if isinstance(value, Recipe):
                changed = bool(whole) and given[name] != whole[name]
                call = call.with_value(at, replace(value, order=SORTED) if changed else value)
            else:
                call = call.with_value(at, given[name])
        return call

    def _fits(self, name: str, value: Any) -> bool:
        hint = self.declared.hints.get(name)
        return hint is not None and self.declared.classes.fits(hint, value)

    def broken(self, call: Call) -> Iterator[Broken]:
        """Yield what a call breaks: bounds of the docstring, types, properties, relations, hints."""
        if not call.is_read:
            return
        given = by_name(call.built(SAMPLE), self.names)
        whole = by_name(call.built(), self.names) if self.stated or self.relations else given
        for name, value in given.items():
            if is_deeper(value):
                yield Broken(f"a deeper `{name}`", "deeper")
                return
            yield from (Broken(f"{BREAK}{each.words}", each) for each in self.stated if each.breaks(name, whole[name]))
        found: list[Broken] = []
        for name, value in given.items():
            typed = name in self.shown and (isinstance(value, Opaque) or self._fits(name, value))
            for each in self.shown[name].breaks(value) if name in self.shown else ():
                # a hint as wide as `list[dict]` means no class that is made on the spot
                if not (typed and isinstance(each.what, str) and not each.what.startswith(ON_THE_SPOT)):
                    found.append(Broken(f"{each.words} for `{name}`", each.what))
        yield from sorted(found, key=lambda each: not isinstance(each.what, str))
        measured = parts(whole, columns=self.columns) if self.relations else None
        yield from (Broken(BREAK + r.words, r) for r in self.relations if measured and r.holds(measured) is False)
        if not self.declared.allows(call):
            yield Broken(FORBIDDEN, FORBIDDEN)


def by_name(call: Call, names: Sequence[str]) -> dict[str, Any]:
    """Arguments by the names of their parameters; of more than there are names for, by their place."""
    placed = {names[at] if at < len(names) else f"argument {at + 1}": value for at, value in enumerate(call.args)}
    return {**placed, **dict(call.kwargs)}


def contract_of(
    function: Function, known: Sequence[Call], declared: DeclaredTypes | None = None, *, vouched: bool = True
) -> Contract:
    """Find the contract of a function.

    Args:
        function: The function.
        known: Calls that show its arguments.
        declared: Its hints. Defaults to those that the module and its folder show.
        vouched: A person made the calls. Guesses from type hints never contradict a stated bound.
    """
    made = list(_read(known))
    declared = (declared or declared_types(function)).knowing(made)
    calls = [by_name(call, function.parameters) for call in made]
    names = dict.fromkeys(name for call in calls for name in call)
    values = {name: [call[name] for call in calls if name in call] for name in names}
    left_out = {name: [value] for name, value in declared.defaults.items() if name not in values and value is not None}
    given = values if vouched else {}
    stated = tuple(
        each
        for each in stated_bounds(function.node)
        if not any(each.breaks(each.parameter, value) for value in given.get(each.parameter, ()))
    )
    shown = {name: seen(known) for name, known in {**values, **(left_out if calls else {})}.items()}
    for each in stated:
        if each.parameter in shown and not each.of_length and each.low is not None:
            # a stated lower bound may allow what zero and negative numbers break
            allowed = [value for value in (0, -1) if each.allows(value) and each.low <= value]
            known_to_hold = (kept for kept in shown[each.parameter].properties if all(map(kept.holds, allowed)))
            shown[each.parameter] = replace(shown[each.parameter], properties=tuple(known_to_hold))
    kept = find_relations([parts(call) for call in calls], relied_on(function.node))
    return Contract(function.parameters, shown, kept, stated, declared)


class Contracts:
    """The contracts of one function by their known calls, each found once: three stages of a verdict ask for one, which
    takes 0.4 CPU seconds for lists of 30,000."""

    def __init__(self) -> None:
        self.found: dict[tuple[Call, ...], Contract] = {}

    def of(self, function: Function, known: Sequence[Call], declared: DeclaredTypes, *, vouched: bool) -> Contract:
        """As of `contract_of`."""
        key = tuple(known)
        if key not in self.found:
            self.found[key] = contract_of(function, known, declared, vouched=vouched)
        return self.found[key]


def _read(known: Sequence[Call]) -> Iterator[Call]:
    """Known calls, the shortest first, as far as there is room for them."""
    total, of_lists = 0, 0
    for call in sorted(known, key=lambda call: len(call.text)):
        length = len(call.text)
        if total + length <= MOST_TEXT:
            total += length
        # maximum length of calls that are too long for Python's own parser, and consist of lists, numbers and texts
        elif of_lists + length <= 8_000_000:
            of_lists += length
            if isinstance(call, CallText) and call.lists is None:
                continue
        else:
            return
        if call.is_read:
            yield call
