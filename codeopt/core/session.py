"""The surroundings of an improvement: who is told, where runs are kept, how sandboxes and models are opened.

The command line, the Python API, a worker of a batch and a review differ in these and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from codeopt.core.budget import Usage
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.evidence_store import EvidenceStore
from codeopt.core.interpreter import Interpreter, find_interpreter
from codeopt.core.isolation import open_isolated
from codeopt.core.model import Model
from codeopt.core.options import ImproveOptions
from codeopt.core.run_store import Runs, open_runs
from codeopt.core.traced import Traces
from codeopt_sandbox import Sandbox
from codeopt_sandbox.base_folder import BaseFolder

Mounts = tuple[tuple[str, str], ...]


class SandboxOpener(Protocol):
    """Opens the sandbox that the options ask for; see isolation.open_isolated."""

    def __call__(
        self,
        options: ImproveOptions,
        *,
        own_code_only: bool,
        notify: Callable[[str], None],
        mounts: Mounts = (),
        room_mib: int = 0,
        base: BaseFolder | None = None,
    ) -> AbstractContextManager[Sandbox]:
        """Raises NoSandbox."""
        ...


class EvidenceOpener(Protocol):
    """Opens the store of evidence for a project; see evidence_place.open_evidence."""

    def __call__(self, project: Path, notify: Callable[[str], None]) -> EvidenceStore | None:
        """The store; None where nothing is kept."""
        ...


def no_evidence(project: Path, notify: Callable[[str], None]) -> EvidenceStore | None:
    """No store: whoever made the session keeps nothing."""
    return None


def no_model(options: ImproveOptions, notify: Callable[[str], None]) -> Model:
    """Raise UsageError: whoever made the session said nothing of models."""
    raise UsageError("this session opens no model: make it by codeopt.engine.open_session")


@dataclass(frozen=True)
class Session:
    """The surroundings; the defaults are those of a single command."""

    console: Console = field(default_factory=lambda: Console(quiet=True))
    runs: Callable[[ImproveOptions], Runs] = open_runs
    open_sandbox: SandboxOpener = open_isolated
    open_model: Callable[[ImproveOptions, Callable[[str], None]], Model] = no_model
    """By default none; engine.open_session knows how."""
    alone: Callable[[], AbstractContextManager[object]] = nullcontext
    """Held while something is measured: nobody else measures on this core."""
    extras: bool = True
    """After acceptance, fit how the cost grows with the input and profile the result: a few more runs."""
    asks_server: bool = True
    """Ask a model's server whether it would answer, before the original is run."""
    between_rounds: Callable[[], None] = lambda: None
    """Called after each round; may raise what ends the run."""
    on_usage: Callable[[Usage], None] = lambda usage: None
    """Told of each reply of a model that was paid for, whatever becomes of the run."""
    interpreter: Interpreter | None = None
    """The Python that runs everything, where it was found already; None: each target's own is looked for."""
    open_evidence: EvidenceOpener = no_evidence
    """Store of evidence for a project; engine.open_session has one, the default none."""
    began: float | None = None
    """Start of the command by `time.monotonic()`, from which its time limit counts; None: improvements count their
    own."""
    traces: Traces = field(default_factory=dict)
    """Calls of functions that a run of the project's tests has shown already; others are looked for one by one."""

    def named(self, options: ImproveOptions) -> str | None:
        """The interpreter that --python names, absolute; None where it names none. Raises UsageError."""
        return find_interpreter(options.python, Path()).path if options.python else None

    def find_interpreter(self, options: ImproveOptions, target: Path) -> tuple[ImproveOptions, Interpreter | None]:
        """The Python for a target, and the options with it; None where an image has its own. Raises UsageError."""
        if options.image:
            return options, None
        found = self.interpreter or find_interpreter(options.python, target)
        return replace(options, python=found.path), found
