"""Does a draft behave as the original on inputs that nobody has seen? Known ones are changed, and both are run.

What a difference means depends on what is known of the inputs. On 40 contest problems with about ten cases each, the
human's own faster program differed from the slow one on some changed input of 17, nearly always on one that the
problem's limits forbid (a sign, a size, a graph that is no tree). So each changed input is alike to the known ones, in
everything that all of those keep, or beyond them (codeopt/workloads/program/fuzzing):

auto     a difference on an input that is alike rejects; beyond, it is a caveat.
strict   each rejects.
lenient  each is a caveat, unless most inputs that are alike differ: such a draft has learnt the cases by heart.
off      nothing is changed; what auto means for a program with a generator of cases, which does this better.

Drafts are judged as users run them and as they are timed: by turns, and when they are confirmed in both ways. A program
can tell the two apart, if it looks closely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil

from codeopt.core.options import FuzzPolicy
from codeopt.workloads import Checked
from codeopt.workloads.program.differences import OutputDifference, caveats_of, explained
from codeopt.workloads.program.fuzzing import MutatedCase, mutate_cases
from codeopt_sandbox import Sandbox
from codeopt_sandbox.caveat import Caveat, Subject
from codeopt_sandbox.outcome import Case, Mode, Outcome, Run, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

MOST = 0.6
"""Lenient: a draft that differs on more than this share of the inputs that are alike has learnt the cases by heart."""
RUN_S = 1.0
"""Time limit of the original on one changed input, seconds."""
ALL_CPU_S = 4.0
"""CPU time limit of the original on all changed inputs, seconds: by CPU time a busy machine asks as many."""
ALL_S = 60.0
"""Time limit of the original on all changed inputs, seconds."""
MOST_ALIKE = 36
"""Number of changed inputs like the known ones that are enough."""
MOST_BEYOND = 16
"""Number of changed inputs beyond the known ones that are enough."""
MOST_FAILING = 4
"""Number of changed inputs on which the original ends with an error that are enough."""
NEXT_SEED = 1_000_003
"""Added to the seed for each time that as many are asked for as is usual."""
MOST_OF_A_KIND = 4
"""Beyond the known inputs for one reason."""
FEW = 5
"""Fewer changed inputs than these are said to be few."""
TRACEBACK = b"Traceback (most recent call last):"


@dataclass(frozen=True)
class Quota:
    """Number of changed inputs that are enough, by kind."""

    alike: int = MOST_ALIKE
    beyond: int = MOST_BEYOND
    times: int = 1
    """As many as is usual, rounded up: of the seconds and of the seeds."""

    @classmethod
    def of(cls, most: int | None) -> Quota:
        """The quota of so many inputs of both kinds together; None: the usual number."""
        if most is None:
            return cls()
        usual = MOST_ALIKE + MOST_BEYOND
        alike = round(most * MOST_ALIKE / usual)
        return cls(alike, most - alike, ceil(most / usual))


@dataclass(frozen=True)
class Changed:
    """A changed input that the original takes, with what it prints, or that it ends with an error on."""

    case: Case
    because: str = ""
    """Why it is beyond the known inputs; empty for one that is alike."""
    error: Run | None = None
    """How the original ends; None where it ends well."""


@dataclass(frozen=True)
class DifferentialTest:
    """Changed inputs with what the original makes of them. They are made as they are needed."""

    strictness: FuzzPolicy
    made: list[Changed] = field(default_factory=list)
    """Changed inputs that were needed so far, the same for every draft."""
    more: Iterator[Changed] = iter(())
    is_steady: Callable[[Case, int], bool] = lambda case, hash_seed: True
    """Whether the original prints the same again, in another order of its sets."""
    steady: set[str] = field(default_factory=set)
    """Names of cases on which the original printed the same again."""
    again: Callable[[Case], str] = lambda case: ""
    """A line to paste that shows a case."""
    quota: Quota = Quota()
    reads: bool = True
    """The program is given something that can be changed."""

    def __iter__(self) -> Iterator[Changed]:
        """The changed inputs that were made, then new ones."""
        yield from tuple(self.made)
        for changed in self.more:
            self.made.append(changed)
            yield changed

    def prepared(self) -> DifferentialTest:
        """The same, with all of them made: for one whose cases are shown to a proposer, also when it is resumed."""
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
        found: list[OutputDifference] = []
        alike = 0
        for number, changed in enumerate(self):
            alike += not changed.because
            difference = self._difference(sandbox, source, check, changed, number, both=both)
            if difference is not None:
                found.append(difference)
            if self._rejects(found, alike, enough=False):
                break
        if wrong := self._rejects(found, alike, enough=True):
            return Checked((explained(wrong[0].outcome, wrong[0].case),))
        return Checked(caveats=(*caveats_of(found, self.again), *self._too_few()))

    def _difference(
        self, sandbox: Sandbox, source: str, check: Checker, changed: Changed, number: int, *, both: bool
    ) -> OutputDifference | None:
        """The first run that differs."""
        hash_seed = 1 + number  # two words stand in the same order under every second one
        ways: tuple[Mode, ...] = ("exec", "fork") if both else ("exec",) if number % 2 else ("fork",)
        for mode in ways:
            run = run_on(sandbox, source, changed.case, mode=mode, hash_seed=hash_seed)
            if changed.error is not None:
                if _ends_well(changed.case, run):
                    return OutputDifference(
                        changed.case, Outcome(changed.case.name, Verdict.AC, run), changed.because, changed.error
                    )
                continue
            outcome = judge(changed.case, run, check)
            if outcome.verdict is not Verdict.AC:
                return self._counted(changed, outcome, hash_seed)
            if other := OutputDifference.of_text(changed.case, outcome):
                return other
        return None

    def _counted(self, changed: Changed, outcome: Outcome, hash_seed: int) -> OutputDifference | None:
        """A difference counts where the original agrees with itself; asked only where there is one."""
        case = changed.case
        if case.name in self.steady or self.is_steady(case, hash_seed):
            self.steady.add(case.name)
            return OutputDifference(case, outcome, changed.because)
        self.made.remove(changed)
        return None

    def _rejects(self, found: Sequence[OutputDifference], alike: int, *, enough: bool) -> list[OutputDifference]:
        """The differences that reject a draft; enough: no more inputs will come."""
        wrong = [each for each in found if each.wrong and not each.because]
        if self.strictness is FuzzPolicy.STRICT:
            return [each for each in found if each.wrong]
        if self.strictness is FuzzPolicy.LENIENT:
            most = MOST * (alike if enough else self.quota.alike)
            return wrong if len(wrong) > most else []
        return wrong

    def _too_few(self) -> tuple[Caveat, ...]:
        if self.strictness is FuzzPolicy.OFF or len(self.cases) >= FEW:
            return ()
        return (Caveat(Subject.EVIDENCE, "", "", self.too_few),)

    @property
    def too_few(self) -> str:
        """Remark on too few changed inputs."""
        if not self.reads:
            return "it is given no input, so none could be changed"
        count = len(self.cases)
        tried = "no changed input" if count == 0 else f"only {count} changed input{'s' * (count != 1)}"
        return (
            f"{tried} could be tried: on others the original fails, takes too long or prints something else each time"
        )


def _ends_well(case: Case, run: Run) -> bool:
    """A warning on standard error is no failure; nor is the exit status that known inputs give."""
    return run.exit in (0, case.exit) and run.stop is None and TRACEBACK not in run.stderr


def choose(strictness: FuzzPolicy, *, generated: bool) -> FuzzPolicy:
    """The policy where inputs come from a generator: it knows the valid ones."""
    return FuzzPolicy.OFF if generated and strictness is FuzzPolicy.AUTO else strictness


def make_differential_test(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    check: Checker,
    strictness: FuzzPolicy,
    *,
    seed: int,
    also_known: Sequence[Case] = (),
    held_out: bool = False,
    most: int | None = None,
    notify: Callable[[str], None] = lambda line: None,
    again: Callable[[Case], str] = lambda case: "",
) -> DifferentialTest:
    """Changed `cases` that the original ends well on. Where a draft differs, it must print the same once more.

    also_known: cases that are not changed, but say what all inputs keep, what is large and what is long.
    most: how many; None: as many as is usual.
    """
    if strictness is FuzzPolicy.OFF:
        return DifferentialTest(strictness)
    limits = replace(sandbox.limits, seconds=min(RUN_S, sandbox.limits.seconds))

    def is_steady(case: Case, hash_seed: int) -> bool:
        return judge(case, patiently(case, "exec", hash_seed), check).verdict is Verdict.AC

    def run(mutated: MutatedCase) -> Run:
        return patiently(mutated.case)

    def patiently(case: Case, mode: Mode = "fork", hash_seed: int = 0) -> Run:
        found = run_on(sandbox, source, case, limits=limits, mode=mode, hash_seed=hash_seed)
        if found.stop == "time" and found.runqueue_wait_s > limits.seconds / 4:  # others had the processor
            longer = replace(limits, seconds=4 * limits.seconds)
            found = run_on(sandbox, source, case, limits=longer, mode=mode, hash_seed=hash_seed)
        return found

    quota = Quota.of(most)
    seeds = (seed + NEXT_SEED * time for time in range(quota.times))
    wanted = chain.from_iterable(mutate_cases(cases, seed=each, also_known=also_known) for each in seeds)
    made = _taken(run, wanted, quota, held_out, notify)
    reads = any(case.stdin or case.args or case.files for case in cases)
    return DifferentialTest(strictness, [], made, is_steady, again=again, quota=quota, reads=reads)


@dataclass
class _Budget:
    """Findings and time spent so far, and the limits of both."""

    quota: Quota
    alike: int = 0
    beyond: int = 0
    failing: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    too_long: set[str] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of inputs by the reason why they are beyond the known ones."""

    def spent(self) -> bool:
        enough = self.alike >= self.quota.alike and self.beyond >= self.quota.beyond
        return enough or self.cpu_s > self.quota.times * ALL_CPU_S or self.wall_s > self.quota.times * ALL_S

    def wants(self, mutated: MutatedCase) -> bool:
        """Others with numbers as large, or as long, would use up the time for those that can be run."""
        if kind_of_change(mutated) in self.too_long:
            return False
        if not mutated.beyond:
            return self.alike < self.quota.alike
        return self.beyond < self.quota.beyond and self.reasons[mutated.because] < MOST_OF_A_KIND

    def note(self, mutated: MutatedCase, run: Run) -> None:
        self.cpu_s, self.wall_s = self.cpu_s + run.cpu_s, self.wall_s + run.wall_s
        if run.stop == "time":
            self.too_long |= {kind_of_change(mutated), "long"}


def kind_of_change(mutated: MutatedCase) -> str:
    """`longer`, `alike.resampled`."""
    kind, _, more = mutated.name.partition(".")
    return f"alike.{more.partition('.')[0]}" if kind == "alike" else kind


def _taken(
    run_original: Callable[[MutatedCase], Run],
    wanted: Iterable[MutatedCase],
    quota: Quota,
    held_out: bool,
    notify: Callable[[str], None],
) -> Iterator[Changed]:
    """Inputs that the original takes, and some that it fails on, until there are enough or it has run for too long."""
    budget = _Budget(quota)
    for mutated in wanted:
        if budget.spent():
            break
        if not budget.wants(mutated):
            continue
        notify(f"changing inputs, {budget.alike + budget.beyond} that the original takes")
        run = run_original(mutated)
        budget.note(mutated, run)
        case = replace(mutated.case, name=f"changed.{mutated.name}", held_out=held_out)
        if _ends_well(case, run):
            budget.alike += not mutated.beyond
            budget.beyond += mutated.beyond
            budget.reasons[mutated.because] += 1
            written = run.written if case.files is not None else None
            yield Changed(replace(case, expected=run.stdout, written=written, exit=run.exit or 0), mutated.because)
        elif run.stop is None and run.exit is not None and budget.failing < MOST_FAILING:
            budget.failing += 1
            yield Changed(case, "the original ends with an error on it", run)
