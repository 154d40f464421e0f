"""The environment of an improvement: receiver of its messages, place of its runs, openers of sandboxes and models.

The command line, the Python API, a worker of a batch and a review differ only in these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeopt.core.cache import Cache
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Interpreter, find_interpreter
from codeopt.core.isolation import open_isolated
from codeopt.core.model import Model, Usage
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Traces
from codeopt.core.run_store import RunFolders, Runs
from codeopt_sandbox import Sandbox

Mounts = tuple[tuple[str, str], ...]


SandboxOpener = Callable[..., AbstractContextManager[Sandbox]]
"""Opens the sandbox that the options ask for; takes `notify`, `mounts` and `base` as isolation.open_isolated does."""
CacheOpener = Callable[[Path, Callable[[str], None]], Cache | None]
"""Opens the cache of a project; None where nothing is cached. See cache.open_cache."""


def no_model(options: ImproveOptions, notify: Callable[[str], None]) -> Model:
    """Raise UsageError: the session was made without an opener of models."""
    raise UsageError("this session opens no model: make it by codeopt.engine.open_session")


@dataclass(frozen=True)
class Session:
    """The environment of an improvement. The defaults are those of a single command."""

    console: Console = field(default_factory=lambda: Console(quiet=True))
    runs: Callable[[ImproveOptions], Runs] = lambda options: RunFolders(options.run_dir, options.resume)
    open_sandbox: SandboxOpener = open_isolated
    open_model: Callable[[ImproveOptions, Callable[[str], None]], Model] = no_model
    """Opener of models. The default raises UsageError. `engine.open_session` sets the real one."""
    alone: Callable[[], AbstractContextManager[object]] = nullcontext
    """Held while something is measured: nobody else measures on this core."""
    extras: bool = True
    """After the verdict, time smaller inputs and profile an accepted result: a few more runs."""
    asks_server: bool = True
    """Ask a model's server whether it would answer, before the original is run."""
    between_rounds: Callable[[], None] = lambda: None
    """Called after each round. An error that it raises ends the run."""
    on_usage: Callable[[Usage], None] = lambda usage: None
    """Called for each paid reply of a model, also if the run fails later."""
    on_verdict: Callable[[Mapping[str, Any]], None] = lambda found: None
    """Called with the JSON object of a result once that is known, before times by size and profile are."""
    command: tuple[str, ...] = ()
    """Words of the user's command after `codeopt`, for a next step. Empty: another program began the work."""
    interpreter: Interpreter | None = None
    """The Python that runs everything, if it is known already. None: each target's own is looked for."""
    open_cache: CacheOpener = lambda project, notify: None
    """Opener of the cache of a project; engine.open_session has one, the default none."""
    began: float | None = None
    """Start of the command by `time.monotonic()`, from which its time limit counts. None: improvements
    count their own.
    """
    limit_s: float | None = None
    """Seconds that are left to an improvement that is a part of a larger work. None: those that the options say."""
    traces: Traces = field(default_factory=dict)
    """Calls of functions that a run of the project's tests has shown already. Others are searched one by one."""

    def named(self, options: ImproveOptions) -> str | None:
        """Return the interpreter that --python names, absolute. None if it names none. Raises UsageError."""
        return find_interpreter(options.python, Path()).path if options.python else None

    def find_interpreter(self, options: ImproveOptions, target: Path) -> tuple[ImproveOptions, Interpreter | None]:
        """Return the Python for a target, and the options with it. None if an image has its own. Raises UsageError."""
        if options.image:
            return options, None
        found = self.interpreter or find_interpreter(options.python, target)
        return replace(options, python=found.path), found
