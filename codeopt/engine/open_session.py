"""The session of a single command: its models are those that the options choose."""

from __future__ import annotations

from codeopt.core.console import Console
from codeopt.core.evidence_place import open_evidence
from codeopt.core.interpreter import Interpreter
from codeopt.core.isolation import open_isolated
from codeopt.core.session import SandboxOpener, Session
from codeopt.engine.open_model import open_chosen_model


def open_session(
    console: Console | None = None,
    *,
    open_sandbox: SandboxOpener = open_isolated,
    interpreter: Interpreter | None = None,
    began: float | None = None,
) -> Session:
    """A session that can open models, and keeps evidence.

    console: who is told; None: nobody. interpreter: the Python that runs everything, where it was found already. began:
    start of the command by `time.monotonic()`, if its limit counts from there.
    """
    return Session(
        console or Console(quiet=True),
        open_sandbox=open_sandbox,
        open_model=open_chosen_model,
        open_evidence=open_evidence,
        interpreter=interpreter,
        began=began,
    )
