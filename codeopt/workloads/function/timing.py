"""Which calls are timed, how often, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from codeopt.core.call import Call, Constructed, Opaque, texts_of, write
from codeopt.core.errors import NotVerifiable, ProgramError
from codeopt.core.words import duration, end_of_run
from codeopt.workloads._sizes import LONG_S
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import (
    BIG_S,
    MADE_UP,
    CallTimeLimit,
    KnownCall,
    deterministic,
    least_ordered,
    once,
    values_of,
)
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.resized import (
    CallCut,
    RecipeGrowth,
    TextGrowth,
    can_become_larger,
    cut_call,
    growths,
    items_of,
    other_seeds,
)
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.larger import can_grow, size_of
from codeopt_sandbox.calls import CallBatch, Kind
from codeopt_sandbox.compare import Plan
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.outcome import Case

# The choice of the calls that are timed: the longest there are, each once in a process, read to their ends within the
# timed region.
#
# Calls that take microseconds are timed many together, with others like them where they are few. The same arguments
# never come twice in one process, so a draft that only remembers its answers gains nothing; it may where the function
# itself asks the same thing again within one call.

ENOUGH_S = 0.001
"""Calls are grown, and more are made, until a pass takes this long."""
LONG_ENOUGH_S = 0.004
"""A call is grown until it takes this long."""
TOO_LONG_S = 1.0
"""A given call that takes longer is timed only where no shorter one is long enough: each is made some fifty times."""
FACTORS = (2, 8, 64, 512)
"""Factors by which calls are made larger."""
GROWN = CallTimeLimit(call=0.3, total=1.5)
"""Time limit of one such call and of all of a run, seconds."""
RECORDED = "recorded"
"""Source of calls that the user's own command made."""
LEAST_S = 10.0
"""Lower bound of the time limit of a draft's pass, seconds."""
MOST_S = 60.0
"""Upper bound of that limit, seconds, where LONG_SLOWER allows no more."""
LONG_SLOWER = 4
"""Time limit of a draft's pass that takes the original long, as a multiple of the original's."""
PAIR_S = 0.03
"""A run makes so many passes that the clock sees this much."""
BIG_PASS_S = LONG_S
"""A pass of calls that were given for timing has as many of them as fit in this; one at least. Of long calls one shows
the gain, and each further one is made in all pairs."""
PASS_S = 0.2
"""A pass of long calls has as many of them as fit in this; one at least."""
MOST_CALLS = 400
"""Maximum number of calls of a pass."""
AGAIN = CallTimeLimit(call=2.0, total=2.0)
"""Time limit of one of them and of all, seconds."""

MOST_TEXT, MOST_MADE_TEXT = 1_000_000, 150_000
"""Characters of the calls of a pass; and, recorded objects apart, of those generated to fill it, or of one that is
made longer: to read them takes up to a hundred times as long as to make them."""
MOST_REPEATS = 100
"""Maximum number of times that a pass repeats a short call."""


_RECORDED = ("unpickle(", "CALLS[", "BIG[")
"""Beginnings of an object that was recorded, or that a calls file makes."""


@dataclass(frozen=True)
class CallPlan(Plan):
    """Plan of timing a function: passes of some calls, within one process."""

    timed: Timed = field(kw_only=True)

    @property
    def passes(self) -> int:
        """Passes over the timed calls in each run."""
        return self.timed.batch.passes


@dataclass(frozen=True)
class Timed:
    """The timed calls, and a description."""

    batch: CallBatch
    seconds: float
    """Time of one pass of the original, seconds."""
    around: float
    """Seconds before and after it, for arguments and results."""
    note: str
    asked: float = 0.0
    """Number of times that the known calls ask one object; 0 where those of a pass do not ask the same ones."""
    cut: CallCut | None = None
    """The long call of which a part is timed. None if a whole is."""
    sizes: tuple[int, ...] = ()
    """Sizes of the timed calls, from small to large: of each all that is long in it, else its largest number; those
    that can be read."""
    largest: Call | None = None
    """The largest of these."""

    @property
    def words(self) -> str:
        """`the longest calls, 12 in a pass of 4.1 ms, sizes 100 to 3,000`."""
        sizes = self.sizes
        if not sizes:
            return f"{self.note}, of objects whose sizes cannot be read"
        ends = [f"{size:,}" if size < 10**15 else f"{size:.1e}" for size in (sizes[0], sizes[-1])]
        return f"{self.note}, size" + (f"s {' to '.join(ends)}" if sizes[0] < sizes[-1] else f" {ends[0]}")

    def passes(self, seconds: float, most: int) -> int:
        """Number of passes that spend this long in calls; fewer where most of the time goes elsewhere."""
        # arguments are made and results looked at in each pass: fewer passes where that takes long
        return max(1, min(most, round(seconds / max(self.seconds, 1e-5)), round(0.12 / max(self.around, 0.01))))

    def case(self, metric: str) -> Case:
        """For codeopt_sandbox.compare; the original says what is expected."""
        batch = self.batch.replace(memory=True, passes=1) if metric == "memory" else self.batch
        return AnsweredCase("timed", batch.stdin(), held_out=True)


def choose(
    harness: FunctionHarness, corpus: CallCorpus, contract: Contract, seed: int = 0,
    notify: Callable[[str], None] = lambda line: None,
) -> Timed:  # fmt: skip
    """The calls to time, without unusual ones: a draft that answers another of them otherwise is
    wrong. Raises ProgramError when they are too short for any clock."""
    notify("choosing calls to time")
    choice = _Choice(harness, contract, seed, notify)
    timed, expected = _timed(choice, corpus)
    if timed.seconds < ENOUGH_S <= expected and not corpus.big:
        again, _ = _timed(replace(choice, disturbed=expected / timed.seconds), corpus)
        timed = max(timed, again, key=lambda each: each.seconds)
    # a pass must take this long: reading the clock from outside costs about 10 microseconds
    if timed.seconds < 15e-6:
        count = len(timed.batch.calls) - timed.batch.warm
        raise ProgramError(
            f"the calls are too short to time: {count} of them take {timed.seconds * 1e6:.0f} us together",
            hint="give larger ones as BIG in the --calls file",
        )
    # time limit of a draft's pass, as a multiple of the original's
    limit = max(min(MOST_S, max(LEAST_S, 50 * timed.seconds)), LONG_SLOWER * timed.seconds)
    # maximum number of passes of a run
    return replace(timed, batch=timed.batch.replace(passes=timed.passes(PAIR_S, 20), pass_seconds=limit))


def _timed(choice: _Choice, corpus: CallCorpus) -> tuple[Timed, float]:
    """A choice of calls, with the time of a pass, and the seconds that they were expected to take."""
    harness, contract = choice.harness, choice.contract
    iterators = _iterators(corpus.known)
    returning = [k for k in corpus.known if k.returns and (k.source not in MADE_UP or not contract.beyond(k.call))]
    asked = _asked(corpus.known)
    if asked:
        returning = [replace(k, call=_held(k.call)) for k in returning]
    chosen, note = choice.candidates(returning, corpus.big)
    cut: CallCut | None = None
    if chosen and (part := choice.cut(chosen[0])):
        first, cut = part
        chosen, note = [first], cut.words
    if corpus.big:
        asked = _asked(chosen)
    longest = {k.call for k in chosen}
    # a known call and a usual one are made before the clock runs: what is imported or compiled late, once in a process,
    # is not the timed calls' cost
    ordered = sorted([k for k in returning if k.call not in longest] or chosen[1:], key=lambda k: k.seconds)
    known = [k for k in ordered if k.source not in MADE_UP]
    warm = list(dict.fromkeys(each[len(each) // 2].call for each in (known, ordered) if each))
    calls = [k.call for k in chosen if k.call not in warm]
    if not calls:
        reason = f"no call of {harness.function.qualname} returns anything: there is nothing to time"
        raise NotVerifiable("; ".join([reason, *(e.words for e in corpus.diagnostics)]), corpus.diagnostics)
    batch = CallBatch(
        texts_of([*warm, *calls]), "time", warm=len(warm), iterators=iterators, shared=asked > 0,
        ordered=least_ordered(chosen),
    )  # fmt: skip
    seconds, around = _pass_seconds(harness, batch)
    text = f"{note}, {len(calls)} in a pass of {duration(seconds)}" + ", asking the same objects" * batch.shared
    readable = sorted((call for call in calls if call.can_change), key=size_of)
    sizes = tuple(int(size) for size in map(size_of, readable) if size)
    largest = readable[-1] if readable else None
    return Timed(batch, seconds, around, text, asked, cut, sizes, largest), sum(k.seconds for k in chosen)


def _asked(known: Sequence[KnownCall]) -> float:
    """Mean number of calls that find an object as it is, and leave it so for a later reader: where it is asked
    again and again, what it keeps for that helps. 0 where each has an object of its own, or changes it."""
    asking = [(k, found) for k in known if k.source not in MADE_UP and (found := _first_object(k.call))]
    changed = any(k.outcome.arguments for k, _ in asking)
    objects = len({found for _, found in asking})
    return len(asking) / objects if len(asking) > objects and not changed else 0.0


def _first_object(call: Call) -> str:
    """The first argument of a call with several, if it is an object, otherwise empty."""
    first = call.args[0] if call.args and len(call.values) > 1 else None
    text = write(first) if isinstance(first, Constructed | Opaque) else ""
    return text if text.startswith(_RECORDED if isinstance(first, Opaque) else ("load(", "used(")) else ""


def _held(call: Call) -> Call:
    """A call whose first argument, where it is an object, stays as it is in all that is made from it: those that ask
    one object are timed as such."""
    made = _first_object(call)
    return call.with_value(0, Opaque(made)) if made else call


def _iterators(known: Sequence[KnownCall]) -> str:
    """Return the way in which results are read: "" when none is an iterator."""
    most = max((k.outcome.iterators for k in known), default=0)
    return "nested" if most > 1 else "flat" if most else ""


@dataclass(frozen=True)
class _Choice:
    """Choice of timed calls: those that are known, and others made from them."""

    harness: FunctionHarness
    contract: Contract
    seed: int
    notify: Callable[[str], None]
    disturbed: float = 1.0
    """Ratio of the time of checked calls to that of timed ones, on a machine that others use."""

    def candidates(self, returning: Sequence[KnownCall], big: Sequence[Call]) -> tuple[list[KnownCall], str]:
        """Calls that return, longest first, and where they come from. big: those that were given for timing."""
        if big:
            return self._near_big(big)
        returning = [replace(k, seconds=k.seconds / self.disturbed) for k in returning]
        if found := self._recorded([k for k in returning if k.source == RECORDED]):
            return found, "the longest recorded calls"
        given = [k for k in returning if k.source not in MADE_UP] or returning
        given = bearable(self._measured_twice(sorted(given, key=lambda k: -k.seconds)))
        if not given:
            return [], ""
        longest = given[0].seconds
        if longest >= LONG_ENOUGH_S:
            return _within([k for k in given if k.seconds >= 0.3 * longest][:20], PASS_S), "the longest calls"
        grown = self._grown(given)
        pool = sorted(grown or given, key=lambda k: -k.seconds)
        chosen = [k for k in pool if k.seconds >= 0.3 * pool[0].seconds]
        note = "calls grown from the given ones" if grown else "the longest calls"
        if not _are_enough(chosen):
            return _short(_within([*pool, *self._alike(pool, PAIR_S)], PAIR_S)), note
        return _short(chosen), note

    def cut(self, whole: KnownCall) -> tuple[KnownCall, CallCut] | None:
        """Return a part of a long call that is like the known ones. None if the call is short or cannot be cut."""
        limit = CallTimeLimit(call=whole.seconds, total=whole.seconds, lost=1)

        def run(call: Call) -> KnownCall | None:
            return next((known for known in self._once(self._made([call]), limit) if known.returns), None)

        return cut_call(whole, run)

    def _recorded(self, recorded: Sequence[KnownCall]) -> list[KnownCall]:
        """The longest of the calls that the user's command made, as it made them; none where they are too short."""
        given = self._measured_twice(sorted(recorded, key=lambda k: -k.seconds))
        # a recorded call that takes longer is not timed: the application's own size tells its gain, though it takes
        # longer to time
        given = [k for k in given if k.seconds <= 3.0]
        longest = [k for k in given if k.seconds >= 0.3 * given[0].seconds]
        return _short(_within(longest, PASS_S)) if _are_enough(longest) else []

    def _measured_twice(self, given: list[KnownCall]) -> list[KnownCall]:
        """Calls, the longest first, by the lesser of two times: a call that was made once may have been disturbed."""
        # number of calls that may be the longest of those that were made once
        longest = [k.call for k in given[:60] if not k.repeated]
        if not longest:
            return given
        again = {k.call: k.seconds for k in self._once(longest, AGAIN) if k.returns}
        found = [replace(k, seconds=min(k.seconds, again.get(k.call, k.seconds))) for k in given]
        return sorted(found, key=lambda k: -k.seconds)

    def _near_big(self, big: Sequence[Call]) -> tuple[list[KnownCall], str]:
        """The calls that were given for timing, and others where they are short. Raises ProgramError."""
        ordered = self.harness.ordered
        self.notify(f"choosing calls to time, {len(big)} BIG")
        made = self.harness.ask(big, seconds=BIG_S, lost=3, budget=BIG_S, ordered=ordered).outcomes
        found = [KnownCall(c, o, "big", o.seconds, ordered=ordered) for c, o in zip(big, made, strict=True)]
        longest = sorted((k for k in found if k.returns), key=lambda k: -k.seconds)
        if longest and longest[0].seconds >= LONG_S:  # it is cut: no call of its length is made again
            return longest[:1], f"the longest of {len(found)} BIG calls" if len(found) > 1 else "the BIG call"
        known, _ = deterministic(self.harness, found)
        if not known:
            late = any(k.outcome.kind == Kind.TIMEOUT for k in found)
            why = f"returns within {BIG_S:.0f} s: give a smaller one" if late else "does the same twice"
            raise ProgramError(f"no BIG call {why}")
        if sum(k.seconds for k in known) > BIG_PASS_S:
            longest = _within(sorted(known, key=lambda k: -k.seconds), BIG_PASS_S)
            return longest, f"the longest of {len(known)} BIG calls" if len(known) > 1 else "the BIG call"
        alike = [] if _are_enough(known) else self._alike(known, ENOUGH_S)
        note = "the BIG calls and others like them" if alike else "the BIG calls"
        return _short([*known, *_within(alike, ENOUGH_S)]), note

    def _alike(self, known: Sequence[KnownCall], seconds: float) -> list[KnownCall]:
        """Calls generated from the first of them that return, each of at most LONG_ENOUGH_S; more than `seconds` takes,
        as some may be dropped."""
        bases = values_of(known[:8])
        # number of other calls like a grown one
        made = other_seeds(bases, 300) or derive(bases, 300, 50 + self.seed, self.harness.vocabulary, small=False)
        limit = CallTimeLimit(call=25 * LONG_ENOUGH_S, total=2 * seconds, lost=2)
        found = self._once(self._made(made), limit)
        usable = [k for k in found if k.returns and k.seconds <= LONG_ENOUGH_S]
        lengths = accumulate(_length(k.call) for k in usable)
        kept = [k for k, length in zip(usable, lengths, strict=True) if length <= MOST_MADE_TEXT]
        return deterministic(self.harness, kept)[0]

    def _grown(self, given: Sequence[KnownCall]) -> list[KnownCall]:
        """The given calls made larger, until one takes long enough, is as large as it may be, or fails."""
        # known calls from which it is learned what larger ones are like
        calls = values_of(given[:50])
        bases = [call for call in sorted(calls, key=lambda call: -size_of(call)) if can_become_larger(call)][:4]
        tried = [_Larger(way, at) for at, base in enumerate(bases) for way in growths(base, calls)]
        self._look(tried, FACTORS)
        tried = _preferred(tried)[:2]
        if max((each.longest for each in tried), default=LONG_ENOUGH_S) < LONG_ENOUGH_S:
            # further factors, used if no call takes LONG_ENOUGH_S by FACTORS
            self._look(tried, (4_096, 32_768, 262_144, 1_000_000))
        for each in tried:  # the factors are far apart
            self._look([each], (2 * each.short, 4 * each.short))
        found = _long_enough([k for each in tried for k in each.found.values()])
        # number of given calls that grown ones are timed with
        given = given[:4]
        grown = deterministic(self.harness, found)[0]
        took = _timed_alike(self.harness, [*given, *grown]) if grown else None
        if took is None:
            return _long_enough(grown)
        before, now = took[: len(given)], took[len(given) :]
        longest, size = max(zip(before, (size_of(k.call) for k in given), strict=True))
        larger = max(size_of(k.call) for k in grown) / max(size, 1)
        # Least time of the longest grown call, as a multiple of that of the longest given one. Where that takes long by
        # itself it is the fourth root of the size: int() of 4,096 digits took 1.6 times as long as a prime of 6.
        least = max(1.2, larger**0.25 if longest >= 0.001 else 0.0)
        if max(now) <= least * longest:  # a value decides the time, and growth has replaced it
            return []
        timed = zip(grown, now, strict=True)
        return _long_enough([k for k, seconds in timed if _works_on_items(replace(k, seconds=seconds))])

    def _look(self, tried: Sequence[_Larger], factors: Sequence[int]) -> None:
        """Call the original with calls larger by these factors, in one run; those that return are kept."""
        made: dict[Call, tuple[_Larger, int]] = {}
        for each in tried:
            for factor in factors:
                call = each.way.call(factor, self.seed + each.base) if factor not in each.found else None
                if call is not None and _length(call) > MOST_MADE_TEXT:
                    break  # a larger one is longer, and would only be made to be dropped
                if call is not None:
                    made.setdefault(call, (each, factor))
        grown = {kept: made[call] for call, kept in self.contract.within(list(made)).items()}
        found = [known for known in self._once(list(grown), GROWN) if known.returns]
        long = [known.call for known in found if known.seconds >= LONG_ENOUGH_S]
        again = {known.call: known.seconds for known in self._once(long, AGAIN) if known.returns}
        for known in found:  # what disturbs one run disturbs no second one
            larger, factor = grown[known.call]
            seconds = min(known.seconds, again.get(known.call, known.seconds))
            larger.found[factor] = replace(known, seconds=seconds)

    def _once(self, calls: Sequence[Call], limit: CallTimeLimit) -> list[KnownCall]:
        """Calls made once, with the seconds that they take where nothing disturbs them."""
        self.notify(f"choosing calls to time, trying {len(calls):,}")
        return [replace(k, seconds=k.seconds / self.disturbed) for k in once(self.harness, calls, limit)]

    def _made(self, calls: Sequence[Call]) -> list[Call]:
        """Each once, changed where it has to be; those that go beyond the contract are left out."""
        return list(dict.fromkeys(self.contract.within(calls).values()))


def _are_enough(known: Sequence[KnownCall]) -> bool:
    """Whether the calls take long enough: single times of shorter ones say little."""
    return sum(k.seconds for k in known) >= ENOUGH_S


def _length(call: Call) -> int:
    made = _first_object(call)
    return len(call.text) - len(made) * made.startswith(_RECORDED)


def _short(known: Sequence[KnownCall]) -> list[KnownCall]:
    """Each once, and as many as have MOST_TEXT characters together, but not more than MOST_CALLS; one at least."""
    found = list({k.call: k for k in known}.values())[:MOST_CALLS]
    sizes = list(accumulate(len(k.call.text) for k in found))
    return [k for at, k in enumerate(found) if not at or sizes[at] <= MOST_TEXT]


def bearable(given: list[KnownCall]) -> list[KnownCall]:
    """Without the longest, as long as something that can be timed is left."""
    shorter = [k for k in given if k.seconds <= TOO_LONG_S]
    longer = [k for k in given if k.seconds > TOO_LONG_S]
    will_do = shorter and (shorter[0].seconds >= LONG_ENOUGH_S or can_grow(shorter[0].call))
    return shorter if will_do or not longer else longer[-1:]


def _within(known: Sequence[KnownCall], seconds: float) -> list[KnownCall]:
    """The first, and more as long as all of them take no longer."""
    spent = list(accumulate(k.seconds for k in known))
    return [k for at, k in enumerate(known) if not at or spent[at] <= seconds]


def _long_enough(found: Sequence[KnownCall]) -> list[KnownCall]:
    """The longest of grown calls, but not much longer than need be; none where all of them take next to nothing."""
    longest = max((k.seconds for k in found), default=0.0)
    enough = min((k.seconds for k in found if k.seconds >= LONG_ENOUGH_S), default=longest)
    within = [k for k in found if k.seconds <= 2 * enough]
    best = max((k.seconds for k in within), default=0.0)
    return [k for k in within if k.seconds >= 0.3 * best and _works_on_items(k)]


def _works_on_items(known: KnownCall) -> bool:
    # a grown call that takes less shows that the function does no work on its items: it looks at few or copies them
    # (5 us of the call itself, and 0.5 ns an item)
    return known.seconds >= 5e-6 + 0.5e-9 * items_of(known.call)


@dataclass
class _Larger:
    """A way in which a known call becomes larger, and the larger calls that return, by their factor."""

    way: RecipeGrowth | TextGrowth
    base: int
    """Number of the known call."""
    found: dict[int, KnownCall] = field(default_factory=dict)

    @property
    def longest(self) -> float:
        """Seconds of the largest one."""
        return self.found[max(self.found)].seconds

    @property
    def short(self) -> int:
        """The largest factor by which no call takes LONG_ENOUGH_S."""
        return max((factor for factor, known in self.found.items() if known.seconds < LONG_ENOUGH_S), default=1)


def _preferred(tried: Sequence[_Larger]) -> list[_Larger]:
    """Return for each known call the first way that returns, unless the call takes far less than in another way; the
    one that takes longest comes first."""
    best: dict[int, _Larger] = {}
    for each in tried:
        if each.found and (each.base not in best or each.longest > 2 * best[each.base].longest):
            best[each.base] = each
    return sorted(best.values(), key=lambda each: -each.longest)


def _timed_alike(harness: FunctionHarness, known: Sequence[KnownCall]) -> list[float] | None:
    """Seconds of each call by one run in which short ones are repeated: CPU seconds, or half the wall seconds without
    waits for the processor. None where the run fails."""
    counts = tuple(max(1, min(MOST_REPEATS, round(LONG_ENOUGH_S / max(k.seconds, 1e-6)))) for k in known)
    calls = texts_of(k.call for k, count in zip(known, counts, strict=True) for _ in range(count))
    # number of passes of each
    batch = CallBatch(calls, "time", passes=3, groups=counts, pass_seconds=LEAST_S, iterators=_iterators(known))
    answer = harness.runner.run(harness.source, batch.stdin()).answer
    if answer is None:
        return None
    times = zip(answer.times.cpu, answer.times.wall, answer.times.delay, strict=True)
    passes = [max(cpu, (wall - delay) * 0.5) for cpu, wall, delay in times]
    return [min(passes[at :: len(known)]) / count for at, count in enumerate(counts)]


def _pass_seconds(harness: FunctionHarness, batch: CallBatch) -> tuple[float, float]:
    """CPU seconds of one pass of the original, or wall seconds when it waits, the middle of three; and what is done
    around it, the least of them, without the import: that is made once for all passes of a run."""
    stdin = batch.replace(pass_seconds=BIG_S).stdin()  # the original's time is no fault
    found, around = [], []
    for _ in range(3):
        run = harness.runner.run(harness.source, stdin)
        if run.exit != 0 or run.stop:
            raise ProgramError(f"the original cannot be timed: {end_of_run(run)}")
        found.append(max(run.cpu_s, run.wall_s * 0.5))
        around.append(run.call_timing.outside_s - run.call_timing.import_s if run.call_timing else 0.0)
        if found[0] > TOO_LONG_S:  # what disturbs a run is little against that
            break
    return sorted(found)[len(found) // 2], min(around)
