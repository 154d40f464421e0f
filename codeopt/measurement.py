"""A draft becomes a candidate: run on every case, compared with the original, profiled. Nothing is believed that was not run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeopt.cases import Request, collect, hold_back
from codeopt.errors import ProgramError
from codeopt.history import Candidate, Draft, History
from codeopt.tasks import Metric
from sandbox import Sandbox
from sandbox.compare import Comparison, Plan, Rule, compare, make_plan
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Limits, Outcome, Run, Verdict
from sandbox.profile import Profile, profile

TOO_SHORT_S = 0.001
"""A run shorter than this, with the interpreter's own start left out, is mostly the cost of starting a process."""
OTHER_HASH_SEED = 1
MAX_FAILURES = 2
"""A wrong draft is not run any further after so many failing cases."""


@dataclass(frozen=True)
class Suite:
    """All cases of a program, each with its expected output, and how outputs are compared."""

    cases: tuple[Case, ...]
    check: Checker

    @property
    def held_back(self) -> int:
        """How many cases no proposer ever sees."""
        return sum(case.held_back for case in self.cases)


@dataclass(frozen=True)
class Judge:
    """Measures candidates against one original in one sandbox."""

    sandbox: Sandbox
    original: Candidate
    suite: Suite
    rule: Rule
    plan: Plan
    fresh: Callable[[], Sequence[Case]]
    """Cases that were never run before, for the last word; may be none."""
    profiled: bool = True
    """Profile the drafts too; for proposers that read it."""
    notify: Callable[[str], None] = lambda line: None

    def measure(self, draft: Draft, history: History) -> Candidate:
        """Run, compare and profile one draft."""
        candidate = Candidate(len(history.candidates), draft.source, draft.summary)
        if reason := draft.problem or _repeated(draft.source, history):
            return replace(candidate, rejection=reason)
        candidate = replace(candidate, outcomes=self._run_all(draft.source))
        if not candidate.correct:
            return candidate
        self.notify("comparing with the original")
        candidate = replace(candidate, comparison=self._compare(draft.source, self.plan, candidate.round))
        if not candidate.correct or not self.profiled:
            return candidate
        self.notify("profiling")
        return replace(
            candidate, profile=take_profile(self.sandbox, draft.source, _to_profile(self.suite, self.original))
        )

    def confirm(self, candidate: Candidate) -> Candidate:
        """The same candidate with new figures: fresh pairs, another hash seed, and cases that nobody has seen."""
        self.notify("confirming with fresh timings and cases that were never shown")
        fresh = tuple(self.fresh())
        outcomes = self._run_all(candidate.source, hash_seed=OTHER_HASH_SEED)
        outcomes += tuple(self._run(candidate.source, case, 0) for case in fresh)
        confirmed = replace(candidate, outcomes=outcomes, comparison=None)
        if not confirmed.correct:
            return confirmed
        rule = replace(self.rule, enough_seconds=3 * self.rule.enough_seconds)
        cases = (*self.plan.cases, *fresh)
        plan = make_plan(self.sandbox, self.original.source, cases, self.suite.check, rule)
        return replace(confirmed, comparison=self._compare(candidate.source, plan, 1000 + candidate.round))

    def _run_all(self, source: str, hash_seed: int = 0) -> tuple[Outcome, ...]:
        outcomes: list[Outcome] = []
        for number, case in enumerate(self.suite.cases, 1):
            self.notify(f"case {number} of {len(self.suite.cases)}")
            outcomes.append(self._run(source, case, hash_seed))
            if sum(outcome.verdict is not Verdict.AC for outcome in outcomes) == MAX_FAILURES:
                break
        return tuple(outcomes)

    def _run(self, source: str, case: Case, hash_seed: int) -> Outcome:
        run = self.sandbox.run(source, case.stdin, mode="exec", hash_seed=hash_seed)
        return judge(case, run, self.suite.check)

    def _compare(self, source: str, plan: Plan, seed: int) -> Comparison:
        return compare(
            self.sandbox, self.original.source, source, plan.cases, check=self.suite.check, rule=self.rule, plan=plan,
            seed=seed, notify=lambda pairs: self.notify(f"comparing with the original, pair {pairs}"),
        )  # fmt: skip


def open_judge(
    sandbox: Sandbox,
    source: str,
    request: Request,
    check: Checker,
    *,
    metric: Metric = "time",
    rule: Rule | None = None,
    profiled: bool = True,
    timed: bool = True,
    notify: Callable[[str], None] = lambda line: None,
) -> Judge:
    """Measure the original. Raises UsageError without cases, ProgramError when it cannot be judged by them."""
    notify("collecting cases")
    cases = collect(request)
    runs = [_run_original(sandbox, source, case, check, notify) for case in cases]
    cases = [_with_output(case, run) for case, run in zip(cases, runs, strict=True)]
    _require_steady(sandbox, source, cases, runs, check, notify)
    suite = Suite(tuple(hold_back(cases, [run.wall_s for run in runs])), check)
    outcomes = tuple(Outcome(case.name, Verdict.AC, run) for case, run in zip(cases, runs, strict=True))
    original = Candidate(0, source, "the original", outcomes)
    if timed:
        _require_long_enough(sandbox, original, suite)
    if profiled:
        notify("profiling the original")
        original = replace(original, profile=take_profile(sandbox, source, _to_profile(suite, original)))
    rule = rule or Rule()
    rule = replace(rule, clock="memory") if metric == "memory" else rule
    notify("timing the original")
    plan = make_plan(sandbox, source, suite.cases, check, rule)

    def fresh() -> list[Case]:
        found = _find_fresh(request)
        return [_with_output(case, _run_original(sandbox, source, case, check, notify)) for case in found]

    return Judge(sandbox, original, suite, rule, plan, fresh, profiled, notify)


def _find_fresh(request: Request) -> list[Case]:
    from codeopt import registry

    other = replace(request, first_seed=101)
    names = [] if request.stdin else registry.names("codeopt.cases")
    return [
        replace(case, name=f"fresh.{case.name}", held_back=True)
        for name in names
        for case in registry.load("codeopt.cases", name).find(other)
    ]


def _run_original(sandbox: Sandbox, source: str, case: Case, check: Checker, notify: Callable[[str], None]) -> Run:
    notify(f"running the original on case {case.name}")
    run = sandbox.run(source, case.stdin, mode="exec")
    outcome = judge(case, run, check)
    if outcome.verdict is not Verdict.AC:
        advice = "" if outcome.verdict in (Verdict.WA, Verdict.RE) else "; see --timeout, --memory"
        raise ProgramError(f"the original fails case {case.name}: {outcome.verdict} ({outcome.detail}){advice}")
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
    for case, run in sorted(zip(cases, runs, strict=True), key=lambda pair: pair[1].wall_s):
        if spent > 2.0:  # seconds; the shortest cases come first, and one is always run again
            break
        notify(f"running the original again on case {case.name}")
        again = judge(case, sandbox.run(source, case.stdin, mode="exec", hash_seed=OTHER_HASH_SEED), check)
        spent += again.run.wall_s
        if again.verdict is not Verdict.AC:
            raise ProgramError(
                f"the original does not print the same twice on case {case.name} ({again.detail}); random numbers, the clock or "
                "the order of a set? Nothing can be compared with it"
            )


def _require_long_enough(sandbox: Sandbox, original: Candidate, suite: Suite) -> None:
    slowest = max(original.outcomes, key=lambda outcome: outcome.run.wall_s)
    case = next(case for case in suite.cases if case.name == slowest.case)
    run = sandbox.run(original.source, case.stdin)
    took = max(run.cpu_s, run.wall_s)
    if took < TOO_SHORT_S:
        raise ProgramError(
            f"the cases are too small to time: the longest ({case.name}) takes the original {took * 1000:.2f} ms; "
            f"give an input on which it takes {TOO_SHORT_S * 1000:.0f} ms at least, better 100 ms"
        )


def _to_profile(suite: Suite, original: Candidate) -> Case:
    """The case that takes longest: what it shows is where the time goes, not what the input is."""
    slowest = max(original.outcomes, key=lambda outcome: outcome.run.wall_s)
    return next(case for case in suite.cases if case.name == slowest.case)


def take_profile(sandbox: Sandbox, source: str, case: Case) -> Profile:
    """Profile one run in the sandbox; what cannot be measured is a note in the profile."""
    limits = sandbox.limits
    roomy = Limits(
        seconds=limits.seconds * 4 + 20,  # a traced line costs many times what it costs untraced
        memory_mib=limits.memory_mib,
        output_mib=limits.output_mib,
        processes=limits.processes,
        open_files=limits.open_files,
        file_mib=limits.file_mib,
    )
    return profile(lambda driver, stdin: sandbox.run(driver, stdin, mode="exec", limits=roomy), source, case)


def _repeated(source: str, history: History) -> str:
    """Why a draft need not be run: the same program, but for comments and layout, was measured before."""
    shape = _shape(source)
    for earlier in history.candidates:
        if _shape(earlier.source) == shape:
            which = "the original" if earlier.round == 0 else f"round {earlier.round}"
            return f"the same program as {which}, but for comments and layout"
    return ""


def _shape(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return source
