"""What a function's behaviour is known by: calls whose outcome is the same each time, counted by where they come
from."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from codeopt.errors import ProgramError
from codeopt.functions.bench import Bench
from codeopt.functions.derive import derive
from sandbox.calls import NOT_COMPARABLE, Batch

MIN_CALLS = 10
"""With fewer comparable calls nothing is claimed."""
MIN_RETURNS = 3
"""So many of them must return: a function that only raises was not called as it is meant to be."""
MIN_COVERAGE = 0.6
"""Share of the function's lines that the calls must run."""
DERIVED, FRESH = 160, 120
"""How many calls are made from known ones: for the rounds, and others for the last word."""
BATCH = 60
DERIVED_S, DERIVED_TOTAL_S = 0.1, 0.25
"""What one made-up call may take, and all of them; the quickest are kept."""
MADE_UP = ("derived", "hints")
"""Sources that nobody vouches for: what such a call costs or breaks says nothing about the function's use."""
_EFFECTS = (
    "uses the network", "starts a process", "changes files", "changes the environment", "changes the folder",
    "sends signals", "opens a database", "loads a library",
)  # fmt: skip
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
class Known:
    """A call with what the original does."""

    text: str
    outcome: str
    source: str
    """Where it comes from: calls_file, tests, doctests, recorded, hints, derived."""
    seconds: float
    """Of the first call in a checking run; only for choosing."""

    @property
    def returns(self) -> bool:
        """It ends without an exception."""
        return self.outcome.startswith("returns ")


@dataclass(frozen=True)
class Evidence:
    """All that is known, and what had to be left out."""

    known: tuple[Known, ...]
    big: tuple[str, ...] = ()
    """Calls that the user gave for timing."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Why calls are no evidence -> how many."""
    lines_run: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()
    """Ids of existing tests that pass on the original."""

    @property
    def coverage(self) -> float:
        """Share of the function's lines that the calls run."""
        return len(set(self.lines_run) & set(self.lines)) / len(self.lines) if self.lines else 1.0

    @property
    def counts(self) -> dict[str, int]:
        """How many calls each source gave."""
        return dict(Counter(known.source for known in self.known))

    def thin(self) -> str:
        """Why nothing can be claimed, and what would help; empty when there is enough."""
        missing = [line for line in self.lines if line not in self.lines_run]
        if len(self.known) < MIN_CALLS:
            return f"{len(self.known)} comparable calls, at least {MIN_CALLS} are needed{self._lost()}; {_HELP}"
        if sum(known.returns for known in self.known) < MIN_RETURNS:
            return f"{self._raised()}{self._lost()}; {_HELP}"
        if self.coverage < MIN_COVERAGE:
            shown = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
            return (
                f"the calls run {self.coverage:.0%} of the function's lines, at least {MIN_COVERAGE:.0%} are needed; "
                f"calls that reach lines {shown} would help (--calls FILE)"
            )
        return ""

    def _raised(self) -> str:
        """Which exceptions, and how often: it may be a file or a module that the sandbox does not show."""
        names = Counter(known.outcome.split(" ")[1] for known in self.known if known.outcome.startswith("raises "))
        shown = ", ".join(f"{name} {count} times" for name, count in names.most_common(2))
        return f"nearly every call raises an exception ({shown})"

    def _lost(self) -> str:
        reasons = "; ".join(
            f"{count} {reason}" for reason, count in sorted(self.dropped.items(), key=lambda p: -p[1])[:3]
        )
        return f" (left out: {reasons})" if reasons else ""


_HELP = "give more with --calls FILE, --tests PATH, or `codeopt record`"


_REMEDIES = {
    "side effects": "name the part that only computes, as a function of its own",
    "twice": "give it a seeded generator, a time or a sorted list as an argument (--calls FILE)",
    "compared": "name a function that takes and returns plain values, or objects that pickle knows",
}


class NotVerifiable(ProgramError):
    """The function's behaviour cannot be known by calling it; the message says why."""


class TooThin(NotVerifiable):
    """More calls would help."""


def gather(
    bench: Bench,
    found: Sequence[tuple[str, Sequence[str]]],
    big: Sequence[str] = (),
    notify: Callable[[str], None] = lambda line: None,
) -> Evidence:
    """Run the original on the calls of every source, and on calls made from those. Raises NotVerifiable."""
    origin = {text: name for name, calls in reversed(found) for text in calls}
    given = list(dict.fromkeys(text for _, calls in found for text in calls))
    notify(f"running the original on {len(given)} calls")
    known, dropped = observe(bench, given, origin)
    _refuse(bench, [text for text in given if origin[text] not in MADE_UP], dropped)
    notify("making more calls from them")
    more, other = observe(bench, derive([k.text for k in known], DERIVED, 1, bench.function.text), {})
    evidence = Evidence((*known, *_quick(more)), tuple(big), dict(dropped + other))
    return cover(bench, evidence) if evidence.known else evidence


def observe(bench: Bench, calls: Sequence[str], origin: dict[str, str]) -> tuple[list[Known], Counter[str]]:
    """The calls that do the same in another process, in another order and with sets in another order."""
    made_up = [text for text in calls if origin.get(text, "derived") in MADE_UP]
    known, dropped = _observe_all(bench, [text for text in calls if text not in set(made_up)], origin)
    more, other = _observe_all(bench, sorted(made_up, key=_size), origin, made_up=True)
    return [*known, *more], dropped + other


def _observe_all(
    bench: Bench, calls: Sequence[str], origin: dict[str, str], made_up: bool = False
) -> tuple[list[Known], Counter[str]]:
    """Batch by batch; of calls that are made up only as many as take little."""
    known: list[Known] = []
    dropped: Counter[str] = Counter()
    for start in range(0, len(calls), BATCH):
        if made_up and sum(k.seconds for k in known) > DERIVED_TOTAL_S:
            break
        part, gone = _observe(bench, tuple(calls[start : start + BATCH]), origin, made_up)
        known += part
        dropped += gone
    return known, dropped


def _observe(
    bench: Bench, calls: tuple[str, ...], origin: dict[str, str], made_up: bool
) -> tuple[list[Known], Counter[str]]:
    """One batch: made once, and what is of use then once more with another hash seed, in another order."""
    first = (
        bench.ask(calls, seconds=DERIVED_S, lost=3, budget=DERIVED_TOTAL_S)
        if made_up
        else bench.ask(calls, seconds=10.0, lost=5)
    )
    took = first.meta.get("took")
    times = took if isinstance(took, list) and len(took) == len(calls) else [0.0] * len(calls)
    found = [
        Known(text, outcome, origin.get(text, "derived"), spent)
        for text, outcome, spent in zip(calls, first.lines, times, strict=True)
    ]
    usable = [known for known in found if not _useless(known, known.outcome)]
    random.Random(len(calls)).shuffle(usable)
    second = dict(zip((k.text for k in usable), _again(bench, tuple(k.text for k in usable)), strict=True))
    known: list[Known] = []
    dropped: Counter[str] = Counter()
    for one in found:
        if reason := _useless(one, second.get(one.text, one.outcome)):
            dropped[reason] += 1
        else:
            known.append(one)
    return known, dropped


def _size(text: str) -> int:
    """What may take long comes last: large numbers, long arguments."""
    return len(text) + max((int(number) for number in re.findall(r"\d{3,30}", text)), default=0)


def _again(bench: Bench, calls: tuple[str, ...]) -> list[str]:
    """The same calls with another hash seed."""
    if not calls:
        return []
    run = bench.runner.run(bench.source, Batch(calls, seconds=20.0, lost=3).stdin(), mode="exec", hash_seed=1)
    lines = run.stdout.decode("utf-8", "surrogatepass").split("\n")[: len(calls)]
    if len(lines) < len(calls) or run.exit != 0:
        return [""] * len(calls)
    return [line[len(call) + 4 :] for call, line in zip(calls, lines, strict=True)]


def _useless(known: Known, again: str) -> str:
    """Why a call says nothing about the function; empty when it does."""
    outcome, source = known.outcome, known.source
    effects = [effect for effect in _EFFECTS if re.search(rf"(\| |, ){effect}($|, | \|)", outcome)]
    if effects:
        return f"with side effects ({', '.join(effects)})"
    if NOT_COMPARABLE in outcome:
        kind = outcome.partition(NOT_COMPARABLE)[2].partition(">")[0]
        return f"with a value that cannot be compared ({kind[:60]})"
    if outcome.startswith("takes longer"):
        return "that take too long"
    if outcome.startswith("ends the process"):
        return "that end the process"
    if outcome != again:
        return (
            "whose outcome is not the same twice (random numbers, the clock, the order of a set, or state that is kept)"
        )
    raised = re.match(r"raises (\w+)|.*\bthen raises <(\w+)>", outcome, re.DOTALL)
    if source in MADE_UP and raised and (raised[1] or raised[2]) in _ACCIDENTS:
        return "made up, that are no sensible calls"
    return ""


def _quick(known: Sequence[Known], most: float = DERIVED_TOTAL_S) -> list[Known]:
    """As many as can be made again and again: they are run for every draft."""
    kept: list[Known] = []
    total = 0.0
    for call in sorted(known, key=lambda k: k.seconds):
        total += call.seconds
        if total > most:
            break
        kept.append(call)
    return kept


def _refuse(bench: Bench, given: Sequence[str], dropped: Counter[str]) -> None:
    """A function that is not what its calls show, or that nothing can be said of."""
    serious = [reason for reason in dropped if "twice" in reason or "side effects" in reason or "compared" in reason]
    if given and sum(dropped[reason] for reason in serious) > len(given) / 2:
        reason = max(serious, key=lambda r: dropped[r])
        help_ = next(text for word, text in _REMEDIES.items() if word in reason)
        raise NotVerifiable(
            f"{bench.function.qualname} cannot be judged: {dropped[reason]} of {len(given)} are calls {reason}; {help_}"
        )


def cover(bench: Bench, evidence: Evidence) -> Evidence:
    """With the lines that the calls run: quick ones together, then, where lines are missing, the long given ones."""
    quick = tuple(known.text for known in _quick(evidence.known, 0.1))
    slow = [known.text for known in evidence.known if known.text not in quick and known.source != "derived"][:3]
    run: set[int] = set()
    lines: tuple[int, ...] = ()
    for calls in [quick, *[(text,) for text in slow]]:
        if not calls or (lines and run >= set(lines)):
            continue
        found = bench.ask(calls, "cover", seconds=20.0).meta.get("cover")
        if isinstance(found, list):
            run |= set(found[0])
            lines = tuple(found[1])
    return replace(evidence, lines_run=tuple(sorted(run)), lines=lines)
