"""A draft becomes a candidate: run on every case, compared with the original, profiled; nothing is believed unrun."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from codeopt.challenge import Challenge, Strictness, make_challenge
from codeopt.elsewhere import Meeting, gains_only_where_known
from codeopt.errors import ProgramError
from codeopt.fuzzing import shorter
from codeopt.history import Candidate, Draft, History
from codeopt.static_checks import why_refused
from sandbox import Sandbox
from sandbox.ablation import time_variants
from sandbox.compare import Comparison, Plan, StoppingRule, compare, make_plan
from sandbox.growth import describe, fit, sizes
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Outcome, Verdict
from sandbox.profile import Mode, Profile, profile
from sandbox.runner import Runner

OTHER_HASH_SEED = 1
MAX_FAILURES = 2
"""A wrong draft is not run any further after so many failing cases."""
STEADY_RUNS, STEADY_S = 100, 0.8
"""A draft that is faster is run so often again, for so long at most: one that is right in 95 % of its runs is found."""
CONFIRM_MIN_S = 0.1
"""Cases are added until the original takes this long, so that the confirmation is not about one alone."""
LONG_ENOUGH = 0.3
"""Held-out cases decide in the end, if the longest takes this share of the longest timed one."""
TRACEBACK = b"Traceback (most recent call last):"


@dataclass(frozen=True)
class Suite:
    """All cases of a program, each with its expected output, and how outputs are compared."""

    cases: tuple[Case, ...]
    check: Checker
    challenge: Challenge = field(default_factory=lambda: Challenge(Strictness.OFF))
    """Changed inputs made of the cases that may be shown."""

    @property
    def known(self) -> tuple[Case, ...]:
        """Everything that may turn up in a candidate's outcomes during the rounds."""
        return (*self.cases, *self.challenge.made)

    @property
    def held_out(self) -> int:
        """How many cases no proposer ever sees."""
        return sum(case.held_out for case in self.cases)


@dataclass(frozen=True)
class Judge:
    """Measures candidates against one original in one sandbox."""

    sandbox: Sandbox
    original: Candidate
    suite: Suite
    rule: StoppingRule
    plan: Plan
    fresh: Callable[[], Sequence[Case]]
    """Cases that were never run before, for the confirmation; may be none."""
    too_short: str = ""
    """Why the cases are too small to time anything on them; empty when they are not."""
    profiled: bool = True
    """Profile the drafts too; for proposers that read it."""
    notify: Callable[[str], None] = lambda line: None

    def measure(self, draft: Draft, history: History, *, gated: bool = True, seed: int = 0) -> Candidate:
        """Run, compare and profile one draft. Not gated: a program that a person wrote may import what it likes."""
        candidate = Candidate(len(history.candidates), draft.source, draft.summary, changes=draft.changes)
        refused = why_refused(draft.source, self.original.source) if gated else ""
        reason = draft.problem or refused or (repeated(draft.source, history) if gated else "")
        if reason:
            return replace(candidate, rejection=reason)
        outcomes = _of_its_screening(draft, history) or self._run_all(draft.source)
        if draft.screening_only:
            return self._with_ablation(replace(candidate, outcomes=outcomes), draft)
        candidate = replace(
            candidate, outcomes=outcomes + self._challenged(draft.source, self.suite.challenge, outcomes)
        )
        if not candidate.correct:
            return candidate
        if self.too_short:
            raise ProgramError(self.too_short)
        self.notify("comparing with the original")
        rule = self.rule.screening() if gated else self.rule
        candidate = replace(candidate, comparison=self._compare(draft.source, self.plan, rule, seed + candidate.round))
        # What is gated is confirmed before it is believed.
        candidate = candidate if gated else self._elsewhere(self._steady(candidate), self.plan, ())
        if not candidate.correct:
            return candidate
        candidate = self._with_ablation(candidate, draft)
        if not self.profiled:
            return candidate
        self.notify("profiling")
        return replace(
            candidate, profile=take_profile(self.sandbox, draft.source, to_profile(self.suite, self.original))
        )

    def confirm(self, candidate: Candidate) -> Candidate:
        """The same candidate with new figures: fresh pairs, another hash seed, and cases that nobody has seen."""
        self.notify("confirming with fresh timings and held-out cases")
        fresh = tuple(self.fresh())
        outcomes = self._run_all(candidate.source, hash_seed=OTHER_HASH_SEED)
        outcomes += tuple(self._run(candidate.source, case, 0) for case in fresh)
        outcomes += self._challenged(candidate.source, self._new_challenge(), outcomes)
        confirmed = replace(candidate, outcomes=outcomes, comparison=None)
        if not confirmed.correct:
            return confirmed
        plan = self._confirmation_plan((*self._held_out(), *fresh))
        compared = replace(
            confirmed, comparison=self._compare(candidate.source, plan, self.rule, 1000 + candidate.round)
        )
        return self._elsewhere(self._steady(compared), plan, fresh)

    def _confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """What is timed for the confirmation: what nobody has seen, unless that is too short to show the gain."""
        rule = replace(self.rule, enough_seconds=CONFIRM_MIN_S)

        def planned(cases: Sequence[Case]) -> Plan:
            return make_plan(self.sandbox, self.original.source, cases, self.suite.check, rule)

        if unseen and (plan := planned(unseen)).longest_s >= LONG_ENOUGH * self.plan.longest_s:
            return plan
        return planned(self.plan.cases)

    def _held_out(self) -> tuple[Case, ...]:
        """The longest of the held-out cases."""
        took = {outcome.case: outcome.run.active_s for outcome in self.original.outcomes}
        held = (case for case in self.suite.cases if case.held_out)
        return tuple(sorted(held, key=lambda case: -took[case.name])[: self.rule.timed_cases])

    def _elsewhere(self, candidate: Candidate, plan: Plan, fresh: Sequence[Case]) -> Candidate:
        """The same candidate, refused when its gain is not there on inputs that it has not met."""
        if not candidate.faster or candidate.comparison is None:
            return candidate
        self.notify("looking for the gain on new inputs")
        found = candidate.comparison
        meeting = Meeting(self.sandbox, self.original.source, candidate.source, self.suite.check, found.clock)
        reason = gains_only_where_known(meeting, plan.cases[0], found, fresh)
        return replace(candidate, rejection=reason)

    def _with_ablation(self, candidate: Candidate, draft: Draft) -> Candidate:
        if not candidate.correct:
            return candidate
        return replace(
            candidate, ablation=time_ablations(self.sandbox, draft, self.plan, self.suite.check, self.notify)
        )

    def growth(self, source: str) -> tuple[str, str, str]:
        """How the cost of the original and of `source` grows with the input, and both in words.

        On the cases, and on shorter versions of the longest: cases tend to be either tiny or all of one size.
        """
        cases = [*self.suite.cases, *_shorter(self.plan.cases[0])]
        size, ns = sizes(cases)
        nothing = min(self.sandbox.run("").cpu_s for _ in range(3))
        found = []
        for program in (self.original.source, source):
            self.notify("fitting growth")
            runs = [self.sandbox.run(program, case.stdin) for case in cases]
            points = [(n, run.cpu_s - nothing) for n, run in zip(ns, runs, strict=True) if run.exit == 0]
            found.append(fit(size, points))
        old, new = found
        return old.model if old else "", new.model if new else "", describe(old, new)

    def _challenged(self, source: str, challenge: Challenge, so_far: Sequence[Outcome]) -> tuple[Outcome, ...]:
        """What changed inputs say; not asked of a draft that is wrong already."""
        if any(outcome.verdict is not Verdict.AC for outcome in so_far):
            return ()
        self.notify("trying changed inputs")
        return challenge.run(self.sandbox, source, self.suite.check)

    def _steady(self, candidate: Candidate) -> Candidate:
        """The same candidate, with the outcome of a wrong run when it is right most of the time only."""
        if not candidate.faster:
            return candidate
        self.notify("running it often")
        cases = sorted(
            zip(self.original.outcomes, self.suite.cases, strict=True), key=lambda pair: pair[0].run.active_s
        )
        deadline = time.monotonic() + STEADY_S
        for number in range(STEADY_RUNS):
            if time.monotonic() > deadline:
                break
            case = cases[number % len(cases)][1]
            outcome = judge(case, self.sandbox.run(candidate.source, case.stdin), self.suite.check)
            if outcome.verdict is not Verdict.AC:
                outcome = replace(outcome, detail=f"not always right: {outcome.detail or outcome.verdict}")
                return replace(candidate, outcomes=(*candidate.outcomes, outcome))
        return candidate

    def _new_challenge(self) -> Challenge:
        suite = self.suite
        return make_challenge(
            self.sandbox, self.original.source, suite.cases, suite.check, suite.challenge.strictness, seed=2,
            also_known=suite.cases, held_out=True,
            notify=self.notify,
        )  # fmt: skip

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
        outcome = judge(case, run, self.suite.check)
        if outcome.verdict is Verdict.AC and TRACEBACK in run.stderr and not self._shows_tracebacks():
            return replace(outcome, verdict=Verdict.RE, detail="a Traceback on standard error, though it exits with 0")
        return outcome

    def _shows_tracebacks(self) -> bool:
        return any(TRACEBACK in outcome.run.stderr for outcome in self.original.outcomes)

    def _compare(self, source: str, plan: Plan, rule: StoppingRule, seed: int) -> Comparison:
        return compare(
            self.sandbox, self.original.source, source, plan.cases, check=self.suite.check, rule=rule, plan=plan,
            seed=seed, notify=lambda pairs: self.notify(f"comparing with the original, pair {pairs}"),
        )  # fmt: skip


def to_profile(suite: Suite, original: Candidate) -> Case:
    """The case that takes longest: what it shows is where the time goes, not what the input is."""
    slowest = max(original.outcomes, key=lambda outcome: outcome.run.active_s)
    return next(case for case in suite.cases if case.name == slowest.case)


def take_profile(sandbox: Sandbox, source: str, case: Case, modes: Sequence[Mode] = ("lines", "scalene")) -> Profile:
    """Profile one run in the sandbox; what cannot be measured is a note in the profile."""
    limits = sandbox.limits
    # A traced line costs many times what it costs untraced; Scalene maps sparse files of 256 MiB.
    roomy = replace(limits, seconds=limits.seconds * 4 + 20, file_mib=max(limits.file_mib, 300))
    return profile(
        lambda driver, stdin: sandbox.run(driver, stdin, mode="exec", limits=roomy), source, case, modes=modes
    )


def _shorter(case: Case) -> list[Case]:
    inputs = shorter(case.stdin, (0.7, 0.5, 0.35, 0.25, 0.12))
    return [Case(f"shorter.{number}", data) for number, data in enumerate(inputs)]


def time_ablations(
    runner: Runner, draft: Draft, plan: Plan, check: Checker, notify: Callable[[str], None]
) -> tuple[tuple[str, float], ...]:
    """The draft's ablations that are right, and how many times as long as the draft each takes."""
    if not draft.ablations:
        return ()
    notify("timing it without each of its changes")
    took = time_variants(runner, [draft.source, *(source for _, source in draft.ablations)], plan, check)
    named = zip(draft.ablations, took, strict=True)
    return tuple((name, round(ratio, 4)) for (name, _), ratio in named if ratio is not None)


def _of_its_screening(draft: Draft, history: History) -> tuple[Outcome, ...]:
    """What the same program printed on the cases when it was screened: the confirmation has runs of its own."""
    return next(
        (c.outcomes for c in history.candidates if c.screening_only and c.correct and c.source == draft.source), ()
    )


def repeated(source: str, history: History) -> str:
    """Why a draft need not be run: the same program, but for comments and layout, was compared before."""
    shape = _shape(source)
    for earlier in history.candidates:
        if not earlier.screening_only and _shape(earlier.source) == shape:
            which = "the original" if earlier.round == 0 else f"round {earlier.round}"
            return f"the same program as {which}, but for comments and layout"
    return ""


def _shape(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
