"""Changed inputs that the original takes: what is asked for, in which order, and what is left out for want of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil

from codeopt.workloads.program.fuzzing import MutatedCase
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Case, Mode, Run
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import TRACEBACK

RUN_S = 1.0
"""Upper bound of the time limit of the original on one changed input, seconds."""
LEAST_RUN_S = 0.1
"""Lower bound of the same, seconds."""
RUN_FACTOR = 4
"""Time limit of the original on one mutated input, as a multiple of the longest known one's time.

An input that takes longer mostly has an enlarged number, and runs to the limit for nothing.
"""
ALL_CPU_S = 4.0
"""CPU time limit of the original on all mutated inputs, and the same on those that break a pattern, seconds.

With CPU time a busy machine gets as many inputs.
"""
ALL_S = 60.0
"""Time limit of the original on all changed inputs, seconds."""
MOST_ALIKE = 36
"""Number of changed inputs like the known ones that are enough."""
MOST_BEYOND = 16
"""Maximum number of unusual mutated inputs."""
MOST_RELATIONS = 48
"""Number of relations that are broken on purpose."""
MOST_TOO_LONG = 4
"""Number of inputs that break a relation on which the original takes too long, after which no more are asked."""
MOST_FAILING = 6
"""Number of changed inputs on which the original ends with an error that are enough ..."""
MOST_OF_AN_ERROR = 2
"""... and of those on which it ends with the same one."""
MOST_OF_A_KIND = 4
"""Beyond the known inputs for one reason."""
RunOriginal = Callable[[Case, Mode], Run]
"""Runs the original on a case, in a way."""


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


@dataclass(frozen=True)
class Changed:
    """A changed input that the original takes, with what it prints, or that it ends with an error on."""

    case: Case
    because: str = ""
    """Reason why it is unusual. Empty for a similar one."""
    error: Run | None = None
    """Run of the original that ends with an error; None where it ends well."""
    relation: str = ""
    """Relation of the known inputs that it was made to break; empty where it was made for another reason."""


def patient(sandbox: Sandbox, source: str, longest_s: float) -> RunOriginal:
    """Runs a program with little time, and with more where others had the processor. longest_s: seconds of the longest
    known input."""
    seconds = min(RUN_S, sandbox.limits.seconds, max(LEAST_RUN_S, RUN_FACTOR * longest_s))
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
        """Count an error, and tell whether such inputs were too few yet."""
        name = error_name(run)
        self.errors[name] += 1
        return self.errors[name] <= MOST_OF_AN_ERROR and self.errors.total() <= MOST_FAILING

    @property
    def over(self) -> bool:
        return self.cpu_s > self.times * ALL_CPU_S or self.wall_s > self.times * ALL_S


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
    _made: Iterator[Changed] | None = None

    def __iter__(self) -> Iterator[Changed]:
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

    def _breaking(self) -> Iterator[Changed]:
        spent, tried = _Spent(self.quota.times), set[str]()
        done: set[str] = set()
        for mutated in self.breaking:
            if mutated.relation in done or (len(tried) >= self.quota.relations and mutated.relation not in tried):
                continue
            if spent.over or spent.too_long >= MOST_TOO_LONG:
                self.relations_left |= {mutated.relation} - tried
                continue
            tried.add(mutated.relation)
            for found in self._run(mutated, spent):
                if found.error is None:
                    done.add(mutated.relation)
                yield found

    def _others(self) -> Iterator[Changed]:
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
            if mutated.beyond:
                wanted = counts[True] < quota.beyond and reasons[mutated.because] < MOST_OF_A_KIND
            if kind_of_change(mutated) in too_long or not wanted:
                continue
            for found in self._run(mutated, spent, too_long):
                if found.error is None:
                    counts[mutated.beyond] += 1
                    reasons[mutated.because] += 1
                yield found

    def _run(self, mutated: MutatedCase, spent: _Spent, too_long: set[str] | None = None) -> Iterator[Changed]:
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
            self.taken[mutated.beyond] += 1
            case = replace(case, expected=run.stdout, written=run.written, exit=run.exit or 0)
            yield Changed(case, mutated.because, relation=mutated.relation)
        elif run.stop is None and run.exit is not None and spent.add_error(run):
            yield Changed(case, "the original ends with an error on it", run)


def error_name(run: Run) -> str:
    """Return `ValueError`, or the last line if no exception was raised."""
    return run.stderr.rstrip().rpartition(b"\n")[2].partition(b":")[0].decode("utf-8", "backslashreplace")


def kind_of_change(mutated: MutatedCase) -> str:
    """Return the kind of a mutation, such as `longer` or `NAME.resampled`, with the name of a similar input."""
    kind, _, more = mutated.name.partition(".")
    return f"alike.{more.partition('.')[0]}" if kind == "alike" else kind
