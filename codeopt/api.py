"""`codeopt improve` as a function. The command's flags are its keywords, with the same defaults."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeopt.report.result import Result


def improve(
    target: str | os.PathLike[str],
    *,
    cases: str | os.PathLike[str] | None = None,
    model: str | None = None,
    task: str = "runtime",
    sandbox: str = "auto",
    max_rounds: int | None = None,
    notify: Callable[[str], None] = lambda line: None,
    **options: Any,
) -> Result:
    """Improve `target`, a file or FILE::FUNCTION. The file stays as it is, the result has the changes.

    Args:
        target: A file or FILE::FUNCTION.
        cases: A folder. By default the cases are looked for next to the program.
        model: "rules", a model's name, or replay:FILE. By default a model if one is set up in the environment, else
            rules.
        task: What better means: runtime, memory, readability, or a module of your own.
        sandbox: Isolation of runs.
        max_rounds: Critiques that are answered, at most.
        notify: Receives each line that the command would print while it runs.
        options: Any other field of codeopt.core.options.ImproveOptions, such as `stdin`, `base_url`, `max_seconds`,
            `resume`.

    Neither pyproject.toml nor CODEOPT_* variables are read for options. Raises codeopt.CodeoptError (its `exit_status`
    says of what kind), codeopt_sandbox.SandboxError, and KeyboardInterrupt, after which the run can be resumed.
    """
    from codeopt.core.console import CallbackConsole
    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import as_target
    from codeopt.engine.improve import improve as improve_target
    from codeopt.engine.open_session import open_session
    from codeopt.report.result import End

    named = {"cases": cases, "model": model, "task": task, "sandbox": sandbox, "max_rounds": max_rounds, **options}
    result = improve_target(as_target(target), ImproveOptions.of(named), open_session(CallbackConsole(notify)))
    if result.end is End.INTERRUPTED:
        raise KeyboardInterrupt(f"interrupted; the run is saved in {result.saved}")
    return result.require_ended()
