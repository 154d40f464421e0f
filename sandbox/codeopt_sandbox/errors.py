"""Errors of the sandbox itself. They are never a verdict on a program.

`SandboxError` means that the sandbox failed: an engine, a guest or a disk. Its subclasses:
- `BackendUnavailable`: this backend cannot run on this machine
- `EngineSilent`: the Docker engine has stopped answering
- `BadInterpreter`: the Python for the programs cannot run them
- `GuestLost`: a guest died or stopped answering
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeopt_sandbox.outcome import Outcome


class OriginalUnsteady(ValueError):
    """The original, which is what others are compared with, fails a case, always or now and then.

    busy: a machine that was too busy for it may be the reason.
    """

    def __init__(self, message: str, outcome: Outcome, *, busy: bool = False) -> None:
        super().__init__(message)
        self.busy = busy or outcome.run.stop == "time"


class SandboxError(Exception):
    """The sandbox failed, with the evidence in the message. Says nothing about the program."""


class BackendUnavailable(SandboxError):
    """A backend cannot be used here. The message says why and what would make it work."""


class EngineSilent(SandboxError):
    """A Docker engine accepts requests and answers none."""

    def __init__(self) -> None:
        super().__init__("the Docker engine does not answer: start it again, or take --sandbox bubblewrap")


class BadInterpreter(SandboxError):
    """Error: an interpreter cannot run programs on any backend, so the remaining backends are skipped.

    `what` is the problem, as the rest of a sentence that begins with the interpreter's path.
    """

    def __init__(self, python: str, what: str) -> None:
        super().__init__(f"{python} {what}")
        self.what = what


class GuestLost(SandboxError):
    """A guest vanished or did not answer in time. The container is gone when this is raised."""
