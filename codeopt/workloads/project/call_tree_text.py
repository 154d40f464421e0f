"""A command's profile on a terminal: functions, lines, and with -v the call tree, libraries and imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import join
from textwrap import wrap

from codeopt.core.sanitize import inline, log_line, printable
from codeopt.core.words import clock, took
from codeopt.report.stacks.tree import CallNode, call_tree
from codeopt.workloads.project.profile import IMPORTS, N_PLUS_1, ProjectProfile, WaitLine

LEAST = 0.02
"""Smaller shares are not shown to people."""
DEEPEST = 12
"""Maximum depth of the tree of calls that is shown."""
MOST = 12
"""Maximum number of rows of a table."""
TARGETS = 5
"""Maximum number of targets that are shown."""
SMALL = 0.1
"""Share of the CPU time in the project's functions below which imports may be worth more."""
SAMPLED = "Lines are sampled: time in a loop is spread over its lines. -v times each line."
"""Note below the lines that were not timed one by one."""
BUSY = 0.2
"""Wait for a core, as a share of the wall time, from which on it is reported."""


def profile_text(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], *, verbose: bool, folder: str = "."
) -> str:
    """Format a profile for a terminal. `verbose` adds the call tree, targets, libraries and imports."""
    parts = [part for part in profile.parts if part.seconds >= 0.005]
    out = [
        f"{inline(command, 200)}: {took(profile.seconds)} {clock('wall')}, {took(profile.cpu_s)} {clock('cpu')}",
        *(f"  {row}" for row in wrap(", ".join(f"{part.name} {took(part.seconds)}" for part in parts), 76)),
    ]
    waited = _waited(profile)
    out += waited if profile.waits_most else []
    functions = [f for f in profile.functions if f.own_share >= LEAST][:MOST]
    counted = any(f.calls is not None for f in functions)
    out += ["", f"   self   total{'       calls' * counted}  function"] * bool(functions)
    for f in functions:
        calls = f" {f.count:>11}" * counted
        library = f"  ({f.library_share:.0%} in libraries)" if f.library_share >= LEAST else ""
        out.append(f"{f.own_share:>7.1%} {f.total_share:>7.1%}{calls}  {_named(f.file, f.qualname)}{library}")
    lines = [line for line in profile.lines if line.own_share >= LEAST][:MOST]
    out += ["", "   self   line"] * bool(lines)
    for line in lines:
        text = _text(files, line.file, line.line)
        out.append(f"{line.own_share:>7.1%}   {printable(line.file)}:{line.line}  {inline(text.strip(), 90)}")
    out += [SAMPLED] * bool(lines and not verbose)
    out += _asked(profile)
    out += [] if profile.waits_most else waited
    out += _details(profile) if verbose else []
    out.append("")
    out += [f"Note: {note}" for note in profile.notes]
    if profile.queued_s > BUSY * profile.seconds:
        out.append(f"Note: this machine is busy: the command waited {took(profile.queued_s)} for a core, not counted.")
    if (ours := _of_project(profile)) < SMALL:
        out.append(f"This project takes {ours:.0%} of the CPU time: a faster function cannot save more.")
    following = next_step(command, profile, folder)
    return "\n".join(log_line(line, 2000) for line in [*out, *[f"Next: {following}"] * bool(following)])


def next_step(command: str, profile: ProjectProfile, folder: str = ".") -> str:
    """Return a command to paste: the improvement, or the imports if they take most of the time.

    Empty if the project's own functions take so little that no improvement of them would show.
    """
    slowest = next((part.name for part in profile.parts), "")
    interpreter, _, rest = command.partition(" ")
    if _of_project(profile) >= SMALL:
        return join(["codeopt", "improve", *[folder] * (folder != "."), "--run", command])
    is_import = slowest == IMPORTS and interpreter in ("python", "python3")
    return f"{interpreter} -X importtime {rest}" if is_import else ""


def _of_project(profile: ProjectProfile) -> float:
    return sum(f.own_share for f in profile.functions)


def _details(profile: ProjectProfile) -> list[str]:
    """Format the tree of calls, targets, libraries, imports and the interpreter's start."""
    branches = list(_branches(call_tree(profile.stacks(""), LEAST), 0))
    out = ["", f"Call tree by total {clock('cpu')}", *branches] if branches else []
    targets = [f for f in profile.targets if f.expected_gain >= LEAST][:TARGETS]
    out += ["", "Functions by largest possible gain"] * bool(targets)
    out += [f"  {f.expected_gain:>6.1%}  {_named(f.file, f.qualname)}  ({f.why})" for f in targets]
    for title, rows in (("Libraries by calling line", profile.libraries), ("Imports", profile.imports)):
        large = [row for row in rows if row.share >= LEAST][:MOST]
        out += ["", title] * bool(large)
        for row in large:
            where = f"{printable(row.file)}:{row.line}" if row.file else "no line of the project"
            out.append(f"  {row.share:>6.1%}  {printable(row.library)}  {where}")
    started, waited = f"{profile.start_share:.1%} of {clock('cpu')}", f"{profile.waiting_share:.1%} of {clock('wall')}"
    return [*out, "", f"Start of the interpreter {started}, waiting {waited}"]


def _asked(profile: ProjectProfile) -> list[str]:
    """Format lines that send a database the same statement again and again."""
    rows = [f"  {printable(each.words)}" for each in profile.repeated_queries[:MOST]]
    return ["", f"Queries, {N_PLUS_1}:", *rows] if rows else []


def _waited(profile: ProjectProfile) -> list[str]:
    """Format lines at which the command waits, and the wait for its own threads and processes as one row."""
    rows = [row for row in profile.waits if row.share >= LEAST and not row.for_others][:MOST]
    out = [f"  {row.share:>6.1%}  {_waits_at(row)}" for row in rows]
    others = sum(row.share for row in profile.waits if row.for_others)
    out += [f"  {min(others, 1.0):>6.1%}  for its own threads and processes"] if others >= LEAST else []
    return ["", "Waiting, shares of wall time", *out] if out else []


def _waits_at(row: WaitLine) -> str:
    where = printable(f"{row.file}:{row.line} in {row.qualname}") if row.file else "no line of the project"
    return f"{where}{f' ({printable(row.library)})' if row.library else ''}"


def _branches(nodes: tuple[CallNode, ...], depth: int) -> Iterator[str]:
    """Format the functions of the project; libraries and the interpreter's start have no file."""
    for node in nodes if depth <= DEEPEST else ():
        if node.frame.file:
            yield f"  {node.share:>6.1%}  {'  ' * depth}{_named(node.frame.file, node.frame.name)}"
            yield from _branches(node.below, depth + 1)


def _named(file: str, qualname: str) -> str:
    return printable(f"{file}::{qualname}")


def _text(files: Mapping[str, bytes], file: str, line: int) -> str:
    lines = files.get(file, b"").decode("utf-8", "replace").split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""
