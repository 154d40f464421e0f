"""Comparison of a candidate with the original on new inputs: known ones are mutated, and both programs run.

The consequence of a difference depends on what is known of the inputs. On 40 contest problems with about ten cases
each, the human's own faster program differed from the slow one on a mutated input of 17. Nearly always the problem's
limits forbid that input (a sign, a size, a graph that is not a tree). So each mutated input is similar to the known
ones, in all patterns that they share, or unusual (codeopt/workloads/program/fuzzing). Each pattern that all known
inputs share is broken once first, in an order that depends only on the seed:

    auto     a difference on a similar input rejects, one on an unusual input is a caveat
    strict   each rejects
    lenient  each is a caveat, unless most similar inputs differ: such a candidate is fitted to the cases
    off      no mutations: the meaning of auto for a program with a generator of cases, which does this better

Candidates run as users run them and as they are timed: by turns, and in both ways for the confirmation. A program can
distinguish the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from codeopt.workloads import Checked
from codeopt.workloads._judging import InputPolicy, refuses_own
from codeopt.workloads.program.briefing import NOTHING_STATED, StatedBounds
from codeopt.workloads.program.differences import OutputDifference, caveats_of, explained
from codeopt.workloads.program.fuzzing import boundary_cases, break_relations, mutate_cases, other_usage
from codeopt.workloads.program.probes import RUN_S, Changed, ProbeBudget, ProbeGenerator, ends_well, patient
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest.request import Environment, seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Mode, Outcome, Tier
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

NEXT_SEED = 1_000_003
"""Added to the seed for each time that as many are asked for as is usual."""
FEW = 5
"""Number of mutated inputs below which the report says that they are few."""
NONE_BROKEN = "no input that breaks a pattern of the known ones could be tried"


@dataclass
class DifferentialTest:
    """Changed inputs with what the original makes of them. They are made as they are needed."""

    policy: InputPolicy
    made: list[Changed] = field(default_factory=list)
    """Changed inputs that were needed so far, the same for every draft."""
    more: ProbeGenerator | None = None
    """Makes the others; None where nothing is changed."""
    is_steady: Callable[[Case], bool] = lambda case: True
    """Returns True if the original prints the same again in the case's environment."""
    steady: set[str] = field(default_factory=set)
    """Names of cases on which the original printed the same again."""
    again: Callable[[Case], str] = lambda case: ""
    """A line to paste that shows a case."""
    quota: ProbeBudget = ProbeBudget()
    reads: bool = True
    """The program is given something that can be changed."""
    bounds: StatedBounds = NOTHING_STATED
    """Bounds that the problem's statement gives: inputs outside of them are not made."""

    def __iter__(self) -> Iterator[Changed]:
        """The changed inputs that were made, then new ones."""
        yield from tuple(self.made)
        for changed in self.more or ():
            self.made.append(changed)
            yield changed

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
        environment = seeded(1 + number)  # every second seed gives two words the same order
        case = replace(changed.case, environment=environment)
        ways: tuple[Mode, ...] = ("exec", "fork") if both else ("exec",) if number % 2 else ("fork",)
        for mode in ways:
            run = run_on(sandbox, source, case, mode=mode)
            if changed.error is not None:
                if ends_well(changed.case, run):
                    return OutputDifference(
                        changed.case, Outcome(changed.case.name, CaseVerdict.AC, run), changed.because, changed.error
                    )
                continue
            outcome = judge(changed.case, run, check)
            if outcome.verdict is not CaseVerdict.AC:
                return self._counted(changed, outcome, environment, check)
            if other := OutputDifference.of_text(changed.case, outcome, check):
                return other
        return None

    def _counted(
        self, changed: Changed, outcome: Outcome, environment: Environment, check: Checker
    ) -> OutputDifference | None:
        """A difference counts where the original agrees with itself; asked only where there is one."""
        case = changed.case
        if case.name in self.steady or self.is_steady(replace(case, environment=environment)):
            self.steady.add(case.name)
            return OutputDifference(case, outcome, changed.because or refuses_own(check, case))
        self.made.remove(changed)
        return None

    def _rejects(self, found: Sequence[OutputDifference], alike: int, *, enough: bool) -> list[OutputDifference]:
        """The differences that reject a draft; enough: no more inputs will come."""
        wrong = [each for each in found if each.wrong]
        known = [each for each in wrong if not each.because]
        share = len(known) / max(1, alike if enough else self.quota.alike)
        return [each for each in wrong if self.policy.rejects(Tier.UNUSUAL if each.because else Tier.SIMILAR, share)]

    def _missing(self) -> tuple[Caveat, ...]:
        return tuple(Caveat(CaveatKind.EVIDENCE, "", "", words) for words in self.missing)

    @property
    def pattern_breaking_inputs(self) -> int:
        """Number of relations that all known inputs keep and that an input breaks which the original takes."""
        return len({changed.relation for changed in self.made if changed.relation and changed.error is None})

    @property
    def missing(self) -> tuple[str, ...]:
        """Remarks on evidence that is missing."""
        if not self.policy.generates:
            return ()
        if len(self.cases) < FEW:
            return (self.too_few,)
        return () if self.pattern_breaking_inputs else (NONE_BROKEN,)

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
        tried = "no mutated input" if count == 0 else f"only {count} mutated input{'s' * (count != 1)}"
        none = ", and no input breaks a pattern of the known ones" if not self.pattern_breaking_inputs else ""
        return (
            f"{tried} could be tried: on others the original fails, takes too long or prints something else each time"
            f"{none}"
        )


def make_differential_test(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    check: Checker,
    policy: InputPolicy,
    *,
    seed: int,
    also_known: Sequence[Case] = (),
    held_out: bool = False,
    most: int | None = None,
    longest_s: float = RUN_S,
    original_in: Sandbox | None = None,
    notify: Callable[[str], None] = lambda line: None,
    again: Callable[[Case], str] = lambda case: "",
    bounds: StatedBounds = NOTHING_STATED,
) -> DifferentialTest:
    """Changed `cases` that the original ends well on. Where a draft differs, it must print the same once more.

    also_known: cases that are not changed, but say what all inputs keep, what is large and what is long.
    most: how many; None: as many as is usual. longest_s: seconds that the original takes on the longest known input.
    original_in: the sandbox in which the original makes them. None: the one in which drafts run.
    """
    if not policy.generates:
        return DifferentialTest(policy, bounds=bounds)
    run_original = patient(original_in or sandbox, source, longest_s)

    def is_steady(case: Case) -> bool:
        run = run_on(sandbox, source, case, mode="exec")  # with all the time that a draft has
        return judge(case, run, check).verdict is CaseVerdict.AC

    quota = ProbeBudget.of(most)
    reads = any(case.stdin or case.args or case.files for case in cases)
    given = cases if reads else ()  # a program that reads nothing gets none
    seeds = (seed + NEXT_SEED * time for time in range(quota.times))
    mutated = (mutate_cases(given, seed=each, also_known=also_known, source=source) for each in seeds)
    changes = chain(other_usage(source, cases, also_known), chain.from_iterable(mutated))
    at_numbers = boundary_cases(source, given, also_known)
    breaking = chain(at_numbers, break_relations(given, seed=seed, also_known=also_known, source=source))
    allowed, others = (
        (mutated for mutated in each if not bounds.excludes(mutated.case.stdin)) for each in (breaking, changes)
    )
    made = ProbeGenerator(run_original, allowed, others, quota, held_out, notify)
    return DifferentialTest(policy, [], made, is_steady, again=again, quota=quota, reads=reads, bounds=bounds)
