"""Corpus of calls: those whose outcome is the same each time, counted by where they come from."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from math import log

from codeopt.core.call import Call
from codeopt.core.errors import Diagnostic, NotVerifiable
from codeopt.core.evidence import CallEvidence
from codeopt.core.words import utc
from codeopt.workloads._runs import on_other_core
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.corpus.observe import (
    DERIVED_TOTAL_S,
    REFUSED,
    CallTimeLimit,
    Exclusion,
    ExclusionReason,
    Exclusions,
    KnownCall,
    as_recorded,
    informed,
    objection,
    observe,
    values_of,
)
from codeopt.workloads.function.corpus.sources import Found, Guesses
from codeopt.workloads.function.counterexample import WHENCE
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.unusual import (
    as_iterators,
    long_calls,
    other_exact_types,
    refusals,
    tenfold,
    with_optional_parameters,
    wrong_types,
)
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.larger import deep_calls
from codeopt.workloads.source.literals import read
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import Kind

MIN_CALLS = 10
"""With fewer comparable calls nothing is claimed."""
FEW_CALLS = 7
"""With as many that somebody made, all different, something is claimed of a function whose parameters have type hints:
it is reported as little."""
MIN_COVERAGE = 0.6
"""Share of the function's lines that the calls must run."""
DERIVED = 1000
"""Number of calls made from known ones for the rounds."""
OTHER_TYPES = 8
"""Number of generated calls of which at most one has a part of another exact type."""
FRESH = 0.75
"""Number of other such calls for the confirmation, as a share of DERIVED."""
LONG = 20
"""Maximum number of long calls."""
LONGEST_S = 0.5
"""Time of a call, seconds, beyond which there is no time for several like it."""
LIKE_KNOWN = 6
"""Number of calls like the longest known one that there is time for."""
LONG_S = 0.4
"""Time limit of the original on the long calls that are kept, seconds."""
LONG_PATIENCE = CallTimeLimit(0.3, 0.45, lost=1)
"""Time limit of trying long calls, seconds: the shortest come first, so behind one that takes too long the others
would."""


@dataclass(frozen=True)
class CallCorpus:
    """All that is known, and what had to be left out."""

    known: tuple[KnownCall, ...]
    big: tuple[Call, ...] = ()
    """Calls that the user gave for timing."""
    left_out: Exclusions = Exclusions()
    lines_run: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()
    """Ids of existing tests that pass on the original."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Test or doctest that made a call, by call."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Diagnostics of what could not be run or made."""
    reused_from: float | None = field(default=None, compare=False)
    """Time at which it was collected by an earlier request, seconds since the epoch; None: by this one."""

    def origin_of(self, call: Call) -> str:
        """Origin of a call: "a call made by a test (tests/test_a.py::test_b)"."""
        source = next((known.source for known in self.known if known.call == call), "")
        place = self.places.get(call.text, "")
        return f"a call {WHENCE.get(source, 'generated from known ones')}" + f" ({place})" * bool(place)

    @property
    def vouched(self) -> list[Call]:
        """Calls that say what arguments are: those that somebody made, else those that hints give."""
        made = [each.call for each in self.known if each.vouched]
        made = made or [each.call for each in self.known if not each.made_of_others]
        return [*made, *self.big]

    @property
    def is_vouched(self) -> bool:
        """Whether somebody made some of these, and not hints alone."""
        return bool(self.big) or any(each.vouched for each in self.known)

    @property
    def coverage(self) -> float:
        """Share of the function's lines that the calls run."""
        return len(set(self.lines_run) & set(self.lines)) / len(self.lines) if self.lines else 1.0

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(known.source for known in self.known))

    @property
    def words(self) -> str:
        """`12 calls (9 generated, 3 calls file), 80% of the function's lines`."""
        largest_first = sorted(self.counts.items(), key=lambda pair: -pair[1])
        counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in largest_first)
        tests = f", {len(self.tests)} test{'s' * (len(self.tests) != 1)}" if self.tests else ""
        return f"{len(self.known):,} calls ({counts}){tests}, {self.coverage:.0%} of the function's lines"

    def figures(self) -> CallEvidence:
        """The same in numbers."""
        return CallEvidence(
            calls=len(self.known),
            sources=self.counts,
            line_coverage=round(self.coverage, 3) if self.lines else None,
            left_out=self.left_out.figures(),
            tests=len(self.tests),
            reused=self.reused_from is not None,
            reused_from=None if self.reused_from is None else utc(self.reused_from),
        )

    def thin(self, *, hinted: bool = False) -> str:
        """Why nothing can be claimed, and what would help; empty when there is enough.

        hinted: the parameters have type hints.
        """
        vouched, reason = sum(known.vouched for known in self.known), ""
        least = FEW_CALLS if hinted and vouched >= FEW_CALLS else MIN_CALLS
        if len(self.known) < least:
            count = f"{len(self.known)} comparable call{'s' * (len(self.known) != 1)}, at least {least} are needed"
            reason = f"{count}{self._lost() or '; nothing that was run calls it' * (not self.known)}; {_HELP}"
        # minimum number of calls that return: a function that only raises was not called as it is meant to be
        elif sum(known.returns for known in self.known) < 3:
            # the cause of the commonest exceptions may be a file or a module that the sandbox does not show
            names = Counter(known.outcome.exception for known in self.known if known.outcome.kind == Kind.RAISES)
            shown = ", ".join(f"{name} {count} times" for name, count in names.most_common(2))
            reason = f"nearly every call raises an exception ({shown}){self._lost()}; {_HELP}"
        elif self.coverage < MIN_COVERAGE:
            missing = [line for line in self.lines if line not in self.lines_run]
            shown = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
            reason = (
                f"the calls run {self.coverage:.0%} of the function's lines, at least {MIN_COVERAGE:.0%} are needed; "
                f"calls that reach lines {shown} would help (--calls FILE){self._lost()}"
            )
        return "; ".join([reason, *(each.words for each in self.diagnostics)]) if reason else ""

    def few(self) -> tuple[Diagnostic, ...]:
        """A line where there are fewer calls than are wanted; nothing where there are enough."""
        if len(self.known) >= MIN_CALLS:
            return ()
        return (Diagnostic(f"judged by {len(self.known)} calls alone", "no more can be made from them", _HELP),)

    def _lost(self) -> str:
        reasons = self.left_out.words()
        return f"; left out: {reasons}" if reasons else ""


_HELP = "add calls with --calls FILE, --tests PATH, or `codeopt record`"


def never_the_same(harness: FunctionHarness, detail: str) -> NotVerifiable:
    """Error about an original that differs only after its calls were observed to do the same twice."""
    reason = Exclusion(ExclusionReason.TWICE, detail)
    return NotVerifiable(f"{harness.function.qualname} cannot be judged: it {reason.with_remedy}")


class TooThin(NotVerifiable):
    """More calls would help.

    tests: ids of tests that call the function.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), tests: tuple[str, ...] = ()) -> None:
        super().__init__(message, diagnostics)
        self.tests = tests


EarlyCheck = Callable[[FunctionHarness, CallCorpus], None]
"""Looks at the first calls that are known; what it raises ends the collection."""


def gather(
    harness: FunctionHarness,
    found: Found,
    guess: Callable[[Mapping[Call, str]], Guesses],
    notify: Callable[[str], None] = lambda line: None,
    most: int | None = None,
    early_check: EarlyCheck | None = None,
) -> tuple[Found, CallCorpus]:
    """Run the original on given calls, on guesses, and on calls that are generated from both.

    Args:
        harness: Harness of the function.
        found: Calls of the sources that do not guess.
        guess: Returns guessed calls, by the source of each given one. They are asked for once these have run.
        notify: Receives progress lines.
        most: Maximum number of generated calls. Defaults to DERIVED.
        early_check: Called with the given calls, and again with the guesses, before more are generated from them.

    Returns:
        What was found, with the guesses; and the corpus.

    Raises:
        NotVerifiable: Too many calls vary from run to run, or have effects.
    """
    given: dict[Call, str] = {}
    for name, texts in found.calls:
        given |= {call: name for call in map(read, texts) if call not in given}
    big = tuple(map(read, found.big))
    notify(f"running the original on {len(given)} calls")
    known, dropped = observe(harness, list(given), given)
    if reason := objection(dropped, len(given)):
        raise NotVerifiable(f"{harness.function.qualname} cannot be judged: {reason}")
    known, elsewhere = as_recorded(known, found.recorded, harness.function.qualname)
    dropped += elsewhere
    harness = informed(harness, known)
    # time limit of the given calls that every draft makes, seconds; at least MIN_CALLS of them are kept, the quickest
    # first
    affordable = {each.call for each in quick_calls(known, 6.0, MIN_CALLS)}
    kept = [each for each in known if each.call in affordable]
    dropped[Exclusion(ExclusionReason.TOO_LONG)] += len(known) - len(kept)
    if early_check and kept:
        early_check(harness, CallCorpus(tuple(kept), big, Exclusions(dropped), places=found.places))
    more, why = guess(given)
    guessed = {call: "type_hints" for call in more if call not in given}
    guesses, other = observe(harness, list(guessed), guessed)
    chance = {reason: count for reason, count in other.items() if reason.why is ExclusionReason.TWICE or not given}
    if reason := objection(chance, len(guessed), "generated call"):
        raise NotVerifiable(f"{harness.function.qualname} cannot be judged: {reason}")
    kept += guesses
    if early_check and guesses and len(kept) >= MIN_CALLS:
        early_check(harness, CallCorpus(tuple(kept), big, Exclusions(dropped, other), places=found.places))
    notify("generating more calls")
    large = [*values_of(kept), *(call for call in big if call.can_change)]
    contract = contract_of_known(harness, CallCorpus(tuple(kept), big))

    def long(sandbox: Sandbox) -> list[KnownCall]:
        there = replace(harness, sandbox=sandbox)
        return long_ones(there, large, 1, contract, tenfold(large, 1), longest_s(kept))

    with on_other_core(harness.sandbox, long) as far:
        # calls that also give a parameter that none of them gives; of a type that was only tried, an exception says
        # nothing
        tried = with_optional_parameters(harness.function, values_of(kept))
        wider = [k for k in observe(harness, list(tried), {})[0] if k.returns or tried[k.call]]
        bases = values_of((*kept, *wider))
        patience = _patience(most)
        made, derived = observe(harness, _derived(harness, bases, most or DERIVED, 1, contract), {}, patience)
        every = (*kept, *quick_calls([*wider, *made], patience.total), *far())
    found = replace(found, diagnostics=(*found.diagnostics, *why))
    corpus = CallCorpus(every, big, Exclusions(dropped, other + derived))
    return found, _with_refusals(harness, cover(harness, corpus)) if corpus.known else corpus


def contract_of_known(harness: FunctionHarness, corpus: CallCorpus) -> Contract:
    """What the calls that somebody made have in common."""
    return harness.contracts.of(harness.function, corpus.vouched, harness.declared, vouched=corpus.is_vouched)


def fresh_ones(
    harness: FunctionHarness, known: Sequence[Call], seed: int, contract: Contract, most: int | None = None
) -> list[KnownCall]:
    """New calls made from known ones, to confirm with; most: as those of `gather`."""
    made = _derived(harness, known, round(FRESH * (most or DERIVED)), seed, contract)
    return observe(harness, made, {}, _patience(most))[0]


def _derived(harness: FunctionHarness, known: Sequence[Call], count: int, seed: int, contract: Contract) -> list[Call]:
    """Calls near known ones, as the contract shapes them, which may be a known one again."""
    # number of calls that are made for one that is wanted: of 1,000 about 700 are left that differ
    wanted, every = round(1.4 * count), dict.fromkeys(known)
    # number of the shortest known calls from which these are made
    usual = contract.inside(sorted(every, key=lambda call: len(call.text))[:50])
    others = [*islice(other_exact_types(usual), wanted // OTHER_TYPES)]
    near = derive(known, wanted, seed, harness.vocabulary)
    # The others come last: where time is short, calls near the known ones are worth more.
    few = [call for call in contract.shaped(others) if call not in every][: count // OTHER_TYPES]
    return [*[call for call in contract.shaped(near) if call not in every][: count - len(few)], *few]


def _patience(most: int | None) -> CallTimeLimit:
    """With calls made from known ones: if more are asked for than is usual, there is more time also."""
    return CallTimeLimit(total=DERIVED_TOTAL_S * max(1.0, (most or DERIVED) / DERIVED))


def longest_s(known: Sequence[KnownCall]) -> float:
    """Time of the longest known call, seconds; as if it were LONGEST_S where it is longer."""
    return min(LONGEST_S, max((each.seconds for each in known if not each.made_of_others), default=0.0))


def long_ones(
    harness: FunctionHarness,
    known: Sequence[Call],
    seed: int,
    contract: Contract,
    larger: Sequence[Call] = (),
    usual_s: float = 0.0,
) -> list[KnownCall]:
    """Calls as long as the largest and longer, as many as the original makes in a second, or in the time of LIKE_KNOWN
    calls where that is more; and of a function that takes iterators and yields a long one. larger: calls that are as
    large as none is, the largest first; the first of them for which there is time is made. usual_s: time of the
    largest, seconds. None of them is timed."""
    every = {*known}
    made = [call for call in contract.shaped(long_calls(known, LONG, seed, harness.vocabulary)) if call not in every]
    # items of an iterator that is watched: see sandbox/codeopt_sandbox/guest/calls/checking.py
    wrapped = (as_iterators(call, iterables(harness), 4000) for call in known[:20])
    watched = [call for call in wrapped if call is not None][:2]
    total = LIKE_KNOWN * usual_s
    patience = CallTimeLimit(max(LONG_PATIENCE.call, 2 * usual_s), max(LONG_PATIENCE.total, total), LONG_PATIENCE.lost)
    found, _ = observe(harness, [*made, *watched], {}, patience)
    affordable = (call for call in larger if _expected_s(found, call) <= patience.call)
    enough = [*islice((kept for call in affordable for kept in contract.within([call]).values()), 1)]
    largest = observe(harness, enough, {}, patience)[0] if enough else []
    kept = quick_calls(found, max(LONG_S, total))
    # time limit of trying calls that are deeper than any known one, seconds
    deeper, patience = [call for call in deep_calls(known) if call not in every], CallTimeLimit(0.2, 0.4, lost=2)
    kept += observe(harness, deeper, {}, patience)[0]
    return [*kept, *largest]


def _expected_s(known: Sequence[KnownCall], call: Call) -> float:
    """Seconds of a longer call, if the time grows as it does from a short known one to the longest; in proportion to
    the length at least. 0 where nothing tells."""
    timed = sorted((len(each.call.text), each.seconds) for each in known if each.returns and each.seconds > 0)
    if not timed:
        return 0.0
    length, seconds = timed[-1]
    # factor by which a call is shorter from which the growth of the time is read
    shorter, less = next((each for each in reversed(timed) if each[0] <= length / 3), timed[-1])
    power = log(seconds / less) / log(length / shorter) if shorter < length else 1.0
    return float(seconds * (len(call.text) / length) ** max(1.0, power))


def iterables(harness: FunctionHarness) -> list[int]:
    """The places of parameters that may be given an iterator, as their annotations say it."""
    given = harness.function.node.args
    hints = {each.arg: ast.unparse(each.annotation) for each in [*given.posonlyargs, *given.args] if each.annotation}
    plain = [hints.get(name, "").partition("[")[0].rpartition(".")[2] for name in harness.function.parameters]
    return [at for at, hint in enumerate(plain) if hint in ("Iterable", "Iterator")]


def _with_refusals(harness: FunctionHarness, corpus: CallCorpus) -> CallCorpus:
    """With calls that the function's own text refuses, if no given call is refused."""
    lines = refusals(harness.function)
    missing = {line for line in lines if line in corpus.lines} - set(corpus.lines_run)
    if not missing:
        return corpus
    calls = harness.declared.allowed(wrong_types(values_of(known for known in corpus.known if known.returns)))
    made = harness.ask(calls, seconds=0.1, lost=3, budget=1.0).outcomes if calls else ()
    by_line: dict[int, list[Call]] = {}
    for call, outcome in zip(calls, made, strict=False):
        if outcome.kind == Kind.RAISES and outcome.line in missing:
            by_line.setdefault(lines[outcome.line], []).append(call)
    # calls that are kept for one refusal
    chosen = [call for found in by_line.values() for call in found[:2]]
    known, _ = observe(harness, chosen, dict.fromkeys(chosen, REFUSED))
    run = {line for line, statement in lines.items() if statement in by_line and line in corpus.lines}
    reached = {*corpus.lines_run, *(run if known else ())}
    return replace(corpus, known=(*corpus.known, *known), lines_run=tuple(sorted(reached)))


def quick_calls(known: Sequence[KnownCall], most: float = DERIVED_TOTAL_S, least: int = 0) -> list[KnownCall]:
    """Calls that can be made for every draft: the quickest, within `most` seconds, and `least` of them at least.

    They stay in their order: others are drawn from them by a seed, and which is quicker by a microsecond is chance.
    """
    ordered = sorted(range(len(known)), key=lambda at: known[at].seconds)
    totals = accumulate(known[at].seconds for at in ordered)
    pairs = enumerate(zip(ordered, totals, strict=True))
    kept = {at for number, (at, total) in pairs if total <= most or number < least}
    return [call for at, call in enumerate(known) if at in kept]


def cover(harness: FunctionHarness, corpus: CallCorpus) -> CallCorpus:
    """With the lines that the calls run."""

    def covered(calls: Sequence[Call]) -> Covered | None:
        found = harness.ask(calls, lines=True, seconds=20.0, lost=0).covered
        if found:
            line, function = found[2], harness.function
            if line in function.others:  # of several of one name the last of the file need not be what runs
                raise NotVerifiable(
                    f"{function.qualname} cannot be judged: it is defined more than once, and what runs here is not "
                    f"the one at line {function.first_line} but the one at line {line}; move that one's work into a "
                    "function of its own and name that"
                )
        return found

    run, lines = lines_run(covered, corpus.known)
    return replace(corpus, lines_run=tuple(sorted(run)), lines=lines)


Covered = tuple[frozenset[int], tuple[int, ...], int]
"""Lines that calls run, all lines of the function, and its first one."""


def lines_run(
    covered: Callable[[Sequence[Call]], Covered | None], known: Sequence[KnownCall]
) -> tuple[set[int], tuple[int, ...]]:
    """Lines that calls run, and all lines of the function: quick calls together, those with short texts before, which
    mostly suffice; then, if lines are missing, the long given ones."""
    quick = sorted((each.call for each in quick_calls(known, 0.1)), key=lambda call: len(call.text))
    together = {*quick}
    slow = list(islice((k.call for k in known if k.call not in together and k.source != "generated"), 3))
    run: set[int] = set()
    lines: tuple[int, ...] = ()
    for calls in [quick[:100], quick[100:], *[[call] for call in slow]]:
        if calls and not (lines and run >= set(lines)) and (found := covered(calls)):
            run |= found[0]
            lines = found[1]
    return run, lines
