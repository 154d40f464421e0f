"""One problem of a batch in one worker: the loop of `codeopt improve`, saved after each round, on a core of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import cast

from codeopt.batch.cores import CoreLock
from codeopt.batch.durable_model import BudgetSpent, CachedModel
from codeopt.batch.exclusive import PinnedJudge, TimedSandbox
from codeopt.batch.records import ProblemResult, TimeSpent
from codeopt.batch.tools import Notify, Tools
from codeopt.batch.worker_store import WorkerStore
from codeopt.budget import Ledger
from codeopt.cases import Request
from codeopt.datasets import Problem
from codeopt.errors import ModelError, ProgramError, UsageError
from codeopt.history import Draft, History
from codeopt.judging import Judging
from codeopt.loop import RefineLoop
from codeopt.models import Model
from codeopt.opening import open_judge
from codeopt.proposers import Proposer
from codeopt.tasks import Task
from sandbox import Run, Sandbox, SandboxError

BUSY = re.compile(r"\bTLE\b|still running|now and then")
"""What an original also says on a machine that was too busy for it; measured: load 12 on 2 cores, 17 of 40 did."""


@dataclass
class ProblemJob:
    """One worker's work on one problem. `run` never raises for what the problem, its drafts or the model do."""

    problem: Problem
    store: WorkerStore
    sandbox: TimedSandbox
    lock: CoreLock
    tools: Tools
    notify: Notify
    _model: CachedModel | None = None
    _suite: dict[str, bool] = field(default_factory=dict)
    _counted: TimeSpent = TimeSpent()
    _started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._counted = replace(self._total(), seconds=0.0)

    def run(self) -> ProblemResult:
        """Improve it, and keep how it ended. An original that failed for want of time is given a second chance."""
        self.store.begin(self.problem.id)
        ending = self._attempt()
        if ending.status == "dropped" and BUSY.search(ending.reason):
            self.store.note(self.problem.id, f"{ending.reason}; tried again")
            ending = self._attempt()
        self.store.end(self.problem.id, ending, self.time_spent())
        return ending

    def _attempt(self) -> ProblemResult:
        try:
            return self._improve()
        except BudgetSpent as error:
            return ProblemResult("paused", str(error))
        except ModelError as error:
            return ProblemResult("failed", str(error), fault="model")
        except SandboxError as error:
            return ProblemResult("failed", f"the sandbox failed: {error}", fault="sandbox")
        except (ProgramError, UsageError, ValueError) as error:  # ValueError: the original fails a case now and then
            return ProblemResult("dropped", str(error), fault="program")

    def time_spent(self) -> TimeSpent:
        """Where the time went since this was asked last."""
        now, before = self._total(), self._counted
        self._counted = now
        return TimeSpent(**{f.name: getattr(now, f.name) - getattr(before, f.name) for f in fields(TimeSpent)})

    def _total(self) -> TimeSpent:
        asking = self._model.asking_s if self._model else 0.0
        clock = time.monotonic() - self._started
        return TimeSpent(clock, self.lock.waited_s, asking, self.sandbox.programs_s, self.sandbox.runs)

    def _improve(self) -> ProblemResult:
        self._check_budget()
        if not self.problem.function:
            task = self.tools.open_task()
            judge, history, ledger = self._measured_original(task)
            return self._rounds(task, judge, history, ledger, lambda proposer: proposer)
        with self.lock.held():
            opening = self.tools.open_function(self.problem, self.lock.core, self.notify)
            task, found, adapt = opening.__enter__()
        try:
            history, ledger, _ = self.store.load(self.problem.id) or (History((found.original,)), Ledger(), {})
            self._suite = {case.name: case.held_out for case in found.suite.cases}
            self.store.save(self.problem.id, history, ledger, self._suite, self.time_spent())
            return self._rounds(task, PinnedJudge(found, self.lock), history, ledger, adapt)
        finally:
            opening.__exit__(None, None, None)

    def _rounds(
        self, task: Task, judge: Judging, history: History, ledger: Ledger, adapt: Callable[[Proposer], Proposer]
    ) -> ProblemResult:
        """The loop, from where it was left."""
        work = RefineLoop(None, task, judge, self.tools.budget, history, ledger, self._save)  # type: ignore[arg-type]
        work.proposer = adapt(self.tools.open_proposer(task, judge, work, self._paid(ledger), self.notify))
        try:
            work.run()
        except ModelError as error:
            if not any(True for _ in work.ranked()):
                raise
            work.stopped = f"the model failed ({error})"
        self.store.save(self.problem.id, work.history, work.ledger, self._suite, self.time_spent())
        return self._confirmed(work)

    def _confirmed(self, work: RefineLoop) -> ProblemResult:
        best, reason = work.confirm()
        if best is not None:
            self.store.keep(self.problem.id, "confirm", best)
        if self.tools.with_target and self.problem.target:
            self._judge_target(work)
        return ProblemResult("done", reason, work.stopped, best=best)

    def _judge_target(self, work: RefineLoop) -> None:
        """The human's program: same judge, same run, confirmed in the same way."""
        self.notify("judging the human's program")
        draft = Draft(self.problem.target or "", "the human's program")
        found = work.judge.measure(draft, History((work.history.original,)), gated=False)
        if found.faster:
            found = work.judge.confirm(found)
        self.store.keep(self.problem.id, "target", replace(found, round=0))

    def _measured_original(self, task: Task) -> tuple[Judging, History, Ledger]:
        """A judge for the problem, and the state it was left in; on a resumed one what was shown stays shown."""
        sandbox = cast(Sandbox, self.sandbox)
        saved = self.store.load(self.problem.id)
        with self.lock.held():
            judge = open_judge(
                sandbox, self.problem.source, self._request(sandbox), self.tools.check(), metric=task.metric,
                rule=self.tools.rule(task), profiled=self.tools.profiled and saved is None,
                timed=task.name != "readability", strictness=self.tools.strictness,
                modes=("lines", "scalene") if self.tools.drafts_profiled else ("lines",),
                held=saved[2] if saved else None, notify=self.notify,
            )  # fmt: skip
        if judge.too_short:
            raise ProgramError(judge.too_short)
        history, ledger, _ = saved or (History((judge.original,)), Ledger(), {})
        self._suite = {case.name: case.held_out for case in judge.suite.cases}
        judge = replace(
            judge, original=history.original, profiled=self.tools.profiled and self.tools.drafts_profiled
        )  # fmt: skip
        if saved is None:
            self.store.save(self.problem.id, history, ledger, self._suite, self.time_spent())
        return PinnedJudge(judge, self.lock), history, ledger

    def _request(self, sandbox: Sandbox) -> Request:
        def run(source: str, args: Sequence[str]) -> Run:
            return sandbox.run(source, args=args, mode="exec")

        folder = self.problem.cases
        if folder and not folder.is_dir():
            raise UsageError(f"it has no cases: there is no folder {folder}")
        return Request(self.problem.path, folder, None, run)

    def _save(self, work: RefineLoop) -> None:
        self.store.save(self.problem.id, work.history, work.ledger, self._suite, self.time_spent())
        self._check_budget()

    def _paid(self, ledger: Ledger) -> Callable[[Model], Model]:
        def wrap(model: Model) -> Model:
            self._model = CachedModel(
                model, self.store, self.problem.id, ledger.replies, self.store.backoff, self._check_budget, self.notify
            )
            return self._model

        return wrap

    def _check_budget(self) -> None:
        """Raises BudgetSpent when the whole batch may go on no longer."""
        if self.tools.deadline is not None and time.time() >= self.tools.deadline:
            raise BudgetSpent("the time limit of the batch is reached")
        limit = self.tools.max_cost
        if limit is None:
            return
        cost = self.store.spent().cost_usd
        if cost is None:
            raise BudgetSpent(
                "the price of the model is not known, so --max-cost cannot be held; see [tool.codeopt.prices]"
            )
        if cost >= limit:
            raise BudgetSpent(f"the batch has spent {cost:.4f} USD of {limit:.2f}")
