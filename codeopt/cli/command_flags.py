"""Flags that are no options of an improvement: about files of a result, what is printed, which change is meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from codeopt.core.converters import count, names, share
from codeopt.core.flag import Flag, FlagUse, SettableBy, uses
from codeopt.core.options import options_table

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
        "diff", "the change as a diff to the present files", Path, metavar="FILE", group=_CHANGE,
        setting=SettableBy.EACH_TIME,
        commands=uses("compare review", show=FlagUse(
            default=False, metavar=None, help="print the change as a diff, and nothing else", group="")),
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
        "dry_run", "show the plan without running anything", default=False,
        group=_RESULT, setting=SettableBy.EACH_TIME, commands=uses("improve"),
    ),
    Flag(
        "export", "write a project's benchmarks for pytest-benchmark or pyperf",
        metavar=("FORMAT", "DIR"), group=_RESULT, setting=SettableBy.EACH_TIME,
        commands=uses("improve", profile=FlagUse(
            help="write the profile of --run as speedscope or collapsed",
            metavar=("FORMAT", "FILE"), group="",
        )),
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
        ("ahead", "branch", "check-on-save", "compare", "cores", "exit-zero", "github", "gitlab",
         "limit", "lines", "max-requests", "mcp", "mode", "pre-commit", "processes", "retry-failed", "stdio",
         "with-target", "parallel"), _PROJECT),
    **dict.fromkeys(("allow-commands", "cluster", "force", "http", "root", "source"), SettableBy.USER),
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
