"""Which calls can be compared: the original makes them alike each time; why the others are left out.

A call whose answer is another one where the hash seed alone differs does not describe the function. One whose answer
depends on the environment is kept with the answer of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from codeopt.core.call import Call, texts_of
from codeopt.core.errors import Diagnostic, ProgramError
from codeopt.core.sanitize import inline
from codeopt.core.words import counted as number_of
from codeopt.workloads._runs import in_order
from codeopt.workloads.function.harness import FunctionHarness
from codeopt_sandbox.calls import Answer, CallBatch, Kind
from codeopt_sandbox.guest.answer import EFFECTS
from codeopt_sandbox.guest.calls.outcome import not_made
from codeopt_sandbox.guest.request import NEIGHBOUR, ORDERED, USUAL, Environment, seeded
from codeopt_sandbox.guest.tests.recorder import RETURNED

if TYPE_CHECKING:
    from codeopt_sandbox.guest.request import Ordered


BATCH = 60
"""Number of calls of one run."""
DERIVED_TOTAL_S = 0.25
"""Time limit of all generated calls, seconds; the quickest are kept."""
GIVEN_S = 5.0
"""Time limit of one given call, seconds."""
BIG_S = 600.0
"""Time limit of one call that was given for timing, seconds: it takes as long as it takes."""
GIVEN_TOTAL_S = 60.0
"""Time limit of all given calls when they are first made, seconds."""
DERIVED = "generated"
"""Source of calls that are made from known ones."""
MADE_UP = (DERIVED, "type_hints")
"""Sources that nobody vouches for: what such a call costs or breaks says nothing about the function's use."""
ALONE = NEIGHBOUR.replace(distinct=False)
"""Another hash seed and order, and nothing else."""
MORE_SEEDS = range(2, 14)
"""Hash seeds of further runs if some calls have no order. Under two seeds half of the sets of two items have the same
order by chance."""
REFUSED = "refused"
"""Generated also, of types that the function's own text refuses."""
_ACCIDENTS = (
    "TypeError",
    "AttributeError",
    "RecursionError",
    "MemoryError",
    "NameError",
    "UnboundLocalError",
    "OverflowError",
)
"""A derived call that ends so was no sensible call."""


@dataclass(frozen=True)
class KnownCall:
    """A call with what the original does."""

    call: Call
    outcome: Answer
    source: str
    """Source of the call: calls_file, model, tests, doctests, recorded, type_hints, generated, refused."""
    seconds: float
    """The less of the two runs that check it; only for choosing."""
    independent: bool = field(default=False, compare=False)
    """No run left any state behind: what the call does does not depend on the calls before it."""
    repeated: bool = field(default=True, compare=False)
    """Made more than once, so that its seconds are the least of several."""
    ordered: Ordered = "all"
    """Containers whose order is part of the outcomes; that of others differs each time."""
    elsewhere: tuple[tuple[str, Answer], ...] = field(default=(), compare=False)
    """Outcomes in other environments, by their names; not of one in which it cannot be compared."""

    def under(self, environment: Environment) -> Answer | None:
        """Outcome in an environment; in that of calls that are made from others it is the usual one."""
        usual = environment.name in (USUAL.name, NEIGHBOUR.name)
        return self.outcome if usual else dict(self.elsewhere).get(environment.name)

    @property
    def made_of_others(self) -> bool:
        return self.source in (DERIVED, REFUSED)

    @property
    def vouched(self) -> bool:
        """Somebody makes the call: it is made neither from known ones nor from hints."""
        return self.source not in (*MADE_UP, REFUSED)

    @property
    def returns(self) -> bool:
        """The call ends without an exception."""
        return self.outcome.kind in (Kind.RETURNS, Kind.YIELDS)


@dataclass(frozen=True)
class CallTimeLimit:
    """Seconds that one generated call may take, and all of them together."""

    # time limit of one generated call, seconds
    call: float = 0.1
    total: float = DERIVED_TOTAL_S
    lost: int = 3
    """After so many calls that take longer no more are made."""
    # number of generated calls of one run: they are short
    batch: int = 1000
    """Largest number of calls of one run."""
    is_said: bool = False
    """Calls for which there is no time are counted as left out."""


SHORT_CALLS = CallTimeLimit()
GIVEN = CallTimeLimit(GIVEN_S, GIVEN_TOTAL_S, batch=BATCH, is_said=True)
"""Limits of calls that somebody made."""


def observe(
    harness: FunctionHarness, calls: Sequence[Call], origin: dict[Call, str], patience: CallTimeLimit = SHORT_CALLS
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """The calls that do the same in another process, in another order and with sets in another order; of derived calls
    that leave no state behind those that say something of the function.

    What seems short is made first: the time for all of them may end before the last.
    """
    place = {call: at for at, call in enumerate(calls)}
    made_up = {call for call in calls if origin.get(call, DERIVED) in MADE_UP}
    ordered = sorted(calls, key=_size)
    known, dropped = _observe_all(harness, [call for call in ordered if call not in made_up], origin, GIVEN)
    allowed = harness.declared.allowed(call for call in ordered if call in made_up)
    more, other = _observe_all(harness, allowed, origin, patience)
    return [*sorted(known, key=lambda k: place[k.call]), *more], dropped + other


def as_recorded(
    known: Sequence[KnownCall], recorded: Mapping[str, Sequence[str]], name: str
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """The calls that do what they did when they were recorded. Others depend on a state of their module or environment
    that is not here: they say nothing of what the function is used for.

    recorded: what calls did, as codeopt_sandbox.guest.tests.recorder tells it. name: name of the function.
    """
    others = {each.call: ends for each in known if not _did(each, ends := recorded.get(each.call.text, ()))}
    if not others:
        return list(known), Counter()
    first = next(each for each in known if each.call in others)
    how, _, value = others[first.call][0].partition(" ")
    then = f"{how} {value if how != RETURNED else value.partition(' ')[2] or 'an object'}"
    shown = f"{name}{first.call.text[1:]} {then} when it was recorded and here {first.outcome.end}"
    state = Exclusion(ExclusionReason.STATE, inline(shown, 200))
    return [each for each in known if each.call not in others], Counter({state: len(others)})


def _did(known: KnownCall, ends: Sequence[str]) -> bool:
    """Whether a call did what it does one of the times that it was recorded, as far as that is known."""
    if not ends or known.ordered != ORDERED[0]:
        return True
    done = [end.split(" ") for end in ends]
    if known.outcome.kind == Kind.RAISES:
        return ["raised", known.outcome.exception.rpartition(".")[2]] in done
    return any(how == RETURNED and value[:1] in ([], [known.outcome.value.digest]) for how, *value in done)


def least_ordered(known: Sequence[KnownCall]) -> Ordered:
    """Containers whose order is part of all outcomes."""
    return max((each.ordered for each in known), default=ORDERED[0], key=ORDERED.index)


def informed(harness: FunctionHarness, given: Sequence[KnownCall]) -> FunctionHarness:
    """The harness that makes calls like known ones: with their order of items, and with types given in spite of
    hints."""
    return replace(harness, ordered=least_ordered(given), declared=harness.declared.knowing(values_of(given)))


def values_of(known: Iterable[KnownCall]) -> list[Call]:
    """The calls that can be changed, as values."""
    return [each.call for each in known if each.call.can_change]


def observe_quick(
    harness: FunctionHarness, calls: Sequence[Call], source: str, patience: CallTimeLimit
) -> list[KnownCall]:
    """The same of calls of one source, as many as there is time for."""
    known, _ = _observe_all(harness, sorted(calls, key=_size), dict.fromkeys(calls, source), patience)
    return known


def once(harness: FunctionHarness, calls: Sequence[Call], patience: CallTimeLimit = SHORT_CALLS) -> list[KnownCall]:
    """Calls generated to be timed: made once, the shortest first, as many as there is time for."""
    tried = sorted(harness.declared.allowed(calls), key=_size)
    if not tried:
        return []
    limits = {"seconds": patience.call, "lost": 3, "budget": patience.total, "ordered": harness.ordered}
    made = zip(tried, harness.ask(tried, "check", **limits).outcomes, strict=True)
    return [KnownCall(call, outcome, DERIVED, outcome.seconds, ordered=harness.ordered) for call, outcome in made]


def _observe_all(
    harness: FunctionHarness, calls: Sequence[Call], origin: dict[Call, str], patience: CallTimeLimit
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """Batch by batch, as long as there is time: little for calls that are generated."""
    known: list[KnownCall] = []
    dropped: Counter[Exclusion] = Counter()
    for start in range(0, len(calls), patience.batch):
        if sum(k.seconds for k in known) > patience.total:
            dropped[Exclusion(ExclusionReason.TOO_LONG)] += len(calls) - start if patience.is_said else 0
            break
        part, gone = _observe(harness, calls[start : start + patience.batch], origin, patience)
        known += part
        dropped += gone
    return known, dropped


def _observe(
    harness: FunctionHarness, calls: Sequence[Call], origin: dict[Call, str], patience: CallTimeLimit
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """One batch."""
    try:
        limits = {"seconds": patience.call, "lost": patience.lost, "budget": patience.total}
        first = harness.ask(calls, "check", **limits, ordered=harness.ordered)
    except ProgramError:  # it may have been too much for one run
        if len(calls) <= BATCH:
            raise
        middle = len(calls) // 2
        parts = [_observe(harness, part, origin, patience) for part in (calls[:middle], calls[middle:])]
        return [known for part in parts for known in part[0]], parts[0][1] + parts[1][1]
    found = [
        KnownCall(call, outcome, origin.get(call, DERIVED), outcome.seconds, ordered=harness.ordered)
        for call, outcome in zip(calls, first.outcomes, strict=True)
    ]
    if first.leaves_nothing and all(one.source == DERIVED for one in found):
        reasons = [_useless(one, one.outcome) for one in found]
        pairs = zip(found, reasons, strict=True)
        known = [replace(one, independent=True, repeated=False) for one, reason in pairs if reason is None]
        return known, Counter(filter(None, reasons))
    ended_early = first.state is None  # there was no time for all of them
    return deterministic(harness, found, left_nothing=ended_early or first.leaves_nothing)


def deterministic(
    harness: FunctionHarness, found: Sequence[KnownCall], left_nothing: bool = False
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """The useful calls whose outcome is the same with another hash seed and in another order; of calls that somebody
    makes, with their outcomes in other environments.

    left_nothing: the calls left no state behind when they were made first.
    """
    usable = [known for known in found if not _useless(known, known.outcome)]
    given = [known for known in usable if not known.made_of_others]
    made = [known for known in usable if known.made_of_others]
    runs = [_again(harness, given, environment) for environment in harness.environments[1:]]
    elsewhere = list(zip(harness.environments[1:], runs, strict=True))
    # of those that were made again, the ones that have another outcome there
    again_made = [(known, run.outcomes[known.call]) for known in given for run in runs if known.call in run.outcomes]
    differ = {known.call for known, again in again_made if _useless(known, again)}
    doubtful = made + [known for known in given if known.call in differ]
    runs.append(_again(harness, doubtful, ALONE))
    independent = left_nothing and all(run.leaves_nothing for run in runs)
    known: list[KnownCall] = []
    differing: list[KnownCall] = []
    dropped: Counter[Exclusion] = Counter()
    for one in found:
        again = runs[-1].outcomes.get(one.call, one.outcome)
        reason = _useless(one, again)
        if reason is None:
            known.append(_with(one, elsewhere, again.seconds, independent))
        elif reason.why is ExclusionReason.TWICE and not harness.target.whole_answers and one.ordered != ORDERED[-1]:
            differing.append(one)
        else:
            dropped[reason] += 1
    if differing:
        for seed in MORE_SEEDS:
            outcomes = _again(harness, known, seeded(seed)).outcomes
            chance = {one.call for one in known if _has_other_order(one, outcomes)}
            differing += [one for one in known if one.call in chance]
            known = [one for one in known if one.call not in chance]
    loose, other = _without_order(harness, differing)
    return [*known, *loose], dropped + other


def _without_order(
    harness: FunctionHarness, differing: Sequence[KnownCall]
) -> tuple[list[KnownCall], Counter[Exclusion]]:
    """The calls whose outcome is the same except for an order, such as that of a set's items."""
    if not differing:
        return [], Counter()
    less = [replace(one, ordered=ORDERED[ORDERED.index(one.ordered) + 1]) for one in differing]
    again = _again(harness, less, USUAL)
    found = [replace(one, outcome=again.outcomes.get(one.call, not_made())) for one in less]
    return deterministic(harness, found, left_nothing=again.leaves_nothing)


def _has_other_order(known: KnownCall, outcomes: Mapping[Call, Answer]) -> bool:
    """Whether a call under another hash seed has another outcome, which its containers' order may be."""
    again = outcomes.get(known.call)
    reason = _useless(known, again) if again is not None and again.kind == known.outcome.kind else None
    return reason is not None and reason.why is ExclusionReason.TWICE and known.ordered != ORDERED[-1]


def _with(
    known: KnownCall, runs: Sequence[tuple[Environment, AnswersAgain]], seconds: float, independent: bool
) -> KnownCall:
    """A call with its outcomes in other environments in which it can be compared."""
    found = {where.name: run.outcomes[known.call] for where, run in runs if known.call in run.outcomes}
    usable = {name: there for name, there in found.items() if not _useless(replace(known, outcome=there), there)}
    least = min([known.seconds, seconds, *(outcome.seconds for outcome in usable.values())])
    return replace(known, seconds=least, independent=independent, elsewhere=tuple(usable.items()))


def _size(call: Call) -> int:
    """Sorting key that puts last what may take long: large numbers, long arguments."""
    return len(call.text) + max(map(int, re.findall(r"\d{3,30}", call.text)), default=0)


@dataclass(frozen=True)
class AnswersAgain:
    """Answers of calls that are made again."""

    outcomes: Mapping[Call, Answer]
    """Answers by call; empty where the original cannot be run."""
    leaves_nothing: bool


def _again(harness: FunctionHarness, known: Sequence[KnownCall], environment: Environment) -> AnswersAgain:
    """The same calls, of which the same order counts, in an environment in which they may take a few times as long."""
    if not known:
        return AnswersAgain({}, True)
    calls = in_order(environment, [k.call for k in known])
    seconds = 2.0 + 3 * max(k.seconds for k in known)
    budget = 10.0 + 3 * sum(k.seconds for k in known)
    batch = CallBatch(texts_of(calls), seconds=seconds, lost=3, budget=budget, ordered=known[0].ordered)
    answer = harness.recording_runner.ask(harness.revision, batch, environment).answer
    if answer is None and environment.name != ALONE.name:
        return AnswersAgain({}, True)
    outcomes = answer.outcomes if answer else tuple(not_made() for _ in calls)
    return AnswersAgain(dict(zip(calls, outcomes, strict=True)), answer is not None and answer.leaves_nothing)


def _useless(known: KnownCall, again: Answer) -> Exclusion | None:
    """Why a call says nothing about the function; None when it does."""
    outcome, made_up = known.outcome, known.source in MADE_UP
    if outcome.effects:
        return Exclusion(ExclusionReason.EFFECTS, ", ".join(EFFECTS[effect] for effect in outcome.effects))
    if outcome.kind == Kind.NOT_COMPARABLE:
        return Exclusion(ExclusionReason.COMPARED, outcome.opaque[:60])
    if outcome.kind in (Kind.TIMEOUT, Kind.NOT_MADE):
        return Exclusion(ExclusionReason.TOO_LONG)
    if outcome.kind == Kind.NO_ARGUMENTS:
        return (
            Exclusion(ExclusionReason.NO_SENSE)
            if made_up
            else Exclusion(ExclusionReason.NOT_AGAIN, outcome.exception[:60])
        )
    if outcome.kind == Kind.DIED:
        return Exclusion(ExclusionReason.ENDED)
    if outcome.observed() != again.observed():
        return Exclusion(ExclusionReason.TWICE, "random numbers, the clock, the order of a set, or state that is kept")
    return Exclusion(ExclusionReason.NO_SENSE) if made_up and outcome.exception in _ACCIDENTS else None


# Calls that are no evidence: why, and how many, in words that are true of one call and of many.


class ExclusionReason(StrEnum):
    """Reason for excluding calls. It continues the text `3 calls that ...`."""

    EFFECTS = "had side effects"
    COMPARED = "had a value that cannot be compared"
    TWICE = "did not do the same twice"
    STATE = "did not do what they did when recorded"
    TOO_LONG = "took too long"
    ENDED = "ended the process"
    NO_SENSE = "made no sense"
    WRITTEN = "cannot be written down"
    NOT_AGAIN = "had arguments that cannot be made again"


NOT_HERE = (ExclusionReason.TWICE, ExclusionReason.STATE)
"""Reasons of calls that need more than their arguments."""


@dataclass(frozen=True)
class Exclusion:
    """Reason why a call is no evidence, with a detail."""

    why: ExclusionReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.why} ({self.detail})" if self.detail else str(self.why)

    @property
    def with_remedy(self) -> str:
        """A serious reason and what helps."""
        return f"{self}; {_REMEDIES[self.why]}"


_REMEDIES = {
    ExclusionReason.EFFECTS: "name the part that only computes, as a function of its own",
    ExclusionReason.TWICE: "give it a seeded generator, a time or a sorted list as an argument (--calls FILE)",
    ExclusionReason.STATE: "give what it reads as an argument, or a calls file that sets it (--calls FILE)",
    ExclusionReason.COMPARED: "name a function that takes and returns plain values, or objects that pickle knows",
}
"""For what speaks against the function itself, what helps."""


@dataclass(frozen=True)
class Exclusions:
    """Number of excluded calls by reason, separately for given and generated ones."""

    given: Mapping[Exclusion, int] = field(default_factory=dict)
    made_up: Mapping[Exclusion, int] = field(default_factory=dict)

    def words(self) -> str:
        """Return texts such as `2 calls that took too long`, given calls before generated ones. Empty without any."""
        parts = [counted(count, "call", reason) for reason, count in _most(self.given)]
        parts += [counted(count, "generated call", reason) for reason, count in _most(self.made_up)]
        # reasons that a sentence names
        return ", ".join(parts[:3])

    def unsteady(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of given calls that change by themselves, or with a state that is not here: they are neither
        checked nor timed."""
        found = [(each, count) for each, count in _most(self.given) if each.why in NOT_HERE]
        return tuple(
            Diagnostic(
                f"{number_of(count, 'call')} neither checked nor timed",
                each.detail if each.why is ExclusionReason.STATE else f"it {each}",
                _REMEDIES[each.why],
            )
            for each, count in found
        )

    def figures(self) -> dict[str, int]:
        """Return the numbers by their reason, as data."""
        named = {f"calls that {reason}": count for reason, count in _most(self.given)}
        return named | {f"generated calls that {reason}": count for reason, count in _most(self.made_up)}


def counted(count: int, what: str, reason: Exclusion) -> str:
    """`1 call that took too long`, `2 calls that took too long`."""
    return f"{count} {what}{'s' * (count != 1)} that {reason}"


def unwritten(lost: Mapping[str, int]) -> dict[Exclusion, int]:
    """Reasons for calls that no text can hold. lost: what it was (`key: a lambda`) -> how many."""
    return {Exclusion(ExclusionReason.WRITTEN, inline(what, 80)): count for what, count in lost.items()}


def objection(dropped: Mapping[Exclusion, int], total: int, what: str = "call") -> str:
    """Return cause and remedy if more than half of `total` calls are excluded for serious reasons. Empty otherwise."""
    serious = {reason: count for reason, count in dropped.items() if reason.why in _REMEDIES}
    if not total or sum(serious.values()) <= total / 2:
        return ""
    reason, count = _most(serious)[0]
    share = f"{count} of {total} {what}s"
    if count == total:
        share = f"all {total} {what}s" if total > 1 else f"its only {what}"
    return f"{share} {reason.with_remedy}"


def _most(counts: Mapping[Exclusion, int]) -> list[tuple[Exclusion, int]]:
    return sorted(((reason, count) for reason, count in counts.items() if count), key=lambda pair: -pair[1])
