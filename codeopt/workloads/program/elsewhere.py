"""Cases of a program in other environments: what the original prints there is what a draft has to print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import ProgramError
from codeopt.workloads._environments import axes, other_environments
from codeopt.workloads.program.advice import ANY_OUTPUT
from codeopt.workloads.program.probes import ends_well
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest.environment import Environment, seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

ENOUGH_S = 2.0
"""Time of the original after which no further case is run in another environment, seconds; one run is always made."""
SHORT_S = 3.0
"""Longest run of the original that a draft makes again in every round, seconds."""


@dataclass(frozen=True)
class CaseElsewhere:
    """A case in another environment, with what the original prints there."""

    case: Case
    seconds: float

    @property
    def short(self) -> bool:
        """Each draft makes it."""
        return self.seconds <= SHORT_S


@dataclass(frozen=True)
class Elsewhere:
    """Cases in other environments, and what could not be run there."""

    cases: tuple[CaseElsewhere, ...] = ()
    gaps: tuple[Diagnostic, ...] = ()

    def counts(self, usual: int) -> dict[str, int]:
        """Number of cases by environment. usual: those of the usual one."""
        found = {"usual": usual}
        for each in self.cases:
            name = each.case.environment.name
            found[name] = found.get(name, 0) + 1
        return found


def run_elsewhere(
    sandbox: Sandbox, source: str, cases: Sequence[Case], runs: Sequence[Run], check: Checker,
    notify: Callable[[str], None],
) -> Elsewhere:  # fmt: skip
    """The shortest cases in other environments, as many as there is time for. Raises ProgramError where the original
    does not print the same with another hash seed alone."""
    found: list[CaseElsewhere] = []
    gaps: list[Diagnostic] = []
    spent = 0.0
    for case, environment in _in_order(cases, runs, other_environments(source)):
        if spent > ENOUGH_S:
            break
        notify(f"running the original again on case {case.name}")
        there = replace(case, name=f"{case.name}, {environment.name}", environment=environment)
        run = run_on(sandbox, source, there, mode="exec")
        spent += run.wall_s
        if judge(there, run, check).verdict is not CaseVerdict.AC:
            _require_steady(sandbox, source, case, check)
            if not ends_well(case, run):
                gaps.append(_gap(case, environment, run))
                continue
            there = replace(there, expected=run.stdout, written=run.written)
        found.append(CaseElsewhere(there, run.active_s))
    return Elsewhere(tuple(found), tuple(gaps))


def _in_order(
    cases: Sequence[Case], runs: Sequence[Run], environments: Sequence[Environment]
) -> Iterator[tuple[Case, Environment]]:
    for case, _ in sorted(zip(cases, runs, strict=True), key=lambda pair: pair[1].wall_s):
        yield from ((case, environment) for environment in environments)


def _gap(case: Case, environment: Environment, run: Run) -> Diagnostic:
    ended = f"exit status {run.exit}" if run.exit is not None else run.stop_detail or f"signal {run.signal}"
    what = f"case {case.name} was not compared in another environment ({axes(environment)})"
    return Diagnostic(what, f"the original ends there with {ended}")


def _require_steady(sandbox: Sandbox, source: str, case: Case, check: Checker) -> None:
    """The original must print the same again where sets of strings are in another order."""
    again = judge(case, run_on(sandbox, source, replace(case, environment=seeded(1)), mode="exec"), check)
    if again.verdict is not CaseVerdict.AC:
        raise ProgramError(
            f"the original does not print the same twice on case {case.name} ({again.detail})",
            hint=f"look for random numbers, the clock or the order of a set; {ANY_OUTPUT}",
            busy=again.verdict is CaseVerdict.TLE,
        )


def with_environment(outcome: Outcome, case: Case) -> Outcome:
    """A wrong outcome that names the environment of its case."""
    said = outcome.detail or str(outcome.verdict)
    return replace(outcome, detail=f"{said} (only in another environment: {axes(case.environment)})")
