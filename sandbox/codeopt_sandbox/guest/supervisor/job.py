"""Requests of the host to a guest, and the state of the run in progress."""

from __future__ import annotations

import os
from typing import Any, NamedTuple  # dataclasses, with all of inspect, would take a fifth of a guest's start


class Setting(NamedTuple):
    """Configuration of a guest, sent by the host once."""

    python: str
    box: str
    """Folder of the program's file; only the supervisor needs to write there."""
    scratch: tuple[str, ...]
    """Workspace a run may write to; emptied after each run. The first is its working folder."""
    env: dict[str, str]
    pid1: bool
    """Own pid namespace: everything that can be seen belongs to the run."""
    uid_base: int
    """First of 1000 user numbers for runs; 0 keeps the supervisor's own."""
    seccomp: bool
    private: str
    """A folder that only the supervisor may read. Empty if there is no such folder."""
    base: str = ""
    """Read-only folder with the initial content of working folders. Empty if there is no base."""


class Job(NamedTuple):
    """One run; the fields of codeopt_sandbox.outcome.Limits in the guest's units."""

    exec: bool
    tool: bool
    """The program is one of our own (sandbox/codeopt_sandbox/guest_bundle.py) with its arguments, not a Python
    source."""
    wall_s: float
    memory_bytes: int
    output_bytes: int
    processes: int
    open_files: int
    file_bytes: int
    hash_seed: int
    variables: dict[str, str]
    """Environment variables of a fresh interpreter, in place of the setting's."""
    args: list[str]
    core: int | None
    """The one core that the run has; None leaves it all."""
    files: list[list[str]] | None = None
    """[relative path, name of a kept input]: the run has a working folder of its own with them, and what it wrote there
    is reported. None: it has the first scratch folder."""
    version: int = 0
    hidden: list[str] = []  # noqa: RUF012  never changed
    """Files of the base that the run is not given."""
    libraries: str = ""
    """Name of a kept list of libraries that are imported before the run is forked, if they can be; empty for none."""


class RunState:
    def __init__(self, started: float) -> None:
        self.started = started
        self.stdout, self.stderr = bytearray(), bytearray()
        self.pid = 0
        self.status: int | None = None
        self.cpu_s = self.delay_s = self.next_look = 0.0
        self.peak_kib = self.end_ns = 0
        self.stop = self.evidence = ""

    def end(self, stop: str, evidence: str) -> None:
        """End the run for the first reason found."""
        if not self.stop:
            self.stop, self.evidence = stop, evidence


def report(state: RunState) -> dict[str, Any]:
    """Report of a run to the host, which makes the verdict."""
    status = state.status
    return {
        "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "wall_s": max(0.0, state.end_ns / 1e9 - state.started),
        "cpu_s": state.cpu_s,
        "peak_bytes": state.peak_kib << 10,
        "delay_s": state.delay_s,
        "stdout": len(state.stdout),
        "stop": state.stop or None,
        "evidence": state.evidence,
    }
