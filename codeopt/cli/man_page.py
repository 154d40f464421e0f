"""The man page, from the tables of commands and flags: `python -m codeopt.cli.man_page docs/codeopt.1` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from codeopt.cli.command_flags import flags_of_all
from codeopt.cli.command_list import EXAMPLES, SUMMARIES
from codeopt.core.flag import Flag, FlagKind
from codeopt.core.version import __version__

STATUSES = {
    0: "done",
    1: "a negative verdict",
    2: "wrong usage",
    3: "no sandbox",
    4: "no model",
    5: "the program cannot be judged",
    6: "a limit was reached before anything was accepted",
    70: "an internal error",
    130: "interrupted",
}


def man_page() -> str:
    """The page in roff, for man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f'.TH CODEOPT 1 "" "codeopt {__version__}" "User Commands"'
    yield from (".SH NAME", r"codeopt \- faster Python programs, measured and verified")
    yield from (".SH SYNOPSIS", r".B codeopt", r"\fICOMMAND\fR [\fIFLAGS\fR] [\fITARGET\fR]")
    yield ".SH COMMANDS"
    for name, summary in SUMMARIES.items():
        yield from (".TP", f".B {_plain(name)}", _plain(summary))
    yield ".SH FLAGS"
    yield "Each flag is followed by its commands. Most can also be set in pyproject.toml or by a variable."
    for flag in sorted(flags_of_all(), key=lambda each: each.long.lstrip("-")):
        if flag.commands and flag.has_flag:
            yield from (".TP", f".B {_signature(flag)}", _told(flag))
    yield ".SH EXIT STATUS"
    for status, words in STATUSES.items():
        yield from (".TP", f".B {status}", _plain(words))
    yield from (".SH EXAMPLES", ".nf", *map(_plain, EXAMPLES), ".fi")


def _signature(flag: Flag) -> str:
    names = ", ".join(filter(None, [flag.short, flag.long]))
    value = " ".join([flag.metavar] if isinstance(flag.metavar, str) else flag.metavar or ())
    shown = value or (",".join(flag.choices) if flag.choices else "VALUE")
    return _plain(names if flag.kind is FlagKind.SWITCH else f"{names} {shown}")


def _told(flag: Flag) -> str:
    default = f" [default: {flag.default_in_words}]" if flag.default_in_words else ""
    return _plain(f"{flag.help}{default}. {', '.join(sorted(flag.commands))}")


def _plain(text: str) -> str:
    """Text without what roff would act on."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(man_page(), "utf-8")
