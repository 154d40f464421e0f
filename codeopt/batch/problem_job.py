"""One problem of a batch in one worker, from its first round to its end, with a model whose replies are kept."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from codeopt.batch.batch_folder import Backoff, BatchFolder, BatchOptions, ProblemResult, TimeSpent
from codeopt.batch.datasets import Problem
from codeopt.batch.locks import CoreLock, request_slot
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, ModelError, ProgramError, UsageError
from codeopt.core.isolation import for_own_code, open_isolated
from codeopt.core.model import Message, Model, Reply
from codeopt.core.options import ImproveOptions, options_table
from codeopt.core.program import Program, Target
from codeopt.core.revision import Revision
from codeopt.core.run_store import RunStore, SavedRun
from codeopt.core.session import Mounts, Session
from codeopt.core.step_error import StepError, error_in_words
from codeopt.engine.improve import improve
from codeopt.engine.open_session import RULES, open_chosen_model
from codeopt.tasks import open_task
from codeopt_sandbox import Run, Sandbox, SandboxError
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.owner import BaseFolder

Notify = Callable[[str], None]


class WorkerConsole(Console):
    """A console whose lines are progress of a worker, since all that matters is in its files."""

    def __init__(self, notify: Notify) -> None:
        super().__init__(quiet=True)
        self._notify = notify

    def print(self, line: str) -> None:
        """Drop a fact, which the problem's files have."""

    def warn(self, line: str, hint: str = "") -> None:
        """Pass a warning on as progress."""
        self._notify(line)

    def progress(self, line: str) -> None:
        """Pass the current step on, behind the name of its stage."""
        self._notify(f"{self.stages.words}{line}")


class TimedSandbox:
    """A sandbox that adds up the wall time of its runs, seconds; otherwise the inner sandbox itself."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.programs_s = 0.0
        self.runs = 0

    def run(self, *args: Any, **options: Any) -> Run:
        """Run a program as Sandbox.run does, and count it. Raises SandboxError."""
        run = self._inner.run(*args, **options)
        self.programs_s += run.wall_s
        self.runs += 1
        return run

    def add(self, other: TimedSandbox) -> None:
        """Count the runs of another sandbox as this one's."""
        self.programs_s += other.programs_s
        self.runs += other.runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@dataclass
class ProblemJob:
    """One worker's work on one problem. `run` never raises for what the problem, its drafts or the model do.

    It is also the store of the problem's run, in the batch's files: `Runs` and `RunStore` of core/run_store.py.
    """

    problem: Problem
    batch: BatchFolder
    sandbox: TimedSandbox
    lock: CoreLock
    options: BatchOptions
    notify: Notify
    _paid: PaidReplies | None = None
    _counted: TimeSpent = TimeSpent()
    _started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._counted = replace(self._total(), seconds=0.0)

    def run(self) -> ProblemResult:
        """Improve the problem and keep how it ended; an original that failed for want of time gets a second chance."""
        self.batch.begin(self.problem.id)
        ending = self._attempt()
        if ending.fault == "busy":
            self.batch.note(self.problem.id, f"{ending.reason}; tried again")
            ending = self._attempt()
        self.batch.end(self.problem.id, ending, self.time_spent())
        return ending

    def _attempt(self) -> ProblemResult:
        try:
            return self._improve()
        except BudgetSpent as error:
            return ProblemResult("paused", str(error))
        except ModelError as error:
            return ProblemResult("failed", error.words, fault="model")
        except SandboxError as error:
            return ProblemResult("failed", error_in_words(error), fault="sandbox")
        except (ProgramError, UsageError, OriginalUnsteady) as error:
            busy = _for_want_of_time(error)
            return ProblemResult("skipped", why_skipped(error), fault="busy" if busy else "program")

    def time_spent(self) -> TimeSpent:
        """Time spent since this was called last."""
        now, before = self._total(), self._counted
        self._counted = now
        return TimeSpent(**{f.name: getattr(now, f.name) - getattr(before, f.name) for f in fields(TimeSpent)})

    def _total(self) -> TimeSpent:
        asking = self._paid.asking_s if self._paid else 0.0
        clock = time.monotonic() - self._started
        return TimeSpent(clock, self.lock.waited_s, asking, self.sandbox.programs_s, self.sandbox.runs)

    def _improve(self) -> ProblemResult:
        self.check_budget()
        problem = self.problem
        if problem.cases and not problem.cases.is_dir():
            raise UsageError(f"it has no cases: there is no folder {problem.cases}")
        kind = (
            "text" if open_task(self.options.improve.task).of_texts else "function" if problem.function else "program"
        )
        python = self.options.improve.python or sys.executable  # the worker's sandbox is open already, with that
        options = self.options.improve
        calls, check = problem.calls or options.calls, problem.check or options.check
        options = replace(options, cases=problem.cases, workload=kind, python=python, calls=calls, check=check)
        ways = lambda options: self, self._open_sandbox, self._open_model, self.lock.held
        session = Session(WorkerConsole(self.notify), *ways, extras=False, asks_server=False)
        session = replace(session, between_rounds=self.check_budget, interpreter=self.options.interpreter)
        reference = problem.target if self.options.with_target and kind == "program" else None
        program = Program(problem.path, problem.source, problem.source)
        human = Revision.of(reference) if reference else None
        result = improve(Target(problem.path, problem.function), options, session, human, program)
        if result.best is not None:
            self.batch.keep(problem.id, "confirm", result.best)
        for each in result.refused:
            self.batch.keep(problem.id, "refused", each)
        if result.reference is not None:
            self.batch.keep(problem.id, "target", replace(result.reference, round=0))
        result.require_ended()
        return ProblemResult("done", result.reason, result.stop_reason, best=result.best)

    @contextmanager
    def _open_sandbox(
        self,
        options: ImproveOptions,
        *,
        notify: Notify,
        mounts: Mounts = (),
        base: BaseFolder | None = None,
    ) -> Iterator[Sandbox]:
        """Lend the worker's own sandbox to a program; open one for a function, which needs its project in it."""
        if not mounts and not base:
            yield cast(Sandbox, self.sandbox)
            return
        with open_isolated(options, notify=notify, mounts=mounts, core=self.lock.core, base=base) as sandbox:
            timed = TimedSandbox(sandbox)
            try:
                yield cast(Sandbox, timed)
            finally:
                self.sandbox.add(timed)

    def _open_model(self, options: ImproveOptions, notify: Notify) -> Model:
        """Open a model whose replies are kept and whose requests are repeated here and nowhere else."""
        model = open_chosen_model(options, notify, max_retries=0)
        server, count = options.base_url or os.environ.get("OPENAI_BASE_URL", ""), self.options.max_requests
        slot = partial(request_slot, server, count) if count else nullcontext
        assert self._paid is not None  # a run is loaded before its model is opened
        return CachedModel(model, self._paid, self.batch.backoff, self.check_budget, self.notify, slot)

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.batch.run_folder(self.problem.id)

    def load(self, subject: Revision) -> SavedRun | None:
        """Load the state in which an earlier session left the problem; None: it has not begun."""
        saved = self.batch.load(self.problem.id)
        asked_s = self._paid.asking_s if self._paid else 0.0
        self._paid = PaidReplies(self.batch, self.problem.id, saved.ledger.usage.replies if saved else 0, asked_s)
        return saved

    def begin(self, name: str) -> RunStore:
        """Return itself: the problem's folder is there already."""
        return self

    def save(self, run: SavedRun) -> None:
        """Save the state with the time spent so far."""
        self.batch.save(self.problem.id, run, self.time_spent())

    def finish(self, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Save the result; how the problem ended is kept by `run`."""
        self.batch.finish(self.problem.id, original, result, best)

    def check_budget(self) -> None:
        """Check the budget of the whole batch. Raises BudgetSpent."""
        if self.options.deadline is not None and time.time() >= self.options.deadline:
            raise BudgetSpent("the time limit of the batch is reached")
        limit = self.options.max_cost
        if limit is None:
            return
        cost = self.batch.spent().cost_usd
        if cost is None:
            raise BudgetSpent(
                "the price of the model is not known, so --max-cost cannot be held; see [prices] of your config.toml"
            )
        if cost >= limit:
            raise BudgetSpent(f"the batch has spent {cost:.4f} USD of {limit:.2f}")


def why_skipped(error: StepError) -> str:
    """The error, without a hint that names a flag which `codeopt batch` does not have."""
    known = {flag.long for flag in options_table().values() if "batch" in flag.commands}
    named = re.findall(r"--[a-z-]+", error.hint) if isinstance(error, CodeoptError) else []
    return error_in_words(error) if known.issuperset(named) else str(error)


def _for_want_of_time(error: BaseException | None) -> bool:
    """Whether a machine that is too busy can end an original in this way; at load 12 on 2 cores it did 17 of 40."""
    return error is not None and (bool(getattr(error, "busy", False)) or _for_want_of_time(error.__cause__))


def open_worker_sandbox(options: BatchOptions, core: int) -> AbstractContextManager[Sandbox]:
    """Open a sandbox whose runs have the core. Raises NoSandbox."""
    own = options.improve.model == RULES and not options.with_target
    chosen = for_own_code(options.improve) if own else options.improve
    return open_isolated(chosen, notify=lambda line: None, core=core)


# A model whose every reply is kept before it is used, and is asked for again only when it was not yet paid for.

MAX_TRIES = 6
"""Attempts of one request; with the pauses in between they take about a minute."""


class BudgetSpent(CodeoptError):
    """The budget of the whole batch is spent."""

    exit_status = 6


@dataclass
class PaidReplies:
    """Replies to a problem that are on disk, of all its models together, in the order in which they were given out."""

    batch: BatchFolder
    problem: str
    number: int
    """Replies used so far; later ones that are on disk are given out again."""
    asking_s: float = 0.0
    """Time that replies and pauses took, seconds."""
    _left: list[Reply] | None = field(default=None, repr=False)

    def next(self) -> Reply | None:
        """Take the next reply that is paid for and was not used; None: all were."""
        if self._left is None:
            self._left = self.batch.exchanges(self.problem, self.number)
        if not self._left:
            return None
        self.number += 1
        return self._left.pop(0)

    def add(self, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a new reply before it is used."""
        self.batch.add_exchange(self.problem, self.number, messages, reply)
        self.number += 1


class CachedModel:
    """A model that gives out paid replies before it asks for new ones. Raises BudgetSpent, and ModelError where the
    model fails for good.

    may_spend: raises BudgetSpent where nothing more may be asked. slot: held during a request.
    """

    def __init__(
        self,
        model: Model,
        paid: PaidReplies,
        backoff: Backoff,
        may_spend: Callable[[], None],
        notify: Callable[[str], None],
        slot: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self._model, self._paid, self._slot = model, paid, slot
        self._backoff, self._may_spend, self._notify = backoff, may_spend, notify

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Return the next reply: one that is paid for, else a new one. Raises BudgetSpent, ModelError."""
        if reply := self._paid.next():
            return reply
        attempt = 1
        while True:
            self._may_spend()
            started = time.monotonic()
            try:
                self._backoff.wait()
                with self._slot():
                    reply = self._model.complete(messages, on_text=on_text)
                self._paid.add(messages, reply)
                return reply
            except ModelError as error:
                # HTTP statuses after which the same request would fail in the same way
                if error.status in {400, 401, 403, 404, 413, 422} or attempt == MAX_TRIES:
                    raise
                self._paid.batch.note(self._paid.problem, f"{error.words} (try {attempt} of {MAX_TRIES})")
                if error.status in {429, 503}:  # too many requests, overloaded: a pause of all workers
                    seconds = self._backoff.refused(error.wait_s)
                    self._notify(f"the model's server says {error.status}; all workers wait {seconds:.0f} s")
                else:
                    self._backoff.sleep(
                        self._backoff.first_s * 2 ** (attempt - 1) if error.wait_s is None else error.wait_s
                    )
                attempt += 1
            finally:
                self._paid.asking_s += time.monotonic() - started
