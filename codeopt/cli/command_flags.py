"""Flags that are no options of an improvement: about files of a result, what is printed, which change is meant."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.errors import ProgramError, UsageError, names_near
from codeopt.core.flag import Flag, FlagUse, SettableBy, count, names, share, uses
from codeopt.core.options import ImproveOptions, options_table

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.session import Session
    from codeopt.review.change import Change
    from codeopt.review.repository import Repository
    from codeopt.review.suggestion import Suggestion


_RESULT = "Result"
_CHANGE = "Change"
_PROJECT = SettableBy.PROJECT

_FLAGS = (
    Flag(
        "base", "commit where the change starts", metavar="REF", group=_CHANGE, setting=SettableBy.EACH_TIME,
        unset="that of the CI job, otherwise where HEAD left main",
        commands=uses("compare review"),
    ),
    Flag(
        "diff", "print the change as a diff, and nothing else", default=False,
        setting=SettableBy.EACH_TIME, commands=uses("show"),
    ),
    Flag(
        "list_rules", "list the built-in rules; with --select explain these", default=False,
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=uses("improve"),
    ),
    Flag(
        "list_tasks", "list the tasks", default=False,
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=uses("improve"),
    ),
    Flag(
        "exclude", "ignore these files and folders, such as migrations/,*_gen.py", names,
        default=(), metavar="PATTERNS", group=_CHANGE, setting=SettableBy.OF_A_CHANGE,
        commands=uses("compare review", check=FlagUse(group="Files")),
    ),
    Flag(
        "max_functions", "maximum number of functions", count, metavar="N", group="Limits",
        commands=uses(
            "", review=FlagUse(default=5), check=FlagUse(default=20),
            improve=FlagUse(default=10, help="maximum number of functions of a module or folder"),
        ),
        setting=_PROJECT,
    ),
    Flag(
        "min_share", "ignore functions below this share of the test time", share, default=0.05,
        unset="5%", metavar="SHARE", setting=SettableBy.OF_A_CHANGE, commands=uses("check"),
    ),
    Flag(
        "profile", "rank functions by this profile: speedscope, py-spy, austin, perf or cProfile", Path,
        metavar="FILE", setting=SettableBy.EACH_TIME, commands=uses("check"),
    ),
    Flag(
        "trust_store", "folder of the cache, such as one that CI keeps", Path, unset="the user's cache folder",
        metavar="PATH", group="Checks and timing", setting=SettableBy.EACH_TIME, commands=uses("review check"),
    ),
    Flag(
        "fail_if_slower", "fail if NEW takes this much more time, such as 5%", share,
        metavar="SHARE", group="Checks and timing", setting=SettableBy.OF_A_CHANGE,
        commands=uses("compare", review=FlagUse(help="fail if a changed function takes this much more time")),
    ),
    Flag(
        "fail_level", "fail if there are suggestions", default="none", choices=("none", "any"),
        group=_RESULT, setting=SettableBy.OF_A_CHANGE, commands=uses("review"),
    ),
    Flag(
        "write", "write the result to the files", default=False, unset="show it only",
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=uses("improve"),
    ),
    Flag(
        "output", "write the result to FILE (- for standard output)", Path, short="-o", metavar="FILE",
        group=_RESULT, setting=SettableBy.EACH_TIME,
        commands=uses(
            "improve", review=FlagUse(help="write the report to FILE"),
            refine=FlagUse(help="write the text to FILE"),
            **{"import": FlagUse(help="new or empty folder for the set", metavar="OUT", group="", required=True)},
        ),
    ),
    Flag(
        "export", "write the profile of --run as speedscope or collapsed",
        metavar=("FORMAT", "FILE"), setting=SettableBy.EACH_TIME, commands=uses("profile"),
    ),
    Flag(
        "before", "show an earlier profile next to that of --run, on the page of --html", Path,
        metavar="FILE", setting=SettableBy.EACH_TIME, commands=uses("profile"),
    ),
    Flag(
        "csv", "write a table of the problems to FILE (- for standard output)", Path, metavar="FILE",
        setting=SettableBy.WRITTEN, commands=uses("report"),
    ),
    Flag(
        "json", "print the result as one JSON object", default=False, group=_RESULT,
        setting=SettableBy.EACH_TIME,
        commands=uses(
            "improve compare profile check batch refine runs show report doctor",
            review=FlagUse(help="the same as --output-format json"),
        ),
    ),
    Flag(
        "html", "write a report page", Path, metavar="FILE", group=_RESULT,
        setting=SettableBy.WRITTEN, commands=uses("improve profile show report"),
    ),
    Flag(
        "quiet", "show errors only", default=False, short="-q", group=_RESULT,
        setting=SettableBy.OF_A_CHANGE, commands=uses("improve compare profile check review batch refine import"),
    ),
    Flag(
        "color", "colours", default="auto",
        choices=("auto", "always", "never"), group=_RESULT, setting=SettableBy.OF_A_CHANGE,
        commands=uses("improve compare check review batch report"),
    ),
    Flag(
        "verbose", "show each step, all caveats, Python and sandbox", default=False, short="-v", group=_RESULT,
        setting=SettableBy.OF_A_CHANGE,
        commands=uses("improve compare check", profile=FlagUse(
            help="show each step; with --run also count calls and time lines"),
            report=FlagUse(help="show all figures as tables")),
    ),
)  # fmt: skip


_OF_ONE_COMMAND: Mapping[str, SettableBy] = {
    **dict.fromkeys(("layout", "output-format"), SettableBy.PLUG_IN),
    **dict.fromkeys(
        ("branch", "check-on-save", "compare", "cores", "exit-zero", "github", "gitlab",
         "limit", "lines", "max-requests", "mcp", "mode", "pre-commit", "processes", "retry-failed", "stdio",
         "with-target", "parallel"), _PROJECT),
    **dict.fromkeys(("cluster", "force", "http", "root", "source"), SettableBy.USER),
}  # fmt: skip
"""Sources of flags that one command alone has, and that are in no table: as `Flag.setting`."""


@cache
def flags_of_all() -> tuple[Flag, ...]:
    """The table: options of an improvement, then the others."""
    return (*options_table().values(), *_FLAGS)


def flags_of(command: str) -> Iterator[Flag]:
    return (each.of(command) for each in flags_of_all() if command in each.commands)


@cache
def settings_by_key() -> dict[str, SettableBy]:
    """Sources that may give the value of a flag, by its long name without dashes."""
    return {**_OF_ONE_COMMAND, **{each.long.removeprefix("--"): each.setting for each in flags_of_all()}}


@cache
def settings_without_flag() -> frozenset[str]:
    """Keys that a file or a variable alone gives."""
    return frozenset(each.key for each in flags_of_all() if not each.has_flag)


# Parts shared by review, check and compare --base: the change, its settings, its Python, a second look at a patch.


def open_change(arguments: argparse.Namespace, folder: Path | None = None) -> tuple[Repository, Change]:
    """The change that the flags mean, of the repository around a folder. Raises UsageError."""
    from codeopt.review.change import change_since, find_base
    from codeopt.review.repository import open_repository

    repository = open_repository(folder or Path.cwd())
    return repository, change_since(repository, find_base(repository, arguments.base))


class Untrusted(UsageError):
    """The change would decide for itself how it is reviewed."""


def require_settings(repository: Repository, change: Change, check: str) -> None:
    """Raise Untrusted if the change would decide how it is checked, by its settings or its checker.

    check: `--check`, of the command line or the settings.
    """
    _require_own_settings(repository, change)
    file = Path(check.rpartition("::")[0] or ".").resolve()
    root = repository.root.resolve()
    if file.is_file() and file.is_relative_to(root) and file.relative_to(root).as_posix() in change.paths:
        raise Untrusted(
            f"the change touches the checker that --check names, {file.relative_to(root)}: nothing is run before that "
            "is merged",
            hint="name one outside of the change",
        )


def _require_own_settings(repository: Repository, change: Change) -> None:
    """Raise Untrusted if the change edits [tool.codeopt].

    It could name a server for the key, a larger budget, no sandbox, or a lenient judge.
    """
    import tomllib

    from codeopt.core.flag import read_settings

    table, path = read_settings(Path.cwd())
    try:
        name = path.resolve().relative_to(repository.root.resolve()).as_posix() if path else ""
    except ValueError:
        return
    if name not in change.paths:
        return
    before: dict[str, Any] = {}
    with suppress(UsageError, ValueError):
        before = tomllib.loads(repository.old_bytes(change.base, name).decode()).get("tool", {}).get("codeopt", {})
    of_names = {key for key, setting in settings_by_key().items() if setting is SettableBy.RULES}
    free = {key for key, setting in settings_by_key().items() if setting is SettableBy.OF_A_CHANGE}
    free |= {key for key in of_names if "." not in str(table.get(key))}  # a dotted path is a module
    different = [key for key in {*table, *before} - free if table.get(key) != before.get(key)]
    if different:
        raise Untrusted(
            f"the change sets {', '.join(sorted(different))} in [tool.codeopt] of {name}: nothing is run before that "
            "is merged",
            hint="give these settings as flags or CODEOPT_ variables",
        )


def find_python(
    options: ImproveOptions, console: Console, place: Path, changed: Collection[str] = (), asked: Sequence[str] = ()
) -> tuple[ImproveOptions, Session]:
    """Return the options with the Python of all runs, and a session with it. Shows the Python with -v.

    changed: paths of the change below its root. asked: the user's command, for a next step. Raises UsageError, and
    Untrusted if the change would bring the interpreter itself.
    """
    from codeopt.core.interpreter import VENVS, find_interpreter
    from codeopt.engine.open_session import open_session
    from codeopt.report.result import python_line

    if not options.python and (brought := [path for path in sorted(changed) if set(VENVS) & set(path.split("/"))]):
        raise Untrusted(f"the change brings files of a virtual environment ({brought[0]})", hint="name one by --python")
    found = None if options.image else find_interpreter(options.python, place)
    console.detail(python_line(found))
    session = replace(open_session(console), interpreter=found, command=tuple(asked))
    return (replace(options, python=found.path) if found else options), session


def with_cache(session: Session, folder: Path | None) -> Session:
    """Return the session with its cache in the folder that --trust-store names.

    Raises UsageError for a folder that the repository brings.
    """
    from codeopt.core.cache import open_cache
    from codeopt.core.ownership import require_own

    if folder is None:
        return session
    require_own(folder, f"the cache in {folder}")
    return replace(session, open_cache=partial(open_cache, folder=folder.resolve()))


def below(paths: list[Path]) -> list[Path]:
    """The paths that the user named, whole. Raises UsageError for one that is not there or cannot be read."""
    from codeopt.core.program import as_target

    for path in paths:
        if not path.exists():
            if as_target(path).path.exists():
                raise UsageError(f"{path} names a function", hint="name files and folders")
            raise UsageError(f"there is no {path}", hint=names_near(path))
        if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
            raise UsageError(f"cannot read {path}: Permission denied")
    return [path.resolve() for path in paths]


@dataclass(frozen=True)
class Rechecker:
    """Callable that says why a function of the change is wrong in another text of its file."""

    options: ImproveOptions
    session: Session
    root: Path

    def __call__(self, suggestion: Suggestion, text: str) -> str:
        """Empty when it is right. Raises CodeoptError, SandboxError."""
        from codeopt.core.program import Target, as_source, read_program
        from codeopt.core.revision import Revision
        from codeopt.engine.compare import why_wrong
        from codeopt.workloads import WorkloadRequest

        target = Target(self.root / suggestion.path, suggestion.function)
        calls, program = suggestion.verdict.evidence.calls_text, read_program(target.path)
        request = WorkloadRequest(target, program, self.options, self.session, calls_text=calls)
        return why_wrong(request, Revision.of(as_source(text)))


def go_on_with(files: Iterable[Path]) -> str:
    """The line that says how to look at what was left: the same command, with the files that hold it."""
    names = dict.fromkeys(os.path.relpath(file) for file in files)
    return f"Next: the same command with only {' '.join(shlex.quote(name) for name in names)}"


def report_blind(why: str, console: Console | None) -> int:
    """Say it, unless the answer does (no console). Return the exit status of a program that cannot be judged."""
    if os.environ.get("GITHUB_ACTIONS"):
        from codeopt.review.reporters._finding import command_data  # loads 30 modules, which --help does not need

        sys.stderr.write(f"::error title=codeopt::{command_data(why)}\n")
    elif console:
        console.warn(why)
    return ProgramError.exit_status
