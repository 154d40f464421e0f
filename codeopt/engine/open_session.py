"""The session of a single command: its models are those that the options choose."""

from __future__ import annotations

from functools import partial

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
    project_prices: bool = True,
    began: float | None = None,
) -> Session:
    """A session that can open models, and keeps evidence.

    console: who is told; None: nobody. interpreter: the Python that runs everything, where it was found already.
    project_prices: models cost what the nearest pyproject.toml says. began: start of the command by
    `time.monotonic()`, if its limit counts from there.
    """
    return Session(
        console or Console(quiet=True),
        open_sandbox=open_sandbox,
        open_model=partial(open_chosen_model, project_prices=project_prices),
        open_evidence=open_evidence,
        interpreter=interpreter,
        began=began,
    )
