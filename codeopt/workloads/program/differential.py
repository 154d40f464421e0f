"""Comparison of a candidate with the original on new inputs: known ones are mutated, and both programs run.

The consequence of a difference depends on what is known of the inputs. On 40 contest problems with about ten cases
each, the human's own faster program differed from the slow one on a mutated input of 17. Nearly always the problem's
limits forbid that input (a sign, a size, a graph that is not a tree). So each mutated input is similar to the known
ones, in all patterns that they share, or unusual (mutated_inputs.py). Each pattern that all known inputs share is
broken once first, in an order that depends only on the seed:

    auto     a difference on a similar input rejects, one on an unusual input is a caveat
    strict   each rejects
    lenient  each is a caveat, unless most similar inputs differ: such a candidate is fitted to the cases
    off      no mutations: the meaning of auto for a program with a generator of cases, which does this better

Candidates run as users run them and as they are timed: by turns, and in both ways for the confirmation. A program can
distinguish the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil

from codeopt.workloads import Checked
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.program.briefing import NOTHING_STATED, StatedBounds
from codeopt.workloads.program.differences import (
    OutputDifference,
    caveats_of,
    difference_of,
    error_name,
    explained,
)
from codeopt.workloads.program.mutated_cases import (
    MutatedCase,
    boundary_cases,
    largest_text,
    mutate_cases,
    other_usage,
    smaller_cases,
)
from codeopt.workloads.program.mutated_inputs import LARGEST_BASE
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Mode, Outcome, Run, Tier, run_on
from codeopt_sandbox.verdict import TRACEBACK, Checker, judge

FEW = 5
"""Number of mutated inputs below which the report says that they are few."""
RUN_S = 1.0
"""Upper bound of the time limit of the original on one changed input, seconds."""
ALL_CPU_S = 4.0
"""CPU time limit of the original on all mutated inputs, and the same on those that break a pattern, seconds.

With CPU time a busy machine gets as many inputs.
"""
MOST_ALIKE = 36
"""Number of changed inputs like the known ones that are enough."""
MOST_BEYOND = 16
"""Maximum number of unusual mutated inputs."""
MOST_RELATIONS = 48
"""Number of inputs that break a relation on purpose, each relation once before any is broken again."""
MOST_TOO_LONG = 4
"""Number of inputs that break a relation on which the original takes too long, after which no more are asked."""
MOST_OF_AN_ERROR = 2
"""... and of those on which it ends with the same one."""
RunOriginal = Callable[[Case, Mode], Run]
"""Runs the original on a case, in a way."""
NO_INPUT = "it is given no input, so none could be changed"
NONE_BROKEN = "no input that breaks a pattern of the known ones could be tried"


@dataclass
class ProbeLoop:
    """Changed inputs with what the original makes of them, and the comparison of drafts on them; of programs and of
    commands."""

    policy: InputPolicy
    made: list[MutatedCase] = field(default_factory=list)
    """Changed inputs that were needed so far, the same for every draft."""
    more: Iterable[MutatedCase] | None = None
    """Generator of further ones; None where nothing is changed."""
    is_steady: Callable[[Case], bool] = lambda case: True
    """Returns True if the original prints the same again in the case's environment."""
    steady: set[str] = field(default_factory=set)
    """Names of cases on which the original printed the same again."""
    smaller: Callable[[Case], Iterator[MutatedCase]] = lambda case: iter(())
    """Yields inputs that are smaller than one, with what the original makes of them."""
    enough: int = MOST_ALIKE
    """Similar inputs of which a share decides before all have come."""
    begun: bool = False
    """True once an input was asked for."""

    def __iter__(self) -> Iterator[MutatedCase]:
        """The changed inputs that were made, then new ones."""
        self.begun = True
        yield from tuple(self.made)
        for changed in self.more or ():
            self.made.append(changed)
            yield changed

    def compared(
        self, differs: Callable[[MutatedCase, int], OutputDifference | None]
    ) -> tuple[OutputDifference | None, list[OutputDifference]]:
        """Compare a draft up to a difference that rejects it; return that, or None, and all differences.

        differs: runs the draft on an input, by the number of which it may choose how. A difference counts where the
        original agrees with itself, which is asked only then.
        """
        found: list[OutputDifference] = []
        alike, told = 0, set[str]()
        for number, changed in enumerate(self):
            if changed.relation in told:  # once more says nothing new, and may take the whole time limit of a run
                continue
            difference = differs(changed, number)
            if difference and not self._counts(difference):
                self.made.remove(changed)
                continue
            alike += not changed.because
            found += [difference] if difference else []
            told |= {changed.relation} - {""} if difference and difference.wrong else set()
            if wrong := self._rejecting(found, self.enough):
                return wrong, found
        return self._rejecting(found, alike), found

    def _counts(self, found: OutputDifference) -> bool:
        if found.error or not found.wrong or found.case.name in self.steady:
            return True
        if not self.is_steady(replace(found.case, environment=found.environment)):
            return False
        self.steady.add(found.case.name)
        return True

    def _rejecting(self, found: Sequence[OutputDifference], alike: int) -> OutputDifference | None:
        """The first difference that rejects a draft. alike: number of similar inputs that it was run on."""
        wrong = [each for each in found if each.wrong]
        share = sum(not each.because for each in wrong) / max(1, alike)
        tiers = ((each, Tier.UNUSUAL if each.because else Tier.SIMILAR) for each in wrong)
        return next((each for each, tier in tiers if self.policy.rejects(tier, share)), None)

    def smallest(
        self, found: OutputDifference, differs: Callable[[MutatedCase, int], OutputDifference | None]
    ) -> OutputDifference:
        """The smallest similar input at hand on which the draft errs in the same way."""
        smaller = iter(()) if found.because else self.smaller(found.case)
        # smaller inputs that are tried to show a difference by a small one, each with a run of the original and the
        # draft
        for number in range(40):
            changed = next(smaller, None)
            if changed is None:
                break
            less = differs(changed, number)
            alike = less and less.wrong and not less.because and less.outcome.verdict is found.outcome.verdict
            if less and alike and self._counts(less):
                found, smaller = less, self.smaller(less.case)
        return found


@dataclass(frozen=True)
class ProbeSource:
    """The inputs of a program from which others are made."""

    cases: Sequence[Case]
    """Those that are changed."""
    seed: int
    also_known: Sequence[Case] = ()
    """Cases that are not changed, but say what all inputs keep, what is large and what is long."""
    held_out: bool = False
    most: int | None = None
    """How many are made. None: as many as is usual."""
    longest_s: float = RUN_S
    """Seconds that the original takes on the longest one."""
    bounds: StatedBounds = NOTHING_STATED
    """Bounds that the problem's statement gives: inputs outside of them are not made."""


@dataclass
class DifferentialTest(ProbeLoop):
    """The changed inputs of a program."""

    again: Callable[[Case], str] = lambda case: ""
    """A line to paste that shows a case."""
    unchanged: str = ""
    """Reason why the inputs themselves cannot be changed; empty where they can."""
    source: ProbeSource = ProbeSource((), 0)

    def prepared(self) -> DifferentialTest:
        """Return the test with all cases made. A proposer needs them also after a resume."""
        for _ in self:
            pass
        return self

    @property
    def cases(self) -> list[Case]:
        """The changed inputs that the original takes."""
        return [changed.case for changed in self.made if changed.error is None]

    def run(self, sandbox: Sandbox, source: str, check: Checker, *, both: bool = False) -> Checked:
        """Run a draft on the changed inputs: what counts against it, and its caveats. both: each input is run in both
        ways."""

        def differs(changed: MutatedCase, number: int) -> OutputDifference | None:
            environment = seeded(1 + number)  # every second seed gives two words the same order
            case = replace(changed.case, environment=environment)
            ways: tuple[Mode, ...] = ("exec", "fork") if both else ("exec",) if number % 2 else ("fork",)
            for mode in ways:
                run = run_on(sandbox, source, case, mode=mode)
                if changed.error is None:
                    difference = difference_of(changed, run, check, environment)
                    if difference is not None:
                        return difference
                elif ends_well(changed.case, run):
                    right = Outcome(changed.case.name, CaseVerdict.AC, run)
                    return OutputDifference(changed.case, right, changed.because, changed.error)
            return None

        wrong, found = self.compared(differs)
        if wrong:
            least = self.smallest(wrong, differs)
            return Checked((replace(explained(wrong), detail=explained(least).detail),))
        missing = (Caveat(CaveatKind.EVIDENCE, "", "", words) for words in self.missing)
        return Checked(caveats=(*caveats_of(found, self.again), *missing))

    @property
    def pattern_breaking_inputs(self) -> int:
        """Number of relations that all known inputs keep and that an input breaks which the original takes."""
        return len({changed.relation for changed in self.made if changed.relation and changed.error is None})

    @property
    def missing(self) -> tuple[str, ...]:
        """Remarks on evidence that is missing."""
        count = len(self.cases)
        if not self.policy.generates or (count >= FEW and self.pattern_breaking_inputs):
            return ()
        if count >= FEW:
            return (NONE_BROKEN,)
        if self.unchanged:
            return (self.unchanged,)
        tried = "no mutated input" if count == 0 else f"only {count} mutated input{'s' * (count != 1)}"
        none = "" if self.pattern_breaking_inputs else ", and no input breaks a pattern of the known ones"
        why = "on others the original fails, takes too long or prints something else each time"
        return (f"{tried} could be tried: {why}{none}",)

    @property
    def left_out(self) -> str:
        """Remark on inputs that were not tried for want of time; empty where all were."""
        return self.more.left_out if isinstance(self.more, ProbeGenerator) else ""


def make_differential_test(
    sandbox: Sandbox,
    source: str,
    inputs: ProbeSource,
    check: Checker,
    policy: InputPolicy,
    original_in: Sandbox | None = None,
    notify: Callable[[str], None] = lambda line: None,
) -> DifferentialTest:
    """Changed inputs that the original ends well on. Where a draft differs, it must print the same once more.

    original_in: the sandbox in which the original makes them. None: the one in which drafts run.
    """
    if not policy.generates:
        return DifferentialTest(policy)
    cases, also_known, seed = inputs.cases, inputs.also_known, inputs.seed
    run_original, here = (patient(each, source, inputs.longest_s) for each in (original_in or sandbox, sandbox))

    def is_steady(case: Case) -> bool:
        run = run_on(sandbox, source, case, mode="exec")  # with all the time that a draft has
        return judge(case, run, check).verdict is CaseVerdict.AC

    def smaller(case: Case) -> Iterator[MutatedCase]:
        for less in smaller_cases(case, known) if not inputs.held_out else ():  # what is held out is not shown
            run = here(less, "fork")
            if ends_well(less, run):
                less = replace(less, expected=run.stdout, written=run.written, exit=run.exit or 0)
                yield MutatedCase("smaller", less)

    quota, known = ProbeBudget.of(inputs.most), [*cases, *also_known]
    unchanged = "" if any(case.stdin or case.args or case.files for case in cases) else NO_INPUT
    if cases and not unchanged and all(len(largest_text(case)) > LARGEST_BASE for case in cases):
        unchanged = f"its inputs are longer than {LARGEST_BASE:,} bytes, and longer ones are not changed"
    # added to the seed for each time that as many are asked for as is usual
    seeds = (seed + 1_000_003 * time for time in range(quota.times))
    mutated = (mutate_cases(cases, seed=each, also_known=also_known, source=source) for each in seeds)
    changes = chain(other_usage(source, cases, also_known), chain.from_iterable(mutated))
    at_numbers = boundary_cases(source, cases, also_known)
    breaking = chain(at_numbers, mutate_cases(cases, seed=seed, also_known=also_known, source=source, breaking=True))
    allowed, others = (
        (mutated for mutated in each if not inputs.bounds.excludes(mutated.case.stdin)) for each in (breaking, changes)
    )
    made = ProbeGenerator(run_original, allowed, others, quota, inputs.held_out, notify)
    return DifferentialTest(
        policy, [], made, is_steady, smaller=smaller, enough=quota.alike, unchanged=unchanged, source=inputs
    )


# Changed inputs that the original takes: what is asked for, in which order, and what is left out for want of time.


@dataclass(frozen=True)
class ProbeBudget:
    """Number of changed inputs that are enough, by kind."""

    alike: int = MOST_ALIKE
    beyond: int = MOST_BEYOND
    relations: int = MOST_RELATIONS
    times: int = 1
    """Multiple of the usual number, rounded up: of the seconds and of the seeds."""

    @property
    def all(self) -> int:
        """Inputs of all kinds together, at most."""
        return self.alike + self.beyond + self.relations

    @classmethod
    def of(cls, most: int | None) -> ProbeBudget:
        """The quota of so many inputs of all kinds together; None: the usual number."""
        if most is None:
            return cls()
        usual = MOST_ALIKE + MOST_BEYOND + MOST_RELATIONS
        alike, beyond = (round(most * each / usual) for each in (MOST_ALIKE, MOST_BEYOND))
        return cls(alike, beyond, most - alike - beyond, ceil(most / usual))


def patient(sandbox: Sandbox, source: str, longest_s: float) -> RunOriginal:
    """Runs a program with little time, and with more where others had the processor. longest_s: seconds of the longest
    known input."""
    # Time limit of the original on one mutated input, seconds: a multiple of the longest known one's time, and no less
    # than a tenth. An input that takes longer mostly has an enlarged number, and runs to the limit for nothing.
    seconds = min(RUN_S, sandbox.limits.seconds, max(0.1, 4 * longest_s))
    limits = replace(sandbox.limits, seconds=seconds)

    def run(case: Case, mode: Mode) -> Run:
        found = run_on(sandbox, source, case, limits=limits, mode=mode)
        if found.stop == "time" and found.runqueue_wait_s > limits.seconds / 4:
            longer = replace(limits, seconds=4 * limits.seconds)
            found = run_on(sandbox, source, case, limits=longer, mode=mode)
        return found

    return run


def ends_well(case: Case, run: Run) -> bool:
    """A warning on standard error is no failure; nor is the exit status that known inputs give."""
    return run.exit in (0, case.exit) and run.stop is None and TRACEBACK not in run.stderr


@dataclass
class _Spent:
    """Time and errors of the original so far, and their limits."""

    times: int
    cpu_s: float = 0.0
    wall_s: float = 0.0
    too_long: int = 0
    """Number of runs that took too long."""
    errors: Counter[str] = field(default_factory=Counter)
    """Number of inputs on which it ends with an error, by its name."""

    def add(self, run: Run) -> None:
        self.cpu_s, self.wall_s = self.cpu_s + run.cpu_s, self.wall_s + run.wall_s
        self.too_long += run.stop == "time"

    def add_error(self, run: Run) -> bool:
        """Count an error, and tell whether such inputs were too few yet: of the same error, and of all."""
        name = error_name(run)
        self.errors[name] += 1
        return self.errors[name] <= MOST_OF_AN_ERROR and self.errors.total() <= 6

    @property
    def over(self) -> bool:
        # time limit of the original on all changed inputs, seconds
        return self.cpu_s > self.times * ALL_CPU_S or self.wall_s > self.times * 60.0


@dataclass
class ProbeGenerator:
    """Changed inputs: those that break a relation, then the others, until there are enough or the original has run for
    too long."""

    run_original: RunOriginal
    breaking: Iterable[MutatedCase]
    changes: Iterable[MutatedCase]
    quota: ProbeBudget
    held_out: bool
    notify: Callable[[str], None]
    relations_left: set[str] = field(default_factory=set)
    """Relations that no input was run for."""
    others_left: bool = False
    """The original had run for too long before the other changed inputs were enough."""
    taken: Counter[bool] = field(default_factory=Counter)
    """Number of inputs that the original accepts, by whether they are unusual."""
    _made: Iterator[MutatedCase] | None = None

    def __iter__(self) -> Iterator[MutatedCase]:
        """Continue with the inputs that were not made before."""
        self._made = self._made or chain(self._breaking(), self._others())
        return self._made

    @property
    def left_out(self) -> str:
        """Remark on inputs that were not tried for want of time; empty where all were."""
        often = len(self.relations_left)
        if not often and not self.others_left:
            return ""
        told = [f"{often} relation{'s' * (often != 1)} of the known inputs could not be broken"] if often else []
        told += [f"only {self.taken.total()} mutated inputs were tried"] if self.others_left else []
        return f"{' and '.join(told)}: the original took too long"

    def _breaking(self) -> Iterator[MutatedCase]:
        spent, tried = _Spent(self.quota.times), set[str]()
        for mutated in self.breaking:
            if self.taken.total() >= self.quota.relations:
                break
            if spent.over or spent.too_long >= MOST_TOO_LONG:
                self.relations_left |= {mutated.relation} - tried
                continue
            tried.add(mutated.relation)
            yield from self._run(mutated, spent)

    def _others(self) -> Iterator[MutatedCase]:
        spent, quota = _Spent(self.quota.times), self.quota
        too_long: set[str] = set()
        counts, reasons = Counter[bool](), Counter[str]()
        for mutated in self.changes:
            if counts[False] >= quota.alike and counts[True] >= quota.beyond:
                break
            if spent.over:
                self.others_left = True
                break
            wanted = counts[False] < quota.alike
            if mutated.because:
                # beyond the known inputs for one reason
                wanted = counts[True] < quota.beyond and reasons[mutated.because] < 4
            if kind_of_change(mutated) in too_long or not wanted:
                continue
            for found in self._run(mutated, spent, too_long):
                if found.error is None:
                    counts[bool(mutated.because)] += 1
                    reasons[mutated.because] += 1
                yield found

    def _run(self, mutated: MutatedCase, spent: _Spent, too_long: set[str] | None = None) -> Iterator[MutatedCase]:
        """Run the original on a mutated input. Nothing if the run is no evidence, or has a frequent error.

        `too_long` collects kinds of changes that would use up the time.
        """
        self.notify(f"mutating inputs, {self.taken.total()} of at most {self.quota.all} that the original accepts")
        run = self.run_original(mutated.case, "fork")
        spent.add(run)
        if run.stop == "time" and too_long is not None:
            too_long |= {kind_of_change(mutated), "long"}
        case = replace(mutated.case, name=f"changed.{mutated.name}", held_out=self.held_out)
        if ends_well(case, run):
            self.taken[bool(mutated.because)] += 1
            case = replace(case, expected=run.stdout, written=run.written, exit=run.exit or 0)
            yield replace(mutated, case=case)
        elif run.stop is None and run.exit is not None and spent.add_error(run):
            because = "the original ends with an error on it"  # whatever it was made to break
            yield replace(mutated, case=case, because=because, relation="", error=run)


def kind_of_change(mutated: MutatedCase) -> str:
    """Return the kind of a mutation, such as `longer` or `NAME.resampled`, with the name of a similar input."""
    kind, _, more = mutated.name.partition(".")
    return f"alike.{more.partition('.')[0]}" if kind == "alike" else kind
