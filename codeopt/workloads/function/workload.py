"""A function of a module, measured: a draft makes every known call as the original does, then both are timed on the
larger of them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codeopt.core.briefing import Briefing
from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.errors import ModelError, ProgramError
from codeopt.core.history import Candidate
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads import OTHER_HASH_SEED, Checked, Defaults, Stage, Suite, TimedRegion, Workload, WorkloadRequest
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.function.briefing import BriefedFunction, brief
from codeopt.workloads.function.calls import paste
from codeopt.workloads.function.calls.shrink import first_failing, smallest
from codeopt.workloads.function.calls.witness import apart, as_python
from codeopt.workloads.function.calls.wrong_types import refusals
from codeopt.workloads.function.corpus.cases import (
    CallCase,
    WholeCase,
    beyond_caveats,
    call_caveats,
    calls_of,
    without_unsteady,
)
from codeopt.workloads.function.corpus.collect import with_names
from codeopt.workloads.function.corpus.corpus import (
    CallCorpus,
    FirstLook,
    NotVerifiable,
    TooThin,
    fresh_ones,
    long_ones,
)
from codeopt.workloads.function.corpus.existing_tests import failing
from codeopt.workloads.function.corpus.kept import KeptEvidence, KnownFunction, known_function
from codeopt.workloads.function.corpus.model_written import ask_for_calls
from codeopt.workloads.function.corpus.observe import MADE_UP, REFUSED, CallTimeLimit, KnownCall, observe_quick
from codeopt.workloads.function.corpus.shown_calls import given_by_shape, has_objects
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.leftovers import judge_left
from codeopt.workloads.function.recording.recording import recorded_calls
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt.workloads.function.timing.growth import growth
from codeopt.workloads.function.timing.kept_choice import kept_choice
from codeopt.workloads.function.timing.other_shapes import InputShape, find_shapes
from codeopt.workloads.function.timing.plan import CallPlan, Timed, choose
from codeopt.workloads.function.timing.profile import profile_function
from codeopt.workloads.function.together import LONGEST, ScenarioCase, Witnesses, judged, scenario_cases
from codeopt.workloads.function.view import FunctionProposer, function_rules
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox.answers import calls_checker
from codeopt_sandbox.call_answer import CallAnswer, Kind, State
from codeopt_sandbox.calls import CallBatch, CallRun
from codeopt_sandbox.compare import Decision, Plan, StoppingRule, make_plan
from codeopt_sandbox.growth import GrowthPair
from codeopt_sandbox.guest.calls.outcome import UNCHANGED
from codeopt_sandbox.guest.calls.repr.plain import MAX_ITEMS
from codeopt_sandbox.guest.calls.repr.private import EQUAL
from codeopt_sandbox.outcome import Case, Cause, Outcome, Run, Verdict
from codeopt_sandbox.outcome import Mode as RunMode
from codeopt_sandbox.profile import Mode, Profile
from codeopt_sandbox.verdict import Checker, judge

FAR = 0.1
"""At most so fast is a function whose call was given up: it gets ten times what the slowest of the original's takes."""
IN_A_CASE = 500
"""Maximum number of calls that are made in one run."""
LONG_S = 2.0
"""Time limit of the original on them, seconds; one call at least is made."""
LARGE = 2_000_000
"""Maximum length of their outcomes, characters; one call at least is made."""

RECORDED = CallTimeLimit(0.5, 1.0)
"""Seconds that one recorded call and all of them may take where nothing else is asked of a draft."""
READ_ON = 3
"""Number of calls whose iterators are read on."""
READ_ON_S = 0.5
"""Time limit of the original for one of them, seconds."""
MOST_ITEMS = 300_000
"""Maximum number of items that are read of each."""
NOTHING_LEFT = State(UNCHANGED, changed=False)
"""State of a process whose calls are independent of each other."""


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
            return judged(case, run, self.suite.check, self.request.options.tolerance, self.line)
        outcome = judge(case, run, self.suite.check)
        if hash_seed and outcome.verdict is Verdict.WA:
            again = self.runner.run(self.baseline.revision, case.stdin, mode="exec", hash_seed=hash_seed)
            run = replace(run, stdout=without_unsteady(case, run.stdout, again.stdout))
            outcome = judge(case, run, self.suite.check)
        if isinstance(case, CallCase) and case.beyond:
            return _without_answer(self._beyond(case, outcome))
        outcome = judge_left(self.runner, self.baseline.revision, draft, outcome)
        if outcome.verdict is not Verdict.AC:
            return outcome
        caveats = call_caveats(case, run.stdout, self.request.options.tolerance, self.line)
        return _without_answer(replace(outcome, caveats=caveats))

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
        found = beyond_caveats(case, outcome, self.request.options.tolerance, self.line)
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
                self.runner, self.baseline.revision, draft, first.call, self.suite.check, self.contract.beyond
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
        looked_for = Witnesses(self.bench, self.runner, draft, self.contract.beyond)
        found = looked_for.smallest(case, run, self.suite.check)
        return replace(outcome, detail=self.bench.names.readable(found.words)) if found else outcome

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """The project's tests that pass on the original, in each round: they are slow, and see no more a second
        time."""
        if stage is not Stage.ROUND or not self.evidence.tests:
            return Checked()
        self._notify(f"running {len(self.evidence.tests)} tests")
        return Checked(rejection=failing(self.bench, draft.text, self.evidence.tests))

    def unseen_cases(self) -> tuple[Case, ...]:
        """Calls that were never made before."""
        texts = [known.text for known in self.evidence.known]
        known = fresh_ones(self.bench, texts, self.seed, self.request.options.max_examples)
        given = [known.text for known in self.evidence.known if known.source not in ("derived", REFUSED)]
        known += long_ones(self.bench, [*given, *self.evidence.big], self.seed)
        return tuple(_tiered(self.bench, self.runner, known, "fresh", self.suite.check, self.contract, held_out=True))

    def confirmation_plan(self, unseen: Sequence[Case]) -> CallPlan:
        """Other calls than in the rounds."""
        return self._plan(seed=self.seed)

    @cached_property
    def shapes(self) -> tuple[InputShape, ...]:
        """Other shapes of the calls, on which a faster draft is timed too; none before anything is timed."""
        if self.plan is None:
            return ()
        return find_shapes(self.bench, self.evidence, self.plan.timed, lambda text: not self.contract.beyond(text))

    def profile(self, draft: Revision) -> Profile | None:
        """Profile of a pass of the timed calls; lines are those of the module."""
        memory = self.request.for_memory
        return profile_function(self.bench, self.plan.timed, draft.text, memory=memory) if self.plan else None

    def growth(self, draft: Revision) -> GrowthPair | None:
        """By calls made longer and longer."""
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
        return function_rules(rules, self.bench.function.qualname)

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
                self.bench, self.evidence, self.suite.cases, self.plan, python, self.request.options.tolerance
            )
        )

    @property
    def headline(self) -> str:
        """`12 calls (9 derived, 3 calls_file), 80% of the function's lines   2 in a pass of 4.1 ms`."""
        return self.evidence.words + (f"   {self.plan.timed.note}" if self.plan else "")

    def facts(self) -> dict[str, Any]:
        """Facts of the function, as fields of a JSON object."""
        return {
            "evidence": self.evidence.figures(),
            "timed": self.plan.timed.note if self.plan else None,
            "input_seed": self.request.input_seed,
            "shortfalls": (*self.evidence.shortfalls, *self.bench.loading.shortfalls),
            "libraries": self.bench.loading.figures(),
            "calls_text": self.bench.target.calls_file or "",
        }

    def _notify(self, line: str) -> None:
        self.request.session.console.progress(line)


def measure(request: WorkloadRequest, bench: FunctionHarness, first_look: FirstLook | None = None) -> FunctionWorkload:
    """Find out what the function does, by calls of every source. Raises ProgramError when too little can be known.

    A language model writes calls where it may, and nothing else gives enough.
    """
    try:
        return _measured(request, bench, request.calls_text, first_look)
    except TooThin as error:
        if request.options.calls or not request.model_calls:
            raise
        session = request.session
        session.console.print(f"{error}; asking the model for calls")
        written = ask_for_calls(session.open_model(request.options, session.console.warn), bench, str(error))
        session.on_usage(written.usage)
        if written.problem:
            raise ModelError(f"the model wrote no calls: {written.problem}") from error
        return replace(_measured(request, bench, written.text, first_look), usage=written.usage)


def _measured(
    request: WorkloadRequest, bench: FunctionHarness, calls_text: str, first_look: FirstLook | None
) -> FunctionWorkload:
    known = known_function(request, bench, calls_text, first_look=first_look)
    try:
        return _from_corpus(request, known)
    except NotVerifiable:
        if known.corpus.reused_from is None:
            raise
        known.kept.forget()
        return _from_corpus(request, known_function(request, bench, calls_text, anew=True))


def _from_corpus(request: WorkloadRequest, function: KnownFunction) -> FunctionWorkload:
    """The workload of a known function. Raises NotVerifiable, ProgramError."""
    evidence = function.corpus
    if reason := evidence.thin():
        raise TooThin(reason, evidence.shortfalls)
    given = [known for known in evidence.known if known.source not in ("derived", REFUSED)]
    derived = [known for known in evidence.known if known.source in ("derived", REFUSED)]
    shown, held = _split(given, derived)
    found = _workload(request, function.bench, evidence, shown, held, given or derived)
    return replace(found, kept=function.kept)


def first_workload(request: WorkloadRequest, bench: FunctionHarness, corpus: CallCorpus) -> FunctionWorkload:
    """Judged by the calls that the sources gave, before any is made from them: enough to refuse a draft that answers
    one of them otherwise."""
    bench = with_names(bench, [each.text for each in corpus.known])
    return _workload(request, bench, corpus, list(corpus.known), [], [], together=False)


def measure_recorded(request: WorkloadRequest, bench: FunctionHarness) -> FunctionWorkload:
    """Judged by the recorded calls alone, as many as the original makes in RECORDED.total seconds, all of which may be
    shown: quick, and nobody need ask what others may call it with. Raises ProgramError."""
    texts = recorded_calls(bench.function)
    known = observe_quick(bench, texts, "recorded", RECORDED)
    if not known:
        raise NotVerifiable(f"none of its {len(texts)} recorded calls can be made again and does the same twice")
    bench = with_names(bench, [each.text for each in known])
    return _workload(request, bench, CallCorpus(tuple(known)), known, [], known)


def _workload(
    request: WorkloadRequest, bench: FunctionHarness, evidence: CallCorpus,
    shown: list[KnownCall], held: list[KnownCall], read_on: list[KnownCall], *, together: bool = True,
) -> FunctionWorkload:  # fmt: skip
    """The workload of known calls. together: several of them are made together, too."""
    options = request.options
    runner = bench.recording_runner
    check = calls_checker(options.tolerance, exact=options.strict)
    contract = contract_of(bench.function, evidence.vouched)
    cases = _tiered(bench, runner, shown, "calls", check, contract)
    cases += _tiered(bench, runner, held, "held", check, contract, held_out=True)
    cases += _read_on(bench, runner, read_on, check)
    if together:
        cases += scenario_cases(bench, runner, [each for each in shown if not contract.beyond(each.text)], contract)
    runs = [Run(0, None, 0.0, 0.0, 0, case.expected or b"", b"") for case in cases]
    outcomes = tuple(Outcome(case.name, Verdict.AC, run) for case, run in zip(cases, runs, strict=True))
    original = replace(request.baseline or Candidate(0, bench.revision, "the original"), outcomes=outcomes)
    once = replace(request.rule, pair_seconds=0.0)  # a run is as many passes as it takes: see timing.PAIR_S
    suite = Suite(tuple(cases), check)
    return FunctionWorkload(request, bench, evidence, runner, original, suite, once, contract=contract)


def _tiered(
    bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, contract: Contract,
    *, held_out: bool = False,
) -> list[Case]:  # fmt: skip
    """Calls as cases, those apart that go beyond the known ones: what they do to their process is theirs alone."""
    raises = refusals(bench.function)
    beyond = {each.text: _why_beyond(each, contract, raises) for each in known}
    alike = [each for each in known if not beyond[each.text]]
    rest = [each for each in known if beyond[each.text]]
    cases: list[Case] = make_cases(bench, runner, alike, name, check, held_out=held_out)
    for case in make_cases(bench, runner, rest, f"beyond.{name}", check, held_out=held_out):
        cases.append(CallCase(**vars(case), beyond=tuple(beyond[text] for text in calls_of(case))))
    return cases


def _why_beyond(known: KnownCall, contract: Contract, raises: Container[int]) -> str:
    """Reason for which a difference on a call is a caveat at most; empty where it rejects.

    raises: lines of the function's own `raise` statements: what it refuses itself is part of what it does.
    """
    if known.source not in MADE_UP:
        return ""
    if known.outcome.kind is not Kind.RAISES:
        return contract.beyond(known.text)
    if known.outcome.line in raises:
        return ""
    return contract.beyond(known.text) or f"{known.outcome.exception} there is by no `raise` of the function's own"


def _read_on(bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], check: Checker) -> list[Case]:
    """Calls whose iterators have more items than are read of each, read far beyond: as far as the original takes
    READ_ON_S."""
    longer = [each for each in known if each.outcome.cut_short][:READ_ON]
    if not longer:
        return []
    pace = max(each.seconds for each in longer) / MAX_ITEMS
    items = min(MOST_ITEMS, int(READ_ON_S / max(pace, 1e-7)))
    try:
        return make_cases(bench, runner, longer, "read on", check, items=items) if items > MAX_ITEMS else []
    except NotVerifiable:  # where nobody looked before it may do as it likes
        return []


def _split(given: list[KnownCall], derived: list[KnownCall]) -> tuple[list[KnownCall], list[KnownCall]]:
    """A third of all calls is never shown, of the given ones only where there are many."""
    few = len(given) < 9
    shown = [known for at, known in enumerate(given) if few or at % 3] + [k for at, k in enumerate(derived) if at % 3]
    names = {known.text for known in shown}
    return shown, [known for known in (*given, *derived) if known.text not in names]


def make_cases(
    bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, *,
    held_out: bool = False, items: int = MAX_ITEMS,
) -> list[Case]:  # fmt: skip
    """Calls as cases, with what the original answers. Raises NotVerifiable when that depends on which calls come
    together."""
    cases = []
    for number, part in enumerate(_parts(known), 1):
        far = items / MAX_ITEMS
        seconds = min(20.0, max(2.0, 10 * far * max(k.seconds for k in part)))
        total = max(10.0, 10 * far * sum(k.seconds for k in part))
        calls = tuple(k.text for k in part)
        stdin = CallBatch(calls, seconds=seconds, lost=0, budget=total, items=items).stdin()
        title = f"{len(part)} calls of the function"
        if items == MAX_ITEMS and all(k.independent for k in part):  # another run would say the same again
            expected = runner.calls.as_printed(calls, CallAnswer(tuple(k.outcome for k in part), state=NOTHING_LEFT))
            cases.append(Case(f"{name}.{number}", stdin, expected.encode("utf-8", "surrogatepass"), held_out, title))
            continue
        run = runner.run(bench.revision, stdin, mode="exec")
        if _disturbed(run):
            run = runner.run(bench.revision, stdin, mode="exec")
        case = Case(f"{name}.{number}", stdin, run.stdout, held_out, title)
        if not _as_known(run, part):
            again = runner.run(bench.revision, stdin, mode="exec", hash_seed=OTHER_HASH_SEED)
            outcome = judge(case, again, check)
            if run.exit != 0 or outcome.verdict is not Verdict.AC:
                raise NotVerifiable(
                    f"{bench.function.qualname} does not do the same twice: {outcome.detail or run.stop_detail}"
                )
        cases.append(case)
    return cases


def _parts(known: list[KnownCall]) -> Iterator[list[KnownCall]]:
    """The calls of each case, in order."""
    part: list[KnownCall] = []
    seconds, size = 0.0, 0
    for one in known:
        seconds, size = seconds + one.seconds, size + len(one.outcome.text)
        if part and (len(part) == IN_A_CASE or seconds > LONG_S or size > LARGE):
            yield part
            part, seconds, size = [], one.seconds, len(one.outcome.text)
        part.append(one)
    if part:
        yield part


def _disturbed(run: CallRun) -> bool:
    """A call, or all of them, took ten times as long as when they were made before: somebody else had the machine."""
    late = (Kind.TIMEOUT, Kind.NOT_MADE)
    return run.answer is not None and any(each.kind in late for each in run.answer.outcomes)


def _as_known(run: CallRun, part: list[KnownCall]) -> bool:
    """Whether the calls do here what they did when they were made twice, in other orders, and leave nothing behind."""
    if run.answer is None or run.answer.state is None or run.answer.state.changed:
        return False
    return [outcome.text for outcome in run.answer.outcomes] == [known.outcome.text for known in part]


def _other_objects(call: str, detail: str) -> str:
    """Explanation for a draft that asks by identity: the call as it is written with other objects."""
    text = apart(call) if EQUAL in detail else ""
    return f"; to see it: {text}" if text and len(text) <= LONGEST else ""


def _without_answer(outcome: Outcome) -> Outcome:
    """A history need not keep what calls did twice."""
    return replace(outcome, run=replace(outcome.run, answer=None)) if isinstance(outcome.run, CallRun) else outcome
