"""Errors of one step of a run: they say nothing against what was measured before it, which is kept.

Apart from the other errors, as those are loaded by `--help`, which needs no sandbox.
"""

from __future__ import annotations

from codeopt.core.errors import CodeoptError, ModelError, NoSandbox, ProgramError
from codeopt_sandbox.errors import OriginalUnsteady, SandboxError

StepError = CodeoptError | SandboxError | OriginalUnsteady
STEP_ERRORS = (CodeoptError, SandboxError, OriginalUnsteady)
"""The errors of a step, for use with `except`."""


def exit_status_of(error: StepError) -> int:
    """The exit status of a command that ends with this error."""
    if isinstance(error, CodeoptError):
        return error.exit_status
    return NoSandbox.exit_status if isinstance(error, SandboxError) else ProgramError.exit_status


def error_in_words(error: StepError) -> str:
    """The error, with what failed where the message leaves that out."""
    what = "the model" if isinstance(error, ModelError) else "the sandbox" if isinstance(error, SandboxError) else ""
    words = error.words if isinstance(error, CodeoptError) else str(error)
    return f"{what} failed: {words}" if what else words
