"""Every error that a user can meet, with the exit status it ends in.

CodeoptError
├── UsageError     2  a flag, a file or a setting is wrong
├── NoSandbox      3  nothing here can isolate the run, or the sandbox failed
├── ModelError     4  the language model cannot be reached or gave nothing usable
├── OutOfTime      6  the time limit was reached before anything was known
└── ProgramError   5  the program to improve cannot be judged
"""

from __future__ import annotations

from codeopt.core.diagnostic import Diagnostic


class CodeoptError(Exception):
    """Base of all errors that are shown as one line, without a traceback."""

    exit_status = 70
    shortfalls: tuple[Diagnostic, ...] = ()
    """The parts that could not be run or made, where they are the cause; the message has them too."""


class UsageError(CodeoptError):
    """A request that makes no sense; the message says what to do."""

    exit_status = 2


class NoSandbox(CodeoptError):
    """No backend on this machine gives the isolation that was asked for."""

    exit_status = 3


class ModelError(CodeoptError):
    """The model's server could not be used: no key, refused, down, or out of retries.

    status: the server's HTTP status, where it gave one. wait_s: the pause that the server asks for, seconds.
    """

    exit_status = 4

    def __init__(self, message: str, *, status: int | None = None, wait_s: float | None = None) -> None:
        super().__init__(message)
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

    def __init__(self, message: str, *, busy: bool = False) -> None:
        super().__init__(message)
        self.busy = busy
