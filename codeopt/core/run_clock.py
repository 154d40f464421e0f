"""The one clock of a run: the time that is left of it, and the step that each of its seconds went to."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.pool import ThreadPool
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from codeopt.core.errors import OutOfTime
from codeopt.core.isolation import WrappedSandbox
from codeopt.core.model import Budget
from codeopt_sandbox import Run, Sandbox
from codeopt_sandbox.outcome import RunLimits

if TYPE_CHECKING:
    from rich.text import Text


LEAST_S = 0.05
"""Shortest limit of a run that is begun before the deadline, seconds."""


Item = TypeVar("Item")


class LimitReached(BaseException):
    """A limit of the whole run, which a step would exceed.

    Like KeyboardInterrupt it is not an Exception: code that continues after a failed step must not continue after this.
    words: the limit in plain words. limit: its field of Budget.
    """

    def __init__(self, words: str = "", limit: str = "seconds") -> None:
        super().__init__(words)
        self.words, self.limit = words, limit


class DeadlineReached(LimitReached):
    """The end of a run's time."""


@dataclass
class RunClock:
    """Time of one session of a run, from its first step to its last."""

    limit: float | None = None
    """Seconds that the run may take, all sessions together. None: no limit."""
    started: float = field(default_factory=time.monotonic)
    earlier_s: float = 0.0
    """Seconds of the sessions before this one, which also count."""
    reserved: float = 0.0
    """Seconds that the present step leaves to later ones, if there is a limit."""
    steps: dict[str, float] = field(default_factory=dict)
    """Seconds by step, of the steps that ended or were ended."""

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """Seconds left to the present step, at least 0. None without a limit."""
        if self.limit is None:
            return None
        return max(0.0, self.limit - self.reserved - self.earlier_s - self.seconds)

    @property
    def out_of_time(self) -> str:
        """The limit, met, in plain words."""
        return Budget(seconds=self.limit).out_of_time

    @property
    def is_over(self) -> bool:
        """Return whether the present step has no time left."""
        return self.left is not None and self.left <= 0.0

    def check(self) -> None:
        """Raise DeadlineReached where no time is left to the present step."""
        if self.is_over:
            raise DeadlineReached(self.out_of_time)

    @contextmanager
    def spare(self) -> Iterator[None]:
        """A step that is given up where it would take the time reserved for later ones, which then have it."""
        try:
            yield
        except DeadlineReached:
            pass
        finally:
            self.reserved = 0.0

    def awaited(self, source: Callable[[Callable[[Item], None]], None]) -> Iterator[Item]:
        """Yield each item that a source gives to its argument, while it waits for another machine.

        The source runs in a thread that nobody joins: no time limit of a library ends all waits, such as for a name
        server. Raises DeadlineReached at the deadline, and what the source raises.
        """
        self.check()
        came: SimpleQueue[tuple[Item | None, BaseException | None]] = SimpleQueue()
        given_up = threading.Event()

        def give(item: Item) -> None:
            if given_up.is_set():
                raise OutOfTime(self.out_of_time)  # ends the source, which closes its connection
            came.put((item, None))

        pool = ThreadPool(1)
        pool.apply_async(
            source,
            (give,),
            callback=lambda end: came.put((None, None)),
            error_callback=lambda error: came.put((None, error)),
        )
        pool.close()
        try:
            while True:
                try:
                    item, error = came.get(timeout=self.left)
                except Empty:
                    raise DeadlineReached(self.out_of_time) from None
                if error is not None:
                    raise error
                if item is None:
                    return
                yield item
        finally:
            given_up.set()

    def call(self, ask: Callable[[], None]) -> None:
        """Call what waits for another machine, as `awaited` does."""
        for _ in self.awaited(lambda give: ask()):
            raise AssertionError

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A step whose seconds are added to those of its name, however it ends."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.steps[name] = self.steps.get(name, 0.0) + time.monotonic() - began

    def within(self, open_sandbox: Callable[..., Any]) -> Callable[..., Any]:
        """Return an opener whose sandboxes start no run after the deadline and end each run by the deadline."""

        @contextmanager
        def opened(*args: Any, **given: Any) -> Iterator[SandboxWithin]:
            self.check()
            with open_sandbox(*args, **given) as sandbox:
                yield SandboxWithin(sandbox, self)

        return open_sandbox if self.limit is None else opened


class SandboxWithin(WrappedSandbox):
    """A sandbox whose runs end at the deadline."""

    def __init__(self, inner: Sandbox, clock: RunClock) -> None:
        super().__init__(inner)
        self._clock = clock

    def around(self, inner: Sandbox) -> SandboxWithin:
        return SandboxWithin(inner, self._clock)

    def run(self, program: Any, stdin: bytes = b"", *, limits: RunLimits | None = None, **options: Any) -> Run:
        """Run a program as Sandbox.run does. Raises DeadlineReached: what the clock ends is no verdict on a program."""
        self._clock.check()
        own, left = limits or self._inner.limits, self._clock.left
        if left is None or left >= own.seconds:
            return self._inner.run(program, stdin, limits=limits, **options)
        run = self._inner.run(program, stdin, limits=replace(own, seconds=max(LEAST_S, left)), **options)
        if run.stop == "time":
            raise DeadlineReached(self._clock.out_of_time)
        return run


# The stages of a piece of work: which are behind, the one that it is in, which are left.

MARKS = ("✓", "›", "·")
"""Marks of a stage that is behind, the present one, and one that is left."""
ASCII_MARKS = ("+", ">", "-")
STYLES = ("green", "bold", "dim")


@dataclass(frozen=True)
class Stages:
    """Names in order. In a loop of several stages the later ones are left again."""

    names: tuple[str, ...] = ()
    now: str = ""
    """The present stage. Empty: all are behind."""
    which: str = ""
    """Number among several of its kind, `2 of 4`."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Typical times of stages as multiples of that of the first one here."""
    took: Mapping[str, float] = field(default_factory=dict)
    """Times of the stages that have ended, seconds."""
    since: float = field(default_factory=time.monotonic)
    """Begin of the present stage on the monotonic clock, seconds."""

    @property
    def present(self) -> str:
        """The present stage with its number, `draft 2 of 4`."""
        return f"{self.now} {self.which}".strip()

    @property
    def words(self) -> str:
        """`draft 2 of 4: `, before what is being done."""
        return f"{self.present}: " if self.now else ""

    @property
    def share(self) -> float:
        """Share of the stages that is behind, 0 to 1."""
        if self.now not in self.names:
            return float(not self.now and bool(self.names))
        return self.names.index(self.now) / len(self.names)

    def begun(self, name: str, which: str = "") -> Stages:
        """Return the same in another stage, with the time of the present one."""
        return replace(self, now=name, which=which, took={**self.took, self.now: self.elapsed}, since=time.monotonic())

    @property
    def elapsed(self) -> float:
        """Time since the present stage began, seconds."""
        return time.monotonic() - self.since

    @property
    def is_measured(self) -> bool:
        """Whether a stage of `typical` has ended, from whose time the others are estimated."""
        return any(name in self.took for name in self.typical)

    @property
    def left_s(self) -> float:
        """Estimated time to the end, seconds. Infinite before the first stage of `typical` has ended, in a loop, and
        once the present stage takes longer than estimated."""
        unit = next((self.took[name] / times for name, times in self.typical.items() if name in self.took), math.inf)
        if self.now not in self.names or self.which:
            return math.inf
        now, *later = (
            self.took.get(name, self.typical.get(name, math.inf) * unit)
            for name in self.names[self.names.index(self.now) :]
        )
        return now - self.elapsed + sum(later) if now > self.elapsed else math.inf

    def drawn(self, marks: tuple[str, str, str] = MARKS) -> Text:
        """`✓ read ✓ baseline › draft 2 of 4 · judge · confirm`."""
        from rich.text import Text

        at = self.names.index(self.now) if self.now in self.names else len(self.names)
        row = Text()
        for number, name in enumerate(self.names):
            place = (number >= at) + (number > at)
            row.append(f"{marks[place]} {self.present if number == at else name} ", style=STYLES[place])
        return row
