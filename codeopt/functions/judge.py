"""The judge of functions: a draft makes every known call as the original does, then both are timed, then what moved
is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from codeopt.errors import ProgramError
from codeopt.functions.bench import Bench
from codeopt.functions.calls.derive import derive
from codeopt.functions.calls.shrink import LATE, first_failing, smallest
from codeopt.functions.evidence import FRESH, Evidence, NotVerifiable, TooThin
from codeopt.functions.growth import growth
from codeopt.functions.moved import moved
from codeopt.functions.observing import Known, observe
from codeopt.functions.tests import failing
from codeopt.functions.timing import Timed, choose
from codeopt.history import Candidate, Draft, History
from codeopt.measurement import MAX_FAILURES, OTHER_HASH_SEED, Suite, repeated, time_ablations
from codeopt.static_checks import why_refused
from sandbox.answers import ARROW, check_calls
from sandbox.calls import Batch, CallRunner
from sandbox.compare import Comparison, Decision, Plan, StoppingRule, compare, make_plan
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Outcome, Run, Verdict
from sandbox.profile import Profile

IN_A_CASE, LONG_S, LARGE = 500, 2.0, 2_000_000
"""Calls that are made in one run: as many as take the original no longer than this and have outcomes of so many
characters, one at least."""


@dataclass(frozen=True)
class FunctionJudge:
    """Measures drafts of one function; a draft's source is the whole module."""

    bench: Bench
    evidence: Evidence
    runner: CallRunner
    original: Candidate
    suite: Suite
    rule: StoppingRule
    plan: Plan | None
    """None, as is `timed`, when the calls are too short to time anything on them."""
    timed: Timed | None
    too_short: str = ""
    """Why they are."""
    profiled: bool = True
    notify: Callable[[str], None] = lambda line: None

    def measure(self, draft: Draft, history: History, *, gated: bool = True, seed: int = 0) -> Candidate:
        """Make every call, compare, profile."""
        candidate = Candidate(len(history.candidates), draft.source, draft.summary, changes=draft.changes)
        refused = why_refused(draft.source, self.original.source) if gated and not draft.problem else ""
        reason = draft.problem or refused or (repeated(draft.source, history) if gated else "")
        if reason:
            return replace(candidate, rejection=reason)
        candidate = replace(candidate, outcomes=self.run_cases(draft.source, self.suite.cases))
        if draft.screening_only:
            return self._with_ablation(candidate, draft)
        candidate = self._tested(candidate) if gated else candidate
        if not candidate.correct:
            return candidate
        if self.plan is None or self.timed is None:
            raise NotVerifiable(self.too_short)
        self.notify("comparing with the original")
        rule = self.rule.screening() if gated else self.rule
        candidate = replace(candidate, comparison=self.compare(draft.source, self.plan, rule, seed + candidate.round))
        if not candidate.correct:
            return candidate
        candidate = self._with_ablation(candidate, draft)
        if not self.profiled:
            return candidate
        return replace(candidate, profile=take_profile(self.bench, self.timed, draft.source))

    def _with_ablation(self, candidate: Candidate, draft: Draft) -> Candidate:
        if not candidate.correct or self.plan is None:
            return candidate
        return replace(candidate, ablation=time_ablations(self.runner, draft, self.plan, self.suite.check, self.notify))

    def _tested(self, candidate: Candidate) -> Candidate:
        """Rejected when a test fails that passes on the original; not run for a draft that is wrong already."""
        if not self.evidence.tests or not candidate.correct:
            return candidate
        self.notify(f"running {len(self.evidence.tests)} tests")
        return replace(candidate, rejection=failing(self.bench, candidate.source, self.evidence.tests))

    def confirm(self, candidate: Candidate) -> Candidate:
        """New figures: calls that nobody has seen, another hash seed, other calls to time, and whole runs."""
        self.notify("confirming with held-out calls")
        fresh = make_new_cases(self)
        outcomes = self.run_cases(candidate.source, self.suite.cases, OTHER_HASH_SEED)
        outcomes += self.run_cases(candidate.source, fresh)
        confirmed = replace(candidate, outcomes=outcomes, comparison=None)
        if not confirmed.correct:
            return confirmed
        timed = choose(self.bench, self.evidence, seed=1, notify=self.notify)
        plan = make_plan(self.runner, self.original.source, [timed.case], self.suite.check, self.rule)
        comparison = self.compare(candidate.source, plan, self.rule, 1000 + candidate.round)
        return replace(confirmed, comparison=self.not_moved(candidate.source, timed, comparison))

    def growth(self, source: str) -> tuple[str, str, str]:
        """How the cost of the original and of `source` grows with what it is called with, and both in words."""
        self.notify("fitting growth")
        return growth(self.bench, self.evidence, source)

    def run_cases(
        self, source: str, cases: tuple[Case, ...] | list[Case], hash_seed: int = 0, failures: int = MAX_FAILURES
    ) -> tuple[Outcome, ...]:
        """Outcomes of the cases in order, up to so many that are wrong."""
        outcomes: list[Outcome] = []
        for number, case in enumerate(cases, 1):
            self.notify(f"calls, part {number} of {len(cases)}")
            run = self.runner.run(source, case.stdin, mode="exec", hash_seed=hash_seed)
            outcome = judge(case, run, self.suite.check)
            wrong = any(earlier.verdict is not Verdict.AC for earlier in outcomes)
            outcomes.append(outcome if wrong else self._explained(source, outcome, case))
            if sum(outcome.verdict is not Verdict.AC for outcome in outcomes) == failures:
                break
        return tuple(outcomes)

    def _explained(self, source: str, outcome: Outcome, case: Case) -> Outcome:
        """A wrong answer with the smallest call that shows it, and where that comes from."""
        if outcome.verdict is not Verdict.WA:
            return outcome
        first, detail = first_failing(case, outcome.run.stdout, self.suite.check)
        if not first:
            return outcome
        if case.held_out:
            call, detail = first, ""
        elif LATE in detail:  # a smaller one may only be quicker, and each try costs seconds
            call = first
        else:
            call, detail = smallest(self.runner, self.original.source, source, first, self.suite.check)
        near = "the smallest found near " * bool(detail and call != first)
        return replace(outcome, detail=f"{detail or outcome.detail} ({near}{self.evidence.whence(first)})")

    def compare(self, source: str, plan: Plan, rule: StoppingRule, seed: int) -> Comparison:
        """Time a draft against the original."""
        return compare(
            self.runner, self.original.source, source, plan.cases,
            check=self.suite.check, rule=rule, plan=plan, seed=seed,
            notify=lambda pairs: self.notify(f"comparing with the original, pair {pairs}"),
        )  # fmt: skip

    def not_moved(self, source: str, timed: Timed, comparison: Comparison) -> Comparison:
        """Time that is gone from the calls must be gone from the whole runs, not done before or after them."""
        if comparison.decision is not Decision.FASTER:
            return comparison
        self.notify("looking at whole runs")
        reason = moved(self.runner, self.original.source, source, timed, wall=comparison.clock == "wall")
        return replace(comparison, decision=Decision.SAME, reason=reason) if reason else comparison


def open_function_judge(
    bench: Bench,
    evidence: Evidence,
    *,
    rule: StoppingRule | None = None,
    tolerance: float = 0.0,
    profiled: bool = True,
    timing: bool = True,
    notify: Callable[[str], None] = lambda line: None,
) -> FunctionJudge:
    """Measure the original. Raises ProgramError when nothing can be known or timed.

    timing: choose what is timed at once; else `with_timing` does it, for a draft that is known to be right.
    """
    if reason := evidence.thin():
        raise TooThin(reason)
    runner = bench.runner

    def check(expected: bytes, got: bytes) -> str:
        return check_calls(expected, got, tolerance)

    given = [known for known in evidence.known if known.source != "derived"]
    derived = [known for known in evidence.known if known.source == "derived"]
    shown, held = _split(given, derived)
    cases = make_cases(bench, runner, shown, "calls", check) + make_cases(
        bench, runner, held, "held", check, held_out=True
    )
    runs = [Run(0, None, 0.0, 0.0, 0, case.expected or b"", b"") for case in cases]
    outcomes = tuple(Outcome(case.name, Verdict.AC, run) for case, run in zip(cases, runs, strict=True))
    suite = Suite(tuple(cases), check)
    original = Candidate(0, bench.source, "the original", outcomes)
    once = replace(rule or StoppingRule(), pair_seconds=0.0)  # a run is as many passes as it takes: see timing.PAIR_S
    judge = FunctionJudge(bench, evidence, runner, original, suite, once, None, None, profiled=profiled, notify=notify)
    return with_timing(judge) if timing else judge


def with_timing(judge: FunctionJudge) -> FunctionJudge:
    """With what is timed and the original's profile; without, and why, where the calls are too short."""
    try:
        timed = choose(judge.bench, judge.evidence, notify=judge.notify)
    except ProgramError as error:
        return replace(judge, too_short=str(error))
    judge.notify("timing the original")
    try:
        plan = make_plan(judge.runner, judge.bench.source, [timed.case], judge.suite.check, judge.rule)
    except ValueError as error:
        raise NotVerifiable(f"the original does not do the same twice: {error}") from error
    original = judge.original
    if judge.profiled:
        judge.notify("profiling the original")
        original = replace(original, profile=take_profile(judge.bench, timed, judge.bench.source))
    return replace(judge, original=original, plan=plan, timed=timed)


def _split(given: list[Known], derived: list[Known]) -> tuple[list[Known], list[Known]]:
    """A third of all calls is held out, of the given ones only where there are many."""
    few = len(given) < 9
    shown = [known for at, known in enumerate(given) if few or at % 3] + [k for at, k in enumerate(derived) if at % 3]
    names = {known.text for known in shown}
    return shown, [known for known in (*given, *derived) if known.text not in names]


def make_cases(
    bench: Bench, runner: CallRunner, known: list[Known], name: str, check: Checker, *, held_out: bool = False
) -> list[Case]:
    """Calls as cases, with what the original answers. Raises NotVerifiable when that depends on which calls come
    together."""
    cases = []
    for number, part in enumerate(_parts(known), 1):
        seconds = max(2.0, 10 * max(k.seconds for k in part))
        total = max(10.0, 10 * sum(k.seconds for k in part))
        stdin = Batch(tuple(k.text for k in part), seconds=min(seconds, 20.0), lost=0, budget=total).stdin()
        run = runner.run(bench.source, stdin, mode="exec")
        title = f"{len(part)} calls of the function"
        case = Case(f"{name}.{number}", stdin, run.stdout, held_out, title)
        if not _as_known(run, part):
            again = runner.run(bench.source, stdin, mode="exec", hash_seed=OTHER_HASH_SEED)
            outcome = judge(case, again, check)
            if run.exit != 0 or outcome.verdict is not Verdict.AC:
                raise NotVerifiable(
                    f"{bench.function.qualname} does not do the same twice: {outcome.detail or run.stop_detail}"
                )
        cases.append(case)
    return cases


def _parts(known: list[Known]) -> Iterator[list[Known]]:
    """The calls of each case, in order."""
    part: list[Known] = []
    seconds, size = 0.0, 0
    for one in known:
        seconds, size = seconds + one.seconds, size + len(one.outcome)
        if part and (len(part) == IN_A_CASE or seconds > LONG_S or size > LARGE):
            yield part
            part, seconds, size = [], one.seconds, len(one.outcome)
        part.append(one)
    if part:
        yield part


def _as_known(run: Run, part: list[Known]) -> bool:
    """Whether the calls do here what they did when they were made twice, in other orders, and leave nothing behind."""
    lines = run.stdout.decode("utf-8", "surrogatepass").split("\n")
    same = all(line.endswith(ARROW + known.outcome) for line, known in zip(lines, part, strict=False))
    return run.exit == 0 and same and lines[len(part) :] == ["state: unchanged", ""]


def make_new_cases(judge: FunctionJudge) -> list[Case]:
    """Calls that were never made before."""
    texts = [known.text for known in judge.evidence.known]
    made = derive(texts, FRESH, 101, judge.bench.vocabulary)
    known, _ = observe(judge.bench, [text for text in made if text not in texts], {})
    return make_cases(judge.bench, judge.runner, known, "fresh", judge.suite.check, held_out=True)


def take_profile(bench: Bench, timed: Timed, source: str) -> Profile:
    """Where a pass of the timed calls spends its time; lines are those of the module."""
    from codeopt.functions.profiling import profile_function

    return profile_function(bench, timed, source)
