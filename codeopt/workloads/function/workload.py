"""A function of a module, measured: a draft makes every known call as the original does, then both are timed on the
larger of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codeopt.core.briefing import Briefing
from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate
from codeopt.core.options import FuzzPolicy
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads import OTHER_HASH_SEED, Checked, Defaults, Stage, Suite, TimedRegion, Workload, WorkloadRequest
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.contract.function.shown_types import shown_types
from codeopt.workloads.function.briefing import BriefedFunction, brief
from codeopt.workloads.function.calls import paste
from codeopt.workloads.function.calls.shrink import first_failing, smallest
from codeopt.workloads.function.calls.witness import apart, as_python
from codeopt.workloads.function.corpus.cases import (
    CallCase,
    CaveatRules,
    WholeCase,
    beyond_caveats,
    call_caveats,
    without_unsteady,
)
from codeopt.workloads.function.corpus.corpus import (
    CallCorpus,
    NotVerifiable,
    fresh_ones,
    long_ones,
    longest_s,
)
from codeopt.workloads.function.corpus.existing_tests import failing
from codeopt.workloads.function.corpus.kept import KeptEvidence
from codeopt.workloads.function.corpus.shown_calls import given_by_shape, has_objects
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.known_cases import disturbed, tiered
from codeopt.workloads.function.leftovers import judge_left
from codeopt.workloads.function.rival import Rival
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt.workloads.function.timing.growth import growth
from codeopt.workloads.function.timing.kept_choice import kept_choice
from codeopt.workloads.function.timing.other_shapes import InputShape, find_shapes
from codeopt.workloads.function.timing.plan import CallPlan, Timed, choose
from codeopt.workloads.function.timing.profile import profile_function
from codeopt.workloads.function.together import LONGEST, ScenarioCase, Witnesses, judged
from codeopt.workloads.function.view import FunctionProposer, function_rules
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.compare import Decision, Plan, StoppingRule, make_plan
from codeopt_sandbox.growth import GrowthPair
from codeopt_sandbox.guest.calls.repr.private import EQUAL
from codeopt_sandbox.outcome import Case, Cause, Outcome, Verdict
from codeopt_sandbox.outcome import Mode as RunMode
from codeopt_sandbox.profile import Mode, Profile
from codeopt_sandbox.verdict import judge

FAR = 0.1
"""At most so fast is a function whose call was given up: it gets ten times what the slowest of the original's takes."""


@dataclass(frozen=True)
class FunctionWorkload(Defaults):
    """One function, and the calls that are known of it. A draft is the whole module."""

    request: WorkloadRequest
    bench: FunctionHarness
    evidence: CallCorpus
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
    kept: KeptEvidence = KeptEvidence()
    """The function's evidence in the store."""
    rival: Rival | None = None
    """The version that it is compared with, where that is a user's."""

    region = TimedRegion.CALLS

    @property
    def seed(self) -> int:
        """Seed of the calls that confirm a draft; 0 and 1 are those of the rounds."""
        return 2 + self.request.input_seed

    def timed(self) -> Workload:
        """With what is timed and the original's profile; without, and why, where the calls are too short."""
        try:
            plan = self._plan(seed=0)
        except ProgramError as error:
            return replace(self, too_short=str(error))
        original = self.baseline
        if self.request.profile_modes and original.profile is None:
            self._notify("profiling the original")
            original = replace(
                original,
                profile=profile_function(
                    self.bench, plan.timed, self.bench.source, self._modes, memory=self.request.for_memory
                ),
            )
        return replace(self, baseline=original, plan=plan)

    @property
    def _modes(self) -> tuple[Mode, ...]:
        """Profiles to take: of the original also the functions that it calls elsewhere, where a model is to read it."""
        return ("lines", "callees") if self.request.model_calls else ("lines",)

    def _plan(self, seed: int) -> CallPlan:
        """Raises ProgramError when no call is long enough, or the original is not the same each time."""
        timed = self._choice(seed)
        self._notify("timing the original")
        return self._planned(timed, self.rule)

    def _choice(self, seed: int) -> Timed:
        """The calls to time: in the rounds those that are kept, to confirm always others. Raises ProgramError."""

        def made() -> Timed:
            return choose(self.bench, self.evidence, self.contract, seed=seed, notify=self._notify)

        return made() if seed else kept_choice(self.kept, self.evidence, made)

    def _planned(self, timed: Timed, rule: StoppingRule) -> CallPlan:
        """Raises NotVerifiable when the original is not the same each time."""
        try:
            plan = make_plan(self.runner, self.baseline.revision, [timed.case(rule.clock)], self.suite.check, rule)
        except ValueError as error:
            raise NotVerifiable(f"the original does not do the same twice: {error}") from error
        return CallPlan(**vars(plan), timed=timed)

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        """The same calls, by another clock."""
        return self._planned(plan.timed, rule) if isinstance(plan, CallPlan) else super().plan_by(plan, rule)

    def require_plan(self) -> CallPlan:
        """The plan. Raises NotVerifiable when every call is too short."""
        if self.plan is None:
            raise NotVerifiable(self.too_short)
        return self.plan

    def run_case(self, draft: Revision, case: Case, hash_seed: int = 0) -> Outcome:
        """Make the calls of a case in a fresh interpreter."""
        mode: RunMode = "fork" if isinstance(case, WholeCase) else "exec"  # as they are timed
        run = self.runner.run(draft, case.stdin, mode=mode, hash_seed=hash_seed)
        if isinstance(case, ScenarioCase):
            return judged(case, run, self.suite.check, self.rules_of_caveats)
        outcome = judge(case, run, self.suite.check)
        once = isinstance(case, CallCase) and case.asked_once
        if (hash_seed or once) and outcome.verdict is Verdict.WA:
            again = self.runner.run(
                self.baseline.revision, case.stdin, mode="exec", hash_seed=hash_seed or OTHER_HASH_SEED
            )
            if not disturbed(again):  # what only took too long this time is no other answer
                run = replace(run, stdout=without_unsteady(case, run.stdout, again.stdout))
                outcome = judge(case, run, self.suite.check)
        if isinstance(case, CallCase) and case.beyond:
            return _without_answer(self._beyond(case, outcome))
        outcome = judge_left(self.runner, self.baseline.revision, draft, outcome)
        if outcome.verdict is not Verdict.AC:
            return outcome
        caveats = call_caveats(case, run.stdout, self.rules_of_caveats)
        return _without_answer(replace(outcome, caveats=caveats))

    @property
    def rules_of_caveats(self) -> CaveatRules:
        """The rules by which differences of this function are caveats."""
        options = self.request.options
        accepts = self.suite.check if options.special_checker else None
        return CaveatRules(options.tolerance, self.line, options.may_change_arguments, accepts)

    def line(self, call: str) -> str:
        """A call as a line for a shell, which makes it on each side of a comparison."""
        bench, other = self.bench, self.request.other
        places = [paste.Importable(bench.view.module.roots[0], bench.target.module, bench.function.qualname)]
        if other is not None:
            module = locate(other.path)
            places.append(paste.Importable(module.roots[0], module.name, other.name))
        return paste.paste(as_python(call), bench.function, places, self.request.options.calls)

    def _beyond(self, case: CallCase, outcome: Outcome) -> Outcome:
        """Report differences on out-of-distribution calls as caveats, not as wrong answers."""
        found = beyond_caveats(case, outcome, self.rules_of_caveats)
        return replace(outcome, verdict=Verdict.AC, detail="", cause=None, caveats=found)

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """A wrong answer with the smallest call that shows it, and where that comes from."""
        run = outcome.run
        if outcome.verdict is not Verdict.WA or not isinstance(run, CallRun):
            return _without_answer(outcome)
        if isinstance(case, ScenarioCase):
            return _without_answer(self._explained(draft, case, outcome, run))
        first = first_failing(case, run, self.suite.check)
        if first is None:
            return _without_answer(outcome)
        shown = first
        if not case.held_out and not first.late:  # a smaller one may only be quicker, and each try costs seconds
            shown = smallest(
                self.runner, self.baseline.revision, draft, first.call, self.suite.check, self.contract.inside
            )
        detail = "" if case.held_out else shown.detail
        near = "the smallest found near " * bool(detail and shown.call != first.call)
        cause = Cause.CALL_TIMEOUT if (shown.late if detail else first.late) else None
        origin = self.evidence.origin_of(first.call)
        raised = ""
        if detail and self.request.model_calls and has_objects(shown.call):
            raised += f"; the arguments are {given_by_shape(self.bench, shown.call)[0]}"
        said = f"{detail or outcome.detail}{raised}{_other_objects(shown.call, detail)} ({near}{origin})"
        return replace(_without_answer(outcome), detail=said, cause=cause)

    def _explained(self, draft: Revision, case: ScenarioCase, outcome: Outcome, run: CallRun) -> Outcome:
        """The smallest scenario that shows it."""
        looked_for = Witnesses(self.bench, self.runner, draft, self.contract.inside)
        found = looked_for.smallest(case, run, self.suite.check)
        return replace(outcome, detail=self.bench.names.readable(found.words)) if found else outcome

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """The project's tests that pass on the original, once a draft: they are slow, and see no more when it is
        confirmed."""
        if stage is Stage.CONFIRMATION or not self.evidence.tests:
            return Checked()
        self._notify(f"running {len(self.evidence.tests)} tests")
        if self.rival is not None:
            return self.rival.tested(self.bench, self.evidence.tests)
        return Checked(rejection=failing(self.bench, draft.text, self.evidence.tests))

    def unseen_cases(self) -> tuple[Case, ...]:
        """Calls that were never made before."""
        policy = self.request.options.changed_inputs
        if policy is FuzzPolicy.OFF:
            return ()
        texts = [known.text for known in self.evidence.known]
        known = fresh_ones(self.bench, texts, self.seed, self.request.options.max_examples)
        given = [known.text for known in self.evidence.known if not known.made_of_others]
        known += long_ones(self.bench, [*given, *self.evidence.big], self.seed, usual_s=longest_s(self.evidence.known))
        check, contract = self.suite.check, self.contract
        return tuple(tiered(self.bench, self.runner, known, "fresh", check, contract, held_out=True, policy=policy))

    def confirmation_plan(self, unseen: Sequence[Case]) -> CallPlan:
        """Other calls than in the rounds."""
        return self._plan(seed=self.seed)

    @cached_property
    def shapes(self) -> tuple[InputShape, ...]:
        """Other shapes of the calls, on which a faster draft is timed too; none before anything is timed."""
        if self.plan is None:
            return ()
        known = tuple(each for each in self.evidence.known if not self.contract.outside(each.text))
        return find_shapes(self.bench, replace(self.evidence, known=known), self.plan.timed, self.contract.inside)

    def profile(self, draft: Revision) -> Profile | None:
        """Profile of a pass of the timed calls; lines are those of the module."""
        memory = self.request.for_memory
        return profile_function(self.bench, self.plan.timed, draft.text, memory=memory) if self.plan else None

    def growth(self, draft: Revision) -> GrowthPair | None:
        """Growth of the cost, by calls made longer and longer."""
        return growth(self.bench, self.evidence, draft.text)

    def bound(self, candidate: Candidate) -> float | None:
        """Bound of a draft whose call was stopped after ten times the slowest of the original's, or of the timed
        passes."""
        wrong = next((outcome for outcome in candidate.outcomes if outcome.verdict is not Verdict.AC), None)
        if wrong is not None and wrong.cause is Cause.CALL_TIMEOUT:
            return FAR
        found = candidate.comparison
        if self.plan is None or found is None or found.decision is not Decision.REJECTED or not found.overrun:
            return None
        timed = self.plan.timed
        return round(timed.seconds * timed.batch.passes / timed.batch.pass_seconds, 6)

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """The rules that are not for whole programs, each restricted to the function."""
        return function_rules(rules, self.bench.function.qualname, shown_types(self.contract))

    def adapt(self, proposer: Proposer) -> Proposer:
        """One that sees an excerpt of the module."""
        return FunctionProposer(proposer, self.bench.function.qualname)

    def briefing(self) -> Briefing:
        """Facts of the function for a language model: its calls, and what is timed of them."""
        interpreter = self.request.interpreter
        python = interpreter.version if interpreter else ""
        self._notify("looking at what is timed")
        return brief(
            BriefedFunction(
                self.bench,
                self.evidence,
                self.suite.cases,
                self.plan,
                python,
                self.request.options.tolerance,
                self.contract.words,
            )  # fmt: skip
        )

    @property
    def headline(self) -> str:
        """`12 calls (9 derived, 3 calls_file), 80% of the function's lines   2 in a pass of 4.1 ms`."""
        return self.evidence.words + (f"   {self.plan.timed.words}" if self.plan else "")

    def facts(self) -> dict[str, Any]:
        """Facts of the function, as fields of a JSON object."""
        return {
            "evidence": {**self.evidence.figures(), "contract": self.contract.words},
            "timed": self.plan.timed.words if self.plan else None,
            "timed_sizes": list(self.plan.timed.sizes) if self.plan else [],
            "input_seed": self.request.input_seed,
            "shortfalls": (*self.evidence.shortfalls, *self.bench.loading.shortfalls),
            "libraries": self.bench.loading.figures(),
            "calls_text": self.bench.target.calls_file or "",
        }

    def _notify(self, line: str) -> None:
        self.request.session.console.progress(line)


def _other_objects(call: str, detail: str) -> str:
    """Explanation for a draft that asks by identity: the call as it is written with other objects."""
    text = apart(call) if EQUAL in detail else ""
    return f"; to see it: {text}" if text and len(text) <= LONGEST else ""


def _without_answer(outcome: Outcome) -> Outcome:
    """A history need not keep what calls did twice."""
    return replace(outcome, run=replace(outcome.run, answer=None)) if isinstance(outcome.run, CallRun) else outcome
