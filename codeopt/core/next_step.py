"""A next step that works when it is pasted: the command that the user typed, with what changes in it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence

from codeopt.core.sanitize import log_line

OF_ANY_RUN = ("--base", "--python", "--with", "--sandbox", "--image", "--timeout", "--memory", "--env", "--run-dir")
"""Flags with one value that mean the same for every command that has them."""
CARRIED = (*OF_ANY_RUN, "--tests", "--calls", "--contract", "--cases", "--stdin", "--check")
"""The same, with those about one program or function."""


def same_command(asked: Sequence[str], *more: str) -> str:
    """Return the command that was typed, with other or more flags. asked: its words after `codeopt`."""
    words, rest = parted(asked)
    flags = [word for word in more if word.startswith("-")]
    kept = [word for word, flag in _with_flags(words, flags) if not flag]
    return log_line(shlex.join(["codeopt", *kept, *more, *rest]))


def other_command(asked: Sequence[str], command: str, *more: str) -> str:
    """Return another command about the same: with these words, the flags of `CARRIED` and the program's arguments.

    With --run in these words there are no arguments, and only the flags of `OF_ANY_RUN`.
    """
    words, rest = parted(asked)
    by_command = "--run" in more
    kept = [word for word, flag in _with_flags(words, OF_ANY_RUN if by_command else CARRIED) if flag]
    return log_line(shlex.join(["codeopt", command, *more, *kept, *([] if by_command else rest)]))


def parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divide the words of a command: those of codeopt, and from `--` on those of the user's program."""
    at = words.index("--") if "--" in words else len(words)
    return [*words[:at]], [*words[at:]]


def _with_flags(words: Sequence[str], flags: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether it is one of these flags or its value."""
    before = ""
    for word in words:
        yield word, word.partition("=")[0] in flags or before in flags
        before = "" if before in flags else word
