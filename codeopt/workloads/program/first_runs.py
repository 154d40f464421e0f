"""Before the first round: the original is run on its cases and found fit to be judged by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate
from codeopt.workloads import OTHER_HASH_SEED, Suite, WorkloadRequest
from codeopt.workloads.program.again import again
from codeopt.workloads.program.baseline import allow_drafts, case_request, run_original
from codeopt.workloads.program.cases import Request, collect, hold_out
from codeopt.workloads.program.cases.generator import find_script
from codeopt.workloads.program.differential import DifferentialTest, choose, make_differential_test
from codeopt.workloads.program.special_check import checker_of, require_own
from codeopt.workloads.program.workload import ProgramWorkload
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Case, Outcome, Run, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge


def measure(request: WorkloadRequest, sandbox: Sandbox) -> ProgramWorkload:
    """Run the original on its cases. Raises UsageError without cases, ProgramError when it cannot be judged by them."""
    notify, check = request.session.console.progress, checker_of(request.options, sandbox)
    source = request.program.source
    asked = case_request(request.target.path, source, request.options, sandbox)
    notify("collecting cases")
    cases = collect(asked)
    found = [run_original(request, sandbox, case, check) for case in cases]
    cases, runs = [case for case, _ in found], [run for _, run in found]
    require_own(check, cases, runs, request.options.check)
    allow_drafts(request, sandbox, max((run.wall_s for run in runs), default=0.0))
    _require_steady(sandbox, source, cases, runs, check, notify)
    cases = hold_out(cases, [run.active_s for run in runs])
    cases = [replace(case, held_out=request.held_out.get(case.name, case.held_out)) for case in cases]
    longest_s = max(run.active_s for run in runs)
    differential = _differential_test(request, sandbox, asked, cases, check, longest_s)
    outcomes = tuple(Outcome(case.name, Verdict.AC, run) for case, run in zip(cases, runs, strict=True))
    original = replace(request.baseline or Candidate(0, request.program.revision, "the original"), outcomes=outcomes)
    suite = Suite(tuple(cases), check, differential.cases)
    return ProgramWorkload(request, sandbox, asked, original, suite, differential, request.rule)


def _differential_test(
    request: WorkloadRequest, sandbox: Sandbox, asked: Request, cases: Sequence[Case], check: Checker, longest_s: float
) -> DifferentialTest:
    """Fuzzed inputs of the cases that may be shown. longest_s: seconds of the longest run of the original."""
    given = asked.stdin or asked.args is not None or asked.with_paths
    generated = not given and find_script(asked) is not None
    strictness = choose(request.options.changed_inputs, generated=generated)
    shown = [case for case in cases if not case.held_out]
    return make_differential_test(
        sandbox, request.program.source, shown, check, strictness, seed=request.input_seed,
        also_known=cases, most=request.options.max_examples, longest_s=longest_s,
        notify=request.session.console.progress, again=lambda case: again(request, case),
    ).prepared()  # fmt: skip


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
        again = judge(case, run_on(sandbox, source, case, mode="exec", hash_seed=OTHER_HASH_SEED), check)
        spent += again.run.wall_s
        if again.verdict is not Verdict.AC:
            raise ProgramError(
                f"the original does not print the same twice on case {case.name} ({again.detail}); random numbers, the "
                "clock or the order of a set? Nothing can be compared with it",
                busy=again.verdict is Verdict.TLE,
            )
