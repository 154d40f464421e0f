"""`codeopt improve` as a function. The command's flags are its keywords, with the same defaults."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from typing import NoReturn

from codeopt.commands import improve as command
from codeopt.console import CallbackConsole
from codeopt.errors import UsageError
from codeopt.functions.target import split_target
from codeopt.report import End, Result

_NOT_HERE = ("write", "output", "json", "quiet")
"""Flags about what the command prints and writes: a caller has the result in hand."""

Value = str | os.PathLike[str] | int | float | bool | Iterable[str] | None


def improve(
    target: str | os.PathLike[str],
    *,
    cases: str | os.PathLike[str] | None = None,
    model: str | None = None,
    task: str = "runtime",
    sandbox: str = "auto",
    max_rounds: int | None = None,
    notify: Callable[[str], None] = lambda line: None,
    **flags: Value,
) -> Result:
    """Improve the program `target`, a file or FILE::FUNCTION, which is left as it is; what was found is in the result.

    cases: a folder; by default the cases are looked for beside the program.
    model: "rules", a model's name, or replay:FILE; by default a model if one is set up in the environment, else rules.
    notify: receives each line that the command would print while it runs.
    flags: any other flag of the command, such as `stdin`, `base_url`, `max_seconds`, `check`, `run_dir`, `resume`.

    Neither pyproject.toml nor CODEOPT_* variables are read for flags. Raises codeopt.CodeoptError (its `exit_status`
    says of what kind), sandbox.SandboxError, and KeyboardInterrupt, after which the run can be resumed.
    """
    # from here on the command line's own parser says what is allowed, and converts it
    named = {"cases": cases, "model": model, "task": task, "sandbox": sandbox, "max_rounds": max_rounds, **flags}
    arguments = _parser(named).parse_args([*_words(named), "--", os.fspath(target)])
    from codeopt.commands._improvement import improve_target

    arguments.target, arguments.function = split_target(str(arguments.target))
    result = improve_target(arguments, CallbackConsole(notify))
    if result.end is End.INTERRUPTED:
        raise KeyboardInterrupt(f"interrupted; the run is saved in {result.saved}")
    return result


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _parser(named: dict[str, Value]) -> _Parser:
    parser = _Parser(allow_abbrev=False, add_help=False)
    command.add_arguments(parser)
    known = {action.dest for action in parser._actions} - {"target", *_NOT_HERE}
    unknown = sorted(set(named) - known)
    if unknown:
        raise TypeError(f"improve() has no keyword {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    return parser


def _words(named: dict[str, Value]) -> list[str]:
    """Keywords as the command line would have them; None and False leave a flag out."""
    words = []
    for name, value in named.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, str | os.PathLike):
            words.append(f"{flag}={os.fspath(value)}")
        elif isinstance(value, Iterable):
            words.append(f"{flag}={','.join(value)}")
        elif value is not None and value is not False:
            words.append(f"{flag}={value}")
    return words
