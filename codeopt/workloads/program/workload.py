"""A program, measured: its first runs, and what a judge asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from codeopt.core.errors import Diagnostic, ProgramError
from codeopt.core.evidence import BySize, CaseEvidence, WorkloadEvidence
from codeopt.core.history import Briefing, Candidate
from codeopt.core.revision import OWN, Revision
from codeopt.core.words import Speedup
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads import Checked, Stage, Suite, Workload, WorkloadRequest
from codeopt.workloads._judging import HANGS, NOTHING_CHANGED, InputPolicy, checker_of, require_own
from codeopt.workloads._runs import OneFile, axes, compared_in, on_other_core
from codeopt.workloads._sizes import LONG_S, by_size, smaller_ones
from codeopt.workloads.program import baseline
from codeopt.workloads.program.baseline import Elsewhere, allow_drafts, case_request, run_elsewhere, run_original
from codeopt.workloads.program.briefing import brief, stated_bounds, statement_in
from codeopt.workloads.program.cases import Request, collect, find, find_script, hold_out
from codeopt.workloads.program.cut import CutPlan, InputCut, cut_input
from codeopt.workloads.program.differences import again, error_text_caveat, text_caveat
from codeopt.workloads.program.differential import DifferentialTest, ProbeSource, make_differential_test
from codeopt.workloads.program.mutated_cases import largest_text, mutate_cases, shorter_cases
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Outcome, Run, run_on
from codeopt_sandbox.profile import Mode, Profile
from codeopt_sandbox.verdict import TRACEBACK, judge


def measure(request: WorkloadRequest, sandbox: Sandbox) -> ProgramWorkload:
    """Run the original on its cases. Raises UsageError without cases, ProgramError when it cannot be judged by them,
    and what the first look at the cases raises."""
    notify, check = request.notify, checker_of(request.options, sandbox)
    source = request.program.source
    asked = case_request(request.target.path, source, request.options, sandbox)
    notify("collecting cases")
    cases = collect(asked)
    found = [run_original(request, sandbox, case, check) for case in cases]
    cases, runs = [case for case, _ in found], [run for _, run in found]
    require_own(check, cases, runs, request.options.check)
    allow_drafts(request, sandbox, max((run.wall_s for run in runs), default=0.0))
    shown = hold_out(cases, [run.active_s for run in runs])
    shown = [replace(case, held_out=request.held_out.get(case.name, case.held_out)) for case in shown]
    given = asked.stdin or asked.args is not None or asked.with_paths
    policy = InputPolicy.of(request.options.mutated_inputs, generated=not given and find_script(asked) is not None)
    bounds = stated_bounds(statement_in(asked.statement_folders), (case.stdin for case in shown))
    inputs = ProbeSource(
        [case for case in shown if request.other or not case.held_out], request.input_seed, shown,
        most=request.options.max_examples, longest_s=max(run.active_s for run in runs), bounds=bounds,
    )  # fmt: skip

    def tested(other: Sandbox) -> DifferentialTest:
        found = make_differential_test(sandbox, source, inputs, check, policy, other)
        return replace(found, again=lambda case: again(request, case)).prepared()

    with on_other_core(sandbox, tested) as differential_test:
        elsewhere = run_elsewhere(sandbox, source, cases, runs, check, notify)
        request.session.console.detail(compared_in(elsewhere.counts(len(cases)), "cases"))
        outcomes = tuple(Outcome(case.name, CaseVerdict.AC, run) for case, run in zip(shown, runs, strict=True))
        original = replace(
            request.baseline or Candidate(0, request.program.revision, "the original"), outcomes=outcomes
        )
        suite, nothing_changed = Suite(tuple(shown), check), DifferentialTest(NOTHING_CHANGED)
        known = ProgramWorkload(request, sandbox, asked, original, suite, nothing_changed, elsewhere, request.rule)
        if request.other:
            request.other.early_check(known, request.other.program.revision)
        notify("mutating inputs")
        differential = differential_test()
    if bounds.words:
        request.session.console.detail(bounds.words)
    return replace(known, suite=replace(suite, fuzzed=differential.cases), differential=differential)


LAST_WORD_S = 0.1
"""Cases are added until the original takes this long, so that a confirmation is not about one alone."""
SHORT_S = 0.02
"""A shorter run is made SHORT_RUNS times for a time by size: one may be disturbed."""
SHORT_RUNS = 3


@dataclass(frozen=True)
class ProgramWorkload(Workload):
    """One program and its cases in one sandbox."""

    request: WorkloadRequest
    sandbox: Sandbox
    cases: Request
    """The request that the cases came from."""
    baseline: Candidate
    suite: Suite
    differential: DifferentialTest
    elsewhere: Elsewhere
    """The cases in other environments."""
    rule: StoppingRule
    plan: Plan | None = None
    guards = (f"{__package__}.cut",)
    lower_bound_program = Revision.of("import sys\nsys.stdin.buffer.read()\n")  # of those that read all of their input
    too_short: str = ""
    """Reason why timing is impossible, or empty."""

    @property
    def runner(self) -> OneFile:
        return OneFile(self.sandbox)

    @property
    def source(self) -> str:
        return self.baseline.source

    def timed(self) -> Workload:
        original, modes = self.baseline, self.request.profile_modes
        cases = baseline.longest_cases(self.suite.cases, original, self.rule.enough_seconds)
        cut = self._cut(cases[0])
        if modes and original.profile is None:
            self.request.notify("profiling the original")
            original = replace(original, profile=self._profile(self.baseline.revision, modes, cut))
        self.request.notify("timing the original")
        plan = self._planned(cases, self.rule, cut)
        too_short = baseline.too_short(self.sandbox, self.source, plan) if self.request.needs_time else ""
        return replace(self, baseline=original, plan=plan, too_short=too_short)

    def _cut(self, case: Case) -> InputCut | None:
        """The part of a long case that pairs are timed on; None where that is the whole."""
        runs = {outcome.case: outcome.run for outcome in self.baseline.outcomes}
        if case.name not in runs or runs[case.name].active_s < LONG_S:
            return None
        self.request.notify(f"cutting the input of case {case.name}, which takes {runs[case.name].active_s:.0f} s")
        return cut_input(case, runs[case.name], lambda part: run_on(self.runner, self.baseline.revision, part))

    def _planned(self, cases: Sequence[Case], rule: StoppingRule, cut: InputCut | None) -> Plan:
        """The plan of the longest of some cases, or of the part of it that was cut out."""
        if cut:  # of a part the interpreter has most of the memory
            cases = [cut.whole if rule.metric == "memory" else cut.case]
        plan = make_plan(self.runner, self.baseline.revision, cases, self.suite.check, rule)
        return CutPlan(**vars(plan), cut=cut) if cut else plan

    def require_plan(self) -> Plan:
        """The plan. Raises ProgramError when the longest case is too short."""
        if self.too_short or self.plan is None:
            raise ProgramError(self.too_short)
        return self.plan

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Run a case in a fresh interpreter. A traceback counts as an error with any exit status."""
        run = run_on(self.runner, draft, case, mode="exec")
        outcome = judge(case, run, self.suite.check)
        if (
            outcome.verdict is CaseVerdict.AC
            and TRACEBACK in run.stderr
            and not any(TRACEBACK in outcome.run.stderr for outcome in self.baseline.outcomes)
        ):
            return replace(
                outcome, verdict=CaseVerdict.RE, detail="a Traceback on standard error, though it exits with 0"
            )
        if outcome.verdict is not CaseVerdict.AC:
            return outcome
        # white space, last bits and lines on standard error in which it differs from the original
        known = next((known.run for known in self.baseline.outcomes if known.case == case.name), None)
        expected = known.stdout if known else case.expected
        found = [text_caveat(case, expected, outcome.run, self.suite.check)]
        if known:
            found += [error_text_caveat(case, known, outcome.run, lambda: self._original_run(case))]
        told = tuple(replace(each, reproduce=again(self.request, case)) for each in found if each)
        return replace(outcome, caveats=told) if told else outcome

    def _original_run(self, case: Case) -> Run:
        return run_on(self.runner, self.baseline.revision, case, mode="exec")

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Check a draft on the cases in other environments, and on fuzzed inputs: the same ones in each round, others
        to confirm."""
        self.request.notify("running cases in other environments")
        found = [self._elsewhere(draft, each.case) for each in self.elsewhere.cases
                 if each.short is not (stage is Stage.CONFIRMATION)]  # fmt: skip
        if wrong := tuple(each for each in found if each.verdict is not CaseVerdict.AC):
            return Checked(wrong[:1])
        self.request.notify("running mutated inputs")
        differential = self.differential
        if stage is Stage.CONFIRMATION:
            seed, cases = differential.source.seed + 1, self.suite.cases
            inputs = replace(differential.source, cases=cases, seed=seed, also_known=cases, held_out=True)
            new = make_differential_test(
                self.sandbox, self.source, inputs, self.suite.check, differential.policy, notify=self.request.notify
            )
            differential = replace(new, again=differential.again)
        checked = differential.run(self.sandbox, draft.text, self.suite.check, both=stage is not Stage.ROUND)
        caveats = (caveat for each in found for caveat in each.caveats)
        return replace(checked, caveats=(*caveats, *checked.caveats))

    def _elsewhere(self, draft: Revision, case: Case) -> Outcome:
        """Outcome in another environment; a caveat where it is another one because of -O alone."""
        found = self.run_case(draft, case)
        if found.verdict is CaseVerdict.AC:
            return found
        plain = replace(case, environment=case.environment.plain)
        original = self._original_run(plain)
        if (
            plain == case
            or self.run_case(draft, replace(plain, expected=original.stdout)).verdict is not CaseVerdict.AC
        ):
            said = found.detail or str(found.verdict)
            return replace(found, detail=f"{said} (only in another environment: {axes(case.environment)})")
        got = found.detail or str(found.verdict)
        caveat = Caveat(CaveatKind.ENVIRONMENT, case.name, "", got, f"only with {axes(case.environment)}")
        return replace(found, verdict=CaseVerdict.AC, detail="", caveats=(caveat,))

    def unseen_cases(self) -> tuple[Case, ...]:
        """Cases that a generator makes of other seeds, those on which the original takes longest first."""
        made = find(replace(self.cases, first_seed=baseline.FRESH + self.request.input_seed % baseline.FRESH))
        fresh = (replace(case, name=f"fresh.{case.name}", held_out=True) for case in made)
        found = [run_original(self.request, self.sandbox, case, self.suite.check) for case in fresh]
        return tuple(case for case, _ in sorted(found, key=lambda pair: -pair[1].active_s))

    def confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """Plan of the cases that nobody has seen, unless these are too short to show the gain."""
        rule = replace(self.rule, enough_seconds=LAST_WORD_S)
        usual = self.require_plan()

        if isinstance(usual, CutPlan):  # by a part of another case, if one is as long
            held = self._longest_held_out()
            return self._planned(usual.cases, rule, (self._cut(held[0]) if held else None) or usual.cut)
        most, held = self.rule.timed_cases, self._longest_held_out()
        alone = [(case,) for case in (*unseen[:1], *held[:1])] if usual.longest_s >= LAST_WORD_S else []
        for cases in filter(None, (*alone, (*held, *unseen[:most]))):
            plan = self._planned(cases, rule, None)
            # cases that were never shown decide in the end, if the longest takes this share of the longest timed one
            if plan.longest_s >= max(0.3 * usual.longest_s, LAST_WORD_S if len(cases) == 1 else 0.0):
                return plan
        return self._planned(usual.cases, rule, None)

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        return self._planned(plan.cases, rule, plan.cut if isinstance(plan, CutPlan) else None)

    def _longest_held_out(self) -> tuple[Case, ...]:
        took = {outcome.case: outcome.run.active_s for outcome in self.baseline.outcomes}
        held = (case for case in self.suite.cases if case.held_out)
        return tuple(sorted(held, key=lambda case: -took[case.name])[: self.rule.timed_cases])

    def similar_inputs(self, case: Case) -> Iterator[Case]:
        """A little shorter, then fuzzed."""
        # a known input made a little shorter is mostly as valid as before
        yield from shorter_cases(case, (0.95, 0.8))
        mutants = mutate_cases([case], seed=self.request.input_seed + 2, also_known=self.suite.cases)
        changed = (mutant.case for mutant in mutants if not mutant.because)
        # number of fuzzed inputs offered to find some on which the gain can be looked for
        yield from islice(changed, 12)

    def profile(self, draft: Revision) -> Profile:
        """Profile of a run on the case that takes longest."""
        modes = self.request.profile_modes or ("lines", "scalene")
        return self._profile(draft, modes, self.plan.cut if isinstance(self.plan, CutPlan) else None)

    def _profile(self, draft: Revision, modes: Sequence[Mode], cut: InputCut | None) -> Profile:
        # what the case that takes longest shows is where the time goes, not what the input is
        slowest = max(self.baseline.outcomes, key=lambda outcome: outcome.run.active_s)
        longest = cut.case if cut else next(case for case in self.suite.cases if case.name == slowest.case)
        return baseline.take_profile(self.sandbox, draft.text, longest, modes)

    def by_size(self, draft: Revision, timed: Speedup) -> BySize:
        """The timed case, and smaller ones: whole runs, as each user waits for start and imports too."""
        if self.plan is None:
            return BySize()
        took = {outcome.case: outcome.run.active_s for outcome in self.baseline.outcomes}
        longest = self.plan.cases[0]
        unit, sizes = _sizes([longest, *self.suite.cases])
        known = list(zip(sizes[1:], self.suite.cases, strict=True))

        def made(size: float) -> tuple[float, Case] | None:
            case = next(shorter_cases(longest, (size / sizes[0],)), None) if unit == "tokens" else None
            right = case is not None and run_on(self.runner, self.baseline.revision, case).exit in (0, case.exit)
            return (size, case) if case and right else None

        def seconds(side: Revision, cases: Sequence[Case]) -> list[float] | None:
            found = []
            for case in cases:
                count = SHORT_RUNS if took.get(case.name, SHORT_S) < SHORT_S else 1
                runs = [run_on(self.runner, side, case) for _ in range(count)]
                if any(run.exit not in (0, case.exit) for run in runs):
                    return None
                found.append(min(run.wall_s if timed.metric == "wall" else run.cpu_s for run in runs))
            return found

        smaller = smaller_ones(known, sizes[0], made)
        return by_size(unit, smaller, (sizes[0], timed), (self.baseline.revision, draft), seconds)

    def bound(self, candidate: Candidate) -> float | None:
        """Bound of a draft that was stopped at the time limit of a run, within which the original ends."""
        late = next((outcome for outcome in candidate.outcomes if outcome.verdict is not CaseVerdict.AC), None)
        if late is None or late.verdict is not CaseVerdict.TLE:
            return None
        limit = self.sandbox.limits.seconds
        old = next((known.run.active_s for known in self.baseline.outcomes if known.case == late.case), limit)
        return round(old / limit, 6) if limit / HANGS <= old < limit else None

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        return tuple(rules)

    def briefing(self) -> Briefing:
        """An example, and what the timed input is like."""
        interpreter = self.request.interpreter
        timed = self.plan.cases if self.plan else ()
        python = interpreter.version if interpreter else ""
        return brief(
            self.sandbox, self.baseline, self.suite.cases, timed, python, statement_in(self.cases.statement_folders)
        )

    @property
    def headline(self) -> str:
        """Number of cases, and time of the longest."""
        longest = max(outcome.run.wall_s for outcome in self.baseline.outcomes)
        cases = f"{len(self.suite.cases)} cases, {self.suite.held_out} held out"
        if self.inputs == 1:
            cases = "1 input: nothing else was found that it could be checked on"
        elif len(self.suite.cases) == 1:
            cases = f"1 case and {self.inputs - 1} mutated inputs"
        if ends := sorted({case.exit for case in self.suite.cases} - {0}):
            cases += f", exit status {' and '.join(map(str, ends))}, which counts"
        return f"{cases}   longest {longest:.3f} s"

    def evidence(self) -> WorkloadEvidence:
        """Numbers of cases and of mutated inputs, and the gaps."""
        tried = self.differential
        gaps = [Diagnostic(words, hint="--cases DIR adds some") for words in tried.missing]
        gaps += [Diagnostic(tried.left_out)] if tried.left_out else []
        gaps += self.elsewhere.gaps
        if lines := dict.fromkeys(self.request.program.files[OWN].left_out):
            gaps.append(Diagnostic("left out, as only Jupyter runs it", ", ".join(lines)))
        cases = CaseEvidence(
            len(self.suite.cases), len(tried.cases), tried.pattern_breaking_inputs, self.inputs,
            self.elsewhere.counts(len(self.suite.cases)),
        )  # fmt: skip
        part = self.plan if isinstance(self.plan, CutPlan) and self.plan.metric != "memory" else None
        return WorkloadEvidence(
            cases=cases, gaps=tuple(gaps), timed=part.cut.words if part else None, input_seed=self.request.input_seed
        )

    @property
    def inputs(self) -> int:
        """On how many inputs a draft is checked in the rounds."""
        return len(self.suite.cases) + len(self.differential.cases)


def _sizes(cases: Sequence[Case]) -> tuple[str, list[float]]:
    """What a size counts, and the size of each case."""
    texts = [largest_text(case).split() for case in cases]
    tokens = [float(max(1, len(text))) for text in texts]
    # ratio of the longest to the shortest case from which tokens are their sizes; of others it is the first number
    if max(tokens) >= 16.0 * min(tokens):
        return "tokens", tokens
    firsts = [text[0] if text and text[0].isdigit() and len(text[0]) < 100 else b"1" for text in texts]
    return "n", [float(max(1, int(first))) for first in firsts]
