"""A function of a module, measured: a draft makes every known call as the original does, then both are timed on the
larger of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from codeopt.core.briefing import Briefing
from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.by_size import BySize
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import NotVerifiable, ProgramError
from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup, counted
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads import Checked, Defaults, Gain, Stage, Suite, TimedRegion, Workload, WorkloadRequest
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads._runs import axes, on_other_core, variables_read
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.contract.seen import shown_types
from codeopt.workloads.function.beside_answers import check_process_state, judge_views, unrun_lines
from codeopt.workloads.function.briefing import brief, given_by_shape, has_objects
from codeopt.workloads.function.calls import counterexample
from codeopt.workloads.function.calls.counterexample import apart, as_python
from codeopt.workloads.function.calls.shrink import Failing, first_failing, smallest
from codeopt.workloads.function.corpus.cases import (
    LENIENT,
    CallCase,
    CaveatRules,
    WholeCase,
    beyond_caveats,
    call_caveats,
    calls_of,
    cases_by_tier,
    disturbed,
    without_unsteady,
)
from codeopt.workloads.function.corpus.corpus import CallCorpus, fresh_ones, long_ones, longest_s, never_the_same
from codeopt.workloads.function.corpus.existing_tests import failing
from codeopt.workloads.function.corpus.scenarios import LONGEST_SHOWN, ScenarioCase, ScenarioShrinker, judged
from codeopt.workloads.function.corpus.special_check import SpecialChecker
from codeopt.workloads.function.corpus_cache import CorpusCache, cached_choice
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.other_version import OtherVersionOfFunction, changed_parameters
from codeopt.workloads.function.timed_again import function_by_size, profile_function
from codeopt.workloads.function.timing import CallPlan, Timed, choose
from codeopt.workloads.function.view import FunctionProposer, function_rules
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.literals import Constructed, read, read_all
from codeopt_sandbox import Sandbox
from codeopt_sandbox.call_answer import CallRun, Kind
from codeopt_sandbox.compare import Decision, Plan, StoppingRule, make_plan
from codeopt_sandbox.comparing import AnswerChecker, AnswerComparison, AnsweredCase, Observable
from codeopt_sandbox.guest.request import CONFIRMING, EMBEDDED, ORDERED, SHIFTED, USUAL, batch_of
from codeopt_sandbox.outcome import Case, CaseVerdict, Cause, Outcome, Tier
from codeopt_sandbox.outcome import Mode as RunMode
from codeopt_sandbox.profile import Mode, Profile
from codeopt_sandbox.verdict import judge

ELSEWHERE = (SHIFTED.name, EMBEDDED.name)
"""Environments that a line names where a draft is wrong in them."""
OTHER_SEEDS = range(3, 8)
"""Hash seeds with which the original makes calls again on which a draft differs. The first of five items of a set is
the same under two seeds in a fifth of the calls, and under seven in one of 15,000."""
OTHER_CALLS = 10
"""Number of known calls that are made with an object that a draft cannot make."""
FAR = 0.1
"""At most so fast is a function whose call was given up: it gets ten times what the slowest of the original's takes."""


@dataclass(frozen=True)
class FunctionWorkload(Defaults):
    """One function, and the calls that are known of it. A draft is the whole module."""

    request: WorkloadRequest
    harness: FunctionHarness
    corpus: CallCorpus
    runner: TimedRuns
    baseline: Candidate
    suite: Suite
    rule: StoppingRule
    plan: CallPlan | None = None
    too_short: str = ""
    """Why the calls are too short to time; empty when they are not, and before that was tried."""
    usage: Usage = NOTHING_USED
    contract: Contract = Contract()
    """Contract of the arguments, as far as it is known."""
    kept: CorpusCache = CorpusCache()
    """The function's evidence in the cache."""
    other_version: OtherVersionOfFunction | None = None
    """The version that it is compared with, if that is a user's."""

    region = TimedRegion.CALLS
    guards = (f"{__package__}.guards",)

    @property
    def seed(self) -> int:
        """Seed of the calls that confirm a draft; 0 and 1 are those of the rounds."""
        return 2 + self.request.input_seed

    def timed(self) -> Workload:
        """With what is timed and the original's profile; without, and why, if the calls are too short."""
        try:
            plan = self._plan(seed=0)
        except ProgramError as error:
            return replace(self, too_short=error.words)
        original = self.baseline
        if self.request.profile_modes and original.profile is None:
            self._notify("profiling the original")
            original = replace(
                original,
                profile=profile_function(
                    self.harness, plan.timed, self.harness.source, self._modes, memory=self.request.for_memory
                ),
            )
        return replace(self, baseline=original, plan=plan)

    @property
    def _modes(self) -> tuple[Mode, ...]:
        """Profiles to take: of the original also the functions that it calls elsewhere, if a model is to read it."""
        return ("lines", "callees") if self.request.model_calls else ("lines",)

    def _plan(self, seed: int) -> CallPlan:
        """Time the original. Raises ProgramError when no call is long enough, or it is not the same each time."""
        timed = self._choice(seed)
        self._notify("timing the original")
        return self._planned(timed, self.rule)

    def _choice(self, seed: int) -> Timed:
        """The calls to time: in the rounds those that are kept, to confirm always others. Raises ProgramError."""

        def made() -> Timed:
            return choose(self.harness, self.corpus, self.contract, seed=seed, notify=self._notify)

        return made() if seed else cached_choice(self.kept, self.corpus, made)

    def _planned(self, timed: Timed, rule: StoppingRule) -> CallPlan:
        """Return the plan of the timed calls. Raises NotVerifiable when the original is not the same each time."""
        try:
            plan = make_plan(self.runner, self.baseline.revision, [timed.case(rule.metric)], self.suite.check, rule)
        except ValueError as error:
            raise never_the_same(self.harness, str(error)) from error
        return CallPlan(**vars(plan), timed=timed)

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        """The same calls, by another clock."""
        return self._planned(plan.timed, rule) if isinstance(plan, CallPlan) else super().plan_by(plan, rule)

    def require_plan(self) -> CallPlan:
        """The plan. Raises NotVerifiable when every call is too short."""
        if self.plan is None:
            raise NotVerifiable(self.too_short)
        return self.plan

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Make the calls of a case in a fresh interpreter."""
        outcome = self.run_with_answer(draft, case)
        answered = isinstance(case, AnsweredCase) and outcome.verdict is CaseVerdict.AC
        return _without_answer(outcome) if answered else outcome

    def run_with_answer(self, draft: Revision, case: Case) -> Outcome:
        """The same, with the answer of the calls also where it is the original's."""
        mode: RunMode = "fork" if isinstance(case, WholeCase) else "exec"  # as they are timed
        run = self.runner.run(draft, case.stdin, mode=mode, environment=case.environment)
        if isinstance(case, ScenarioCase):
            found = judged(case, run, self.checker, self.rules_of_caveats)
            usual = replace(found, run=case.part_of(run, beyond=False))
            viewed = self._viewed(draft, case.part(beyond=False), usual, mode)
            return replace(viewed, run=run)
        outcome = judge(case, run, self.suite.check)
        if case.environment != USUAL and outcome.verdict is CaseVerdict.WA and isinstance(case, AnsweredCase):
            run, outcome = self._without_unsteady(case, run, outcome)
        if isinstance(case, CallCase) and outcome.verdict is not CaseVerdict.AC and not case.beyond:
            return self._raised_earlier(draft, case, outcome) or self._by_context(draft, case, outcome)
        if isinstance(case, CallCase) and case.beyond:
            return _without_answer(self._beyond(draft, case, outcome))
        if Observable.STATE not in self.request.options.ignore_difference:
            outcome = check_process_state(self.runner, self.baseline.revision, draft, outcome)
        if not isinstance(case, AnsweredCase):
            return outcome
        outcome = self._viewed(draft, case, outcome, mode)
        if outcome.verdict is not CaseVerdict.AC:
            return outcome
        return replace(outcome, caveats=call_caveats(case, run.answer, self.rules_of_caveats))

    def _without_unsteady(self, case: AnsweredCase, run: CallRun, outcome: Outcome) -> tuple[CallRun, Outcome]:
        """A wrong run without the calls that the original answers otherwise under some hash seed."""
        for seed in (case.environment.hash_seed, *OTHER_SEEDS):
            again = self._original(replace(case, environment=case.environment.replace(hash_seed=seed)))
            if not disturbed(again):  # a call that only took too long this time is not another answer
                run = without_unsteady(case, run, again)
                outcome = judge(case, run, self.suite.check)
            if outcome.verdict is not CaseVerdict.WA:
                break
        return run, outcome

    def _raised_earlier(self, draft: Revision, case: CallCase, outcome: Outcome) -> Outcome | None:
        """Caveats about objects that the draft cannot make, as a constructor raises what the original raises when the
        same object is given in a known call. None if anything else differs."""
        got = outcome.run.answer if isinstance(outcome.run, CallRun) else None
        differences = self.comparison.differences(case.answer, got) if case.answer and got else ()
        wrong = [each for each in differences if each.subject is None]
        known = sorted(read_all(self.corpus.vouched), key=lambda call: -len(call.text()))[:OTHER_CALLS]
        for each in wrong:
            call = read(calls_of(case)[each.at]) if each.answers and each.answers[1].kind == Kind.NO_ARGUMENTS else None
            made = [at for at, value in enumerate(call.values) if isinstance(value, Constructed)] if call else []
            if call is None or not made or each.answers is None:
                return None
            others = [other.with_value(at, call.values[at]) for other in known for at in made if at < len(other.values)]
            answers = self.harness.ask(tuple(other.text() for other in others), seconds=0.1, lost=3, budget=1.0)
            raised = {other.exception.rpartition(".")[2] for other in answers.outcomes if other.kind == Kind.RAISES}
            if each.answers[1].exception not in raised:
                return None
        because = ("a constructor raises what the original raises in a later call",) * len(calls_of(case))
        return _without_answer(self._beyond(draft, replace(case, beyond=because), outcome)) if wrong else None

    def _by_context(self, draft: Revision, case: CallCase, outcome: Outcome) -> Outcome:
        """A wrong outcome; a caveat where the decimal context, the recursion limit or -O makes the difference."""
        plain = replace(case, environment=case.environment.plain)
        if plain == case:
            return outcome
        known = plain.expecting(self._original(plain))
        found = self.run_case(draft, known) if known.is_answered else outcome
        if found.verdict is not CaseVerdict.AC:
            return found
        because = f"only in another environment: {axes(case.environment, plain.environment)}"
        return _without_answer(self._beyond(draft, replace(case, beyond=(because,) * len(calls_of(case))), outcome))

    def _original(self, case: Case) -> CallRun:
        return self.runner.run(self.baseline.revision, case.stdin, mode="exec", environment=case.environment)

    @property
    def rules_of_caveats(self) -> CaveatRules:
        """The rules by which differences of this function are caveats."""
        check = self.suite.check
        accepts = check.accepts if isinstance(check, SpecialChecker) else None
        name = self.harness.function.qualname
        return CaveatRules(self.comparison, self.line, accepts, name, self.contract.reasons)

    @property
    def comparison(self) -> AnswerComparison:
        """Comparison of answers, before a checker of the user's own is asked."""
        return comparison_of(self.request.options)

    @property
    def checker(self) -> AnswerChecker:
        check = self.suite.check
        return check if isinstance(check, AnswerChecker) else self.comparison

    def _viewed(self, draft: Revision, case: AnsweredCase, outcome: Outcome, mode: RunMode) -> Outcome:
        """Judged by what objects that keep something private answer their callers also."""
        original = self.baseline.revision
        return judge_views(self.runner, original, draft, case, outcome, self.comparison, mode)

    def line(self, call: str) -> str:
        """A call as a line for a shell, which makes it on each side of a comparison."""
        harness, other = self.harness, self.request.other
        places = [
            counterexample.Importable(harness.view.module.roots[0], harness.target.module, harness.function.qualname)
        ]
        if other is not None:
            module = locate(other.path)
            places.append(counterexample.Importable(module.roots[0], module.name, other.name))
        return counterexample.paste(as_python(call), harness.function, places, self.request.options.calls)

    def _beyond(self, draft: Revision, case: CallCase, outcome: Outcome) -> Outcome:
        """Report differences on out-of-distribution calls as caveats, not as wrong answers."""
        if self.policy.by_share and self.policy.rejects(Tier.SIMILAR, self._share(case, outcome)):
            return outcome

        def smaller(call: str) -> str:
            there, ordered = case.environment, batch_of(case.stdin).ordered
            original = self.baseline.revision
            return smallest(self.runner, original, draft, call, self.checker, environment=there, ordered=ordered).call

        found = beyond_caveats(case, outcome, replace(self.rules_of_caveats, smaller=smaller))
        return replace(outcome, verdict=CaseVerdict.AC, detail="", cause=None, caveats=found)

    def _share(self, case: CallCase, outcome: Outcome) -> float:
        """Part of the calls like known ones in a case on which a draft differs."""
        alike = [at for at, why in enumerate(case.beyond) if why == LENIENT]
        got = outcome.run.answer if isinstance(outcome.run, CallRun) else None
        if case.answer is None or got is None:
            return float(bool(alike))
        other = {each.at for each in self.comparison.differences(case.answer, got) if each.subject is None}
        return len(other.intersection(alike)) / max(1, len(alike))

    @property
    def policy(self) -> InputPolicy:
        """Weight of differences on generated calls."""
        return InputPolicy(self.request.options.mutated_inputs)

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """A wrong answer with the smallest call that shows it, and where that comes from."""
        run = outcome.run
        if outcome.verdict is not CaseVerdict.WA or not isinstance(run, CallRun):
            return _without_answer(outcome)
        if isinstance(case, ScenarioCase):
            return _without_answer(self._explained(draft, case, outcome, run))
        first = first_failing(case, run, self.checker) if isinstance(case, AnsweredCase) else None
        if first is None:
            return _without_answer(outcome)
        shown = first
        hidden = case.held_out and self.request.other is None  # from the source of drafts: a comparison has none
        if not hidden:
            calls = batch_of(case.stdin).calls
            shown = smallest(
                self.runner, self.baseline.revision, draft, first.call, self.checker, self.contract.inside,
                case.environment, batch_of(case.stdin).ordered, calls[: calls.index(first.call)],
            )  # fmt: skip
        detail = "" if hidden else self.harness.names.in_words(shown.detail)
        near = "the smallest found near " * bool(detail and shown.call != first.call)
        cause = Cause.CALL_TIMEOUT if (shown.late if detail else first.late) else None
        origin = self.corpus.origin_of(first.call)
        raised = ""
        if detail and self.request.model_calls and has_objects(shown.call):
            raised += f"; the arguments are {given_by_shape(self.harness, shown.call)[0]}"
        where = f"; only in another environment: {axes(case.environment)}" * (case.environment.name in ELSEWHERE)
        said = f"{detail or outcome.detail}{raised}{_other_objects(shown)}{where} ({near}{origin})"
        return replace(_without_answer(outcome), detail=said, cause=cause)

    def _explained(self, draft: Revision, case: ScenarioCase, outcome: Outcome, run: CallRun) -> Outcome:
        """The smallest scenario that shows it."""
        looked_for = ScenarioShrinker(self.harness, self.runner, draft, self.contract.inside)
        found = looked_for.smallest(case, run, self.checker)
        return replace(outcome, detail=self.harness.names.readable(found.words)) if found else outcome

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """The project's tests that pass on the original, once a draft: they are slow, and see no more when it is
        confirmed."""
        if stage is Stage.CONFIRMATION:
            return Checked()
        other = self.other_version
        if other and (why := changed_parameters(self.harness.function, other.function)):
            return Checked(rejection=why)
        found = self._tested(draft) if self.corpus.tests else Checked()
        if found.rejection:
            return found
        unrun = unrun_lines(self.runner, self.corpus, self.baseline.revision, draft)
        return replace(found, caveats=(*found.caveats, *unrun))

    def _tested(self, draft: Revision) -> Checked:
        self._notify(f"running {counted(len(self.corpus.tests), 'test')}")
        if self.other_version is not None:
            return self.other_version.tested(self.harness, self.corpus.tests)
        return Checked(rejection=failing(self.harness, draft.text, self.corpus.tests))

    def unseen_cases(self) -> tuple[Case, ...]:
        """Calls that were never made before."""
        policy = self.policy
        if not policy.generates:
            return ()
        texts = [known.text for known in self.corpus.known]
        known = fresh_ones(self.harness, texts, self.seed, self.contract, self.request.options.max_examples)
        given = [known.text for known in self.corpus.known if not known.made_of_others]
        large, usual_s = [*given, *self.corpus.big], longest_s(self.corpus.known)
        known += long_ones(self.harness, large, self.seed, self.contract, usual_s=usual_s)
        check, contract = self.suite.check, self.contract
        fresh = cases_by_tier(
            self.harness, self.runner, known, "fresh", check, contract, held_out=True, policy=policy, made_in=CONFIRMING
        )
        return tuple(fresh)

    @contextmanager
    def making_unseen(self) -> Iterator[Callable[[], tuple[Case, ...]]]:
        """Make them meanwhile."""
        runner = self.runner.apart()  # what is known of the original by now may not depend on who is quicker

        def made(sandbox: Sandbox) -> tuple[Case, ...]:
            harness = replace(self.harness, sandbox=sandbox, left=runner.left)
            there = replace(runner, calls=replace(runner.calls, sandbox=sandbox))
            return replace(self, harness=harness, runner=there).unseen_cases()

        with on_other_core(self.harness.sandbox, made) as result:

            def unseen() -> tuple[Case, ...]:
                cases = result()
                self.runner.join(runner)
                return cases

            yield unseen

    def confirmation_plan(self, unseen: Sequence[Case]) -> CallPlan:
        """Other calls than those by which a draft was timed in a round; the same where none was, and where all are
        given ones, of which there are no others."""
        plan = self.require_plan()
        given = set(plan.timed.batch.calls[plan.timed.batch.warm :]) <= set(self.corpus.big)
        untimed = all(each.program == self.baseline.revision for each in self.runner.kept)
        return plan if given or untimed or plan.timed.cut is not None else self._plan(seed=self.seed)

    def profile(self, draft: Revision) -> Profile | None:
        """Profile of a pass of the timed calls; lines are those of the module."""
        memory = self.request.for_memory
        return profile_function(self.harness, self.plan.timed, draft.text, memory=memory) if self.plan else None

    def by_size(self, draft: Revision, timed: Speedup) -> BySize:
        """The timed calls, and smaller ones."""
        if self.plan is None:
            return BySize()
        sides, known, inside = (self.baseline.revision, draft), self.corpus.known, self.contract.inside
        return function_by_size(self.harness, self.runner, sides, known, inside, self.plan.timed, timed)

    def bound(self, candidate: Candidate) -> float | None:
        """Bound of a draft whose call was stopped after ten times the slowest of the original's, or of the timed
        passes."""
        wrong = next((outcome for outcome in candidate.outcomes if outcome.verdict is not CaseVerdict.AC), None)
        if wrong is not None and wrong.cause is Cause.CALL_TIMEOUT:
            return FAR
        found = candidate.comparison
        if self.plan is None or found is None or found.decision is not Decision.WRONG or not found.overrun:
            return None
        timed = self.plan.timed
        return round(timed.seconds * timed.batch.passes / timed.batch.pass_seconds, 6)

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """The rules that are not for whole programs, each restricted to the function."""
        return function_rules(
            rules, self.harness.function.qualname, shown_types(self.contract.shown, self.contract.declared.hints)
        )

    def adapt(self, proposer: Proposer) -> Proposer:
        """One that sees an excerpt of the module."""
        return FunctionProposer(proposer, self.harness.function.qualname)

    def briefing(self) -> Briefing:
        """Facts of the function for a language model: its calls, and what is timed of them."""
        self._notify("checking what is timed")
        contract = self.contract.words
        return brief(self.request, self.harness, self.corpus, self.suite.cases, self.plan, contract)

    @property
    def headline(self) -> str:
        """`12 calls (9 generated, 3 calls file), 80% of the function's lines`."""
        return self.corpus.words

    def evidence(self) -> WorkloadEvidence:
        """The calls that the function was judged by, and the gaps."""
        checked = replace(
            self.corpus.figures(), contract=self.contract.words, environments=self.environments,
            ignored=tuple(map(str, self.request.options.ignore_difference)),
        )  # fmt: skip
        timed = self.plan.timed if self.plan else None
        return WorkloadEvidence(
            checked=checked,
            gaps=(*self.corpus.diagnostics, *self.harness.loading.diagnostics, *self._gaps()),
            timed=timed.words if timed else None,
            timed_sizes=tuple(timed.sizes) if timed else (),
            input_seed=self.request.input_seed,
            libraries=self.harness.loading.figures(),
            calls_text=self.harness.target.calls_file or "",
        )

    def _gaps(self) -> Iterator[Diagnostic]:
        """Yield what is not compared, or not in another environment."""
        yield from not_compared(self.request.options)
        variables = variables_read(self.harness.source)
        if variables and not self.harness.environments[1].variables:
            words = f"{', '.join(variables)} was tried with its present value only"
            yield Diagnostic(words, "the original cannot be imported with it")
        given = [known for known in self.corpus.known if not known.made_of_others]
        if loose := sum(known.ordered != ORDERED[0] for known in given):
            words = f"{loose} of {len(given)} calls are compared without the order of items"
            yield Diagnostic(words, "the original's answers have them in another order each time, as a set does")
        for environment in self.harness.environments[1:]:
            if missing := sum(known.under(environment) is None for known in given):
                words = f"{missing} of {len(given)} calls are not compared in another environment ({axes(environment)})"
                yield Diagnostic(words, "the original cannot make them there, or not in time, or does not say the same")

    @property
    def environments(self) -> dict[str, int]:
        """Number of calls that are compared in each environment, by its name."""
        found: dict[str, int] = {}
        for case in self.suite.cases:
            if isinstance(case, CallCase) and not case.several:
                found[case.environment.name] = found.get(case.environment.name, 0) + len(calls_of(case))
        return found

    def _notify(self, line: str) -> None:
        self.request.session.console.progress(line)


def _other_objects(shown: Failing) -> str:
    """Explanation for a draft that asks by identity: the call as it is written with other objects."""
    text = apart(shown.call) if shown.by_identity else ""
    return f"; to see it: {text}" if text and len(text) <= LONGEST_SHOWN else ""


def _without_answer(outcome: Outcome) -> Outcome:
    """A history need not keep what calls did twice."""
    return replace(outcome, run=replace(outcome.run, answer=None)) if isinstance(outcome.run, CallRun) else outcome


_WORDS = {
    Observable.ARGUMENTS: "arguments after a call are not compared",
    Observable.OUTPUT: "what is printed, warned of or logged is not compared",
    Observable.STATE: "the state of modules and of the process is not compared",
}


def comparison_of(options: ImproveOptions) -> AnswerComparison:
    """Comparison of answers, before a checker of the user's own is asked."""
    return AnswerComparison(options.tolerance, options.strict, frozenset(options.ignore_difference))


def not_compared(options: ImproveOptions) -> Iterator[Diagnostic]:
    """Diagnostics of what is left out."""
    for each in options.ignore_difference:
        yield Diagnostic(_WORDS[each], f"--ignore-difference {each}")


CallGain = Gain[FunctionWorkload, CallPlan]
"""A gain that guards of functions look at."""
