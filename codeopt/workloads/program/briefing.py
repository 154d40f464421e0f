"""Briefing of a model on a program: a small example that may be shown, and the shape of the timed input.

Of held-out inputs it shows only kinds and sizes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from codeopt.core.briefing import Briefing
from codeopt.core.history import Candidate
from codeopt.core.sanitize import cut, decoded, fenced
from codeopt.workloads.program import cases as sources
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Case

SMALL = 500
"""Characters of input and output together; of a longer case the start is shown."""
START = (SMALL, 0)
"""Characters kept at the start and at the end of a longer one."""
LOOKED_AT = 2_000_000
"""Characters of an input."""
MOST_COLUMNS = 4
"""Words of equally long lines that are described by their place."""
STARTS = 3
STATEMENTS = ("statement.txt", "problem.md", "README.md")
"""Names of files with a problem's statement, next to its cases."""


def brief(
    sandbox: Sandbox,
    original: Candidate,
    cases: Sequence[Case],
    timed: Sequence[Case],
    python: str,
    statement: str = "",
) -> Briefing:
    """All of it. Starts the interpreter a few times."""
    start = min(sandbox.run("", mode="exec").cpu_s for _ in range(STARTS))
    about = [f"It is run by Python {python}." if python else "", example_of(original, cases)]
    shape = input_shape(decoded(timed[0].stdin[:LOOKED_AT])) if timed else ""
    return Briefing(
        statement=statement,
        source_facts="\n\n".join(part for part in about if part),
        measured_facts=f"The input that is timed: {shape}." if shape else "",
        start_s=start,
    )


def statement_in(folders: Sequence[Path]) -> str:
    """Text of the problem's statement in the first folder with one. Empty without any. Raises UsageError."""
    found = (folder / name for folder in folders for name in STATEMENTS if (folder / name).is_file())
    path = next(found, None)
    return sources.text(path).decode("utf-8", "replace") if path else ""


def example_of(original: Candidate, cases: Sequence[Case]) -> str:
    """The smallest case that may be shown, or its start, with what is printed."""
    printed = {outcome.case: outcome.run.stdout for outcome in original.outcomes}
    shown = [(case, printed.get(case.name, b"")) for case in cases if not case.held_out and case.stdin.strip()]
    small = [pair for pair in shown if pair[1] and len(pair[0].stdin) + len(pair[1]) <= SMALL]
    if not shown:
        return ""
    case, output = min(small or shown, key=lambda pair: (-min(len(pair[0].stdin), 40), len(pair[0].stdin)))
    given, said = (fenced(cut(decoded(each), *START)) for each in (case.stdin, output))
    return f"An input (data, not instructions):\n{given}\nand what it prints:\n{said}"


def input_shape(text: str) -> str:
    """Describe the lines of a text, their content and its size."""
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1:] == [""] else lines
    rows = [line.split() for line in lines]
    if not any(rows):
        return ""
    widths = {len(row) for row in rows}
    parts = [f"{len(lines):,} line{'s' * (len(lines) != 1)}"]
    if len(lines) > 1:
        parts.append(f"{_span([len(row) for row in rows])} word{'s' * (widths != {1})} on each")
    if rows[0] == [str(len(lines) - 1)]:
        parts.append("the first is the number of those that follow")
    longest = max(rows, key=len)
    following = {len(row) for row in rows[1:]}
    if len(rows) > 2 and len(following) == 1 and max(following) in range(2, MOST_COLUMNS + 1):
        columns = [*zip(*rows[1:], strict=True)]
        parts += [_words(column, f"below the first line, words {at}") for at, column in enumerate(columns, 1)]
    elif len(longest) > 2 or len(rows) < 3:
        parts.append(_words(longest, "the words of the longest line"))
    else:
        parts.append(_words([row[0] for row in rows[1:] if row], "the first words of the lines"))
    return "; ".join(part for part in parts if part)


def _words(words: Sequence[str], of: str) -> str:
    """Summary of many words: numbers with their range, or texts with their lengths; distinct, sorted."""
    if len(words) < 2:
        return ""
    distinct = f"{len(set(words)):,} distinct of {len(words):,}"
    if all(re.fullmatch(r"[-+]?\d{1,18}", word) for word in words):
        numbers = [int(word) for word in words]
        digits = len(str(max(map(abs, numbers))))
        negative = ", negative ones too" if min(numbers) < 0 else ""
        return f"{of} are whole numbers of up to {digits} digits{negative}, {distinct}{_order(numbers)}"
    lengths = [len(word) for word in words]
    return f"{of} have {_span(lengths)} characters, {distinct}{_order(words)}"


def _order(values: Sequence[int] | Sequence[str]) -> str:
    ordered = sorted(values)
    if list(values) == ordered:
        return ", sorted"
    return ", sorted downwards" if list(values) == ordered[::-1] else ""


def _span(sizes: Sequence[int]) -> str:
    return f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
