"""Choice of known calls that are made together, and of their scenarios."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

from codeopt.workloads._policy import InputPolicy
from codeopt.workloads.contract.function import Contract, by_name
from codeopt.workloads.function.calls.scenario import Scenario
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import Call, Constructed, read
from codeopt.workloads.source.module_names import imported_names, settings, subclasses
from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.caveat import Tier
from codeopt_sandbox.guest.calls import scenarios as steps

if TYPE_CHECKING:
    from codeopt_sandbox.guest.calls.scenarios import Steps

POOL = 6
"""Number of calls that scenarios are made of."""
GIVEN = 4
"""Maximum number of given calls among these."""
FEW = 3
"""Number of pairs of calls in two threads, of calls that repeat alone, and of calls that are read by turns.

Each pair and each call is made many times.
"""
TRACED_S = 0.001
"""Maximum time of a call that is stopped at its lines, seconds: with that it takes some ten times as long."""
MOST_RENEWED = 50
"""Maximum number of calls that are made once more, each after its first result was changed."""
RENEWED_S = 0.03
"""Maximum time of such a call, seconds."""
QUICK_S = 0.005
"""Maximum time of a call that scenarios are made of, seconds."""
LONGEST = 4000
"""Maximum length of such a call, characters."""
LONGEST_ANSWER = 8000
"""Maximum length of its answer, encoded, bytes."""
REARRANGED = 2
"""Number of other orders of the items of one call."""
RETYPED = 2
"""Number of calls with an equal argument of another type, of each kind."""
OTHER_TYPE = "an equal argument of another type was given before"
CALLBACK = "a callback is given other arguments, or in another order"
MOST_UNUSUAL = 40
"""Maximum number of scenarios that only some callers play."""
SETTINGS = 4
"""Number of constants that are set, and of classes of which there are objects of subclasses."""
ONE_OBJECT = "one object is given at two places"
OTHER_CONTEXT = "the caller, or its thread, has another decimal context"
CANCELLED = "the caller cancels it where it first waits, or closes it after its first item"


def scenarios(
    known: Sequence[KnownCall], contract: Contract, iterables: Sequence[int], function: Function, policy: InputPolicy
) -> list[Scenario]:
    """Scenarios of a few quick calls with different answers. iterables: places of parameters that may be given an
    iterator. policy: what a difference in unusual ones does."""
    usable = [each for each in known if _is_usable(each)]
    pool = _pool(usable)
    texts = [each.text for each in pool]
    found = [*_together(pool, contract, function.asynchronous), *_with_callbacks(texts, iterables)]
    found += [Scenario(steps.RENEWED, (text,)) for text in _renewed(known)]
    found += _retyped(usable, contract)
    if policy.generates:
        found += islice(_unusual(texts[:FEW], contract, function), MOST_UNUSUAL)
    return _told_apart({each.text: each for each in found}.values(), contract, policy)


def _renewed(known: Sequence[KnownCall]) -> list[str]:
    """Calls that are made once more after their result was changed: given ones first, quick ones before others."""
    usable = [each for each in known if each.returns and each.seconds <= RENEWED_S]
    ordered = sorted(usable, key=lambda each: (each.source in MADE_UP, each.seconds))
    return [each.text for each in ordered[:MOST_RENEWED]]


def _told_apart(found: Collection[Scenario], contract: Contract, policy: InputPolicy) -> list[Scenario]:
    """Leave out scenarios with a call that type hints exclude. Set the reason of those that the user's expression
    excludes, and not another one where unusual inputs reject."""
    allowed = {*contract.declared.allowed({call for each in found for call in each.calls})}
    found = [each for each in found if allowed.issuperset(each.calls)]
    contract.ask([call for each in found for call in each.calls])
    because = [next(filter(None, map(contract.outside, each.calls)), "") for each in found]
    rejects = policy.rejects(Tier.UNUSUAL)
    pairs = zip(found, because, strict=True)
    return [replace(each, because=why or each.because * (not rejects)) for each, why in pairs]


def _is_usable(each: KnownCall) -> bool:
    short = len(each.text) <= LONGEST and each.outcome.value.size <= LONGEST_ANSWER
    return each.returns and each.seconds <= QUICK_S and short


def _pool(usable: Sequence[KnownCall]) -> list[KnownCall]:
    """Calls with different answers, given ones first, those with much to answer before others."""
    ordered = sorted(usable, key=lambda each: -each.outcome.value.size)
    by_answer = {each.outcome.value.digest: each for each in reversed(ordered)}
    different = sorted(by_answer.values(), key=lambda each: -each.outcome.value.size)
    given = [each for each in different if each.source not in MADE_UP][:GIVEN]
    return [*given, *(each for each in different if each not in given)][:POOL]


def _pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Each with the next one."""
    return [pair for pair in zip(texts, [*texts[1:], *texts[:1]], strict=True) if pair[0] != pair[1]]


def _together(pool: Sequence[KnownCall], contract: Contract, asynchronous: bool) -> Iterator[Scenario]:
    """Scenarios that any caller may make: a call again, two calls of which the second sees what the first left, two at
    once."""
    texts = [each.text for each in pool]
    pairs = _pairs(texts)
    contract.ask([other for text in texts for other in _orders(text)])
    for text in texts:
        yield Scenario(steps.AGAIN, (text,))
        if any(maker in text for maker in ("Decimal(", "Fraction(", "datetime.", "CALLS[")):
            yield Scenario(steps.JOINED, (text,))
        for other in _rearranged(text, contract):
            yield Scenario(steps.CHANGED, (text, other))
    yield from (Scenario(steps.CHANGED, pair) for pair in pairs)
    quick = {each.text for each in pool if each.seconds <= TRACED_S}
    yield from (Scenario(steps.OFTEN, (text,)) for text in [text for text in texts if text in quick][:FEW])
    yield from (Scenario(steps.THREADS, pair) for pair in [pair for pair in pairs if {*pair} <= quick][:FEW])
    if asynchronous:
        yield from (Scenario(steps.GATHERED, pair) for pair in pairs)
    elif any(each.outcome.kind == Kind.YIELDS for each in pool):
        for each in (steps.TURN, steps.HALVES, steps.LEFT):
            yield from (Scenario(each, pair) for pair in pairs)
        yield from (Scenario(each, (text,)) for each in (steps.THROWN, steps.CLOSED) for text in texts[:FEW])
        yield from (Scenario(steps.TURN, (text, text)) for text in texts[:FEW])


def _unusual(texts: Sequence[str], contract: Contract, function: Function) -> Iterator[Scenario]:
    """Scenarios that only some callers play: they set a constant of the module, give objects of subclasses, one object
    at two places, have another decimal context."""
    for name, value in [*settings(function).items()][:SETTINGS]:
        because = f"{name} of the module is set to {value!r}"
        yield from (Scenario(steps.with_setting(name, value), (text,), because) for text in texts)
    for base, name in subclasses(function.source)[:SETTINGS]:
        because = f"an object is of {name}, a subclass of {base}"
        yield from (Scenario(steps.of_subclass(base, name), (text,), because) for text in texts)
    if any(name.partition(".")[0] == "decimal" for name in imported_names(function.source)):
        yield from (Scenario(steps.IN_CONTEXT, (text,), OTHER_CONTEXT) for text in texts)
    if function.asynchronous:
        yield from (Scenario(steps.CANCELLED, (text,), CANCELLED) for text in texts)
    for text in texts:
        call = read(text)
        if call is not None:
            yield from (Scenario(each, (text,), ONE_OBJECT) for each in _with_one_object(call, contract))


def _with_one_object(call: Call, contract: Contract) -> Iterator[Steps]:
    """Ways to give one object at two places, as all items of an argument or as two arguments, with values that keep to
    the contract."""
    found = []
    for at, value in enumerate(call.args):
        if isinstance(value, list) and len(value) > 1 and {*map(type, value)} in ({list}, {dict}, {set}):
            found.append((steps.same_rows(at), call.with_value(at, value[:1] * len(value))))
    for one, other in combinations(range(len(call.args)), 2):
        kind = type(call.args[one])
        if kind in (list, dict, set) and kind is type(call.args[other]):
            found.append((steps.same_twice(one, other), call.with_value(other, call.args[one])))
    yield from (each for each, equal in found if not contract.beyond(equal.text()))


def _rearranged(text: str, contract: Contract) -> list[str]:
    """Return the call with reordered arguments, as far as the contract allows these."""
    return [other for other in _orders(text) if not contract.beyond(other)][:REARRANGED]


def _orders(text: str) -> list[str]:
    """Return the call with a list in another order of the same length, or with one item twice."""
    call = read(text)
    found = []
    for at, value in enumerate(call.values if call else ()):
        if call is not None and isinstance(value, list) and len(value) > 1:
            ways = ([*value[:-1], value[0]], value[::-1])
            found += [call.with_value(at, way).text() for way in ways if way != value]
    return found


def _with_callbacks(texts: Sequence[str], iterables: Sequence[int]) -> Iterator[Scenario]:
    """Scenarios in which an argument runs the caller's own code."""
    may_hold = [text for text in texts if any(maker in text for maker in ("load(", "CALLS[", "unpickle(", "iter("))]
    for text in may_hold:
        yield Scenario(steps.TRACED, (text,), CALLBACK)
    lazy = [other for text in texts if (other := _as_iterators(text, iterables)) is not None]
    for text in [*may_hold, *lazy]:
        other = next((each for each in texts if each != text), text)
        yield Scenario(steps.INSIDE, (text, text))
        yield Scenario(steps.INSIDE, (text, other))


def _as_iterators(text: str, places: Sequence[int]) -> str | None:
    call = read(text)
    found = call
    for at in places:
        if found is not None and at < len(found.values) and isinstance(found.values[at], list):
            found = found.with_value(at, Constructed("iter", (found.values[at],)))
    return found.text() if found is not None and found is not call else None


def _retyped(usable: Sequence[KnownCall], contract: Contract) -> Iterator[Scenario]:
    """Yield a call followed by an equal one with another type, in both orders.

    A cache whose key compares by equality returns the first result for both.
    """
    counts: dict[tuple[str, str], int] = {}
    for each in sorted(usable, key=lambda each: (each.source in MADE_UP, len(each.text))):
        call = read(each.text)
        for at, other in _equal_ones(call) if call is not None else ():
            assert call is not None
            name, old = list(by_name(call, contract.names).items())[at]
            way = type(old).__name__, type(other).__name__
            counts[way] = counts.get(way, 0) + 1
            if counts[way] > RETYPED:
                continue
            known = name in contract.shown and {*way} <= contract.shown[name].kinds.keys()
            pair = each.text, call.with_value(at, other).text()
            yield Scenario(steps.ORDER, pair, "" if known else OTHER_TYPE)
            yield Scenario(steps.ORDER, pair[::-1], "" if known else OTHER_TYPE)


def _equal_ones(call: Call) -> Iterator[tuple[int, object]]:
    """Numbers of another type that are equal, by the place of the argument."""
    for at, value in enumerate(call.values):
        if type(value) is int:
            yield from ([(at, float(value))] if abs(value) < 2**53 else [])
            yield from ([(at, bool(value))] if value in (0, 1) else [])
        elif type(value) is bool or (type(value) is float and value.is_integer()):
            yield at, int(value)
