"""Which calls are timed, and how: the longest there are, each once in a process, read to their ends within the timed
region.

Calls that take microseconds are timed many together, with others like them where they are few. The same arguments never
come twice in one process, so a draft that only remembers its answers gains nothing; it may where the function itself
asks the same thing again within one call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from codeopt.core.errors import ProgramError
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.calls.derive import derive
from codeopt.workloads.function.calls.larger import grow
from codeopt.workloads.function.corpus.corpus import CallCorpus, NotVerifiable
from codeopt.workloads.function.corpus.observe import MADE_UP, CallTimeLimit, KnownCall, deterministic, observe, once
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.timing.growth import call_size
from codeopt.workloads.source.literals import Constructed, Opaque, read, write
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.compare import Plan
from codeopt_sandbox.guest.calls.repr.private import ARGUMENTS, segments
from codeopt_sandbox.outcome import Case

ENOUGH_S = 0.001
"""Calls are grown, and more are made, until a pass takes this long."""
LONG_ENOUGH_S = 0.004
"""A call is grown until it takes this long."""
TOO_LONG_S = 1.0
"""A given call that takes longer is timed only where no shorter one is long enough: each is made some fifty times."""
RECORDED = "recorded"
"""Source of calls that the user's own command made."""
RECORDED_TOO_LONG_S = 3.0
"""The same of a recorded call: the application's own size tells its gain, though it takes longer to time."""
SLOWER = 50
"""Time limit of a draft's pass, as a multiple of the original's."""
LEAST_S = 10.0
"""Lower bound of that limit, seconds."""
MOST_S = 60.0
"""Upper bound of that limit, seconds, where LONG_SLOWER allows no more."""
LONG_SLOWER = 4
"""Time limit of a draft's pass that takes the original long, as a multiple of the original's."""
PAIR_S = 0.03
"""A run makes so many passes that the clock sees this much."""
PASS_S = 0.2
"""A pass of long calls has as many of them as fit in this; one at least."""
AROUND_S = 0.15
"""Arguments are made and results looked at in each pass: fewer passes where that takes long."""
MOST_CALLS = 400
"""Maximum number of calls of a pass."""
MEASURED_TWICE = 60
"""Number of calls that may be the longest of those that were made once."""
AGAIN = CallTimeLimit(call=2.0, total=2.0)
"""Time limit of one of them and of all, seconds."""
MOST_PASSES = 20
"""Maximum number of passes of a run."""
MOST_TEXT, MOST_MADE_TEXT = 1_000_000, 150_000
"""Characters of the calls of a pass; and, recorded objects apart, of those that are made up to fill it, or of one that
is made longer: to read them takes up to a hundred times as long as to make them."""
SHORTEST_S = 15e-6
"""A pass must take this long: reading the clock from outside costs about 10 microseconds."""


_OBJECT = re.compile(r"f\((unpickle\('[^']+'(?:, '[^']+')?\)),")
"""The first argument of a call, where it is an object that was recorded."""
_CONSTRUCTED = ("f(load(", "f(used(")
"""Beginnings of a call whose first argument may be a constructor's call."""
_HELD = re.compile(r"""same\(('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\)""")
"""An object that is neither changed nor grown."""


@dataclass(frozen=True)
class CallPlan(Plan):
    """Plan of timing a function: passes of some calls, within one process."""

    timed: Timed = field(kw_only=True)


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
    """How often the known calls ask one object; 0 where those of a pass do not ask the same ones."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the timed calls, from small to large: of each all that is long in it, else its largest number; those
        that can be read."""
        found = (call_size(call) for call in self.batch.calls[self.batch.warm :])
        return tuple(sorted(int(size) for size in found if size > 1))

    @property
    def words(self) -> str:
        """`the longest calls, 12 in a pass of 4.1 ms, sizes 100 to 3,000`."""
        sizes = self.sizes
        if not sizes:
            return self.note
        span = f"{sizes[0]:,} to {sizes[-1]:,}" if sizes[0] < sizes[-1] else f"{sizes[0]:,}"
        return f"{self.note}, size{'s' * (len(sizes) > 1)} {span}"

    def passes(self, seconds: float, most: int) -> int:
        """Number of passes that spend this long in calls; fewer where most of the time goes elsewhere."""
        return max(1, min(most, round(seconds / max(self.seconds, 1e-5)), round(AROUND_S / max(self.around, 0.01))))

    def case(self, clock: str) -> Case:
        """For codeopt_sandbox.compare; the original says what is expected."""
        batch = self.batch.replace(mode="memory", passes=1) if clock == "memory" else self.batch
        return Case("timed", batch.stdin(), held_out=True)


def choose(
    bench: FunctionHarness, evidence: CallCorpus, contract: Contract, seed: int = 0,
    notify: Callable[[str], None] = lambda line: None,
) -> Timed:  # fmt: skip
    """The calls to time, none of which goes beyond the known ones: a draft that answers another of them otherwise is
    wrong. Raises ProgramError when they are too short for any clock."""
    notify("choosing calls to time")
    iterators = _iterators(evidence.known)
    returning = [k for k in evidence.known if k.returns and (k.source not in MADE_UP or not contract.beyond(k.text))]
    asked = _asked(evidence.known)
    if asked:
        returning = [replace(k, text=_held(k.text)) for k in returning]
    warm = _warm(returning)
    calls, note = _Choice(bench, contract, seed).candidates(returning, evidence.big)
    warm = warm if set(calls) - set(warm) else []
    calls = [text for text in calls if text not in warm]
    if not calls:
        reason = f"no call of {bench.function.qualname} returns anything: there is nothing to time"
        raise NotVerifiable("; ".join([reason, *(e.words for e in evidence.shortfalls)]), evidence.shortfalls)
    batch = CallBatch(
        tuple(map(_let_go, (*warm, *calls))), "time", warm=len(warm), iterators=iterators, shared=asked > 0
    )
    seconds, around = _pass_seconds(bench, batch)
    if seconds < SHORTEST_S:
        raise ProgramError(
            f"the calls are too short to time: {len(calls)} of them take {seconds * 1e6:.0f} us together; give larger "
            "ones as BIG in the --calls file"
        )
    text = f"{note}, {len(calls)} in a pass of {duration(seconds)}" + ", asking the same objects" * batch.shared
    timed = Timed(batch, seconds, around, text, asked)
    limit = max(min(MOST_S, max(LEAST_S, SLOWER * seconds)), LONG_SLOWER * seconds)
    return replace(timed, batch=batch.replace(passes=timed.passes(PAIR_S, MOST_PASSES), pass_seconds=limit))


def _asked(known: Sequence[KnownCall]) -> float:
    """Mean number of given calls that find an object as it is, and leave it so for whoever looks: where it is asked
    again and again, what it keeps for that helps. 0 where each has an object of its own, or changes it."""
    asking = {k: found for k in known if k.source not in MADE_UP and (found := _first_object(k.text))}
    changed = any(part.startswith(ARGUMENTS) for k in asking for part in segments(k.outcome.text))
    objects = len(set(asking.values()))
    return len(asking) / objects if len(asking) > objects and not changed else 0.0


def _first_object(text: str) -> str:
    """The first argument of a call with several, where it is an object; empty where it is none."""
    if text.startswith(_CONSTRUCTED):
        call = read(text)
        several = call is not None and len(call.values) > 1
        return write(call.args[0]) if call and several and isinstance(call.args[0], Constructed) else ""
    found = _OBJECT.match(text)
    return found[1] if found else ""


def _held(text: str) -> str:
    """A call whose first argument, where it is an object, stays as it is in all that is made from it: those that ask
    one object are timed as such."""
    made = _first_object(text) if text.startswith(_CONSTRUCTED) else ""
    call = read(text) if made else None
    return call.with_value(0, Opaque(f"same({made!r})")).text() if call is not None else text


def _let_go(text: str) -> str:
    """A call with the objects that were held as they are written."""
    return _HELD.sub(lambda match: str(ast.literal_eval(match[1])), text) if "same(" in text else text


def _warm(returning: Sequence[KnownCall]) -> list[str]:
    """A short call and a usual one, made before the clock runs: what is imported late is not the timed calls' cost."""
    ordered = sorted(returning, key=lambda k: k.seconds)
    return list(dict.fromkeys(ordered[at].text for at in (0, len(ordered) // 2))) if ordered else []


def _iterators(known: Sequence[KnownCall]) -> str:
    """How results are read: "" when none is an iterator."""
    most = max((k.outcome.iterators for k in known), default=0)
    return "nested" if most > 1 else "flat" if most else ""


@dataclass(frozen=True)
class _Choice:
    """Choice of timed calls: those that are known, and others made from them."""

    bench: FunctionHarness
    contract: Contract
    seed: int

    def candidates(self, returning: Sequence[KnownCall], big: Sequence[str]) -> tuple[list[str], str]:
        """Calls that return, longest first, and where they come from. big: those that were given for timing."""
        if big:
            return self._near_big(big)
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
        pool = sorted([*grown, *given], key=lambda k: -k.seconds)
        chosen = [k for k in pool if k.seconds >= 0.3 * pool[0].seconds]
        note = "calls grown from the given ones" if grown else "the longest calls"
        if not _are_enough(chosen):
            return _short(_within([*pool, *self._alike(pool, PAIR_S)], PAIR_S)), note
        return _short([k.text for k in chosen]), note

    def _recorded(self, recorded: Sequence[KnownCall]) -> list[str]:
        """The longest of the calls that the user's command made, as it made them; none where they are too short."""
        given = self._measured_twice(sorted(recorded, key=lambda k: -k.seconds))
        given = [k for k in given if k.seconds <= RECORDED_TOO_LONG_S]
        longest = [k for k in given if k.seconds >= 0.3 * given[0].seconds]
        return _short(_within(longest, PASS_S)) if _are_enough(longest) else []

    def _measured_twice(self, given: list[KnownCall]) -> list[KnownCall]:
        """Calls, the longest first, by the lesser of two times: a call that was made once may have been disturbed."""
        longest = [k.text for k in given[:MEASURED_TWICE] if not k.repeated]
        if not longest:
            return given
        again = {k.text: k.seconds for k in once(self.bench, longest, AGAIN) if k.returns}
        found = [replace(k, seconds=min(k.seconds, again.get(k.text, k.seconds))) for k in given]
        return sorted(found, key=lambda k: -k.seconds)

    def _near_big(self, big: Sequence[str]) -> tuple[list[str], str]:
        """The calls that were given for timing, and others where they are short. Raises ProgramError."""
        known, _ = observe(self.bench, big, dict.fromkeys(big, "big"))
        if not known:
            raise ProgramError("no call of BIG can be used: they take too long or do not do the same twice")
        alike = [] if _are_enough(known) else self._alike(known, ENOUGH_S)
        note = "the BIG calls and others like them" if alike else "the BIG calls"
        return _short([*(k.text for k in known), *_within(alike, ENOUGH_S)]), note

    def _alike(self, known: Sequence[KnownCall], seconds: float) -> list[KnownCall]:
        """Calls made up from the first of them that return, and take no longer than LONG_ENOUGH_S; so many that some
        may be dropped and the rest still takes so many seconds."""
        made = derive(
            [k.text for k in known[:8]],
            300,
            50 + self.seed,
            self.bench.vocabulary,
            small=False,
            classes=self.bench.class_hints,
        )
        found = once(self.bench, self._made(made), CallTimeLimit(call=25 * LONG_ENOUGH_S, total=2 * seconds, lost=2))
        usable = [k for k in found if k.returns and k.seconds <= LONG_ENOUGH_S]
        lengths = accumulate(_length(k.text) for k in usable)
        kept = [k for k, length in zip(usable, lengths, strict=True) if length <= MOST_MADE_TEXT]
        return deterministic(self.bench, kept)[0]

    def _grown(self, given: Sequence[KnownCall]) -> list[KnownCall]:
        """The longest calls made longer, twice and twice again, until one takes long enough or they fail."""
        found: list[KnownCall] = []
        bases = [k.text for k in given[:50] if grow(k.text, 2)][:4]  # of short calls the longest may be so by chance
        for steps in ((1, 2, 3), (4, 5, 6), (7, 8)):  # a few at a time: each look imports the module
            larger = {grow(base, 2**step, self.seed + at): base for step in steps for at, base in enumerate(bases)}
            within = self.contract.within([text for text in larger if text])
            grown = {kept: larger[text] for text, kept in within.items()}
            texts = [text for text in grown if _length(text) < MOST_MADE_TEXT]
            if not texts:
                break
            usable = sorted((k for k in once(self.bench, texts) if k.returns), key=lambda k: -k.seconds)
            found += usable
            if not usable or usable[0].seconds >= LONG_ENOUGH_S:
                break
            bases = list(dict.fromkeys(grown[k.text] for k in usable))[:2]
        longest = given[0].seconds
        return _long_enough(deterministic(self.bench, _long_enough(found, longest))[0], longest)

    def _made(self, texts: Sequence[str]) -> list[str]:
        """Each once, changed where it has to be; those that go beyond the contract are left out."""
        return list(dict.fromkeys(self.contract.within(texts).values()))


def _are_enough(known: Sequence[KnownCall]) -> bool:
    """Whether the calls take long enough: single times of shorter ones say little."""
    return sum(k.seconds for k in known) >= ENOUGH_S


def _length(text: str) -> int:
    return len(_OBJECT.sub("", text, count=1))


def _short(calls: Sequence[str]) -> list[str]:
    """Each once, and as many as have MOST_TEXT characters together, but not more than MOST_CALLS; one at least."""
    found = list(dict.fromkeys(calls))[:MOST_CALLS]
    sizes = list(accumulate(map(len, found)))
    return [text for at, text in enumerate(found) if not at or sizes[at] <= MOST_TEXT]


def bearable(given: list[KnownCall]) -> list[KnownCall]:
    """Without the longest, as long as something that can be timed is left."""
    shorter = [k for k in given if k.seconds <= TOO_LONG_S]
    longer = [k for k in given if k.seconds > TOO_LONG_S]
    will_do = shorter and (shorter[0].seconds >= LONG_ENOUGH_S or grow(shorter[0].text, 2))
    return shorter if will_do or not longer else longer[-1:]


def _within(known: Sequence[KnownCall], seconds: float) -> list[str]:
    """The first, and more as long as all of them take no longer."""
    spent = list(accumulate(k.seconds for k in known))
    return [k.text for at, k in enumerate(known) if not at or spent[at] <= seconds]


def _long_enough(found: Sequence[KnownCall], longest: float) -> list[KnownCall]:
    """The longest of grown calls, but not much longer than need be. longest: seconds of those that were given."""
    enough = min((k.seconds for k in found if k.seconds >= LONG_ENOUGH_S), default=0.4)
    within = [k for k in found if k.seconds <= 2 * enough]
    best = max((k.seconds for k in within), default=0.0)
    return [k for k in within if k.seconds >= 0.3 * best and k.seconds < 0.4 and best > 1.5 * longest]


def _pass_seconds(bench: FunctionHarness, batch: CallBatch) -> tuple[float, float]:
    """CPU seconds of one pass of the original, or wall seconds when it waits, the middle of three; and what is done
    around it, the least of them, without the import: that is made once for all passes of a run."""
    found, around = [], []
    for _ in range(3):
        run = bench.runner.run(bench.source, batch.stdin())
        if run.exit != 0 or run.stop:
            raise ProgramError(
                f"the original cannot be timed: {run.stop_detail or run.stderr.decode(errors='replace')[-200:]}"
            )
        found.append(max(run.cpu_s, run.wall_s * 0.5))
        around.append(run.call_timing.outside_s - run.call_timing.import_s if run.call_timing else 0.0)
        if found[0] > TOO_LONG_S:  # what disturbs a run is little beside that
            break
    return sorted(found)[len(found) // 2], min(around)


def duration(seconds: float) -> str:
    """`12 us`, `3.4 ms`, `1.2 s`."""
    return (
        f"{seconds * 1e6:.0f} us"
        if seconds < 1e-3
        else f"{seconds * 1e3:.1f} ms"
        if seconds < 1
        else f"{seconds:.1f} s"
    )
