"""Does a draft behave as the original on inputs that nobody has seen? Mutants are run on both; outputs must agree.

How much a difference counts depends on how well the valid inputs are known. On 40 contest problems with about ten cases
each, the human's own faster program differed from the slow one on some mutated input of 17, nearly always on one that
the problem's limits forbid (a sign, a size, a graph that is no tree). So:

strict   one difference is enough. For programs with few cases and no generator: nothing else shows what is valid, and
         behaving as the original is what was promised.
lenient  most mutated inputs in the range of the known inputs must agree: finds answers that were learnt by heart.
off      fresh inputs from a generator do this better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from codeopt.fuzzing import MutatedCase, mutate_cases
from codeopt.strictness import Strictness
from sandbox import Sandbox
from sandbox.outcome import Case, Outcome, Run, Verdict
from sandbox.runner import run_on
from sandbox.verdict import Checker, judge

MANY_CASES = 8
MOST = 0.6
"""Lenient: a draft that differs on more than this share of the mutated inputs has learnt the cases by heart."""
RUN_S, ALL_CPU_S, ALL_S = 1.0, 4.0, 60.0
"""What the original may take on one mutated input, and on all: its CPU time, so that a busy machine asks as many."""


MAX_MUTATED_INPUTS = {Strictness.STRICT: 44, Strictness.LENIENT: 24}
"""A single difference has to be met; a share is seen on fewer."""


@dataclass(frozen=True)
class DifferentialTest:
    """Mutants that the original takes, with what it prints. They are made as they are needed."""

    strictness: Strictness
    made: list[Case] = field(default_factory=list)
    """Those that were needed so far, the same for every draft."""
    more: Iterator[Case] = iter(())
    is_steady: Callable[[Case, int], bool] = lambda case, hash_seed: True
    """Whether the original prints the same again, in another order of its sets."""
    steady: set[str] = field(default_factory=set)
    """Of those that were asked."""

    def __iter__(self) -> Iterator[Case]:
        """Those that were made, then new ones."""
        yield from tuple(self.made)
        for case in self.more:
            self.made.append(case)
            yield case

    def prepared(self) -> DifferentialTest:
        """The same, with all of them made: for one whose cases are shown to a proposer, also when it is resumed."""
        for _ in self:
            pass
        return self

    def run(self, sandbox: Sandbox, source: str, check: Checker) -> tuple[Outcome, ...]:
        """The outcomes that count against a draft; none when it behaves as the original."""
        wrong: list[Outcome] = []
        asked = 0
        for number, case in enumerate(self):
            hash_seed = 1 + number % 3
            run = run_on(sandbox, source, case, mode="exec", hash_seed=hash_seed)
            outcome = judge(case, run, check)
            if outcome.verdict is not Verdict.AC:
                if not self._counts(case, hash_seed):
                    continue
                wrong.append(replace(outcome, detail=_explained(case, outcome)))
            asked += 1
            if self._settled(len(wrong), asked):
                break
        return tuple(wrong[:1]) if len(wrong) > self._forgiven(asked) else ()

    def _counts(self, case: Case, hash_seed: int) -> bool:
        """A difference counts where the original agrees with itself; asked only where there is one."""
        if case.name in self.steady or self.is_steady(case, hash_seed):
            self.steady.add(case.name)
            return True
        self.made.remove(case)
        return False

    def _settled(self, wrong: int, asked: int) -> bool:
        """Whether the mutated inputs that are left cannot change the verdict any more."""
        most = MAX_MUTATED_INPUTS[self.strictness]
        forgiven = self._forgiven(most)
        return wrong > forgiven or (self.strictness is Strictness.LENIENT and asked - wrong >= most - forgiven)

    def _forgiven(self, asked: int) -> float:
        """How many of so many mutated inputs may differ."""
        return MOST * asked if self.strictness is Strictness.LENIENT else 0


def _explained(case: Case, outcome: Outcome) -> str:
    if case.held_out:
        return outcome.detail
    if case.title:
        return f"with {case.title}: {outcome.detail or outcome.verdict}"
    shown = case.stdin if len(case.stdin) <= 80 else case.stdin[:80] + b"..."
    text = shown.decode("utf-8", "backslashreplace")
    return f"on the changed input {text!r}: {outcome.detail or outcome.verdict}"


def choose(strictness: Strictness, cases: Sequence[Case], *, generated: bool) -> Strictness:
    """What `auto` means for a program with these cases."""
    if strictness is not Strictness.AUTO:
        return strictness
    if generated:
        return Strictness.OFF
    return Strictness.LENIENT if len(cases) >= MANY_CASES else Strictness.STRICT


def make_differential_test(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    check: Checker,
    strictness: Strictness,
    *,
    seed: int,
    also_known: Sequence[Case] = (),
    held_out: bool = False,
    notify: Callable[[str], None] = lambda line: None,
) -> DifferentialTest:
    """Mutants of `cases` that the original ends well on. Where a draft differs, it must print the same once more.

    also_known: cases that are not changed, but say what is large and long: mutated inputs shall go beyond those too.
    """
    if strictness is Strictness.OFF:
        return DifferentialTest(strictness)
    inputs = mutate_cases(cases, seed=seed, also_known=also_known)
    wanted = [mutated for mutated in inputs if strictness is Strictness.STRICT or not mutated.beyond]
    limits = replace(sandbox.limits, seconds=min(RUN_S, sandbox.limits.seconds))

    def is_steady(case: Case, hash_seed: int) -> bool:
        again = run_on(sandbox, source, case, mode="exec", limits=limits, hash_seed=hash_seed)
        return judge(case, again, check).verdict is Verdict.AC

    def run(mutated: MutatedCase) -> Run:
        return run_on(sandbox, source, mutated.case, limits=limits)

    return DifferentialTest(
        strictness, [], _taken(run, wanted, MAX_MUTATED_INPUTS[strictness], held_out, notify), is_steady
    )


def _taken(
    run_original: Callable[[MutatedCase], Run],
    wanted: Sequence[MutatedCase],
    most: int,
    held_out: bool,
    notify: Callable[[str], None],
) -> Iterator[Case]:
    """The mutated inputs that the original takes, until there are enough or it has run for too long."""
    found, cpu_s, wall_s = 0, 0.0, 0.0
    too_long: set[str] = set()
    for mutated in wanted:
        kind = mutated.name.partition(".")[0]
        if found >= most or cpu_s > ALL_CPU_S or wall_s > ALL_S:
            break
        if kind in too_long:
            continue
        notify(f"changing inputs, {found} that the original takes")
        run = run_original(mutated)
        cpu_s, wall_s = cpu_s + run.cpu_s, wall_s + run.wall_s
        if run.stop == "time":  # others with numbers as large would use up the time for those that can be run
            too_long.add(kind)
        if run.exit in (0, mutated.case.exit) and not run.stop and not run.stderr:
            found += 1
            written = run.written if mutated.case.files is not None else None
            yield replace(
                mutated.case, name=f"changed.{mutated.name}", expected=run.stdout, written=written, exit=run.exit,
                held_out=held_out,
            )  # fmt: skip
