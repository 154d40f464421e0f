"""Every error that a user can meet, with the exit status it ends in.

CodeoptError
├── UsageError     2  a flag, a file or a setting is wrong
├── NoSandbox      3  nothing here can isolate the run, or the sandbox failed
├── ModelError     4  the language model cannot be reached or gave nothing usable
├── OutOfTime      6  the time limit was reached before anything was known
└── ProgramError   5  the program to improve cannot be judged
"""

from __future__ import annotations

import difflib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from codeopt.core.sanitize import inline

_NO_SPACE = "free some space, or name a folder on another disk: --run-dir DIR for runs, TMPDIR for temporary files"
HINTS = {
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EMFILE: "`ulimit -n 1024` lets this shell's programs open more files",
    errno.ENFILE: "too many files are open on this machine: end other programs",
}
"""What a user can do about an error of the operating system, by its number."""
BUDGET_SPENT = 6
"""Exit status if a limit left something to do, which is no error where something was found."""
INTERRUPTED = 130
"""Exit status of a command that a signal ended, as shells have it."""
_MOST_NAMED = 5
"""Maximum number of files that a hint names."""


def report_lines(kind: Literal["error", "warning"], fact: str, hint: str = "") -> list[str]:
    """Return the lines on standard error that report a fact, and what to do about it."""
    return [f"{kind}: {fact}", *([f"  hint: {hint}"] if hint else [])]


def hint_of(error: OSError) -> str:
    """Return what a user can do about an error of the operating system. Empty if that is not known."""
    missing = isinstance(error, FileNotFoundError) and error.filename
    return names_near(Path(os.fsdecode(error.filename))) if missing else HINTS.get(error.errno or 0, "")


def names_near(path: Path, pattern: str = "*") -> str:
    """Return a hint for a path where nothing is: the names there that resemble it, else some, or the missing folder."""
    folder = path.absolute().parent
    if not folder.is_dir():
        return f"there is no folder {path.parent}"
    try:
        names = sorted(each.name for each in folder.glob(pattern) if not each.name.startswith("."))
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, _MOST_NAMED) or names[:_MOST_NAMED]
    place = "this folder" if folder == Path.cwd() else str(path.parent)
    return f"in {place}: {', '.join(near)}" if near else f"{place} is empty"


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
        self._hint = hint
        if hint:
            self.add_note(f"hint: {hint}")  # in the traceback of a program that uses the Python API

    @property
    def hint(self) -> str:
        """What the user can do about it: the error's own advice, else that for the system's error that caused it."""
        return self._hint or (hint_of(self.__cause__) if isinstance(self.__cause__, OSError) else "")

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

    exit_status = BUDGET_SPENT


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


@dataclass(frozen=True)
class Diagnostic:
    """Diagnostic: one thing that the evidence of a result lacks."""

    message: str
    """`8 tests found, none ran`."""
    cause: str = ""
    """`ModuleNotFoundError: No module named 'numpy'`. May be others' text."""
    hint: str = ""
    """`--python PATH`. Empty without one."""

    @property
    def words(self) -> str:
        """`8 tests found, none ran: ModuleNotFoundError: No module named 'numpy' (--python PATH)`."""
        cause = f": {inline(self.cause)}" if self.cause else ""
        return inline(self.message) + cause + (f" ({self.hint})" if self.hint else "")
