"""Seconds of what each verdict pays a backend for: opening it, a run, a copy of a file into one, closing it."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codeopt_sandbox.conformance._seen import LIMITS
from codeopt_sandbox.errors import BackendUnavailable
from codeopt_sandbox.host import BACKENDS, Sandbox, open_sandbox

RUNS = 5
"""Runs of each kind, of which the median counts."""
COPIED_MIB = 4
"""Size of the copied file, MiB."""
PROGRAM = b"pass\n"


@dataclass(frozen=True)
class Cost:
    """Price of one backend on this machine, seconds of the clock; None where it cannot be opened."""

    backend: str
    open_s: float | None = None
    guest_s: float | None = None
    """Replacing a guest by a fresh one, as after a run that left something behind."""
    run_s: float | None = None
    """Run of an empty program in an interpreter of its own."""
    fork_s: float | None = None
    """Run of an empty program in a copy of a warm interpreter."""
    copy_s: float | None = None
    """File of COPIED_MIB that is new to the guest, beyond the run."""
    close_s: float | None = None
    unavailable: str = ""
    """Reason why it cannot be opened."""

    def __str__(self) -> str:
        return f"COST    {self.backend}: {self.words}"

    @property
    def words(self) -> str:
        """The prices, or why the backend is not available."""
        if self.open_s is None:
            return f"not available: {self.unavailable}"
        parts = {
            "open": self.open_s, "fresh guest": self.guest_s, "run": self.run_s, "forked run": self.fork_s,
            f"copy of {COPIED_MIB} MiB": self.copy_s, "close": self.close_s,
        }  # fmt: skip
        return ", ".join(f"{name} {(seconds or 0) * 1000:.0f} ms" for name, seconds in parts.items())


def costs(backend: str) -> Iterator[Cost]:
    """The price of one backend; for `auto` of each."""
    for name in BACKENDS if backend == "auto" else (backend,):
        yield _cost(name)


def _cost(backend: str) -> Cost:
    started = time.perf_counter()
    try:
        sandbox = open_sandbox(backend, limits=LIMITS)
    except BackendUnavailable as error:
        return Cost(backend, unavailable=str(error))
    with sandbox:
        opened = time.perf_counter() - started
        sandbox.run(PROGRAM, mode="fork")  # starts the interpreter that is forked, and looks for the idle core
        run = _median(lambda: sandbox.run(PROGRAM, mode="exec"))
        fork = _median(lambda: sandbox.run(PROGRAM, mode="fork"))
        unseen = iter([os.urandom(COPIED_MIB << 20) for _ in range(RUNS)])
        copied = _median(lambda: sandbox.run(PROGRAM, mode="fork", files=(("data", next(unseen)),)))
        guest = _median(lambda: _replace(sandbox), 3)
        started = time.perf_counter()
    return Cost(backend, opened, guest, run, fork, max(0.0, copied - fork), time.perf_counter() - started)


def _replace(sandbox: Sandbox) -> None:
    sandbox.restart_guest()
    sandbox.warm()


def _median(act: Callable[[], object], times: int = RUNS) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        act()
        found.append(time.perf_counter() - started)
    return statistics.median(found)
