"""Contract of a function's arguments: types that hints and known calls show, and relations that all known calls keep
and its code relies on. Inputs outside the contract can only produce caveats."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codeopt.analysis.positions import Def
from codeopt.workloads.contract.function.class_hints import ClassHints, class_hints
from codeopt.workloads.contract.function.docstring import StatedBound, stated_bounds
from codeopt.workloads.contract.function.hinted import fits
from codeopt.workloads.contract.function.relations import ArgumentRelation, relations
from codeopt.workloads.contract.function.seen import Seen, seen
from codeopt.workloads.contract.function.structure import Structure, structure
from codeopt.workloads.contract.function.value_range import FEW
from codeopt.workloads.contract.function.words import in_one_line
from codeopt.workloads.source.functions import Function, definition
from codeopt.workloads.source.literals import Call, Opaque, is_deeper, read, read_lists

MOST_TEXT = 2_000_000
"""Characters of known calls that are looked at."""
MOST_OF_LISTS = 8_000_000
"""The same of calls too long for Python's own parser, which are nothing but lists, numbers and texts."""
LONG_CALL = 1_000_000
"""Characters of a call that Python's own parser reads, in 1.5 s."""


@dataclass(frozen=True)
class Contract:
    """Says of a made-up call whether it is alike to known ones."""

    names: tuple[str, ...] = ()
    """Names of the parameters, by place."""
    shown: Mapping[str, Seen] = field(default_factory=dict)
    """Values that known calls give, by parameter."""
    hints: Mapping[str, ast.expr] = field(default_factory=dict)
    relations: tuple[ArgumentRelation, ...] = ()
    stated: tuple[StatedBound, ...] = ()
    """Bounds that the docstring states and no known call breaks."""
    structures: Mapping[str, Structure] = field(default_factory=dict)
    """Sizes and indices within values, by parameter."""
    classes: ClassHints = ClassHints()
    asked: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Reasons why calls go beyond the known ones, by call: reading a long call takes longer than making it."""
    narrowed: Callable[[Sequence[str]], Mapping[str, str]] | None = field(default=None, compare=False)
    """Asks the user's expression about some calls, in one run of the sandbox: the reason why each is outside, empty for
    those inside. None where there is no expression."""
    narrowed_to: str = ""
    """The expression."""
    told: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Answers of the expression, by call."""

    @property
    def words(self) -> str:
        """`n >= 1; items: non-empty list of int >= 0; narrowed to n < 9`; empty where nothing is known."""
        within = [words for found in self.structures.values() for words in found.words]
        stated = [each.words for each in self.stated]
        learnt = in_one_line(self.shown, [*stated, *(each.words for each in self.relations), *within])
        return "; ".join(filter(None, [learnt, f"narrowed to {self.narrowed_to}" * bool(self.narrowed_to)]))

    def ask(self, texts: Sequence[str]) -> None:
        """Ask the user's expression about all these calls at once: each one by itself would be a run of its own."""
        new = [text for text in dict.fromkeys(texts) if text not in self.told]
        if self.narrowed is not None and new:
            self.told.update(self.narrowed(new))

    def outside(self, text: str) -> str:
        """Why a call is outside of the user's expression; empty when it is not, or there is none."""
        if self.narrowed is None:
            return ""
        self.ask([text])
        return self.told[text]

    def inside(self, texts: Sequence[str]) -> list[str]:
        """The calls that do not go beyond the contract."""
        alike = [text for text in texts if not self._unalike(text)]
        self.ask(alike)
        return [text for text in alike if not self.outside(text)]

    def beyond(self, text: str) -> str:
        """Why a call goes beyond the contract; empty when it does not."""
        return self._unalike(text) or self.outside(text)

    def within(self, texts: Sequence[str]) -> dict[str, str]:
        """Calls, each changed where it has to be to keep what known calls keep, by what it was; without those that go
        beyond the contract still."""
        kept = {text: keeping for text in texts if (keeping := self._kept(text))}
        self.ask(list(kept.values()))
        return {text: keeping for text, keeping in kept.items() if not self.outside(keeping)}

    def _unalike(self, text: str) -> str:
        """Why a call goes beyond the known ones; empty when it does not."""
        if text not in self.asked:
            call = read(text)
            self.asked[text] = self._beyond(call) if call is not None else ""
        return self.asked[text]

    def _kept(self, text: str) -> str:
        """The call, changed where it has to be; empty where it goes beyond the known ones still."""
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
        given = by_name(call, self.names)
        if relation.kept_by is None or relation.keeps(given) is not False:
            return call
        value = relation.kept_by(*(given[name] for name in relation.parameters))
        return call.with_value(list(given).index(relation.parameters[-1]), value)

    def _beyond(self, call: Call) -> str:
        given = by_name(call, self.names)
        for name, value in given.items():
            if is_deeper(value):
                return f"no known call is nested as deep in `{name}`"
            if passed := next((each.words for each in self.stated if each.breaks(name, value)), ""):
                return passed
            hint = self.hints.get(name)
            if (
                name not in self.shown
                or isinstance(value, Opaque)
                or (hint is not None and fits(value, hint, self.classes))
            ):
                continue
            if missing := self.shown[name].missing(value):
                return f"no known call has {missing} for `{name}`"
        broken = next((each.words for each in self.relations if each.keeps(given) is False), "")
        return broken or self._misshapen(given) or self._unlike(given)

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
    function: Function, known: Sequence[str], classes: ClassHints | None = None, *, vouched: bool = True
) -> Contract:
    """known: calls that say what arguments are. classes: those of the project; None: of the module and its folder.
    vouched: somebody made them; hints alone break no stated bound."""
    node = definition(ast.parse(function.source), function.qualname)
    if node is None:
        return Contract()
    calls = [by_name(call, function.parameters) for call in _read(known)]
    names = dict.fromkeys(name for call in calls for name in call)
    values = {name: [call[name] for call in calls if name in call] for name in names}
    left_out = {name: [value] for name, value in defaults(node).items() if name not in values} if calls else {}
    given = values if vouched else {}
    stated = tuple(
        each for each in stated_bounds(node)
        if not any(each.breaks(each.parameter, value) for value in given.get(each.parameter, ()))
    )  # fmt: skip
    shown = {name: seen(known) for name, known in {**values, **left_out}.items()}
    for each in stated:
        if each.parameter in shown:
            shown[each.parameter] = _reaching(shown[each.parameter], each)
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    hints = {each.arg: each.annotation for each in every if each.annotation is not None}
    owner = function.qualname.rpartition(".")[0]
    here = (classes or class_hints(function)).within(owner)
    if function.kind in ("method", "property") and function.parameters:
        hints.setdefault(function.parameters[0], ast.Name(owner, ast.Load()))
    kept = tuple(
        each for each in relations(node)
        if sum(each.keeps(call) is True for call in calls) >= FEW
        and not any(each.keeps(call) is False for call in calls)
    )  # fmt: skip
    structures = {name: found for name, known in values.items() if (found := structure(name, known)).words}
    return Contract(function.parameters, shown, hints, kept, stated, structures, here)


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
    """With zero and numbers below it, where a stated lower bound lets them in."""
    if bound.of_length or bound.low is None:
        return shown
    zero, negative = bool(bound.allows(0)) and bound.low <= 0, bound.low < 0
    values = shown.values
    return replace(shown, values=replace(values, zero=values.zero or zero, negative=values.negative or negative))


def defaults(node: Def) -> dict[str, Any]:
    """Literal that a parameter has where a call leaves it out; not None, which says nothing of what else it may be."""
    places = [*node.args.posonlyargs, *node.args.args]
    given = [*zip(places[len(places) - len(node.args.defaults) :], node.args.defaults, strict=True),
             *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]  # fmt: skip
    read_as = {each.arg: read(f"f({ast.unparse(default)})") for each, default in given if default is not None}
    values = {name: call.values[0] for name, call in read_as.items() if call is not None}
    return {name: value for name, value in values.items() if value is not None and not isinstance(value, Opaque)}
