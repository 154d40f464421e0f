"""A command's profile for people: the tree of calls with shares, hot functions, libraries, imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codeopt.core.sanitize import inline, printable
from codeopt.workloads.project.profile import Node, ProjectProfile
from codeopt.workloads.project.waits_and_queries import N_PLUS_1, WaitLine

LEAST = 0.02
"""Smaller shares are not shown to people."""
DEEPEST = 12
"""Maximum depth of the tree of calls that is shown."""
MOST = 12
"""Maximum number of rows of a table."""
TARGETS = 5
"""Maximum number of targets that are shown."""


def tree_of(profile: ProjectProfile, files: Mapping[str, bytes]) -> str:
    """Some screens of text."""
    parts = ", ".join(f"{part.seconds:.2f} s {part.name}" for part in profile.clock if part.seconds >= 0.005)
    out = [f"{profile.seconds:.2f} s by the clock, {profile.cpu_s:.2f} s of processors: {parts}"]
    branches = list(_branches(profile.tree, 0))
    out += (
        ["", "shares of the processors' time, with all that is called:", *branches]
        if branches
        else ["", "it spends no time in the project's functions"]
    )
    functions = [f for f in profile.functions if f.own_share >= LEAST][:MOST]
    counted = any(f.calls is not None for f in functions)
    head = f"functions by their own time:     own   total{'       calls' * counted}"
    out += ["", head] * bool(functions)
    for f in functions:
        calls = f" {f.count:>11}" * counted
        library = f"  ({f.library_share:.0%} in libraries)" if f.library_share >= LEAST else ""
        out.append(f"{'':>28}{f.own_share:>7.1%} {f.total_share:>7.1%}{calls}  {_named(f.file, f.qualname)}{library}")
    targets = [f for f in profile.targets if f.expected_gain >= LEAST][:TARGETS]
    out += ["", "where most could be gained:"] * bool(targets)
    for f in targets:
        out.append(f"  {f.expected_gain:>6.1%}  {_named(f.file, f.qualname)}  ({f.why})")
    lines = [line for line in profile.lines if line.own_share >= LEAST][:MOST]
    out += ["", "hot lines:"] * bool(lines)
    for line in lines:
        text = _text(files, line.file, line.line)
        out.append(f"  {line.own_share:>6.1%}  {printable(line.file)}:{line.line}  {inline(text.strip(), 90)}")
    out += _asked(profile)
    out += _waited(profile)
    for title, rows in (("libraries, by who calls them:", profile.libraries), ("imports:", profile.imports)):
        shown = [row for row in rows if row.share >= LEAST][:MOST]
        out += ["", title] * bool(shown)
        for row in shown:
            where = f"{printable(row.file)}:{row.line}" if row.file else "no line of the project"
            out.append(f"  {row.share:>6.1%}  {printable(row.library)}  {where}")
    out += ["", f"start of the interpreter {profile.start_share:.1%}, waiting {profile.waiting_share:.1%} of the clock"]
    return "\n".join([*out, *(f"note: {note}" for note in profile.notes)])


def _asked(profile: ProjectProfile) -> list[str]:
    """Lines that ask a database one statement over and over."""
    rows = [f"  {printable(each.words)}" for each in profile.repeated_queries[:MOST]]
    return ["", f"queries, {N_PLUS_1}:", *rows] if rows else []


def _waited(profile: ProjectProfile) -> list[str]:
    """Lines at which the command waits; for its own threads and processes together."""
    rows = [row for row in profile.waits if row.share >= LEAST and not row.for_others][:MOST]
    out = [f"  {row.share:>6.1%}  {_waits_at(row)}" for row in rows]
    others = sum(row.share for row in profile.waits if row.for_others)
    out += [f"  {min(others, 1.0):>6.1%}  for its own threads and processes"] if others >= LEAST else []
    return ["", "waiting, shares of the clock:", *out] if out else []


def _waits_at(row: WaitLine) -> str:
    where = printable(f"{row.file}:{row.line} in {row.qualname}") if row.file else "no line of the project"
    return f"{where}{f' ({printable(row.library)})' if row.library else ''}"


def _branches(nodes: tuple[Node, ...], depth: int) -> Iterator[str]:
    for node in nodes:
        if node.share < LEAST or depth > DEEPEST:
            return
        yield f"  {node.share:>6.1%}  {'  ' * depth}{_named(node.spot.file, node.spot.qualname)}"
        yield from _branches(node.below, depth + 1)


def _named(file: str, qualname: str) -> str:
    return printable(f"{file}::{qualname}")


def _text(files: Mapping[str, bytes], file: str, line: int) -> str:
    lines = files.get(file, b"").decode("utf-8", "replace").split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""
