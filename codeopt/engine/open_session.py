"""The session of a single command: its models are those that the options choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeopt.core.cache import open_cache
from codeopt.core.console import Console
from codeopt.core.interpreter import Interpreter
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.run_store import Runs, open_runs
from codeopt.core.session import SandboxOpener, Session
from codeopt.engine.open_model import open_chosen_model


def open_session(
    console: Console | None = None,
    *,
    open_sandbox: SandboxOpener = open_isolated,
    interpreter: Interpreter | None = None,
    began: float | None = None,
    runs: Callable[[ImproveOptions], Runs] = open_runs,
    on_verdict: Callable[[Mapping[str, Any]], None] = lambda found: None,
    command: tuple[str, ...] = (),
) -> Session:
    """Return a session that can open models and that caches evidence.

    console: receiver of messages, None for no output. interpreter: the Python for all runs, if it is known already.
    began: start of the command by `time.monotonic()`, if
    its limit counts from there. runs: place of the runs. on_verdict, command: as in Session.
    """
    return Session(
        console or Console(quiet=True),
        open_sandbox=open_sandbox,
        open_model=open_chosen_model,
        open_cache=open_cache,
        interpreter=interpreter,
        began=began,
        runs=runs,
        on_verdict=on_verdict,
        command=command,
    )
