"""One improvement, from a target to its result: the wiring, and nothing else.

The command line, the Python API, a batch, a review and `check` all call `improve`; they differ in their Session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from codeopt.core.budget import Budget, Ledger
from codeopt.core.history import Candidate, History
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Program
from codeopt.core.run_store import SavedRun
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.judge import Judge
from codeopt.engine.loop import RefineLoop, SearchPlan
from codeopt.engine.open_model import one_by_one, proposer_name, wants_model
from codeopt.engine.open_proposer import check_proposer, open_proposer
from codeopt.engine.rounds import RunRecorder, finish, run_rounds
from codeopt.engine.searches import open_search
from codeopt.report.result import Result, hot, opening
from codeopt.tasks import Task, open_task
from codeopt.workloads import Opened, Workload, WorkloadRequest, kind_of
from codeopt.workloads.function.recording.run_first import run_first
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.profile import Mode

if TYPE_CHECKING:
    from codeopt.core.model import Model

AskReader = Callable[[Candidate, Candidate], Candidate]
MODEL_ROUNDS = 4
"""As in the paper; the rules stop by themselves."""


def improve(
    target: Target, options: ImproveOptions, session: Session, reference: str = "", program: Program | None = None
) -> Result:
    """Improve a target; what cannot work is refused before anything is run. Raises CodeoptError.

    reference: source text of a program that a person wrote; it is judged in the same way.
    program: what the target's file is taken to hold; None: what it holds.
    """
    task = open_task(options.task, options.min_gain)
    check_proposer(options, task)
    plan = _plan(options)
    first = None
    if options.run and not target.path.is_dir():  # of a folder the command itself is what is improved
        first = run_first(target, options.run, session.console.print, session.named(options))
    target = first.target if first else target
    task = task.for_target(target)
    kind = kind_of(target, options)
    program = program or kind.read(target)
    options, interpreter = session.find_interpreter(options, target.path)
    runs = session.runs(options)
    saved = runs.load(program.source)
    if options.resume and saved is None:
        session.console.print(f"resume     nothing is saved in {options.resume} yet: the run begins there")
    model = wants_model(options)
    request = WorkloadRequest(
        target, program, options, session, rule_of(options, task), own_code_only=not model and not reference,
        held_out=saved.held_out if saved else {}, baseline=saved.history.original if saved else None,
        profile_modes=_modes(options), for_memory=task.for_memory, needs_time=task.needs_time, model_calls=model,
        interpreter=interpreter, facts={"recording": first.facts} if first else {},
    )  # fmt: skip
    if saved and saved.input_seed is not None:
        request = replace(request, drawn_seed=saved.input_seed)
    with kind.open_workload(request) as opened:
        workload = _measured(opened, task, request)
        run = runs.begin(opened.name)
        recorder = RunRecorder(run, session, program.source, request.input_seed)
        loop = _loop(workload, task, request, saved or _new_run(workload), recorder, plan)
        recorder.keep(loop)
        end = run_rounds(loop, session.console)
        recorder.keep(loop)
        return finish(loop, end, request, opened.sandbox, run, reference)


def rule_of(options: ImproveOptions, task: Task) -> StoppingRule:
    """When a comparison stops, and what is believed."""
    clock = "memory" if task.metric == "memory" else options.clock
    return StoppingRule(max_pairs=options.max_pairs, worth_having=1 + task.min_gain, clock=clock)


def _modes(options: ImproveOptions) -> tuple[Mode, ...]:
    """What a proposer reads of the original's profile: the rules only where the time goes."""
    if options.no_profile:
        return ()
    return ("lines", "scalene") if wants_model(options) else ("lines",)


def _measured(opened: Opened, task: Task, request: WorkloadRequest) -> Workload:
    """The original, run and timed; what it is like is said. Raises ProgramError when it cannot be judged."""
    say = request.session.console.print
    sandbox = opened.sandbox
    for line in opening(opened.title, task.name, proposer_name(request.options), request.interpreter, sandbox):
        say(line)
    with request.session.alone():
        workload = opened.measure().timed()
        if workload.region.timed:
            workload.require_plan()
    first = "original   " if workload.region.timed else "first      "
    say(f"{first}{workload.headline}{hot(workload.baseline.profile, memory=task.for_memory)}")
    return workload


def _new_run(workload: Workload) -> SavedRun:
    return SavedRun(History((workload.baseline,)), Ledger().add(workload.usage))


def _plan(options: ImproveOptions) -> SearchPlan:
    """How drafts are searched for; the rules have a search of their own, which ends by itself. Raises UsageError."""
    search = open_search(options.search)
    if not wants_model(options):
        return SearchPlan(patience=0, floor=False)
    return SearchPlan(search, options.candidates, options.chains, options.patience, options.seed)


def _loop(
    workload: Workload, task: Task, request: WorkloadRequest, saved: SavedRun, recorder: RunRecorder, plan: SearchPlan
) -> RefineLoop:
    """The loop before its first round, or where an earlier sitting left it."""
    options, session = request.options, request.session
    console = session.console
    console.allow(options.max_seconds and max(0.0, options.max_seconds - saved.ledger.seconds))
    judge = Judge(
        workload,
        profiled=wants_model(options) and not options.no_profile,  # the rules go by the original's profile
        ranked=wants_model(options),
        notify=console.progress,
        alone=session.alone,
        strict=options.strict,
        second=task.second_clock,
    )
    open_one = cache(lambda one: session.open_model(one, console.warn))
    proposer = open_proposer(options, task, workload, open_one, console)
    return RefineLoop(
        proposer, task, judge, _budget(options), saved.history, saved.ledger, plan,
        save=recorder.after_round, on_usage=session.on_usage,
        ask_reader=_reader(task, request, lambda: open_one(one_by_one(options)[0])),
    )  # fmt: skip


def _reader(task: Task, request: WorkloadRequest, open_model: Callable[[], Model]) -> AskReader | None:
    """Who is asked which of two programs is better; nobody where the task goes by measures alone."""
    options, console = request.options, request.session.console
    question = task.judge_question
    if not question or not wants_model(options):
        return None
    from codeopt.engine.llm_judge import LlmJudge, read_by

    other = replace(options, model=options.judge_model)
    model = request.session.open_model(other, console.warn) if options.judge_model else open_model()
    given = request.program.source if task.answers_input else ""
    reader = LlmJudge(model, question, options.seed, given)
    return read_by(reader, console.progress, task.judge_view)


def _budget(options: ImproveOptions) -> Budget:
    rounds = options.max_rounds or (MODEL_ROUNDS if wants_model(options) else None)
    return Budget(rounds, options.max_seconds, options.max_tokens, options.max_cost)
