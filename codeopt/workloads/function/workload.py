"""A function of a module, measured: a draft makes every known call as the original does, then both are timed on the
larger of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from codeopt.core.call import texts_of
from codeopt.core.errors import Diagnostic, NotVerifiable, ProgramError
from codeopt.core.evidence import BySize, WorkloadEvidence
from codeopt.core.history import Briefing, Candidate, Proposer
from codeopt.core.model import NOTHING_USED, Usage
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup, counted
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads import Checked, Gain, Stage, Suite, TimedRegion, Workload, WorkloadRequest
from codeopt.workloads._evidence_cache import EvidenceCache
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads._runs import axes, on_other_core, variables_read
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.contract.seen import shown_types
from codeopt.workloads.function.briefing import brief
from codeopt.workloads.function.corpus.cases import CallCase, CaseMaker, calls_of
from codeopt.workloads.function.corpus.corpus import CallCorpus, fresh_ones, long_ones, longest_s, never_the_same
from codeopt.workloads.function.corpus.existing_tests import failing
from codeopt.workloads.function.corpus.observe import values_of
from codeopt.workloads.function.corpus_cache import cached_choice
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.judging import CallJudge, unrun_lines
from codeopt.workloads.function.other_version import OtherVersionOfFunction, changed_parameters
from codeopt.workloads.function.timed_again import function_by_size, profile_function
from codeopt.workloads.function.timing import CallPlan, Timed, choose
from codeopt.workloads.function.view import FunctionProposer, function_rules
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Decision, Plan, StoppingRule, make_plan
from codeopt_sandbox.comparing import Observable
from codeopt_sandbox.guest.request import CONFIRMING, ORDERED
from codeopt_sandbox.outcome import Case, CaseVerdict, Cause, Outcome
from codeopt_sandbox.profile import Mode, Profile


@dataclass(frozen=True)
class FunctionWorkload(Workload):
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
    kept: EvidenceCache = field(default_factory=EvidenceCache)
    """The function's evidence in the cache."""
    other_version: OtherVersionOfFunction | None = None
    """The version that it is compared with, if that is a user's."""

    region = TimedRegion.CALLS
    guards = tuple(
        f"{__package__}.guards.{name}"
        for name in ("moved_work", "shifted_cost", "surroundings", "timed_answers", "whole_call")
    )

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
            self.request.notify("profiling the original")
            # a model also reads which functions the original calls elsewhere
            modes: tuple[Mode, ...] = ("lines", "callees") if self.request.model_calls else ("lines",)
            memory = self.request.for_memory
            found = profile_function(self.harness, plan.timed, self.harness.source, modes, memory=memory)
            original = replace(original, profile=found)
        return replace(self, baseline=original, plan=plan)

    def _plan(self, seed: int) -> CallPlan:
        """Time the original. Raises ProgramError when no call is long enough, or it is not the same each time."""

        def chosen() -> Timed:
            return choose(self.harness, self.corpus, self.contract, seed=seed, notify=self.request.notify)

        # in the rounds the calls that are kept, to confirm always others
        timed = chosen() if seed else cached_choice(self.kept, self.corpus, chosen)
        self.request.notify("timing the original")
        return self._planned(timed, self.rule)

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

    @property
    def judge(self) -> CallJudge:
        """Judges what a draft's calls answer."""
        original, check = self.baseline.revision, self.suite.check
        return CallJudge(self.request, self.harness, self.corpus, self.runner, original, check, self.contract)

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Make the calls of a case in a fresh interpreter."""
        return self.judge.run_case(draft, case)

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """A wrong answer with the smallest call that shows it, and where that comes from."""
        return self.judge.explain(draft, case, outcome)

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """The project's tests that pass on the original, once a draft: they are slow, and see no more when it is
        confirmed."""
        if stage is Stage.CONFIRMATION:
            return Checked()
        other = self.other_version
        if other and (why := changed_parameters(self.harness.function, other.function)):
            return Checked(rejection=why)
        tests, found = self.corpus.tests, Checked()
        if tests:
            self.request.notify(f"running {counted(len(tests), 'test')}")
            found = (
                other.tested(self.harness, tests)
                if other
                else Checked(rejection=failing(self.harness, draft.text, tests))
            )
        if found.rejection:
            return found
        unrun = unrun_lines(self.runner, self.corpus, self.baseline.revision, draft)
        return replace(found, caveats=(*found.caveats, *unrun))

    def unseen_cases(self) -> tuple[Case, ...]:
        """Calls that were never made before."""
        policy = InputPolicy(self.request.options.mutated_inputs)
        if not policy.generates:
            return ()
        calls, most = values_of(self.corpus.known), self.request.options.max_examples
        known = fresh_ones(self.harness, calls, self.seed, self.contract, most)
        given = values_of(known for known in self.corpus.known if not known.made_of_others)
        large, usual_s = [*given, *(call for call in self.corpus.big if call.can_change)], longest_s(self.corpus.known)
        known += long_ones(self.harness, large, self.seed, self.contract, usual_s=usual_s)
        maker = CaseMaker(self.harness, self.runner, self.suite.check, self.contract, policy, held_out=True)
        return tuple(maker.by_tier(known, "fresh", made_in=CONFIRMING))

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
        given = set(plan.timed.batch.calls[plan.timed.batch.warm :]) <= set(texts_of(self.corpus.big))
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
            # at most so fast is a function whose call was given up: it gets ten times what the slowest of the
            # original's takes
            return 0.1
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
        self.request.notify("checking what is timed")
        contract = self.contract.words
        return brief(self.request, self.harness, self.suite.cases, self.plan, contract)

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
        for each in self.request.options.ignore_difference:
            yield Diagnostic(_WORDS[each], f"--ignore-difference {each}")
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


_WORDS = {
    Observable.ARGUMENTS: "arguments after a call are not compared",
    Observable.OUTPUT: "what is printed, warned of or logged is not compared",
    Observable.STATE: "the state of modules and of the process is not compared",
}


CallGain = Gain[FunctionWorkload, CallPlan]
"""A gain that guards of functions look at."""
