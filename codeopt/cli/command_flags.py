"""Flags that are no options of an improvement: about files of a result, what is printed, which change is meant."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from codeopt.core.converters import count, names, share
from codeopt.core.flag import Flag, FlagKind, FlagUse, SettableBy, on
from codeopt.core.options import options_table

_RESULT = "result"
_CHANGE = "change"

_FLAGS = (
    Flag(
        "base", "commit where the change starts", metavar="REF", group=_CHANGE, setting=SettableBy.EACH_TIME,
        unset="GITHUB_BASE_REF, CI_MERGE_REQUEST_DIFF_BASE_SHA, else where HEAD left the main branch",
        commands=on("compare review"),
    ),
    Flag(
        "diff", "unified diff that leads to the files as they are", Path, metavar="FILE", group=_CHANGE,
        setting=SettableBy.EACH_TIME, commands=on("compare review"),
    ),
    Flag(
        "exclude", "files and folders to leave alone, separated by commas, such as migrations/,*_gen.py", names,
        default=(), metavar="PATTERNS", group=_CHANGE, setting=SettableBy.OF_A_CHANGE,
        commands=on("compare review", check=FlagUse(group="files")),
    ),
    Flag(
        "max_functions", "functions to try, at most", count, metavar="N", group="budget, whichever ends first",
        commands=on(
            "", review=FlagUse(default=5), check=FlagUse(default=20),
            improve=FlagUse(default=10, help="functions of a module or folder to try, at most"),
        ),
    ),
    Flag(
        "min_share", "least share of the tests' time that makes a function worth a look", share, default=0.05,
        unset="5%", metavar="SHARE", setting=SettableBy.OF_A_CHANGE, commands=on("check"),
    ),
    Flag(
        "profile", "profile of production that says which functions matter, in place of the tests' time: speedscope, "
        "py-spy, austin, perf's collapsed stacks, cProfile", Path, metavar="FILE", setting=SettableBy.EACH_TIME,
        commands=on("check"),
    ),
    Flag(
        "trust_store", "take verdicts in .codeopt that another user or machine left, such as an earlier run of CI",
        kind=FlagKind.SWITCH, group="judging", setting=SettableBy.EACH_TIME, commands=on("review check"),
    ),
    Flag(
        "fail_if_slower", "exit with status 1 when NEW is slower by more than a share, such as 5%", share,
        metavar="SHARE", group="judging", setting=SettableBy.OF_A_CHANGE,
        commands=on("compare", review=FlagUse(help="exit with status 1 when what the change alters is slower by more")),
    ),
    Flag(
        "fail_level", "suggestions that make the exit status 1", default="none", choices=("none", "any"),
        group=_RESULT, setting=SettableBy.OF_A_CHANGE, commands=on("review"),
    ),
    Flag(
        "write", "put the result in place (FILE.orig is kept unless git holds it)", kind=FlagKind.SWITCH,
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=on("improve"),
    ),
    Flag(
        "output", "file to write the result to (- for standard output)", Path, short="-o", metavar="FILE",
        group=_RESULT, setting=SettableBy.EACH_TIME,
        commands=on(
            "improve", review=FlagUse(help="file to write the report to"),
            refine=FlagUse(help="file to write the text to"),
            **{"import": FlagUse(help="new or empty folder to write to", metavar="OUT", group="", required=True)},
        ),
    ),
    Flag(
        "dry_run", "say what would be done and by whom, and run nothing", kind=FlagKind.SWITCH,
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=on("improve"),
    ),
    Flag(
        "export", "format and folder of a project's benchmarks, as pytest-benchmark or pyperf compares them",
        kind=FlagKind.PAIR, metavar=("FORMAT", "DIR"), group=_RESULT, setting=SettableBy.EACH_TIME,
        commands=on("improve", profile=FlagUse(
            help="with --run: the profile in a file, as speedscope (for speedscope.app) or collapsed stacks",
            metavar=("FORMAT", "FILE"), group="",
        )),
    ),
    Flag(
        "before", "with --run and --html: an earlier profile of the same command, to stand beside it on the page", Path,
        metavar="FILE", setting=SettableBy.EACH_TIME, commands=on("profile"),
    ),
    Flag(
        "csv", "file for a table with one row a problem (- for standard output)", Path, metavar="FILE",
        setting=SettableBy.WRITTEN, commands=on("report"),
    ),
    Flag(
        "json", "print one JSON object on standard output", kind=FlagKind.SWITCH, group=_RESULT,
        setting=SettableBy.EACH_TIME,
        commands=on(
            "improve compare profile check batch refine runs show report findings",
            review=FlagUse(help="the same as --output-format json"),
            **{name: FlagUse(help="print a JSON array on standard output") for name in ("rules", "tasks")},
        ),
    ),
    Flag(
        "html", "file for one self-contained page as well", Path, metavar="FILE", group=_RESULT,
        setting=SettableBy.WRITTEN, commands=on("improve profile show report findings"),
    ),
    Flag(
        "quiet", "say nothing on standard error but what went wrong", kind=FlagKind.SWITCH, short="-q", group=_RESULT,
        setting=SettableBy.OF_A_CHANGE, commands=on("improve compare profile check review batch refine import"),
    ),
    Flag(
        "color", "colours: auto is those of a terminal, unless NO_COLOR is set", default="auto",
        choices=("auto", "always", "never"), group=_RESULT, setting=SettableBy.OF_A_CHANGE,
        commands=on("improve compare check review batch report findings"),
    ),
    Flag(
        "verbose", "say each step, with the time so far", kind=FlagKind.SWITCH, short="-v", group=_RESULT,
        setting=SettableBy.OF_A_CHANGE, commands=on("improve compare check"),
    ),
)  # fmt: skip


_OF_ONE_COMMAND = dict.fromkeys(("layout", "output-format", "reporter"), SettableBy.PLUG_IN)
"""Sources of flags that one command alone has, and that are in no table, where a project's file may not give all."""


@cache
def flags_of_all() -> tuple[Flag, ...]:
    """The table: options of an improvement, then the others."""
    return (*options_table().values(), *_FLAGS)


def flags_of(command: str) -> Iterator[Flag]:
    """The flags of one command, as it has them."""
    return (each.of(command) for each in flags_of_all() if command in each.commands)


@cache
def settings_by_key() -> dict[str, SettableBy]:
    """Sources that may give the value of a flag, by its long name without dashes."""
    return {**_OF_ONE_COMMAND, **{each.long.removeprefix("--"): each.setting for each in flags_of_all()}}
