"""Before the first round: the original is run, found fit to be judged by its cases, timed and profiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from codeopt import registry
from codeopt.cases import Request, collect, hold_out
from codeopt.cases.generator import find_script
from codeopt.challenge import Strictness, choose, make_challenge
from codeopt.errors import ProgramError
from codeopt.history import Candidate
from codeopt.measurement import OTHER_HASH_SEED, Judge, Suite, take_profile, to_profile
from codeopt.tasks import Metric
from sandbox import Sandbox
from sandbox.compare import Plan, StoppingRule, make_plan
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Outcome, Run, Verdict
from sandbox.profile import Mode

TOO_SHORT_S = 0.001
"""A run shorter than this, with the interpreter's own start left out, is mostly the cost of starting a process."""
_ADVICE = {
    Verdict.TLE: "; see --timeout",
    Verdict.MLE: "; see --memory",
    Verdict.RE: "; a run has standard input alone: no arguments, no files, no network",
}
CANDIDATES = 5
"""So many of the longest cases are run again to choose those that are timed ..."""
SURELY_ENOUGH = 3
"""... unless the longest took so many times what is enough to time it alone."""


def open_judge(
    sandbox: Sandbox,
    source: str,
    request: Request,
    check: Checker,
    *,
    metric: Metric = "time",
    rule: StoppingRule | None = None,
    profiled: bool = True,
    timed: bool = True,
    modes: Sequence[Mode] = ("lines", "scalene"),
    strictness: Strictness = Strictness.AUTO,
    held: Mapping[str, bool] | None = None,
    notify: Callable[[str], None] = lambda line: None,
) -> Judge:
    """Measure the original. Raises UsageError without cases, ProgramError when it cannot be judged by them.

    held: which cases are held out, by name; of a run that goes on, so that what was never shown stays so.
    modes: what to profile of the original.
    """
    notify("collecting cases")
    cases = collect(request)
    runs = [_run_original(sandbox, source, case, check, notify) for case in cases]
    cases = [_with_output(case, run) for case, run in zip(cases, runs, strict=True)]
    _require_steady(sandbox, source, cases, runs, check, notify)
    cases = hold_out(cases, [run.active_s for run in runs])
    cases = [replace(case, held_out=held.get(case.name, case.held_out)) for case in cases] if held else cases
    shown = [case for case in cases if not case.held_out]
    strictness = choose(strictness, cases, generated=not request.stdin and find_script(request) is not None)
    challenge = make_challenge(sandbox, source, shown, check, strictness, seed=1, also_known=cases, notify=notify)
    suite = Suite(tuple(cases), check, challenge.prepared())
    outcomes = tuple(Outcome(case.name, Verdict.AC, run) for case, run in zip(cases, runs, strict=True))
    original = Candidate(0, source, "the original", outcomes)
    if profiled:
        notify("profiling the original")
        original = replace(original, profile=take_profile(sandbox, source, to_profile(suite, original), modes))
    rule = rule or StoppingRule()
    rule = replace(rule, clock="memory") if metric == "memory" else rule
    notify("timing the original")
    plan = make_plan(sandbox, source, longest_cases(suite, original, rule.enough_seconds), check, rule)
    too_short = _too_short(sandbox, source, plan) if timed else ""

    def fresh() -> list[Case]:
        found = _find_fresh(request)
        return [_with_output(case, _run_original(sandbox, source, case, check, notify)) for case in found]

    return Judge(sandbox, original, suite, rule, plan, fresh, too_short, profiled, notify)


def _find_fresh(request: Request) -> list[Case]:
    other = replace(request, first_seed=101)
    names = [] if request.stdin else registry.names("codeopt.cases")
    return [
        replace(case, name=f"fresh.{case.name}", held_out=True)
        for name in names
        for case in registry.load("codeopt.cases", name).find(other)
    ]


def _run_original(sandbox: Sandbox, source: str, case: Case, check: Checker, notify: Callable[[str], None]) -> Run:
    notify(f"running the original on case {case.name}")
    run = sandbox.run(source, case.stdin, mode="exec")
    outcome = judge(case, run, check)
    if outcome.verdict is not Verdict.AC:
        detail = f"{outcome.verdict} ({outcome.detail}){_ADVICE.get(outcome.verdict, '')}"
        raise ProgramError(f"the original fails case {case.name}: {detail}")
    return run


def _with_output(case: Case, run: Run) -> Case:
    return case if case.expected is not None else replace(case, expected=run.stdout)


def _require_steady(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    runs: Sequence[Run],
    check: Checker,
    notify: Callable[[str], None],
) -> None:
    """The original must print the same again, also when sets of strings are in another order."""
    spent = 0.0
    for case, _ in sorted(zip(cases, runs, strict=True), key=lambda pair: pair[1].wall_s):
        if spent > 2.0:  # seconds; the shortest cases come first, and one is always run again
            break
        notify(f"running the original again on case {case.name}")
        again = judge(case, sandbox.run(source, case.stdin, mode="exec", hash_seed=OTHER_HASH_SEED), check)
        spent += again.run.wall_s
        if again.verdict is not Verdict.AC:
            raise ProgramError(
                f"the original does not print the same twice on case {case.name} ({again.detail}); random numbers, the "
                "clock or the order of a set? Nothing can be compared with it"
            )


def _too_short(sandbox: Sandbox, source: str, plan: Plan) -> str:
    """Why nothing can be timed on the longest case; empty when it can."""
    longest = plan.cases[0]
    took = math.inf
    for _ in range(10):  # whatever disturbs a run makes it longer
        run = sandbox.run(source, longest.stdin)
        took = min(took, run.active_s)
        if took >= 10 * TOO_SHORT_S:
            break
    if took >= TOO_SHORT_S:
        return ""
    return (
        f"the cases are too small to time: the longest ({longest.name}) takes the original {took * 1000:.2f} ms; "
        f"give an input on which it takes {TOO_SHORT_S * 1000:.0f} ms at least, better 100 ms"
    )


def longest_cases(suite: Suite, original: Candidate, enough_s: float) -> list[Case]:
    """The cases among which those to time are chosen: one alone when it surely takes much longer than is enough.

    Processor time alone is sure: the first run of a short case may have waited long, for others or for the disk.
    """
    runs = {outcome.case: outcome.run for outcome in original.outcomes}
    ordered = sorted(suite.cases, key=lambda case: -runs[case.name].active_s)
    return ordered[: 1 if runs[ordered[0].name].cpu_s > SURELY_ENOUGH * enough_s else CANDIDATES]
