"""Choice of known calls that are made together, and of their scenarios."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from codeopt.workloads.contract.function import Contract, by_name
from codeopt.workloads.function.calls.scenario import Scenario
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall
from codeopt.workloads.source.literals import Call, Constructed, read
from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.guest.calls.scenarios import (
    AGAIN,
    CHANGED,
    GATHERED,
    HALVES,
    INSIDE,
    JOINED,
    LEFT,
    OFTEN,
    ORDER,
    THREADS,
    TRACED,
    TURNS,
)

POOL = 6
"""Number of calls that scenarios are made of."""
GIVEN = 4
"""Number of given calls among these, where there are."""
FEW = 3
"""Pairs of calls in two threads, each of which is made many times; calls that are made many times by themselves; calls
that are read by turns with themselves."""
TRACED_S = 0.001
"""Maximum time of a call that is stopped at its lines, seconds: with that it takes some ten times as long."""
QUICK_S = 0.005
"""Maximum time of a call that scenarios are made of, seconds."""
LONGEST = 4000
"""Maximum length of such a call, characters."""
LONGEST_ANSWER = 4000
"""Maximum length of its answer, characters."""
REARRANGED = 2
"""Number of other orders of the items of one call."""
RETYPED = 2
"""Number of calls with an equal argument of another type, of each kind."""
OTHER_TYPE = "an equal argument of another type was given before"
CALLBACK = "a callback is given other arguments, or in another order"


def scenarios(
    known: Sequence[KnownCall], contract: Contract, iterables: Sequence[int], asynchronous: bool = False
) -> list[Scenario]:
    """Scenarios of a few quick calls with different answers. iterables: places of parameters that may be given an
    iterator."""
    usable = [each for each in known if _is_usable(each)]
    pool = _pool(usable)
    found = [*_together(pool, contract, asynchronous), *_with_callbacks([each.text for each in pool], iterables)]
    found += _retyped(usable, contract)
    return _told_apart({each.text: each for each in found}.values(), contract)


def _told_apart(found: Collection[Scenario], contract: Contract) -> list[Scenario]:
    """Scenarios with a call that the user's expression excludes say so."""
    contract.ask([call for each in found for call in each.calls])
    because = [next(filter(None, map(contract.outside, each.calls)), "") for each in found]
    return [replace(each, because=each.because or why) for each, why in zip(found, because, strict=True)]


def _is_usable(each: KnownCall) -> bool:
    short = len(each.text) <= LONGEST and len(each.outcome.text) <= LONGEST_ANSWER
    return each.returns and each.seconds <= QUICK_S and short


def _pool(usable: Sequence[KnownCall]) -> list[KnownCall]:
    """Calls with different answers, given ones first, those with much to answer before others."""
    ordered = sorted(usable, key=lambda each: -len(each.outcome.text))
    by_answer = {each.outcome.text: each for each in reversed(ordered)}
    different = sorted(by_answer.values(), key=lambda each: -len(each.outcome.text))
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
        yield Scenario(AGAIN, (text,))
        if any(maker in text for maker in ("Decimal(", "Fraction(", "datetime.", "CALLS[")):
            yield Scenario(JOINED, (text,))
        for other in _rearranged(text, contract):
            yield Scenario(CHANGED, (text, other))
    yield from (Scenario(CHANGED, pair) for pair in pairs)
    quick = {each.text for each in pool if each.seconds <= TRACED_S}
    yield from (Scenario(OFTEN, (text,)) for text in [text for text in texts if text in quick][:FEW])
    yield from (Scenario(THREADS, pair) for pair in [pair for pair in pairs if {*pair} <= quick][:FEW])
    if asynchronous:
        yield from (Scenario(GATHERED, pair) for pair in pairs)
    elif any(each.outcome.kind == Kind.YIELDS for each in pool):
        for kind in (TURNS, HALVES, LEFT):
            yield from (Scenario(kind, pair) for pair in pairs)
        yield from (Scenario(TURNS, (text, text)) for text in texts[:FEW])


def _rearranged(text: str, contract: Contract) -> list[str]:
    """The same call with other orders that do not go beyond the contract."""
    return [other for other in _orders(text) if not contract.beyond(other)][:REARRANGED]


def _orders(text: str) -> list[str]:
    """The same call with as many items of a list in another order, or one of them twice."""
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
        yield Scenario(TRACED, (text,), CALLBACK)
    lazy = [other for text in texts if (other := _as_iterators(text, iterables)) is not None]
    for text in [*may_hold, *lazy]:
        other = next((each for each in texts if each != text), text)
        yield Scenario(INSIDE, (text, text))
        yield Scenario(INSIDE, (text, other))


def _as_iterators(text: str, places: Sequence[int]) -> str | None:
    call = read(text)
    found = call
    for at in places:
        if found is not None and at < len(found.values) and isinstance(found.values[at], list):
            found = found.with_value(at, Constructed("iter", (found.values[at],)))
    return found.text() if found is not None and found is not call else None


def _retyped(usable: Sequence[KnownCall], contract: Contract) -> Iterator[Scenario]:
    """A call, and the same with an equal argument of another type, in both orders: what is kept by equality answers
    the second as the first."""
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
            yield Scenario(ORDER, pair, "" if known else OTHER_TYPE)
            yield Scenario(ORDER, pair[::-1], "" if known else OTHER_TYPE)


def _equal_ones(call: Call) -> Iterator[tuple[int, object]]:
    """Numbers of another type that are equal, by the place of the argument."""
    for at, value in enumerate(call.values):
        if type(value) is int:
            yield from ([(at, float(value))] if abs(value) < 2**53 else [])
            yield from ([(at, bool(value))] if value in (0, 1) else [])
        elif type(value) is bool or (type(value) is float and value.is_integer()):
            yield at, int(value)
