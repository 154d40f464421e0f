"""The original on its cases before the first round, in the usual environment and in others, with advice where it
fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from codeopt.core.errors import Diagnostic, ProgramError, UsageError
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.sanitize import inline
from codeopt.core.words import end_of_run
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._runs import axes, other_environments
from codeopt.workloads.program.cases import Request, collect
from codeopt.workloads.program.differential import ends_well
from codeopt.workloads.program.siblings import InProject
from codeopt.workloads.sandbox_view.reached import missing_part
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Plan
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run, RunLimits, run_on
from codeopt_sandbox.profile import Mode, Profile, profile
from codeopt_sandbox.verdict import TRACEBACK, Checker, judge

TOO_SHORT_S = 0.001
"""A run shorter than this, with the interpreter's own start left out, is mostly the cost of starting a process."""
FRESH = 1_000_000
"""Seeds of a generator that no known case has; so many are drawn from."""
CANDIDATES = 5
"""Number of the longest cases that are run again to choose those that are timed."""


def case_request(program: Path, source: str, options: ImproveOptions, sandbox: Sandbox) -> Request:
    """Request to the sources of cases. Raises UsageError."""
    if options.stdin and options.cases:
        raise UsageError("give --cases or --stdin, not both")
    if options.cases and (options.args is not None or options.with_paths):
        raise UsageError(
            "--cases and -- ARGS or --with exclude each other", hint="a folder of cases has NAME.args and NAME.files"
        )

    def run(source: str, args: Sequence[str]) -> Run:
        return sandbox.run(source, args=args, mode="exec")

    return Request(
        program, options.cases, options.stdin, run, args=options.args, with_paths=options.with_paths,
        ignored=options.ignore_output, source=source,
    )  # fmt: skip


def run_original(request: WorkloadRequest, sandbox: Sandbox, case: Case, check: Checker) -> tuple[Case, Run]:
    """The case with what the original does on it. Raises ProgramError."""
    request.notify(f"running the original on case {case.name}")
    run = run_on(sandbox, request.program.source, case, mode="exec", limits=limits_of_original(request, sandbox))
    # An exit status other than 0 may be a result, as of a linter with findings. What fails says why on standard error,
    # and has no other output.
    failed = TRACEBACK in run.stderr or b"usage:" in run.stderr.lower()
    if run.exit and not run.stop and not failed and (run.stdout or run.written or not run.stderr):
        case = replace(case, exit=run.exit)
    outcome = judge(case, run, check)
    if outcome.verdict is not CaseVerdict.AC:
        detail = f"{outcome.verdict.words} ({outcome.detail})"
        hint = advice(case, outcome, request.target.path, request.program.source)
        busy = outcome.verdict is CaseVerdict.TLE
        raise ProgramError(f"the original fails case {case.name}: {detail}", hint=hint, busy=busy)
    gone = next((file.path for file in run.written if file.content is None), None)
    if gone is not None:
        raise ProgramError(f"the original removes or replaces {gone}, which it is given")
    expected = run.stdout if case.expected is None else case.expected
    return replace(case, expected=expected, written=run.written if case.written is None else case.written), run


def limits_of_original(request: WorkloadRequest, sandbox: Sandbox) -> RunLimits:
    """Limits of a run of the original: as long as it takes, unless the user says otherwise."""
    limits = sandbox.limits
    # time limit of the original where the user gives none, seconds
    return replace(limits, seconds=24 * 3600.0) if request.options.timeout is None else limits


def allow_drafts(request: WorkloadRequest, sandbox: Sandbox, longest_s: float) -> None:
    """Give each further run a multiple of what the original took, and never less than a short program has."""
    if request.options.timeout is None:
        # time limit of a draft where the user gives none, as a multiple of the longest run of the original
        sandbox.allow(max(sandbox.limits.seconds, 4 * longest_s))


def too_short(sandbox: Sandbox, source: str, plan: Plan) -> str:
    """Return why the longest case is too short for timing, or empty."""
    longest = plan.cases[0]
    if plan.longest_s >= 10 * TOO_SHORT_S:
        return ""
    took = min(run_on(sandbox, source, longest).active_s for _ in range(10))  # a disturbance makes a run longer
    if took >= TOO_SHORT_S:
        return ""
    return (
        f"the cases are too small to time: the longest ({longest.name}) takes the original {took * 1000:.2f} ms; "
        f"give an input on which it takes {TOO_SHORT_S * 1000:.0f} ms at least, better 100 ms"
    )


def longest_cases(cases: Sequence[Case], original: Candidate, enough_s: float) -> list[Case]:
    """The cases among which those to time are chosen: one alone when it surely takes three times what is enough.

    Processor time alone is sure: the first run of a short case may have waited long, for others or for the disk.
    """
    runs = {outcome.case: outcome.run for outcome in original.outcomes}
    ordered = sorted(cases, key=lambda case: -runs[case.name].active_s)
    return ordered[: 1 if runs[ordered[0].name].cpu_s > 3 * enough_s else CANDIDATES]


def profile_longest(request: WorkloadRequest, sandbox: Sandbox) -> Profile:
    """Profile a program that was not judged: its longest case is found by running all of them."""
    notify, source = request.notify, request.program.source
    notify("collecting cases")
    cases = collect(case_request(request.target.path, source, request.options, sandbox))
    notify("finding the longest case")
    limits = limits_of_original(request, sandbox)
    took = [(run_on(sandbox, source, case, limits=limits), case) for case in cases]
    plain, longest = max(took, key=lambda pair: pair[0].wall_s)
    allow_drafts(request, sandbox, plain.wall_s)
    notify(f"profiling case {longest.name}")
    # A profiler slows down what works, and not what waits: 1.8 s of sleep were half of a traced run.
    return replace(take_profile(sandbox, source, longest), waiting_share=plain.waiting_share)


def take_profile(sandbox: Sandbox, source: str, case: Case, modes: Sequence[Mode] = ("lines", "scalene")) -> Profile:
    """Profile one run in the sandbox; what cannot be measured is a note in the profile."""
    limits = sandbox.limits
    # A traced line costs many times what it costs untraced; Scalene maps sparse files of 256 MiB.
    source = sandbox.prepared(source) if isinstance(sandbox, InProject) else source
    roomy = replace(limits, seconds=limits.seconds * 4 + 20, file_mib=max(limits.file_mib, 300))
    return profile(
        lambda driver, stdin: sandbox.run(driver, stdin, mode="exec", limits=roomy, files=case.files),
        source,
        case,
        modes=modes,
    )


# Causes of an original's failure, with advice: the objects that it needed and did not find.

_REACHED = (
    (r"no display name|cannot open display|TclError|could not connect to display|cannot connect to X server|"
     r"No available video device", "it needs a display{}, which the sandbox has not"),
    (r"gaierror|ConnectionRefusedError|ConnectionError|Network is unreachable|URLError|Name or service not known|"
     r"Temporary failure in name resolution|ConnectTimeout|ProxyError|[Cc]ould not connect to|Can't connect to|"
     r"connection to server", "it needs the network or a service{}, which the sandbox has not"),
    (r"PermissionError|Read-only file system|Errno 30",
     "it writes outside its working folder, or to what a run may not change{}"),
)  # fmt: skip
_MISSING = re.compile(r"ModuleNotFoundError|ImportError|FileNotFoundError|No such file or directory|NotADirectoryError")
_FRAME = re.compile(r'File "[^"\n]*/program\.py", line (\d+).*\n +(\S.*)')
_LONGEST = 80
"""Characters of a line that is shown."""
_ARGUMENTS = re.compile(r"IndexError: list index out of range|usage:|the following arguments are required")


_RANDOM = re.compile(r"^\s*(?:import|from)\s+(?:random|secrets|uuid)\b", re.MULTILINE)
_RAISED = {
    CaseVerdict.TLE: "--timeout S raises the limit",
    CaseVerdict.MLE: "--memory MiB raises the limit",
    CaseVerdict.OLE: "give a smaller case with --stdin or --cases: no flag raises this limit",
}
ANY_OUTPUT = "--check FILE::accept names a function that accepts each right output"


def advice(case: Case, outcome: Outcome, program: Path, source: str = "") -> str:
    """Advice about a case that the original fails; may be empty."""
    if outcome.verdict is CaseVerdict.WA and _RANDOM.search(source):
        return f"it draws random numbers: {ANY_OUTPUT}"
    if outcome.verdict is not CaseVerdict.RE:
        return _RAISED.get(outcome.verdict, "")
    said = outcome.run.stderr.decode("utf-8", "backslashreplace")
    for pattern, reached in _REACHED:
        if re.search(pattern, said):
            frames = _FRAME.findall(said)  # the program's own line mostly names what is meant
            where = f" in line {frames[-1][0]}, `{inline(frames[-1][1], _LONGEST)}`" if frames else ""
            return reached.format(where)
    if _MISSING.search(said):
        other = "a run finds the files that its arguments name and those of --with PATH, in its working folder"
        return missing_part(said, program, locate(program)) or other
    if _ARGUMENTS.search(said) and not case.args:
        return "give its arguments after --, as in `codeopt improve FILE -- ARGUMENTS`"
    if not case.has_arguments:
        return "a run has standard input alone: arguments and files come after --"
    return ""


# Cases of a program in other environments: what the original prints there is what a draft has to print.

MOST_ELSEWHERE = 8
"""Cases that run in other environments: what changes there hardly depends on the input, and mutated inputs have other
hash seeds, too."""
SHORT_S = 0.5
"""Longest run of the original, in seconds, that a draft makes again in every round."""


@dataclass(frozen=True)
class CaseElsewhere:
    """A case in another environment, with what the original prints there."""

    case: Case
    seconds: float

    @property
    def short(self) -> bool:
        """Each draft makes it."""
        return self.seconds <= SHORT_S


@dataclass(frozen=True)
class Elsewhere:
    """Cases in other environments, and what could not be run there."""

    cases: tuple[CaseElsewhere, ...] = ()
    gaps: tuple[Diagnostic, ...] = ()

    def counts(self, usual: int) -> dict[str, int]:
        """Number of cases by environment. usual: those of the usual one."""
        found = {"usual": usual}
        for each in self.cases:
            name = each.case.environment.name
            found[name] = found.get(name, 0) + 1
        return found


def run_elsewhere(
    sandbox: Sandbox, source: str, cases: Sequence[Case], runs: Sequence[Run], check: Checker,
    notify: Callable[[str], None],
) -> Elsewhere:  # fmt: skip
    """The shortest case in other environments, and others if they are short. Raises ProgramError where the original
    does not print the same with another hash seed alone."""
    found: list[CaseElsewhere] = []
    gaps: list[Diagnostic] = []
    shortest = sorted(zip(cases, runs, strict=True), key=lambda pair: pair[1].wall_s)[:MOST_ELSEWHERE]
    tried = [case for case, run in shortest if case is shortest[0][0] or run.wall_s <= SHORT_S]
    for case, environment in product(tried, other_environments(source)):
        notify(f"running the original again on case {case.name}")
        there = replace(case, name=f"{case.name}, {environment.name}", environment=environment)
        run = run_on(sandbox, source, there, mode="exec")
        if judge(there, run, check).verdict is not CaseVerdict.AC:
            # It must print the same again where sets of strings are in another order.
            again = judge(case, run_on(sandbox, source, replace(case, environment=seeded(1)), mode="exec"), check)
            if again.verdict is not CaseVerdict.AC:
                raise ProgramError(
                    f"the original does not print the same twice on case {case.name} ({again.detail})",
                    hint=f"look for random numbers, the clock or the order of a set; {ANY_OUTPUT}",
                    busy=again.verdict is CaseVerdict.TLE,
                )
            if not ends_well(case, run):
                what = f"case {case.name} was not compared in another environment ({axes(environment)})"
                gaps.append(Diagnostic(what, f"the original fails there: {end_of_run(run)}"))
                continue
            there = replace(there, expected=run.stdout, written=run.written)
        found.append(CaseElsewhere(there, run.active_s))
    return Elsewhere(tuple(found), tuple(gaps))
