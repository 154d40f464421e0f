"""Runs the real command line in a process of its own, and programs that are worth running with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.warm_command import warm_command

LONGEST_S = 240.0
STATUSES = {("wrong", None): 1, ("inconclusive", "result"): 5}
"""Exit status of `codeopt compare` by its verdict and what that leaves open; 0 for any other."""
FIRST_LINE = {"faster": " faster   ", "slower": " slower   ", "wrong": "wrong result: "}
"""Part of the first line of `codeopt compare` by its verdict in JSON."""
USUAL = {"CODEOPT_MAX_EXAMPLES": "25", "CODEOPT_SANDBOX": "bubblewrap"}
"""Variables of every command, unless a test says otherwise: few examples, for tests of other things than the judge."""
NO_FEEDBACK = {"CODEOPT_FEEDBACK": "none"}
"""For a model whose script has candidates alone."""
ALL_EXAMPLES = {"CODEOPT_MAX_EXAMPLES": ""}
"""As many as a user has; for tests of what the judge finds."""
ANY_SANDBOX = {"CODEOPT_SANDBOX": ""}
"""The best that there is, which is Docker where it answers."""
AS_A_USER = {**ALL_EXAMPLES, **ANY_SANDBOX}
"""For what is walked as a user walks it."""
SLOW = """\
n = int(input())
seen = []
repeated = 0
for _ in range(n):
    word = input()
    if word in seen:
        repeated += 1
    else:
        seen.append(word)
print(repeated, len(seen))
"""
"""Quadratic: looks for each word in a list."""

SLOWER = SLOW.replace("if word in seen:", "if word in list(seen):")
"""Right, and no faster."""

FAST = """\
import sys


def main():
    n, *lines = sys.stdin.read().split("\\n")
    words = lines[: int(n)]
    distinct = len(set(words))
    print(len(words) - distinct, distinct)


main()
"""

WRONG = FAST.replace("len(words) - distinct", "distinct")
"""Fast, and wrong on every case where the two numbers differ."""

QUICK = ("--sandbox", "bubblewrap", "--no-profile", "--mutated-inputs", "off")
"""What makes a run short, for tests of other things."""


QUICK_SETTINGS = {"CODEOPT_SANDBOX": "bubblewrap", "CODEOPT_NO_PROFILE": "1", "CODEOPT_MUTATED_INPUTS": "off"}
"""The same as variables, for code that is run as it is written."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on standard output."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Standard error by line."""
        return self.err.splitlines()

    @property
    def facts(self) -> list[str]:
        """Lines of standard error but the hints."""
        return [line for line in self.lines if not line.startswith("  hint: ")]


def environment(**extra: str) -> dict[str, str]:
    """This process' environment without what would change a run, and with USUAL; an empty variable is not set.

    Hypothesis keeps the constants of codeopt's own modules for all commands, as an editable installation counts as the
    user's code.
    """
    taken = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "CODEOPT_"))}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CI"):
        taken.pop(name, None)
    cache = taken.get("XDG_CACHE_HOME")
    constants = {"HYPOTHESIS_STORAGE_DIRECTORY": str(Path(cache, "hypothesis"))} if cache else {}
    found = {**taken, "NO_PROXY": "127.0.0.1", **constants, **USUAL, **extra}
    return {name: value for name, value in found.items() if value or not name.startswith("CODEOPT_")}


def command(*arguments: str | Path) -> list[str]:
    """The command as a list for subprocess."""
    return [sys.executable, "-m", "codeopt", *map(str, arguments)]


def codeopt(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    before: Sequence[str | Path] = (),
    fresh: bool = False,
) -> Done:
    """Run `codeopt ARGUMENTS` in `cwd` to its end; `before` is a program that starts it.

    fresh: in an interpreter that starts for it; for tests of what is imported, and from where.
    """
    chosen, given = environment(**(env or {})), [*map(str, arguments)]
    if not fresh and not before and warm_command().fits(chosen):
        return Done(*warm_command().run(given, cwd, chosen, LONGEST_S))
    done = subprocess.run(
        [*map(str, before), *command(*given)],
        cwd=cwd,
        env=chosen,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def write_problem(folder: Path, source: str = SLOW, *, words: int = 3000) -> Path:
    """A program with three cases, of which the last is by far the longest; returns the program's path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "slow.py"
    path.write_text(source)
    for number, names in enumerate((["red", "blue", "red"], ["tiny"] * 4 + ["crumb"], long_case(words))):
        (folder / f"input.{number}.txt").write_text("\n".join([str(len(names)), *names]) + "\n")
        distinct = len(set(names))
        (folder / f"output.{number}.txt").write_text(f"{len(names) - distinct} {distinct}\n")
    return path


def long_case(words: int) -> list[str]:
    """Words that no other case has, each fifth one a repetition."""
    return [f"secretword{number if number % 5 else number // 2}" for number in range(words)]


def reply(source: str, summary: str = "a draft") -> str:
    """What a model answers when it is asked for a program."""
    return f"SUMMARY: {summary}\n\n```python\n{source}```\n"
