"""Several calls that are made together, as cases, and the smallest that shows a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

from codeopt.core.call import Call, texts_of
from codeopt.core.revision import Revision
from codeopt.workloads._judging import USUAL_POLICY, InputPolicy
from codeopt.workloads.contract.function import Contract, by_name
from codeopt.workloads.function import counterexample
from codeopt.workloads.function.corpus.cases import CallCase
from codeopt.workloads.function.corpus.corpus import iterables
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall, values_of
from codeopt.workloads.function.counterexample import Probe, Scenario
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.shrink import Failing, Shrinker, smaller_calls
from codeopt.workloads.function.unusual import as_iterators
from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.names import imported_names, settings, subclasses
from codeopt_sandbox.calls import Answer, CallAnswer, CallBatch, CallRun, Kind
from codeopt_sandbox.guest.calls import scenarios as steps
from codeopt_sandbox.guest.calls.scenarios import AGAIN, THREADS
from codeopt_sandbox.guest.request import batch_of
from codeopt_sandbox.outcome import Case, Tier

if TYPE_CHECKING:
    from codeopt_sandbox.guest.calls.scenarios import Steps


LONGEST_SHOWN = 400
"""Characters of statements that are shown in full."""

MANY = 40
"""Number of other scenarios that are tried at once."""


def scenario_cases(
    harness: FunctionHarness, runner: TimedRuns, known: Sequence[KnownCall], contract: Contract, *,
    may_change: bool = False, policy: InputPolicy = USUAL_POLICY,
) -> list[Case]:  # fmt: skip
    """Return a case of the scenarios that hold for the original.

    `may_change` excludes scenarios that give a call the objects of an earlier one, which may have changed them. The
    list is empty if no scenario remains.
    """
    wanted = scenarios(known, contract, iterables(harness), harness.function, policy)
    wanted = [each for each in wanted if not (may_change and each.steps == AGAIN)]
    kept = _kept(harness, runner, wanted) if wanted else {}
    if not kept:
        return []
    ordered = sorted(kept, key=lambda each: bool(each.because))
    batch = _batch(harness, ordered, [each.seconds for each in kept.values()])
    answer = CallAnswer(tuple(kept[each] for each in ordered), tuple(map(runner.calls.name, batch.calls)))
    title = f"{len(ordered)} scenarios of several calls"
    beyond = tuple(each.because for each in ordered)
    return [
        CallCase("together", batch.stdin(), title=title, answer=answer, probes=(*ordered,), beyond=beyond, several=True)
    ]


def _batch(harness: FunctionHarness, probes: Sequence[Probe], seconds: Sequence[float] = ()) -> CallBatch:
    """seconds: that the original takes."""
    # Time that a draft has for one scenario at least, seconds; ten times what the original takes, if that is more. It
    # protects from a deadlock alone: with 2 s a right draft was wrong on two cores with a load of 30.
    longest = max(15.0, 10 * max(seconds, default=0.0))
    # time that a draft has for all scenarios at least, seconds; ten times what the original takes, if that is more
    budget = max(30.0, 10 * sum(seconds))
    return CallBatch(
        tuple(each.text for each in probes), "combine", seconds=longest, lost=0, budget=budget, ordered=harness.ordered
    )


def _kept(harness: FunctionHarness, runner: TimedRuns, wanted: Sequence[Scenario]) -> dict[Scenario, Answer]:
    """Scenarios that hold for the original, with what it answers."""
    calls = list(dict.fromkeys(call for each in wanted for call in each.as_alone))
    batch = _batch(harness, [*calls, *wanted])
    answer = runner.run(harness.revision, batch.stdin(), mode="exec").answer
    if answer is None:
        return {}
    alone = dict(zip(calls, answer.outcomes, strict=False))
    pairs = zip(wanted, answer.outcomes[len(calls) :], strict=True)
    return {each: outcome for each, outcome in pairs if outcome.kind == Kind.RETURNS and each.holds(outcome, alone)}


def by_single_calls(
    case: CallCase, run: CallRun, runner: TimedRuns, draft: Revision, contract: Contract
) -> Mapping[int, str]:
    """Why a call is unusual, by the scenarios in which it is given after an equal one of another type, if the draft
    answers it so by itself also: then the call before it is not the reason."""
    outcomes = run.answer.outcomes if run.answer else ()
    found = enumerate(zip(case.probes, case.beyond, outcomes, strict=False))
    retyped = {at: each for at, (each, why, _) in found if isinstance(each, Scenario) and why == OTHER_TYPE}
    calls = tuple(dict.fromkeys(call for each in retyped.values() for call in each.as_alone))
    batch = batch_of(case.stdin).replace(calls=texts_of(calls))
    answer = runner.run(draft, batch.stdin(), mode="exec", environment=case.environment).answer if calls else None
    alone = dict(zip(calls, answer.outcomes, strict=False)) if answer else {}
    return {
        at: why
        for at, each in retyped.items()
        if alone.keys() >= {*each.as_alone} and each.holds(outcomes[at], alone)
        for why in [next(filter(None, map(contract.beyond, each.calls)), "")]
        if why
    }


@dataclass(frozen=True)
class ScenarioShrinker(Shrinker[Scenario]):
    """Looks for the smallest scenario that shows what a larger one does."""

    harness: FunctionHarness
    runner: TimedRuns
    draft: Revision
    inside: Callable[[Sequence[Call]], Sequence[Call]]
    """Filters calls: those that do not go beyond the contract stay."""

    def smallest(self, found: Iterable[Failing[Scenario]]) -> str:
        """The smallest near one of these, as statements with what comes of them on both sides; empty where none of them
        fails by itself."""
        made = [each.call for each in found if each.kinds[-1] != Kind.NOT_MADE]
        # anything is read more easily than two threads
        first = min(made, key=lambda each: (each.steps == THREADS, len(each.text)), default=None)
        return self.shrunk(first)[0].detail if first else ""

    def failing(self, probes: list[Scenario], *, results: bool = False) -> list[Failing[Scenario]]:
        """Scenarios that the original keeps to and the draft does not."""
        kept = _kept(self.harness, self.runner, probes) if probes else {}
        batch = _batch(self.harness, [*kept], [each.seconds for each in kept.values()])
        answer = self.runner.run(self.draft, batch.stdin(), mode="exec").answer if kept else None
        found = []
        for (each, was), now in zip(kept.items(), answer.outcomes if answer else (), strict=False):
            if was.observed() != now.observed():
                text = counterexample.threads(each, now.stopped) or counterexample.as_python(each)
                shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}... ({len(text)} characters)"
                found.append(Failing(each, f"{shown}: expected {was.text}, got {now.text}", late=False))
        return found

    def smaller(self, probe: Scenario) -> Sequence[Scenario]:
        """The scenario with one of its calls smaller, or with all equal ones smaller."""
        found: dict[Call, Scenario] = {}
        for call in dict.fromkeys(probe.calls):
            for less in self.inside([less for less in smaller_calls(call) if len(less.text) < len(call.text)]):
                calls = tuple(less if each == call else each for each in probe.calls)
                found[less] = replace(probe, calls=calls)
        # number of scenarios with threads that are tried at once: each is played many times
        return sorted(found.values(), key=lambda each: len(each.text))[: 8 if probe.steps == THREADS else MANY]


GIVEN = 4
"""Maximum number of given calls among these."""

FEW_PAIRS = 3
"""Number of pairs of calls in two threads, of calls that repeat alone, and of calls that are read by turns.

Each pair and each call is made many times.
"""
LONGEST = 4000
"""Maximum length of a call, characters. A guard makes the timed calls again after their results were changed."""
OTHER_TYPE = "an equal argument of another type was given before"
CALLBACK = "a callback is given other arguments, or in another order"
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
    usable = [
        each
        for each in known
        if each.returns
        # maximum time of a call that scenarios are made of, seconds, and length of its answer, encoded, bytes
        and each.seconds <= 0.005
        and len(each.call.text) <= LONGEST
        and each.outcome.value.size <= 8000
    ]
    # calls with different answers, given ones first, those with much to answer before others
    ordered = sorted(usable, key=lambda each: -each.outcome.value.size)
    by_answer = {each.outcome.value.digest: each for each in reversed(ordered)}
    different = sorted(by_answer.values(), key=lambda each: -each.outcome.value.size)
    given = [each for each in different if each.source not in MADE_UP][:GIVEN]
    # number of calls that scenarios are made of
    pool = [*given, *(each for each in different if each not in given)][:6]
    found = [*_together(pool, contract, function.asynchronous), *_with_callbacks(pool, iterables)]
    # calls that are made once more after their result was changed: given ones first, short ones before others
    # maximum time of a call that is made once more, seconds
    renewed = [each for each in known if each.returns and each.seconds <= 0.03 and len(each.call.text) <= LONGEST]
    renewed.sort(key=lambda each: (each.source in MADE_UP, len(each.call.text)))
    found += [Scenario(steps.RENEWED, (each.call,)) for each in renewed[:50]]
    found += _retyped(usable, contract)
    if policy.generates:
        # maximum number of scenarios that only some callers play
        found += islice(_unusual(pool[:FEW_PAIRS], contract, function), 40)
    # Scenarios with a call that type hints exclude are left out. Those that the user's expression excludes have it as
    # their reason, also where other unusual inputs reject.
    found = list({each.text: each for each in found}.values())
    allowed = {*contract.declared.allowed({call for each in found for call in each.calls})}
    found = [each for each in found if allowed.issuperset(each.calls)]
    contract.ask([call for each in found for call in each.calls])
    because = [next(filter(None, map(contract.outside, each.calls)), "") for each in found]
    rejects = policy.rejects(Tier.UNUSUAL)
    pairs = zip(found, because, strict=True)
    return [replace(each, because=why or each.because * (not rejects)) for each, why in pairs]


def _together(pool: Sequence[KnownCall], contract: Contract, asynchronous: bool) -> Iterator[Scenario]:
    """Scenarios that any caller may make: a call again, two calls of which the second sees what the first left, two at
    once."""
    calls = [each.call for each in pool]
    # each with the next one
    pairs = [pair for pair in zip(calls, [*calls[1:], *calls[:1]], strict=True) if pair[0] != pair[1]]
    orders = {call: _orders(call) for call in calls}
    contract.ask([other for found in orders.values() for other in found])
    for call in calls:
        yield Scenario(steps.AGAIN, (call,))
        if any(maker in call.text for maker in ("Decimal(", "Fraction(", "datetime.", "CALLS[")):
            yield Scenario(steps.JOINED, (call,))
        # number of other orders of the items of one call
        for other in [other for other in orders[call] if not contract.beyond(other)][:2]:
            yield Scenario(steps.CHANGED, (call, other))
    yield from (Scenario(steps.CHANGED, pair) for pair in pairs)
    # maximum time of a call that is stopped at its lines, seconds: with that it takes some ten times as long
    quick = {each.call for each in pool if each.seconds <= 0.001}
    yield from (Scenario(steps.OFTEN, (call,)) for call in [call for call in calls if call in quick][:FEW_PAIRS])
    yield from (Scenario(steps.THREADS, pair) for pair in [pair for pair in pairs if {*pair} <= quick][:FEW_PAIRS])
    if asynchronous:
        yield from (Scenario(steps.GATHERED, pair) for pair in pairs)
    elif any(each.outcome.kind == Kind.YIELDS for each in pool):
        for each in (steps.TURN, steps.HALVES, steps.LEFT):
            yield from (Scenario(each, pair) for pair in pairs)
        yield from (Scenario(each, (call,)) for each in (steps.THROWN, steps.CLOSED) for call in calls[:FEW_PAIRS])
        yield from (Scenario(steps.TURN, (call, call)) for call in calls[:FEW_PAIRS])


def _unusual(pool: Sequence[KnownCall], contract: Contract, function: Function) -> Iterator[Scenario]:
    """Scenarios that only some callers play: they set a constant of the module, give objects of subclasses, one object
    at two places, have another decimal context."""
    calls = [each.call for each in pool]
    for name, value in [*settings(function).items()][:SETTINGS]:
        because = f"{name} of the module is set to {value!r}"
        yield from (Scenario(steps.with_setting(name, value), (call,), because) for call in calls)
    for base, name in subclasses(function.source)[:SETTINGS]:
        because = f"an object is of {name}, a subclass of {base}"
        yield from (Scenario(steps.of_subclass(base, name), (call,), because) for call in calls)
    if any(name.partition(".")[0] == "decimal" for name in imported_names(function.source)):
        yield from (Scenario(steps.IN_CONTEXT, (call,), OTHER_CONTEXT) for call in calls)
    if function.asynchronous:
        yield from (Scenario(steps.CANCELLED, (call,), CANCELLED) for call in calls)
    for call in values_of(pool):
        yield from (Scenario(each, (call,), ONE_OBJECT) for each in _with_one_object(call, contract))


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
    yield from (each for each, equal in found if not contract.beyond(equal))


def _orders(call: Call) -> list[Call]:
    """Return the call with a list in another order of the same length, or with one item twice."""
    found = []
    for at, value in enumerate(call.values):
        if isinstance(value, list) and len(value) > 1:
            ways = ([*value[:-1], value[0]], value[::-1])
            found += [call.with_value(at, way) for way in ways if way != value]
    return found


def _with_callbacks(pool: Sequence[KnownCall], iterables: Sequence[int]) -> Iterator[Scenario]:
    """Scenarios in which an argument runs the caller's own code."""
    calls, makers = [each.call for each in pool], ("load(", "CALLS[", "unpickle(", "iter(")
    may_hold = [call for call in calls if any(maker in call.text for maker in makers)]
    for call in may_hold:
        yield Scenario(steps.TRACED, (call,), CALLBACK)
    lazy = (as_iterators(call, iterables, 1) for call in values_of(pool))
    for call in [*may_hold, *filter(None, lazy)]:
        other = next((each for each in calls if each != call), call)
        yield Scenario(steps.INSIDE, (call, call))
        yield Scenario(steps.INSIDE, (call, other))


def _retyped(usable: Sequence[KnownCall], contract: Contract) -> Iterator[Scenario]:
    """Yield a call followed by an equal one with another type, in both orders.

    A cache whose key compares by equality returns the first result for both.
    """
    counts: dict[tuple[str, str], int] = {}
    for each in sorted(usable, key=lambda each: (each.source in MADE_UP, len(each.call.text))):
        # numbers of another type that are equal, by the place of the argument
        equal: list[tuple[int, object]] = []
        for at, value in enumerate(each.call.values):
            if type(value) is int:
                equal += [(at, float(value))] if abs(value) < 2**53 else []
                equal += [(at, bool(value))] if value in (0, 1) else []
            elif type(value) is bool or (type(value) is float and value.is_integer()):
                equal.append((at, int(value)))
        for at, other in equal:
            name, old = list(by_name(each.call, contract.names).items())[at]
            way = type(old).__name__, type(other).__name__
            counts[way] = counts.get(way, 0) + 1
            # number of calls with an equal argument of another type, of each kind
            if counts[way] > 2:
                continue
            known = name in contract.shown and {*way} <= contract.shown[name].kinds.keys()
            pair = each.call, each.call.with_value(at, other)
            yield Scenario(steps.ORDER, pair, "" if known else OTHER_TYPE)
            yield Scenario(steps.ORDER, pair[::-1], "" if known else OTHER_TYPE)
