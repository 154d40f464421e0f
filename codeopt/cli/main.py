"""The command line: finds the command, applies the settings, turns errors into lines and an exit status.

Exit statuses: 0 done, 1 negative verdict, 2 usage, 3 no sandbox, 4 no model, 5 the program cannot be verified. 6 budget
spent before any candidate was accepted, 130 interrupted, 70 internal error.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import stat
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from codeopt.cli import flags, settings
from codeopt.cli.command import Command, command_of
from codeopt.cli.command_flags import flags_of_all
from codeopt.cli.parser import CommandParser, refuse_removed, top_parser
from codeopt.cli.settings import SettingsFile
from codeopt.core import plugins
from codeopt.core.errors import INTERRUPTED, CodeoptError, Diagnostic, UsageError, hint_of, report_lines
from codeopt.core.flag import SettableBy, read_settings, read_user_settings
from codeopt.core.sanitize import log_line
from codeopt.core.screen import colour_choice, wrapped
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.interpreter import FULL, drop_output, open_closed_streams
from codeopt_sandbox.plain_files import NotPlain

OUR_MISTAKE = 70
NO_SANDBOX = 3
LONGEST = 2000  # characters of a message
FEWEST_FILES = 256
"""Open files that a command needs: sandboxes take about 20 each, the engine's client and libraries the rest."""
DOTTED = re.compile(r"[^\W\d]\w*\.[^\W\d]\w*")
ERROR_SCHEMA = "codeopt.error/1"


def main(argv: list[str] | None = None, began: float | None = None) -> int:
    """Run one command; returns the exit status. began: its start by `time.monotonic()`; None: now."""
    began = time.monotonic() if began is None else began
    open_closed_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a CI system's way to say Ctrl-C
    warnings.simplefilter("ignore", SyntaxWarning)  # of programs that are read; it would show their lines
    asked = sys.argv[1:] if argv is None else argv
    as_json = "--json" in itertools.takewhile(lambda each: each != "--", asked)
    try:
        _require_usable_shell()
        command, arguments = _understood(asked)
        arguments.began, arguments.asked = began, asked
        with colour_choice(getattr(arguments, "color", None)):
            status = command(arguments)
            if not sys.stdout.closed:  # a server of editors closes it
                sys.stdout.flush()
    except CodeoptError as error:
        return _end(error.exit_status, str(error), as_json, hint=error.hint, diagnostics=error.diagnostics)
    except SandboxError as error:
        return _end(NO_SANDBOX, f"the sandbox failed: {error}", as_json)
    except KeyboardInterrupt as error:
        return _end(INTERRUPTED, "interrupted", as_json, hint="; ".join(getattr(error, "__notes__", ())))
    except BrokenPipeError:  # the reader of our output has gone: not our business, and no traceback for it
        drop_output()
        return 1
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if isinstance(error, OSError | RuntimeError) and (said := _of_the_machine(error)):
            # a full disk behind standard output is no matter of ours
            hint = hint_of(error) if isinstance(error, OSError) and error.errno not in FULL else ""
            return _end(UsageError.exit_status, said, as_json, hint=hint)
        handle, path = tempfile.mkstemp(prefix="codeopt-error-", suffix=".txt")
        with os.fdopen(handle, "w") as file:
            file.writelines(traceback.format_exception(error))
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return _end(
            OUR_MISTAKE, f"internal error: {what}", as_json, hint=f"please report it with the details in {path}"
        )
    return 0 if getattr(arguments, "exit_zero", False) and status in command.verdicts else status


def _require_usable_shell() -> None:
    """Raise UsageError if this shell's limits let no command end well: it would fail in the middle of its work."""
    mask = os.umask(0o022)
    os.umask(mask)
    if mask & stat.S_IRWXU:
        raise UsageError(f"the umask {mask:04o} makes new files unreadable for their owner", hint="umask 022")
    if not Path().stat().st_nlink:
        raise UsageError("the current folder was removed", hint="cd to another one")
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed >= FEWEST_FILES or allowed == resource.RLIM_INFINITY:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (FEWEST_FILES, max(FEWEST_FILES, most)))
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < FEWEST_FILES:
        hint = f"`ulimit -n {FEWEST_FILES}` in a new shell"
        raise UsageError(f"this shell allows {allowed} open files, and codeopt needs {FEWEST_FILES}", hint=hint)


def _understood(asked: list[str]) -> tuple[Command, argparse.Namespace]:
    """A command with its flags and settings, ready to run. Raises UsageError."""
    asked = asked or ["--help"]
    names = plugins.names("codeopt.commands")
    commands = _asked_alone(asked, names) or {name: plugins.load("codeopt.commands", name) for name in names}
    given, args = _split(asked, commands)
    parser = build_parser(commands)
    refuse_removed(parser, given)
    arguments, unknown = parser.parse_known_args(given)
    if unknown:
        arguments.parser.refuse_unknown(unknown)
    if args is not None:
        arguments.args = args
    command = command_of(commands[arguments.command])
    if not command.compares_settings:
        settings.require_own_word(arguments)
    if not command.others_files and _names_a_module(arguments):
        sys.path.append(str(Path.cwd()))  # last, so that --task my.own can be found and nothing is shadowed
    return command, arguments


def _asked_alone(asked: list[str], names: list[str]) -> dict[str, ModuleType]:
    """Return the requested command if it does not need the others: loading all takes longer than some commands do.

    Empty if a setting is not a flag of this command, as another command may have it.
    """
    if not asked or asked[0] not in names:
        return {}
    alone = {asked[0]: plugins.load("codeopt.commands", asked[0])}
    try:
        build_parser(alone)
    except UsageError:
        return {}
    return alone


def _names_a_module(arguments: argparse.Namespace) -> bool:
    """Return whether a plug-in of the user's own is requested.

    Otherwise the current folder must not hold modules that others import if they exist, such as simplejson.
    """
    given = vars(arguments)
    for flag in flags_of_all():
        name, colon, _ = str(given.get(flag.name) or "").partition(":")
        loaded = flag.setting is SettableBy.PLUG_IN or (flag.setting is SettableBy.MODEL and colon)
        if loaded and DOTTED.search(name):
            return True
    return False


def _of_the_machine(error: OSError | RuntimeError) -> str:
    """A line for an error that no code can help: the disk is full, a folder is closed. Empty for others."""
    if isinstance(error, RuntimeError):  # what pathlib raises for links that lead in a circle
        return str(error) if str(error).startswith("Symlink loop") else ""
    if isinstance(error, NotPlain):
        return f"cannot read {os.fsdecode(error.filename)}: {error.strerror}"
    if error.errno in FULL:
        drop_output()
        return f"cannot write: {error.strerror}"
    if isinstance(error, PermissionError) and error.filename:  # even to ask whether a file is there may be denied
        return f"cannot reach {os.fsdecode(error.filename)}: {error.strerror}"
    return ""


def _split(argv: list[str], commands: dict[str, ModuleType]) -> tuple[list[str], tuple[str, ...] | None]:
    """Our own arguments, and those of the user's program, which follow `--`. None if there is no `--`."""
    takes = argv and argv[0] in commands and command_of(commands[argv[0]]).takes_arguments
    if not takes or "--" not in argv:
        return argv, None
    at = argv.index("--")
    return argv[:at], tuple(argv[at + 1 :])


def _end(
    status: int, message: str, as_json: bool = False, *, hint: str = "", diagnostics: Sequence[Diagnostic] = ()
) -> int:
    """Print the error, and under --json an object in place of a result."""
    message, hint = log_line(message, LONGEST), log_line(hint, LONGEST)
    with contextlib.suppress(OSError):  # standard error may be full or closed
        width = shutil.get_terminal_size().columns if sys.stderr.isatty() else sys.maxsize
        rows = [row for line in report_lines("error", message, hint) for row in wrapped(line, width)]
        print("\n".join(rows), file=sys.stderr, flush=True)
    if as_json:
        with contextlib.suppress(OSError):
            rows_of = [asdict(diagnostic) for diagnostic in diagnostics]
            found = {"schema": ERROR_SCHEMA, "error": message, "hint": hint, "status": status, "diagnostics": rows_of}
            print(json.dumps(found), flush=True)
    return status


def build_parser(commands: dict[str, ModuleType]) -> CommandParser:
    """The parser of all commands, with settings and environment variables as defaults. Raises UsageError."""
    parser = top_parser()
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    parsers = []
    for name, module in commands.items():
        command = command_of(module)
        text = (module.__doc__ or "").partition("\n")[0]
        parsers.append(choices.add_parser(name, help=text, description=text, allow_abbrev=False))
        parsers[-1].first, parsers[-1].examples = command.first, command.examples
        parsers[-1].takes_arguments = command.takes_arguments
        parsers[-1].show_often(command.often)
        parsers[-1].set_defaults(parser=parsers[-1])
        module.add_arguments(parsers[-1])
        if command.verdicts:
            told = "end with status 0 also after a negative verdict"
            parsers[-1].add_argument("--exit-zero", action="store_true", help=told)
    project, users = SettingsFile(*read_settings(Path.cwd())), SettingsFile(*read_user_settings())
    parser.set_defaults(parser=parser)
    others = [flags.settings_parser(name) for name in commands]
    known = {settings.flag_of(action) for each in (*parsers, *others) for action in each._actions} - {""}
    settings.require_known(os.environ, known)
    for each, other, module in zip(parsers, others, commands.values(), strict=True):
        file = SettingsFile({}) if command_of(module).flags_only else project
        settings.apply(each, file, users, known)
        settings.apply(other, file, users, known)
        each.set_defaults(**vars(other.parse_args([])))
    return parser


if __name__ == "__main__":
    sys.exit(main())
