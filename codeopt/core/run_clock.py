"""The one clock of a run: the time that is left of it, and the step that each of its seconds went to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.pool import ThreadPool
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from codeopt.core.budget import Budget
from codeopt.core.errors import OutOfTime
from codeopt.core.wrapped_sandbox import WrappedSandbox
from codeopt_sandbox import Run, Sandbox
from codeopt_sandbox.outcome import RunLimits

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
