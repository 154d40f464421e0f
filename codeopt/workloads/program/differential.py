"""Does a draft behave as the original on inputs that nobody has seen? Known ones are changed, and both are run.

What a difference means depends on what is known of the inputs. On 40 contest problems with about ten cases each, the
human's own faster program differed from the slow one on some changed input of 17, nearly always on one that the
problem's limits forbid (a sign, a size, a graph that is no tree). So each changed input is alike to the known ones, in
everything that all of those keep, or beyond them (codeopt/workloads/program/fuzzing). Each relation that all known
inputs keep is broken once first, in an order that hangs on nothing but the seed:

auto     a difference on an input that is alike rejects; beyond, it is a caveat.
strict   each rejects.
lenient  each is a caveat, unless most inputs that are alike differ: such a draft has learnt the cases by heart.
off      nothing is changed; what auto means for a program with a generator of cases, which does this better.

Drafts are judged as users run them and as they are timed: by turns, and when they are confirmed in both ways. A program
can tell the two apart, if it looks closely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from codeopt.core.options import FuzzPolicy
from codeopt.workloads import Checked
from codeopt.workloads.program.differences import OutputDifference, caveats_of, explained
from codeopt.workloads.program.fuzzing import break_relations, mutate_cases
from codeopt.workloads.program.special_check import refuses_own
from codeopt.workloads.program.supply import RUN_S, Changed, Quota, Supply, ends_well, patient
from codeopt_sandbox import Sandbox
from codeopt_sandbox.caveat import Caveat, Subject
from codeopt_sandbox.outcome import Case, Mode, Outcome, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

MOST = 0.6
"""Lenient: a draft that differs on more than this share of the inputs that are alike has learnt the cases by heart."""
NEXT_SEED = 1_000_003
"""Added to the seed for each time that as many are asked for as is usual."""
FEW = 5
"""Fewer changed inputs than these are said to be few."""
NONE_BROKEN = "0 relations broken: no changed input that lacks what all known ones keep could be tried"


@dataclass(frozen=True)
class DifferentialTest:
    """Changed inputs with what the original makes of them. They are made as they are needed."""

    strictness: FuzzPolicy
    made: list[Changed] = field(default_factory=list)
    """Changed inputs that were needed so far, the same for every draft."""
    more: Supply | None = None
    """Makes the others; None where nothing is changed."""
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
        for changed in self.more or ():
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
        return Checked(caveats=(*caveats_of(found, self.again), *self._missing()))

    def _difference(
        self, sandbox: Sandbox, source: str, check: Checker, changed: Changed, number: int, *, both: bool
    ) -> OutputDifference | None:
        """The first run that differs."""
        hash_seed = 1 + number  # two words stand in the same order under every second one
        ways: tuple[Mode, ...] = ("exec", "fork") if both else ("exec",) if number % 2 else ("fork",)
        for mode in ways:
            run = run_on(sandbox, source, changed.case, mode=mode, hash_seed=hash_seed)
            if changed.error is not None:
                if ends_well(changed.case, run):
                    return OutputDifference(
                        changed.case, Outcome(changed.case.name, Verdict.AC, run), changed.because, changed.error
                    )
                continue
            outcome = judge(changed.case, run, check)
            if outcome.verdict is not Verdict.AC:
                return self._counted(changed, outcome, hash_seed, check)
            if other := OutputDifference.of_text(changed.case, outcome, check):
                return other
        return None

    def _counted(self, changed: Changed, outcome: Outcome, hash_seed: int, check: Checker) -> OutputDifference | None:
        """A difference counts where the original agrees with itself; asked only where there is one."""
        case = changed.case
        if case.name in self.steady or self.is_steady(case, hash_seed):
            self.steady.add(case.name)
            return OutputDifference(case, outcome, changed.because or refuses_own(check, case))
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

    def _missing(self) -> tuple[Caveat, ...]:
        return tuple(Caveat(Subject.EVIDENCE, "", "", words) for words in self.missing)

    @property
    def relations_broken(self) -> int:
        """Number of relations that all known inputs keep and that an input breaks which the original takes."""
        return len({changed.relation for changed in self.made if changed.relation and changed.error is None})

    @property
    def missing(self) -> tuple[str, ...]:
        """Remarks on evidence that is missing."""
        if self.strictness is FuzzPolicy.OFF:
            return ()
        if len(self.cases) < FEW:
            return (self.too_few,)
        return () if self.relations_broken else (NONE_BROKEN,)

    @property
    def left_out(self) -> str:
        """Remark on inputs that were not tried for want of time; empty where all were."""
        return self.more.left_out if self.more else ""

    @property
    def too_few(self) -> str:
        """Remark on too few changed inputs."""
        if not self.reads:
            return "it is given no input, so none could be changed"
        count = len(self.cases)
        tried = "no changed input" if count == 0 else f"only {count} changed input{'s' * (count != 1)}"
        none = "; 0 relations broken" if not self.relations_broken else ""
        return (
            f"{tried} could be tried: on others the original fails, takes too long or prints something else each time"
            f"{none}"
        )


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
    longest_s: float = RUN_S,
    notify: Callable[[str], None] = lambda line: None,
    again: Callable[[Case], str] = lambda case: "",
) -> DifferentialTest:
    """Changed `cases` that the original ends well on. Where a draft differs, it must print the same once more.

    also_known: cases that are not changed, but say what all inputs keep, what is large and what is long.
    most: how many; None: as many as is usual. longest_s: seconds that the original takes on the longest known input.
    """
    if strictness is FuzzPolicy.OFF:
        return DifferentialTest(strictness)
    run_original = patient(sandbox, source, longest_s)

    def is_steady(case: Case, hash_seed: int) -> bool:
        run = run_on(sandbox, source, case, mode="exec", hash_seed=hash_seed)  # with all the time that a draft has
        return judge(case, run, check).verdict is Verdict.AC

    quota = Quota.of(most)
    seeds = (seed + NEXT_SEED * time for time in range(quota.times))
    changes = chain.from_iterable(mutate_cases(cases, seed=each, also_known=also_known) for each in seeds)
    made = Supply(
        run_original, break_relations(cases, seed=seed, also_known=also_known), changes, quota, held_out, notify
    )
    reads = any(case.stdin or case.args or case.files for case in cases)
    return DifferentialTest(strictness, [], made, is_steady, again=again, quota=quota, reads=reads)
