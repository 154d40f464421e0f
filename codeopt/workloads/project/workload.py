"""A project, measured: a draft's command must print and write the same, the tests pass as before, and it must take less
time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codeopt.core.errors import NotVerifiable, ProgramError
from codeopt.core.evidence import CommandEvidence, PatchEvidence, TwoVersionsEvidence, VersionEvidence, WorkloadEvidence
from codeopt.core.history import Briefing, Candidate, Proposer
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.report.verdict import THE_COMMAND
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads._judging import HANGS, InputPolicy, OutputChecker, answers_of, require_own
from codeopt.workloads._protocol import Checked, KeepTests, Stage, Suite, Workload, WorkloadRequest
from codeopt.workloads.project import command_probes
from codeopt.workloads.project.briefing import brief, fixed_words
from codeopt.workloads.project.edit_gains import EditGains
from codeopt.workloads.project.harnesses import Benches, TimedBody, find_benches
from codeopt.workloads.project.masks import HIDDEN, Masks, given_masks
from codeopt.workloads.project.profile import NO_PROFILE, ProjectProfile
from codeopt.workloads.project.project_program import ProjectProgram, ProtectedReason
from codeopt.workloads.project.proposer import ProjectProposer, project_rules
from codeopt.workloads.project.public_calls import FunctionFinding, PublicCalls
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.suite import ProjectSuite, collected_files, open_suite
from codeopt.workloads.project.test_runs import run_new_tests
from codeopt.workloads.project.watch import profile_command, require_good
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, Outcome, Run, run_on
from codeopt_sandbox.profile import HotFunction, HotLine, Profile
from codeopt_sandbox.verdict import Checker, check_tokens, judge, open_checker

SHORTEST_S = 0.02
"""A command that takes less beyond the interpreter's own start cannot be timed."""
HOT = 0.05
"""Minimum share of the command of a function whose file tests are to be near to."""


@dataclass
class ProjectWorkload(Workload):
    request: WorkloadRequest
    program: ProjectProgram
    runner: CommandRuns
    masks: Masks
    project_suite: ProjectSuite
    calls: PublicCalls
    gains: EditGains
    found: ProjectProfile
    baseline: Candidate
    suite: Suite
    rule: StoppingRule
    plan: Plan | None = None
    too_short: str = ""
    timed_command: str = ""
    """The larger command that is timed, as the command itself is too short; empty: the command itself."""
    changed: tuple[command_probes.CommandProbes, ...] = ()
    """Commands that the user did not give: those of the rounds, and those that confirm a draft."""
    smaller: command_probes.CommandProbes | None = None
    """Commands with much smaller numbers, which reach edges that a large one never comes to."""
    unchanged: str = ""
    """Reason why there are no mutated commands. Empty if there are some."""
    benches: Benches | None = None
    """Benchmarks of a tool that the command runs; None where it runs none."""
    plain: tuple[Revision, Run] | None = None
    """The draft that was run last by the command itself, and the run."""
    apart: list[dict[str, Any]] = field(default_factory=list)
    """Field `hot_region` of the draft that was confirmed last: its time apart from start and imports. Nothing where
    that was not measured."""
    after: list[TimedBody] = field(default_factory=list)
    """Times of the benchmarks with the patch that was confirmed last."""

    guards = (f"{__package__}.guards.start_and_imports",)

    def timed(self) -> Workload:
        self.request.notify("timing the command")
        original, cases = self.program.revision, self.suite.cases
        plan = make_plan(self.runner, original, cases, self.suite.check, self.rule)
        bare = replace(self.runner, command=replace(self.runner.command, words=("-c", "")))
        start = min(bare.run(original).active_s for _ in range(3))
        if plan.longest_s - start >= SHORTEST_S:
            return replace(self, plan=plan)
        why = (
            f"the command takes {plan.longest_s:.3f} s, of which Python's own start is {start:.3f} s: too short to time"
        )
        larger = self.gains.larger_command(start + 2 * SHORTEST_S)
        if larger is None:
            return replace(self, plan=plan, too_short=why)
        plan = make_plan(self.runner, original, [larger], self.suite.check, self.rule)
        return replace(self, plan=plan, timed_command=larger.title)

    def require_plan(self) -> Plan:
        """Return the plan.

        Raises:
            NotVerifiable: The command is too short.
        """
        if self.plan is None or self.too_short:
            raise NotVerifiable(
                f"--run: {self.too_short}, and no number in it makes it longer", hint="give it more to do"
            )
        return self.plan

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        run = run_on(self.runner, draft, case)
        if case in self.suite.cases:
            self.plain = draft, run
        return judge(case, run, self.suite.check)

    def unseen_cases(self) -> tuple[Case, ...]:
        """The command with sets in another order."""
        return tuple(replace(case, environment=seeded(1)) for case in self.suite.cases)

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Check the protected files, public functions and mutated commands, in this order.

        Public functions are checked on the command's own calls, which is quick.
        """
        touched = self.program.ground.touched(self.program.revision, draft)
        if touched and not self.runner.other:  # two versions have the same ruler
            return Checked(rejection=touched)
        found = self.calls.judge(draft)
        if found.wrong:
            return Checked(rejection=found.wrong)
        self.request.notify("running the command on other inputs")
        changed = self.changed[-1:] if stage is Stage.CONFIRMATION else self.changed[:1]
        changed += (self.smaller,) if self.smaller and stage is not Stage.ROUND else ()
        inputs: list[Caveat] = []
        for each in changed:
            compared = each.run(draft)
            if compared.rejection:
                return compared
            inputs += compared.caveats
        of_functions = (caveat for each in found.functions for caveat in each.caveats)
        return Checked(caveats=(*self.masks.caveats, *inputs, *found.caveats, *of_functions))

    def run_tests(self, draft: Revision, stage: Stage, seconds: float | None, keep: KeepTests) -> Checked:
        """Run the project's tests on a draft that is faster: in a round those near to the change, later the others."""
        suite = self.project_suite
        self.request.notify("running the project's tests")
        found = suite.judge(draft, seconds, near=stage is Stage.ROUND, keep=keep)
        changed = draft.changed_files(self.program.revision)
        if path := next(collected_files((*suite.passed, *suite.lost), changed), ""):
            return Checked(rejection=f"{path} is fixed ground ({ProtectedReason.TEST}): it may not be edited")
        wrong, unwanted = found.wrong, self.request.options.no_tests
        if not wrong and stage is Stage.CONFIRMATION and not unwanted and not suite.latest.count.passed:
            missing = "there was no time for one" if suite.passed else "none is near"
            missing = suite.gap.cause if suite.gap else missing
            wrong = f"no test of the project was run ({missing}): the patch is a suggestion, which --no-tests accepts"
        if self.runner.other and not unwanted and not wrong:
            suite.new_tests = run_new_tests(suite.runs, suite.ways[0])
        of_new = suite.new_tests if not wrong else None
        return Checked(
            rejection=wrong or (of_new.wrong if of_new else ""),
            notes=(of_new.words,) if of_new else (),
            rejection_detail=found.detail,
            caveats=found.caveats,
            tests=found.count if suite.paths else None,
        )

    def similar_inputs(self, case: Case) -> Iterable[Case]:
        """Yield mutated commands that no model saw, those of the confirmation first."""
        for each in reversed(self.changed):
            yield from (changed.case for changed in each)

    def trimmed(self, candidate: Candidate) -> Candidate:
        """Without the edits that do not pay: each is taken back, with those that belong to it, and the rest compared
        with the whole."""
        assert candidate.comparison is not None  # only a faster one is confirmed
        suite, found = self.project_suite, candidate.comparison
        kept = self.gains.paid(candidate.revision, found, lambda d: suite.judge(d, near=True).wrong, self.rule)
        self.after[:] = self.benches.after(kept) if self.benches else ()
        return candidate if kept == candidate.revision else replace(candidate, revision=kept)

    def profile(self, draft: Revision) -> Profile | None:
        """Profile of the command, by lines of the files."""
        plain = self.plain[1] if self.plain and self.plain[0] == draft else None
        return as_profile(profile_command(self.runner, draft, plain), draft)

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """The rules for functions, each restricted to the hot ones."""
        return project_rules(rules, self.found, self.program.ground)

    def adapt(self, proposer: Proposer) -> Proposer:
        """Wrap a proposer: it sees the hot path, and its answers are applied to the files."""
        return ProjectProposer(proposer, self.found, self.program.ground)

    def briefing(self) -> Briefing:
        """The hot path with its figures."""
        interpreter = self.request.interpreter
        shown = fixed_words(self.program.ground, self.runner.project.contents)
        python = interpreter.version if interpreter else ""
        return brief(self.found, self.request.options.run or "", python, shown, self.program.revision)

    @property
    def headline(self) -> str:
        """`1.32 s   12 tests   first: shop/store.py::Store._find 80%`."""
        hot = [f for f in self.found.functions if f.file in self.program.files][:3]
        larger = f"too short to time: {self.timed_command} is timed" if self.timed_command else ""
        shares = ", ".join(f"{f.named} {f.own_share:.0%}" for f in hot)
        bodies = self.benches.words if self.benches else ""
        took = f"{self.baseline.outcomes[0].run.wall_s:.2f} s"
        said = (took, larger, bodies, self.project_suite.words, shares, self.masks.words)
        return "   ".join(each for each in said if each)

    def bound(self, candidate: Candidate) -> float | None:
        """The ratio of the original's time to that of a draft that did not end in many times as long."""
        late = next((each.run for each in candidate.outcomes if each.verdict is CaseVerdict.TLE), None)
        ratio = self.baseline.outcomes[0].run.active_s / late.wall_s if late and late.wall_s else 0.0
        return ratio if ratio * HANGS >= 1 else None

    def evidence(self) -> WorkloadEvidence:
        """The command's checks and the patch's edits; of two versions the functions that differ."""
        calls = self.calls.latest
        missing = (
            command_probes.shortfall_of(self.changed, self.unchanged),
            self.project_suite.gap,
            *calls.diagnostics,
            *self.masks.gaps,
        )
        gaps, tests = tuple(each for each in missing if each), self.project_suite.latest.count
        known = CommandEvidence(
            command=self.request.options.run or "",
            project_tests={
                "passed": tests.passed,
                "failed": len(self.project_suite.lost),
                "files": tests.files,
                "of": tests.of,
            },
            output=self.masks.words or "compared",
            timed_command=self.timed_command or THE_COMMAND,
            hot_region=self.apart[0] if self.apart else None,
            protected_files=self.program.ground.to_json(),
            mutated_commands=sum(len(each.made) for each in self.changed),
            sandbox_seconds={f"{purpose}_s": round(seconds, 2) for purpose, seconds in self.runner.spent.items()},
        )
        if self.runner.other:
            functions = tuple(found.to_json() for found in calls.functions)
            judged, new_tests = [found.calls for found in calls.functions if found.calls], self.project_suite.new_tests
            versions = VersionEvidence(
                output=not self.masks.output.nothing,
                mutated_commands=known.mutated_commands,
                tests=tests.passed,
                tests_failed_before=len(self.project_suite.lost),
                functions=len(judged),
                calls=sum(judged),
                new_tests=new_tests.to_json() if new_tests else None,
            )
            return WorkloadEvidence(
                versions, command=TwoVersionsEvidence(**vars(known), functions=functions), gaps=gaps,
                remarks=self.runner.other.notes,
            )  # fmt: skip
        return WorkloadEvidence(command=self._patch(known), gaps=gaps)

    def _patch(self, known: CommandEvidence) -> PatchEvidence:
        by_edit = {found.edit: found for found in self.calls.latest.functions}
        evidence = ["the command's output and files"] if not self.masks.output.nothing else []
        passed = self.project_suite.latest.count.passed
        evidence += [f"{passed} tests"] if passed else []
        return PatchEvidence(
            **vars(known),
            profile=self.found.to_json(),
            edits=tuple(
                gain.to_json(evidence, by_edit.get(gain.edit, FunctionFinding(gain.edit))) for gain in self.gains.kept
            ),
            left_out_edits=tuple(gain.dropped_json() for gain in self.gains.dropped),
            benchmarks=self.benches.to_json(tuple(self.after)) if self.benches else None,
        )


def measure(request: WorkloadRequest, program: ProjectProgram, runs: CommandRuns) -> ProjectWorkload:
    """Run the command some times, its tests once, and see where its time goes. Raises ProgramError, UsageError."""
    notify = request.notify
    options, original = request.options, program.revision
    masks = given_masks(options.ignore_output)
    notify("running the command")
    benches = find_benches(runs, original)
    if benches:
        runs, masks = benches.runs, replace(masks, given=(*masks.given, *benches.lines))
    plain: list[Run] = []
    # Hash seeds of the first runs: what depends on the order of a set is found out with times and addresses.
    for seed in (0, 1, 2):
        plain.append(runs.run(original, environment=seeded(seed)) if plain else runs.first_run(original))
        require_good(plain[-1], runs)
        runs.allow_after(plain[-1])
    masks = masks.learned(plain)
    load = max((run.wall_s / run.active_s for run in plain if run.active_s), default=1.0)
    runs = replace(runs, seen=masks.seen, load=load)
    first = masks.seen(plain[-1])  # which found the bytecode of the first one
    case = Case(
        "command", b"", first.stdout, title=options.run or "", files=(), written=first.written, ignored=masks.ignored
    )
    found = NO_PROFILE
    if runs.other is None:
        notify("profiling the command")
        found = profile_command(runs, original, first)
    notify("finding its tests")
    written = any(not masks.ignores(file.path) for file in first.written)
    judges = bool(first.stdout.replace(HIDDEN, b"").strip()) or written
    suite = open_suite(runs, original, request)
    if not judges:
        suite.require_one([CodeEdit(each.file, each.qualname) for each in found.functions if each.total_share >= HOT])
    if not suite.passed and not judges:
        raise ProgramError(
            "--run: no output is the same in each run, and no test passes: nothing can be checked",
            hint="print a result, or give tests with --tests",
        )
    program = _grounded(program, suite, first)
    runs = suite.runs = replace(runs, program=program)
    fixed = (f"{path} ({reason})" for path, reason in program.ground.files.items() if path in program.files)
    said = f"protected files, which no change may edit: {', '.join(fixed) or 'no module of its own'}"
    request.session.console.detail(said)
    baseline = request.baseline or Candidate(0, original, "the original", (Outcome("command", CaseVerdict.AC, first),))
    baseline = replace(baseline, profile=as_profile(found, original))
    check = _checker(options, runs)
    require_own(check, [case], [first], options.check)
    calls = PublicCalls(request, program, runs, frozenset(CodeEdit(f.file, f.qualname) for f in found.functions))
    given = command_probes.BaselineCommand(runs, original, check, case, first)
    policy = InputPolicy(options.mutated_inputs)
    unchanged = command_probes.why_unchanged(benches is not None, not masks.output.nothing, policy)
    seeds = () if unchanged else (request.input_seed, request.input_seed + 1)
    changed = tuple(command_probes.changed_runs(given, seed, policy) for seed in seeds)
    smaller = None if unchanged else command_probes.smaller_runs(given, policy)
    return ProjectWorkload(
        request, program, runs, masks, suite, calls, EditGains(given, notify, resizable=not benches), found, baseline,
        Suite((case,), check), request.rule, changed=changed, smaller=smaller,
        unchanged=unchanged, benches=benches,
    )  # fmt: skip


def _checker(options: ImproveOptions, runs: CommandRuns) -> Checker:
    """The checker that is asked for; the user's own is given the arguments of the command's program."""
    answers, command = answers_of(options, runs.sandbox), runs.command
    if answers is None:
        return open_checker(options.check)
    return OutputChecker(
        answers, check_tokens, lambda case: (command.given(case.args) if case.args else command).arguments
    )


def _grounded(program: ProjectProgram, suite: ProjectSuite, run: Run) -> ProjectProgram:
    """Protect files that only a run shows: those that pytest collects and those that the command writes. Raises
    UsageError."""
    ground = program.ground.also(collected_files((*suite.passed, *suite.lost), program.files), ProtectedReason.TEST)
    ground = ground.also((file.path for file in run.written if file.path in program.files), ProtectedReason.WRITTEN)
    return replace(program, ground=ground).require_open()


def as_profile(found: ProjectProfile, files: Revision) -> Profile:
    """Profile of those files that a draft may change."""
    lines = tuple(
        HotLine(row.line, row.own_share, 0, row.own_share * found.cpu_s,
                files[row.file].split("\n")[row.line - 1], f"{row.file}:{row.line}")
        for row in found.lines if row.file in files and 0 < row.line <= files[row.file].count("\n")
    )  # fmt: skip
    functions = tuple(
        HotFunction(f.named, max(f.line, 1), f.own_share, f.whole_calls, f.total_share)
        for f in found.functions
        if f.file in files
    )
    return Profile("command", lines, functions, None, None, None, None, None, (), found.notes)
