"""One improvement, from a target to its result: the wiring, and nothing else.

The command line, the Python API, a batch, a review and `check` all call `improve`; they differ in their Session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.errors import OutOfTime
from codeopt.core.history import Candidate, History
from codeopt.core.isolation import for_own_code
from codeopt.core.model import Budget, Ledger, RemoteModel
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, TargetFiles
from codeopt.core.revision import Revision
from codeopt.core.run_clock import DeadlineReached, LimitReached, RunClock
from codeopt.core.run_index import named_run
from codeopt.core.run_store import SavedRun
from codeopt.core.sanitize import inline
from codeopt.core.session import Session
from codeopt.engine.judge import Judge, said_of_long_runs
from codeopt.engine.loop import TYPICAL_TIMES, LoopStage, RefineLoop
from codeopt.engine.open_session import Account, awaited, chosen_models
from codeopt.engine.rounds import RunRecorder, close, finish, run_rounds
from codeopt.engine.run_plan import RunPlan, make_plan, open_proposer
from codeopt.report.result import Result, contract_lines, hot, opening
from codeopt.report.verdict import candidate_in_words
from codeopt.workloads import OpenTarget, TimedRegion, Workload, WorkloadRequest, kind_of
from codeopt.workloads._run_first import run_first
from codeopt_sandbox.outcome import CaseVerdict

AskReader = Callable[[Candidate, Candidate], Candidate]


def improve(
    target: Target,
    options: ImproveOptions,
    session: Session,
    reference: Revision | None = None,
    program: TargetFiles | None = None,
) -> Result:
    """Improve a target. What cannot work is refused before anything is run. Raises CodeoptError.

    reference: a program that a person wrote. It is judged in the same way.
    program: what the target's file is taken to hold. None: what it holds.
    """
    clock = RunClock(options.time_limit_s if session.limit_s is None else session.limit_s)
    clock.started = clock.started if session.began is None else session.began
    session.console.allow(clock.left)
    session.console.plan(tuple(LoopStage), TYPICAL_TIMES)
    try:
        return _improved(target, options, session, reference, program, clock)
    except DeadlineReached:  # in the baseline: later it ends the rounds
        when = "in earlier sittings" if clock.earlier_s else "before the original was measured"
        raise OutOfTime(f"{clock.out_of_time} {when}", hint="--max-seconds raises it") from None
    except LimitReached as error:  # by a request for calls of a function
        raise OutOfTime(error.words) from None


def _improved(
    target: Target,
    options: ImproveOptions,
    session: Session,
    reference: Revision | None,
    program: TargetFiles | None,
    clock: RunClock,
) -> Result:
    plan = make_plan(options)
    require_reachable(options, session, clock)
    first = None
    if options.run and not target.path.is_dir():  # of a folder the command itself is what is improved
        first = run_first(target, options.run, session.console.print, session.named(options))
    target = first.target if first else target
    plan = plan.at(target)
    kind = kind_of(target, options)
    program = program or kind.read(target)
    options, interpreter = session.find_interpreter(plan.options, target.path)
    options = replace(options, resume=named_run(options.resume, options.run_dir))
    session = replace(session, open_sandbox=clock.within(session.open_sandbox))
    runs = session.runs(options)
    saved = runs.load(program.revision)
    earlier = saved.ledger if saved else Ledger()
    clock.earlier_s = earlier.earlier_s
    account = Account(Budget(cost_usd=options.max_cost), earlier)
    session = replace(session, open_model=awaited(session.open_model, session.console, account, clock))
    if options.resume and saved is None:
        session.console.print(f"resume     nothing is saved in {options.resume} yet: the run begins there")
    run_options = options if plan.uses_model or reference else for_own_code(options)
    request = WorkloadRequest(
        target, program, run_options, session, plan.stopping_rule,
        held_out=saved.held_out if saved else {}, baseline=saved.history.original if saved else None,
        profile_modes=plan.profile_modes, for_memory=plan.task.for_memory, needs_time=plan.task.needs_time,
        model_calls=plan.uses_model, interpreter=interpreter, recording=first.recording if first else None,
    )  # fmt: skip
    if saved and saved.input_seed is not None:
        request = replace(request, drawn_seed=saved.input_seed)
    with kind.open_workload(request) as opened:
        for line in opening(opened.title, plan.task.name, plan.proposer, interpreter, opened.sandbox):
            session.console.detail(line)
        workload = _measured(opened, request, clock)
        run = runs.begin(opened.name)
        recorder = RunRecorder(run, session, program.revision, request.input_seed)
        saved = saved or SavedRun(History((workload.baseline,)), earlier.add(workload.usage))
        saved = replace(saved, ledger=replace(saved.ledger, started=clock.started))
        drafts = open_earlier_drafts(request, plan.task.name) if plan.uses_model else None
        loop = _loop(workload, plan, request, saved, recorder, clock, drafts.before(saved.history) if drafts else ())
        recorder.keep(loop)
        end = run_rounds(loop, session.console)
        if drafts:
            drafts.add(loop.history)
        result = finish(loop, end, request, opened.sandbox, run, reference)
        return close(recorder, loop, result)


def require_reachable(options: ImproveOptions, session: Session, clock: RunClock) -> None:
    """Ask the servers of the models before the original is run, which may take minutes. Raises UsageError,
    ModelError, OutOfTime."""
    for name in chosen_models(options) if session.asks_server else ():
        model = session.open_model(replace(options, model=name, record=None), session.console.warn)
        if not isinstance(model, RemoteModel):
            continue
        try:
            clock.call(model.require_reachable)
        except DeadlineReached:
            raise OutOfTime(f"{clock.out_of_time}, and the server of {name} has not answered") from None


def _measured(opened: OpenTarget, request: WorkloadRequest, clock: RunClock) -> Workload:
    """Run and time the original, and print its properties. Raises ProgramError if it cannot be verified."""
    clock.steps["opening"] = clock.seconds
    with request.session.alone(), clock.step("baseline"):
        request.session.console.stage(LoopStage.BASELINE)
        measured = opened.measure()
        request.session.console.stage(LoopStage.PROFILE)
        workload = measured.timed()
        if workload.region.timed:
            workload.require_plan()
    clock.steps["baseline"] -= workload.usage.seconds  # which are those of the step `model`
    first = "original   " if workload.region.timed else "first      "
    shown = hot(workload.baseline.profile, memory=request.for_memory)
    request.session.console.aside(f"{first}{workload.headline}{shown}")
    evidence = workload.evidence()
    if evidence.timed:  # of a program only where it is a part of what it reads
        of_calls = workload.region is TimedRegion.CALLS
        show = request.session.console.detail if of_calls else request.session.console.aside
        show(f"timed      {evidence.timed}")
    for line in contract_lines(evidence):
        request.session.console.detail(line)
    if said := said_of_long_runs(workload.plan, workload.rule.screening()):
        request.session.console.print(said)
    return workload


def _loop(
    workload: Workload,
    plan: RunPlan,
    request: WorkloadRequest,
    saved: SavedRun,
    recorder: RunRecorder,
    clock: RunClock,
    tried: tuple[str, ...],
) -> RefineLoop:
    """Return the loop before its first round, or in the state of an earlier session."""
    options, session = request.options, request.session
    console = session.console
    console.allow(clock.left)
    judge = Judge(
        workload,
        profiled=plan.profile_drafts,
        ranked=plan.uses_model,
        notify=console.progress,
        alone=session.alone,
        strict=options.strict,
        second=plan.task.measured_second,
        time_left=lambda: clock.left,
        spare=clock.spare,
        book=clock.step,
        wanted=lambda candidate: plan.task.score(candidate, workload.baseline) is not None,
    )
    open_one = cache(lambda one: session.open_model(one, console.warn))
    ask_reader: AskReader | None = None
    if plan.uses_model and plan.task.judge_question:  # which of two programs is better
        from codeopt.engine.llm_judge import LlmJudge, read_by

        model = open_one(replace(plan.options, model=plan.models[0]))
        given = request.program.source if plan.task.answers_input else ""
        reader = LlmJudge(model, plan.task.judge_question, request=given)
        ask_reader = read_by(reader, request.notify, plan.task.judge_view)
    proposer = open_proposer(plan, workload, open_one, console, tried)
    return RefineLoop(
        proposer, plan.task, judge, replace(plan.budget, seconds=clock.limit), saved.history, saved.ledger, plan.search,
        recorder, clock, ask_reader, told=len(saved.history.candidates),
    )  # fmt: skip


MOST = 12
"""Maximum number of drafts, the newest."""


@dataclass(frozen=True)
class EarlierDrafts:
    """The drafts of one target, command and task."""

    cache: Cache | None
    """The cache of the project. None if nothing is to be remembered."""
    key: str

    def before(self, history: History) -> tuple[str, ...]:
        """The drafts that a history lacks, a line each, the oldest first: `1.9x faster: counts with one dict`."""
        found = self.cache.get(CacheKind.TRIED, self.key) if self.cache else None
        known = found.value if found and isinstance(found.value, list) else []
        own = _lines(history)
        return tuple(line for line in map(str, known) if line not in own)

    def add(self, history: History) -> None:
        """Add the drafts of a history, in place of the oldest ones."""
        if self.cache and (own := _lines(history)):
            self.cache.put(CacheKind.TRIED, self.key, [*self.before(history), *own][-MOST:])


def open_earlier_drafts(request: WorkloadRequest, task: str) -> EarlierDrafts:
    """The drafts of a request's target in the user's cache. Empty with `no_cache`."""
    path = request.target.path.resolve()
    parts = (str(path), request.target.name or "", request.options.run or "", task)
    cache = None
    if not request.options.no_cache:
        cache = request.session.open_cache(path if path.is_dir() else path.parent, request.session.console.print)
    return EarlierDrafts(cache, sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest())


def _lines(history: History) -> list[str]:
    """Return a line for each draft of a language model, each once."""
    return list(dict.fromkeys(_line(candidate) for candidate in history.candidates if candidate.model))


def _line(candidate: Candidate) -> str:
    """A rejection may be shown; what a case shows may not, as that case may be held out from the next run."""
    told = candidate.rejection if all(o.verdict is CaseVerdict.AC for o in candidate.outcomes) else ""
    return f"{candidate_in_words(candidate)}: {inline(candidate.summary)}{f' ({inline(told)})' if told else ''}"
