"""Before the first round: the original is run on its cases and found fit to be judged by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codeopt.core.history import Candidate
from codeopt.workloads import Suite, WorkloadRequest
from codeopt.workloads._environments import compared_in
from codeopt.workloads._other_core import on_other_core
from codeopt.workloads._policy import NOTHING_CHANGED, InputPolicy
from codeopt.workloads.program.again import again
from codeopt.workloads.program.baseline import allow_drafts, case_request, run_original
from codeopt.workloads.program.briefing import statement_in
from codeopt.workloads.program.cases import Request, collect, hold_out
from codeopt.workloads.program.cases.generator import find_script
from codeopt.workloads.program.differential import DifferentialTest, make_differential_test
from codeopt.workloads.program.elsewhere import run_elsewhere
from codeopt.workloads.program.special_check import checker_of, require_own
from codeopt.workloads.program.stated_bounds import stated_bounds
from codeopt.workloads.program.workload import ProgramWorkload
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome
from codeopt_sandbox.verdict import Checker


def measure(request: WorkloadRequest, sandbox: Sandbox) -> ProgramWorkload:
    """Run the original on its cases. Raises UsageError without cases, ProgramError when it cannot be judged by them,
    and what the first look at the cases raises."""
    notify, check = request.session.console.progress, checker_of(request.options, sandbox)
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
    longest_s = max(run.active_s for run in runs)

    def tested(other: Sandbox) -> DifferentialTest:
        return _differential_test(request, sandbox, other, asked, shown, check, longest_s)

    with on_other_core(sandbox, tested) as differential_test:
        elsewhere = run_elsewhere(sandbox, source, cases, runs, check, notify)
        request.session.console.detail(compared_in(elsewhere.counts(len(cases)), "cases"))
        outcomes = tuple(Outcome(case.name, CaseVerdict.AC, run) for case, run in zip(shown, runs, strict=True))
        original = replace(
            request.baseline or Candidate(0, request.program.revision, "the original"), outcomes=outcomes
        )
        suite, nothing_changed = Suite(tuple(shown), check), DifferentialTest(NOTHING_CHANGED)
        known = ProgramWorkload(request, sandbox, asked, original, suite, nothing_changed, elsewhere, request.rule)
        if request.early_check and request.other_program:
            request.early_check(known, request.other_program.revision)
        notify("mutating inputs")
        differential = differential_test()
    if differential.bounds.words:
        request.session.console.detail(differential.bounds.words)
    return replace(known, suite=replace(suite, fuzzed=differential.cases), differential=differential)


def _differential_test(
    request: WorkloadRequest,
    sandbox: Sandbox,
    original_in: Sandbox,
    asked: Request,
    cases: Sequence[Case],
    check: Checker,
    longest_s: float,
) -> DifferentialTest:
    """Fuzzed inputs of the cases that may be shown. longest_s: seconds of the longest run of the original."""
    given = asked.stdin or asked.args is not None or asked.with_paths
    generated = not given and find_script(asked) is not None
    policy = InputPolicy.of(request.options.mutated_inputs, generated=generated)
    shown = [case for case in cases if not case.held_out]
    bounds = stated_bounds(statement_in(asked.statement_folders), (case.stdin for case in cases))
    return make_differential_test(
        sandbox, request.program.source, shown, check, policy, seed=request.input_seed,
        also_known=cases, most=request.options.max_examples, longest_s=longest_s,
        original_in=original_in, again=lambda case: again(request, case), bounds=bounds,
    ).prepared()  # fmt: skip
