"""A batch on disk: a file of facts, a run folder for each problem, and the pause that all workers share.

    batch.json                   facts about the whole batch
    problems/NAME/problem.json   the problem, as its set gave it
                  status.json    what has become of it; without it the problem is pending
                  state.json     its rounds, and all else that RunFolder writes
                  STAGE.json     what was measured outside the rounds; see Stage
                  replies.json   every reply of the model, saved before it is used: none is paid for twice
    events.jsonl                 what went wrong on the way
    usage.jsonl                  what each reply took, whose sum is asked for before each request

Files are replaced in one step, so that each is whole, however the batch is killed. A problem's worker alone writes into
its folder, and the process that holds the batch's lock writes batch.json.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from codeopt.batch.datasets import Problem
from codeopt.core.errors import UsageError, names_near
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.model import NOTHING_USED, Message, Reply, Usage
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import foreign, refusal
from codeopt.core.program import write_whole
from codeopt.core.revision import Revision
from codeopt.core.run_store import STATE, RunFolder, SavedRun, candidates_from_json, candidates_to_json, digest
from codeopt.core.sanitize import encodable
from codeopt.core.words import utc
from codeopt_sandbox.plain_files import read_bytes, read_text

FACTS = "batch.json"
PROBLEMS = "problems"
PROBLEM = "problem.json"
STATUS = "status.json"
REPLIES = "replies.json"
EVENTS = "events.jsonl"
USAGE = "usage.jsonl"
Kept = TypeVar("Kept")


def require_own_batch(folder: Path) -> None:
    """Refuse a batch that others brought, whose replies would be taken for the model's. Raises UsageError."""
    left_out = foreign([folder / name for name in (FACTS, PROBLEMS, "lock", "backoff")])
    for path, why in left_out.items():
        raise refusal(f"the batch in {folder} ({path.name})", why)


class BatchFolder:
    """The files of one batch. Raises UsageError if there is no batch, or if a file cannot be read or written."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        self._spent = (0, NOTHING_USED)
        if create and not (folder / FACTS).exists():
            self._write(folder / FACTS, BatchFacts())
        if not (folder / FACTS).is_file():
            hint = "name the --run-dir of a batch" if folder.exists() else names_near(folder)
            raise UsageError(f"there is no batch in {folder}: no {FACTS}", hint=hint)
        if self.facts.schema != SCHEMA:
            raise UsageError(f"{folder / FACTS} is {self.facts.schema}", hint=f"this version of codeopt reads {SCHEMA}")

    @property
    def backoff(self) -> Backoff:
        """Pause that all workers share when the model's server refuses."""
        return Backoff(self.folder / "backoff")

    # --- the whole batch ---

    @property
    def facts(self) -> BatchFacts:
        """Facts about the whole batch."""
        return _read(self.folder / FACTS, BatchFacts)

    def set_facts(self, **changed: Any) -> None:
        """Keep facts about the batch."""
        self._write(self.folder / FACTS, replace(self.facts, **changed))

    def require_same(self, settings: Mapping[str, Any]) -> None:
        """Keep the settings of a new batch. Raises UsageError where those of an old batch differ."""
        before = self.facts.settings or settings
        changed = [name for name in settings if before.get(name) != settings[name]]
        if changed:
            what = ", ".join(f"{name} was {before.get(name)!r} and is {settings[name]!r}" for name in changed)
            raise UsageError(
                f"the batch in {self.folder} was begun with other settings ({what})", hint="name another --run-dir"
            )
        self.set_facts(settings=settings)

    def add_seconds(self, seconds: float) -> None:
        """Add to the time that the batch has been at work over all sessions, seconds of the clock."""
        self.set_facts(seconds=self.facts.seconds + seconds)

    def register(self, problems: Iterable[Problem]) -> None:
        """Give a folder to every problem without one. Raises UsageError for a changed one."""
        if not (self.folder / USAGE).exists():  # what an earlier version has paid for also counts
            write_whole(
                self.folder / USAGE, "".join(f"{json.dumps(asdict(each))}\n" for each in self._usage_by_problem())
            )
        for position, problem in enumerate(problems):
            problem = replace(problem, source=encodable(problem.source))
            path = self.run_folder(problem.id) / PROBLEM
            if not path.exists():
                if problem.skipped:
                    self._set_status(problem.id, status="skipped", reason=problem.skipped, fault="program")
                self._write(path, RegisteredProblem(position, problem))
            elif self.problem(problem.id).source != problem.source:
                raise UsageError(f"the program of {problem.id} has changed since the batch in {self.folder} was begun")

    def problems(self) -> Iterator[Problem]:
        """Read all problems one at a time, in the order of the set: their texts may not fit into memory."""
        return map(self.problem, self.ids())

    def ids(self, limit: int | None = None) -> list[str]:
        """Ids of the first `limit` problems of the set."""
        paths = (self.folder / PROBLEMS).glob(f"*/{PROBLEM}")
        places = [(each.position, each.problem.id) for each in (_read(path, RegisteredProblem) for path in paths)]
        return [id for position, id in sorted(places) if limit is None or position < limit]

    def left(self, limit: int | None = None) -> list[str]:
        """Ids of the first `limit` problems that have not ended: those begun first, then in the order of the set."""
        found = {id: status for id in self.ids(limit) if (status := self.status(id).status) not in FINAL}
        return sorted(found, key=lambda id: found[id] == "pending")

    def reopen_failed(self) -> None:
        """Mark problems as pending again that failed for no reason of their own, or for want of time."""
        for id in self.ids():
            status = self.status(id)
            if status.status == "failed" or (status.status == "skipped" and status.fault == "busy"):
                self._set_status(id, status="pending", fault="", reason="")

    def spent(self) -> Usage:
        """Sum of all replies so far. Only those that came since this was called last are read."""
        start, usage = self._spent
        path = self.folder / USAGE
        if not path.exists():  # a batch of an earlier version that is only looked at
            return sum(self._usage_by_problem(), NOTHING_USED)
        with path.open("rb") as file:
            file.seek(start)
            *lines, _ = file.read().split(b"\n")  # the last one may not be whole yet
        usage = sum((Usage(**json.loads(line)) for line in lines), usage)
        self._spent = start + sum(len(line) + 1 for line in lines), usage
        return usage

    def _usage_by_problem(self) -> Iterator[Usage]:
        return (_read(path, Replies).usage for path in (self.folder / PROBLEMS).glob(f"*/{REPLIES}"))

    def note(self, problem: str, text: str) -> None:
        """Keep a line about something that went wrong on the way."""
        self._append(EVENTS, {"at": _now(), "problem": problem, "text": text})

    # --- one problem ---

    def run_folder(self, id: str) -> Path:
        """Folder of a problem; ids may hold anything."""
        name = re.sub(r"[^\w.-]+", "_", id)[:60]
        return self.folder / PROBLEMS / f"{name}-{digest(id)[:8]}"

    def problem(self, id: str) -> Problem:
        """Read a problem as the set gave it."""
        return _read(self.run_folder(id) / PROBLEM, RegisteredProblem).problem

    def status(self, id: str) -> ProblemStatus:
        """Read what has become of a problem."""
        path = self.run_folder(id) / STATUS
        return _read(path, ProblemStatus) if path.exists() else ProblemStatus()

    def begin(self, id: str) -> None:
        """Note that a worker takes the problem up."""
        self._set_status(id, status="running", attempts=self.status(id).attempts + 1)

    def load(self, id: str) -> SavedRun | None:
        """Read a problem's rounds; None: no round yet."""
        folder = self.run_folder(id)
        return RunFolder(folder).read() if (folder / STATE).exists() else None

    def save(self, id: str, run: SavedRun, time_spent: TimeSpent) -> None:
        """Save a problem's rounds. time_spent: the time since they were saved last."""
        RunFolder(self.run_folder(id)).save(run)
        self._set_status(id, time_spent)

    def finish(self, id: str, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Save the result of a run that has ended, as RunFolder does."""
        RunFolder(self.run_folder(id)).finish(original, result, best)

    def keep(self, id: str, stage: Stage, candidate: Candidate) -> None:
        """Keep a measurement outside the rounds."""
        others = [each for each in self.measured(id, stage) if each.round != candidate.round]
        write_whole(self.run_folder(id) / f"{stage}.json", candidates_to_json([*others, candidate]))

    def measured(self, id: str, stage: Stage) -> tuple[Candidate, ...]:
        """Read what was measured outside the rounds. Raises UsageError."""
        path = self.run_folder(id) / f"{stage}.json"
        try:
            return candidates_from_json(read_text(path)) if path.exists() else ()
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read") from error

    def end(self, id: str, ending: ProblemResult, time_spent: TimeSpent) -> None:
        """Keep how a problem ended, or that it is paused."""
        best = ending.best
        found = best.comparison if best else None
        self._set_status(
            id,
            time_spent,
            status=ending.status,
            fault=ending.fault,
            reason=encodable(ending.reason),
            stopped=encodable(ending.stopped),
            accepted=best is not None,
            best_round=best and best.round,
            ratio=found and found.ratio,
            ci_low=found and found.ci_low,
            ci_high=found and found.ci_high,
            finished=_now() if ending.status in FINAL else "",
        )

    def _set_status(self, id: str, time_spent: TimeSpent | None = None, **changed: Any) -> None:
        status = self.status(id)
        time_spent = status.time_spent + (time_spent or TimeSpent())
        self._write(self.run_folder(id) / STATUS, replace(status, time_spent=time_spent, **changed))

    def usage(self, id: str) -> Usage:
        """Sum of a problem's replies."""
        return self._replies(id).usage

    def exchanges(self, id: str, first: int) -> list[Reply]:
        """Replies of a problem from number `first` on, which were paid for but not used when the batch was killed."""
        return [exchange.reply for exchange in self._replies(id).exchanges[first:]]

    def add_exchange(self, id: str, number: int, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a reply before it is used. It counts as spent first: it is paid for even if it cannot be kept."""
        self._append(USAGE, asdict(reply.usage))
        prompt = tuple({"role": message.role, "content": encodable(message.content)} for message in messages)
        earlier = self._replies(id).exchanges[:number]
        self._write(self.run_folder(id) / REPLIES, Replies((*earlier, Exchange(prompt, reply))))

    def _replies(self, id: str) -> Replies:
        path = self.run_folder(id) / REPLIES
        return _read(path, Replies) if path.exists() else Replies()

    def _append(self, name: str, row: Mapping[str, Any]) -> None:
        """Add a line to a file of the whole batch, in one piece: workers add lines at the same time."""
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _write(self, path: Path, value: Any) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write the batch in {self.folder}: {error.strerror}") from error
        write_whole(path, _adapters()[type(value)].dump_json(value).decode())


def _read(path: Path, kind: type[Kept]) -> Kept:
    import pydantic

    try:
        return cast(Kept, _adapters()[kind].validate_json(read_bytes(path)))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except pydantic.ValidationError as error:
        raise UsageError(f"{path} is no file of a batch, or a broken one") from error


@cache
def _adapters() -> dict[type, Any]:
    from pydantic import TypeAdapter

    return {kind: TypeAdapter(kind) for kind in (BatchFacts, RegisteredProblem, ProblemStatus, Replies)}


def _now() -> str:
    return utc(time.time())


# One pause for all workers when the model's server says that it has had enough: a small file in the run folder.

FIRST_PAUSE_S = 1.0
"""First pause, seconds; it doubles while the server continues refusing."""
MAX_PAUSE_S = 120.0
"""Longest pause, seconds."""
MAX_JITTER = 0.1
"""Largest random addition to a wait, as a share of the pause, so that not all workers ask at once."""
FORGET_S = 30.0
"""Time without a refusal, seconds, after which the next pause is a short one again."""


@dataclass(frozen=True)
class Backoff:
    """The pause that all workers of a batch share."""

    path: Path
    first_s: float = FIRST_PAUSE_S
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def wait(self) -> float:
        """Sleep until the pause is over and a little longer, so that not all ask at once; returns the seconds slept."""
        slept = 0.0
        while (seconds := self.left()) > 0:  # it may grow meanwhile
            self.sleep(seconds)
            slept += seconds
        return slept

    def left(self) -> float:
        """Time that a worker should wait from now, seconds; a little different for each."""
        until, length = self.read()
        left = until - self.clock()
        return left + random.uniform(0, MAX_JITTER * length) if left > 0 else 0.0

    def refused(self, wait_s: float | None = None) -> float:
        """Begin a pause after a refusal: the server's own `wait_s`, else twice the last one; returns its seconds."""
        (until, before_s), now = self.read(), self.clock()
        if now < until:  # another worker's refusal of the same moment
            return until - now
        doubled = 2 * before_s if now - until < FORGET_S else 0.0
        length = min(MAX_PAUSE_S, max(wait_s if wait_s is not None else max(doubled, self.first_s), 0.0))
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        temporary.write_text(f"{now + length} {length}")
        temporary.replace(self.path)
        return length

    def read(self) -> tuple[float, float]:
        """End of the latest pause, seconds since the epoch, and its length; zeros where there is no file, or one that
        makes no sense."""
        try:
            until, length = map(float, self.path.read_text().split())
        except (OSError, ValueError):
            return 0.0, 0.0
        return until, length


# Plain records of a batch: its options and facts, its problems, what each took and how it ended.


SCHEMA = "codeopt.batch/1"
"""Version of the files of a batch."""
FINAL = ("done", "failed", "skipped")
"""States that a problem does not leave by itself."""
Status = Literal["pending", "running", "paused", "done", "failed", "skipped"]
"""State of a problem:

pending  not begun
running  a worker has it; after a crash it is taken up again where its last saved round ended
paused   the budget of the whole batch ended in the middle of it; the same command with a larger one continues
done     ended; `accepted` says whether with a faster program, `reason` why not
failed   the model, the sandbox or we ourselves failed: `fault` says which, `reason` how; --retry-failed tries again
skipped  its original cannot be judged: not Python 3, fails its own cases, prints something else each time
"""
Fault = Literal["", "model", "sandbox", "program", "busy", "worker"]
"""Culprit of a failure; `busy`: the original did not end in time, perhaps since the machine was too busy."""
Stage = Literal["confirm", "refused", "target"]
"""Purpose of a measurement outside the rounds: the confirmation, a draft that a reader refused, the human's program."""


@dataclass(frozen=True)
class BatchOptions:
    """Options of a batch; they are sent to the workers, which may be on other machines."""

    improve: ImproveOptions
    """Options of each problem; its own cases take the place of those named here."""
    with_target: bool = False
    """Judge the human's program too, if the set has one."""
    max_cost: float | None = None
    """Limit of the whole batch, US dollars."""
    deadline: float | None = None
    """Time after which no round is begun, seconds since the epoch."""
    max_requests: int | None = None
    """Requests at a time at the model's server, over all workers and batches of a machine; None: no limit."""
    interpreter: Interpreter | None = None
    """Interpreter of all programs; None: each node of a cluster, or an image, has its own."""


@dataclass(frozen=True)
class TimeSpent:
    """Seconds of the clock that a problem took, and the parts of them."""

    seconds: float = 0.0
    waited_s: float = 0.0
    """Waiting for a core."""
    asking_s: float = 0.0
    """Waiting for the model, pauses included."""
    programs_s: float = 0.0
    """Running programs in the sandbox."""
    runs: int = 0
    """Programs that were run."""

    def __add__(self, other: TimeSpent) -> TimeSpent:
        return TimeSpent(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class ProblemResult:
    """End of a problem, or its pause."""

    status: Status
    reason: str
    stopped: str = ""
    fault: Fault = ""
    best: Candidate | None = None
    """The accepted draft with its confirmed figures; None: nothing was accepted."""


@dataclass(frozen=True)
class ProblemStatus:
    """State of a problem so far, and its figures."""

    status: Status = "pending"
    fault: Fault = ""
    reason: str = ""
    """One line for people."""
    stopped: str = ""
    """Why no further round was run."""
    attempts: int = 0
    """Number of times that a worker took the problem up."""
    accepted: bool = False
    """A draft is right and faster, and was confirmed: that of `best_round`."""
    best_round: int | None = None
    ratio: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    """Upper end of the interval; None: not known."""
    time_spent: TimeSpent = TimeSpent()
    """Time of all attempts together."""
    finished: str = ""
    """UTC."""


@dataclass(frozen=True)
class RegisteredProblem:
    """A problem and its place in the set, from 0."""

    position: int
    problem: Problem


@dataclass(frozen=True)
class Exchange:
    """A request to the model and its reply."""

    prompt: tuple[Mapping[str, str], ...]
    """Role and content of each message."""
    reply: Reply


@dataclass(frozen=True)
class Replies:
    exchanges: tuple[Exchange, ...] = ()

    @property
    def usage(self) -> Usage:
        """Their sum."""
        return sum((exchange.reply.usage for exchange in self.exchanges), NOTHING_USED)


@dataclass(frozen=True)
class BatchFacts:
    """Facts about a whole batch."""

    schema: str = SCHEMA
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Flags that a later command has to name the same."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    python: Mapping[str, Any] | None = None
    """The programs' interpreter, as Interpreter.to_json gives it; None where it is not known, or not one."""
    created: str = ""
    """UTC."""
    cores: int = 1
    """Number of cores that measure."""
    backend: str = ""
    """The sandbox, in words."""
    seconds: float = 0.0
    """Wall time of all sessions."""
    process: int = 0
    """The process that is or was at work last."""
