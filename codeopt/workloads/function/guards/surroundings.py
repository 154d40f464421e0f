"""Guard: a draft newly reads its environment in addition to the arguments, or reads it no more, or keeps something of
each call forever.

All show in one pass of quick calls (guest/calls/watched.py), independent of the name of the clock and the place of the
cache.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from codeopt.core.call import texts_of
from codeopt.core.json_codec import JsonCodec
from codeopt.core.revision import Revision
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.corpus.corpus import quick_calls
from codeopt.workloads.function.workload import CallGain, FunctionWorkload
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.watched import CLOCK, MACHINE, WATCHER
from codeopt_sandbox.outcome import Caveat, CaveatKind

MAX_RUN_S = 30.0
MAY_BE_ASKED = (CLOCK, MACHINE)
"""Things that a program may ask to wait, or to share its work out: told, and no reason to refuse it."""

NOT_MISSED = (*MAY_BE_ASKED, WATCHER)
"""Things that nobody misses: a program asks for them to measure, to wait and to share its work out."""


@dataclass(frozen=True)
class Watched:
    """The observations of one module's calls."""

    reads: tuple[tuple[str, int, bool], ...]
    """Name of the thing that is read, the line that does, and whether the module's own code asks for it."""
    calls: int
    blocks: int
    """Blocks of memory that the interpreter still has after the calls."""
    bytes: int

    @cached_property
    def places(self) -> dict[str, tuple[int, bool]]:
        """First line that reads each thing; of lines of the module's own code if there are any."""
        found: dict[str, tuple[int, bool]] = {}
        for what, line, direct in sorted(self.reads, key=lambda read: not read[2]):
            found.setdefault(what, (line, direct))
        return found

    @property
    def blocks_each(self) -> float:
        """Blocks of one call."""
        return self.blocks / max(self.calls, 1)

    @property
    def bytes_each(self) -> float:
        """Bytes of one call."""
        return self.bytes / max(self.calls, 1)


@guard(order=20, applies_to="comparisons", every_round=True)
def check_gain(gain: CallGain) -> Finding | None:
    """Return a caveat for each finding, or a rejection.

    A draft is rejected if its own code depends on the date, the user or its start parameters, or keeps very much of
    each call.
    """
    gain.notify("checking what the calls read and keep")
    return watch(gain.workload, gain.draft, gain.plan.timed.batch.iterators)


def watch(workload: FunctionWorkload, draft: Revision, iterators: str = "") -> Finding | None:
    """A finding about a draft that nobody has timed, as `check_gain` has of one that was."""
    # quick calls, the longest of them first: a cache of the last calls then holds short ones at the end
    # largest number of known calls that are made
    # time that these take the original at most, seconds
    quick = quick_calls(workload.corpus.known, 0.3)[:400][::-1]
    calls = texts_of(known.call for known in quick)
    batch = CallBatch(calls, "inspect", "watch", seconds=MAX_RUN_S, iterators=iterators)
    old, new = (_watched(workload, side, batch) for side in (workload.baseline.revision, draft))
    if old is None:
        unseen = Caveat(CaveatKind.ENVIRONMENT, "", "", "what its calls read and keep could not be looked at")
        return Finding(Consequence.CAVEAT, unseen.words, caveats=(unseen,))
    if new is None:
        return Finding(Consequence.REJECT, "there is no answer when what its calls read and keep is looked at")
    if refused := _refused(old, new):
        return Finding(Consequence.REJECT, refused)
    lines = [f"it newly reads {what}, in line {line}" for what, (line, _) in sorted(_new(old, new).items())]
    lines += [
        f"it no longer reads {what}, as the original does in line {line}: a constant may be in its place"
        for what, (line, _) in sorted(_new(new, old).items())
        if what not in NOT_MISSED
    ]
    caveats = (*[Caveat(CaveatKind.ENVIRONMENT, "", "", line) for line in lines], *_keeps(old, new))
    return Finding(Consequence.CAVEAT, caveats[0].words, caveats=caveats) if caveats else None


def _watched(workload: FunctionWorkload, side: Revision, batch: CallBatch) -> Watched | None:
    """Return the observations of one side. None if the run gave no answer, or not codeopt's own answer."""
    answer = workload.runner.ask(side, batch).answer
    with suppress(ValueError):
        return JsonCodec().read(Watched, json.loads("".join(answer.lines))) if answer else None
    return None


def _new(old: Watched, new: Watched) -> dict[str, tuple[int, bool]]:
    """First line of each thing that only `new` reads."""
    return {what: place for what, place in new.places.items() if what not in old.places}


def _refused(old: Watched, new: Watched) -> str:
    for what, (line, direct) in _new(old, new).items():
        if direct and what not in MAY_BE_ASKED:
            return f"it newly reads {what}, in line {line}: its result may differ at another time or place"
    more = new.bytes_each - old.bytes_each
    # bytes of each call beyond which a draft is refused: some ten thousand small calls would take a machine's memory
    if _keeps(old, new) and more > 100 << 10:
        return f"it keeps {more / 1024:,.0f} KiB of each call with new arguments for ever"
    return ""


def _keeps(old: Watched, new: Watched) -> list[Caveat]:
    """Return a caveat if more of each call is kept after many calls with different arguments."""
    more = new.bytes_each - old.bytes_each
    # smallest number of calls for a statement about memory
    few = min(old.calls, new.calls) < 10
    # interpreter's blocks that each call must keep in addition to the original's to be reported
    # bytes that each call must keep in addition to the original's to be reported
    if few or new.blocks_each - old.blocks_each < 0.5 or more < 16:
        return []
    words = f"it keeps about {more:,.0f} bytes of each call with new arguments for ever"
    return [Caveat(CaveatKind.MEMORY, "", "", words)]
