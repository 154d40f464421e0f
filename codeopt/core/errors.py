"""Every error that a user can meet, with the exit status it ends in.

CodeoptError
├── UsageError     2  a flag, a file or a setting is wrong
├── NoSandbox      3  nothing here can isolate the run, or the sandbox failed
├── ModelError     4  the language model cannot be reached or gave nothing usable
├── OutOfTime      6  the time limit was reached before anything was known
└── ProgramError   5  the program to improve cannot be judged
"""

from __future__ import annotations

from typing import Literal

from codeopt.core.diagnostic import Diagnostic


def report_lines(kind: Literal["error", "warning"], fact: str, hint: str = "") -> list[str]:
    """Return the lines on standard error that report a fact, and what to do about it."""
    return [f"{kind}: {fact}", *([f"  hint: {hint}"] if hint else [])]


class CodeoptError(Exception):
    """Base of all errors that are shown without a traceback.

    Args:
        message: One fact.
        hint: What the user can do about it.
    """

    exit_status = 70
    diagnostics: tuple[Diagnostic, ...] = ()
    """The parts that could not be run or made, if they are the cause. The message has them too."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")  # in the traceback of a program that uses the Python API

    @property
    def words(self) -> str:
        """The message and the hint, for one cell of a table or one line of a list."""
        return f"{self} ({self.hint})" if self.hint else str(self)


class UsageError(CodeoptError):
    """Error for an invalid request."""

    exit_status = 2


class NoSandbox(CodeoptError):
    """Error if no backend on this machine gives the requested isolation."""

    exit_status = 3


class ModelError(CodeoptError):
    """The model's server could not be used: no key, refused, down, or out of retries.

    status: the server's HTTP status, where it gave one. wait_s: the pause that the server asks for, seconds.
    """

    exit_status = 4

    def __init__(self, message: str, *, hint: str = "", status: int | None = None, wait_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.wait_s = wait_s


class OutOfTime(CodeoptError):
    """The time limit of the whole run was reached before there was anything to tell."""

    exit_status = 6


class ProgramError(CodeoptError):
    """The original program fails its own cases, is not deterministic, or has nothing to be judged by.

    busy: a run was ended for the time it took, so a busy machine may be the reason.
    """

    exit_status = 5

    def __init__(self, message: str, *, hint: str = "", busy: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.busy = busy


class NotVerifiable(ProgramError):
    """The behaviour of the target cannot be known by running it; the message says why.

    diagnostics: what could not be run or made; the message has them too.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.diagnostics = diagnostics
