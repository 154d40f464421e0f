"""The command line: finds the command, applies the settings, turns errors into one line and an exit status.

0 done, 1 negative verdict, 2 usage, 3 no sandbox, 4 no model, 5 the program cannot be judged, 6 budget spent before
anything was accepted, 130 interrupted, 70 our own mistake.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from codeopt import __version__, registry
from codeopt.commands import _defaults
from codeopt.errors import CodeoptError, UsageError
from codeopt.escaping import log_line
from codeopt.settings import read_settings
from sandbox.errors import SandboxError
from sandbox.streams import FULL, drop_output, open_closed_streams

INTERRUPTED, OUR_MISTAKE, NO_SANDBOX = 130, 70, 3
LONGEST = 2000  # characters of a message


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the whole usage text before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    open_closed_streams()
    signal.signal(signal.SIGTERM, _interrupt)  # a CI system's way to say Ctrl-C
    warnings.simplefilter("ignore", SyntaxWarning)  # of programs that are read; it would show their lines
    try:
        commands = {name: registry.load("codeopt.commands", name) for name in registry.names("codeopt.commands")}
        given, args = _split(sys.argv[1:] if argv is None else argv, commands)
        arguments = build_parser(commands).parse_args(given)
        if args is not None:
            arguments.args = args
        command = commands[arguments.command]
        if not getattr(command, "OTHERS_FILES", False):
            sys.path.append(str(Path.cwd()))  # last, so that --task my.own can be found and nothing is shadowed
        status: int = command.run(arguments)
        sys.stdout.flush()
    except CodeoptError as error:
        return _end(error.exit_status, log_line(str(error), LONGEST))
    except SandboxError as error:
        return _end(NO_SANDBOX, f"the sandbox failed: {log_line(str(error), LONGEST)}")
    except KeyboardInterrupt:
        return _end(INTERRUPTED, "interrupted")
    except BrokenPipeError:  # the reader of our output has gone: not our business, and no traceback for it
        drop_output()
        return 1
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if isinstance(error, OSError) and error.errno in FULL:
            drop_output()
            return _end(UsageError.exit_status, f"cannot write: {error.strerror}")
        return _our_mistake(error)
    return status


def _split(argv: list[str], commands: dict[str, ModuleType]) -> tuple[list[str], tuple[str, ...] | None]:
    """Our own arguments, and those of the user's program, which follow `--`; None where there is no `--`."""
    takes = argv and getattr(commands.get(argv[0]), "TAKES_ARGUMENTS", False)
    if not takes or "--" not in argv:
        return argv, None
    at = argv.index("--")
    return argv[:at], tuple(argv[at + 1 :])


def _end(status: int, message: str) -> int:
    with contextlib.suppress(OSError):  # where standard error is full or gone nothing more can be said
        print(f"codeopt: {message}", file=sys.stderr, flush=True)
    return status


def build_parser(commands: dict[str, ModuleType]) -> argparse.ArgumentParser:
    """The parser of all commands, with settings and environment variables as defaults."""
    parser = _Parser("codeopt", description="Faster Python programs, measured and verified.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"codeopt {__version__}")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    parsers = []
    ordered = sorted(commands.items(), key=lambda item: item[1].ORDER)
    for name, module in ordered:
        text = (module.__doc__ or "").partition("\n")[0]
        parsers.append(choices.add_parser(name, help=text, description=text, allow_abbrev=False))
        module.add_arguments(parsers[-1])
    table, path = read_settings(Path.cwd())
    known = {_defaults.flag_of(action) for each in parsers for action in each._actions} - {""}
    for each, (_, module) in zip(parsers, ordered, strict=True):
        own = {} if getattr(module, "FLAGS_ONLY", False) else table
        _defaults.apply(each, own, path, known)
    return parser


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _our_mistake(error: BaseException) -> int:
    handle, path = tempfile.mkstemp(prefix="codeopt-error-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.writelines(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return _end(OUR_MISTAKE, f"this is a mistake of ours, please report it: {what} (details in {path})")


if __name__ == "__main__":
    sys.exit(main())
