"""Contract of a function's arguments: types that hints and known calls show, and relations that all known calls keep
and its code relies on. Inputs outside the contract can only produce caveats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from codeopt.workloads.contract.function.declared import SAMPLE, DeclaredTypes, declared_types
from codeopt.workloads.contract.function.docstring import StatedBound, stated_bounds
from codeopt.workloads.contract.function.relations import ArgumentRelation, relations
from codeopt.workloads.contract.function.seen import Seen, seen
from codeopt.workloads.contract.function.structure import Structure, structure
from codeopt.workloads.contract.function.words import in_one_line
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import Call, Opaque, Recipe, is_deeper, read, read_lists
from codeopt_sandbox.guest.calls.recipes import SORTED

MOST_TEXT = 2_000_000
"""Characters of known calls that are looked at."""
MOST_OF_LISTS = 8_000_000
"""Maximum length of calls that are too long for Python's own parser, and consist of lists, numbers and texts."""
LONG_CALL = 1_000_000
"""Characters of a call that Python's own parser reads, in 1.5 s."""

FORBIDDEN = "its type hints do not allow it"


@dataclass(frozen=True)
class Contract:
    """Decides if a generated call is similar to known ones."""

    names: tuple[str, ...] = ()
    """Names of the parameters, by place."""
    shown: Mapping[str, Seen] = field(default_factory=dict)
    """Values that known calls give, by parameter."""
    relations: tuple[ArgumentRelation, ...] = ()
    stated: tuple[StatedBound, ...] = ()
    """Bounds that the docstring states and no known call breaks."""
    structures: Mapping[str, Structure] = field(default_factory=dict)
    """Sizes and indices within values, by parameter."""
    declared: DeclaredTypes = DeclaredTypes()
    narrowed: Callable[[Sequence[str]], Mapping[str, str]] | None = field(default=None, compare=False)
    """Asks the user's expression about some calls, in one run of the sandbox: the reason why each is outside, empty for
    those inside. None where there is no expression."""
    narrowed_to: str = ""
    """The expression."""

    @property
    def words(self) -> str:
        """`n >= 1; items: non-empty list of int >= 0; narrowed to n < 9`; empty where nothing is known."""
        within = [words for found in self.structures.values() for words in found.words]
        stated = [each.words for each in self.stated]
        learnt = in_one_line(self.shown, [*stated, *(each.words for each in self.relations), *within])
        return "; ".join(filter(None, [learnt, f"narrowed to {self.narrowed_to}" * bool(self.narrowed_to)]))

    def outside(self, text: str) -> str:
        """Return why a call is outside of the user's expression. Empty if it is inside, or without an expression."""
        return self.ask([text]).get(text, "")

    def ask(self, texts: Sequence[str]) -> Mapping[str, str]:
        """Why calls are outside of the user's expression. All are asked at once, as each would be a run of its own."""
        return self.narrowed(texts) if self.narrowed is not None else {}

    def inside(self, texts: Sequence[str]) -> list[str]:
        """The calls that do not go beyond the contract."""
        similar = [text for text in texts if not self._why_unusual(text)]
        outside = self.ask(similar)
        return [text for text in similar if not outside.get(text)]

    def beyond(self, text: str) -> str:
        """Return why a call is outside of the contract, or empty."""
        return self._why_unusual(text) or self.outside(text)

    def within(self, texts: Sequence[str]) -> dict[str, str]:
        """Return the calls inside the contract by the original call, with changes that restore patterns."""
        kept = {text: keeping for text in texts if (keeping := self._kept(text))}
        outside = self.ask(list(kept.values()))
        return {text: keeping for text, keeping in kept.items() if not outside.get(keeping)}

    @cached_property
    def _why_unusual(self) -> Callable[[str], str]:
        """Returns why a call differs from the known ones, or empty. Each is parsed once, as it may be long."""

        def why(text: str) -> str:
            call = read(text)
            return self._beyond(call) if call is not None else ""

        return cache(why)

    def _kept(self, text: str) -> str:
        """Return the call with changes that restore patterns. Empty if it is still unusual."""
        call = read(text)
        if call is None:
            return text
        kept = call
        for each in self.relations:
            kept = self._keeping(each, kept)
        if self._beyond(kept):
            return ""
        return text if kept == call else kept.text()

    def _keeping(self, relation: ArgumentRelation, call: Call) -> Call:
        given = by_name(call.built(), self.names)
        if relation.kept_by is None or relation.keeps(given) is not False:
            return call
        at = list(given).index(relation.parameters[-1])
        if isinstance(call.values[at], Recipe):
            return call.with_value(at, replace(call.values[at], order=SORTED))
        return call.with_value(at, relation.kept_by(*(given[name] for name in relation.parameters)))

    def _beyond(self, call: Call) -> str:
        given = by_name(call.built(SAMPLE), self.names)
        whole = by_name(call.built(), self.names) if self.stated or self.relations or self.structures else given
        for name, value in given.items():
            if is_deeper(value):
                return f"no known call is nested as deep in `{name}`"
            if passed := next((each.words for each in self.stated if each.breaks(name, whole[name])), ""):
                return passed
            hint = self.declared.hints.get(name)
            if (
                name not in self.shown
                or isinstance(value, Opaque)
                or (hint is not None and self.declared.classes.fits(hint, value))
            ):
                continue
            if missing := self.shown[name].missing(value):
                return f"no known call has {missing} for `{name}`"
        broken = next((each.words for each in self.relations if each.keeps(whole) is False), "")
        return broken or self._misshapen(whole) or self._unlike(given) or FORBIDDEN * (not self.declared.allows(call))

    def _misshapen(self, given: Mapping[str, Any]) -> str:
        """Size or index within an argument that breaks what all known ones keep."""
        found = (self.structures[name].broken(value) for name, value in given.items() if name in self.structures)
        return next((words for words in found if words), "")

    def _unlike(self, given: Mapping[str, Any]) -> str:
        """Property of an argument that all known ones lack."""
        known = ((name, self.shown[name].unlike(value)) for name, value in given.items() if name in self.shown)
        return next((f"no known call has {lacking} for `{name}`" for name, lacking in known if lacking), "")


def by_name(call: Call, names: Sequence[str]) -> dict[str, Any]:
    """Arguments by the names of their parameters; of more than there are names for, by their place."""
    placed = {names[at] if at < len(names) else f"argument {at + 1}": value for at, value in enumerate(call.args)}
    return {**placed, **dict(call.kwargs)}


def contract_of(
    function: Function, known: Sequence[str], declared: DeclaredTypes | None = None, *, vouched: bool = True
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
        if each.parameter in shown:
            shown[each.parameter] = _reaching(shown[each.parameter], each)
    kept = tuple(each for each in relations(function.node) if each.is_kept_by(calls))
    structures = {name: found for name, known in values.items() if (found := structure(name, known)).words}
    return Contract(function.parameters, shown, kept, stated, structures, declared)


def _read(known: Sequence[str]) -> Iterator[Call]:
    """Known calls, the shortest first, as far as there is room for them."""
    total, of_lists = 0, 0
    for text in sorted(known, key=len):
        if total + len(text) <= MOST_TEXT:
            total += len(text)
            call = read(text, LONG_CALL)
        elif of_lists + len(text) <= MOST_OF_LISTS:
            of_lists += len(text)
            call = read_lists(text)
        else:
            return
        if call is not None:
            yield call


def _reaching(shown: Seen, bound: StatedBound) -> Seen:
    """Add zero and negative numbers, if a stated lower bound allows them."""
    if bound.of_length or bound.low is None:
        return shown
    zero, negative = bool(bound.allows(0)) and bound.low <= 0, bound.low < 0
    values = shown.values
    return replace(shown, values=replace(values, zero=values.zero or zero, negative=values.negative or negative))
