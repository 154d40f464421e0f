"""Runs of a command with a watcher in each of its interpreters, and what the watchers write down."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from codeopt.analysis.nodes import first_line, last_line
from codeopt.core.revision import Revision
from codeopt.report.stacks.model import Frame
from codeopt.workloads.function.recording.instrumented_run import Instrument, events
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.outcome import Case, Run, RunLimits

LONGER = 10
"""Maximum time of a run with a hook on calls, as a multiple of one without it."""
LEAST_S = 30.0
"""Time that such a run may take in any case, seconds."""
COMPOUND = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef,
    ast.ClassDef, ast.Match,
)  # fmt: skip
"""Statements that begin their line."""
LOOPS = (ast.For, ast.AsyncFor, ast.While)
CALL = re.compile(r"(\w+)\(")


@dataclass(frozen=True)
class EventLog:
    """Lines written down during a run."""

    run: Run
    lines: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[tuple[str, Any], ...]:
        """(kind, payload) of each well-formed line."""
        return tuple(events(self.lines))

    def of(self, kind: str) -> list[Any]:
        return [value for name, value in self.rows if name == kind]


def watched_run(
    runs: CommandRuns, draft: Revision, watcher: Instrument, limits: RunLimits | None = None, case: Case | None = None
) -> EventLog:
    """Run the command, or another one that is a case, with a watcher in each of its interpreters. A line that a process
    was ended in the middle of may be there; what a run writes is not trusted to be ours."""
    files, args = (case.files or (), case.args) if case else ((), ())
    hook = (f"{WATCH}/sitecustomize.py", watcher.hook("os.path.dirname(_folder), ").encode())
    run = runs.run(draft, files=(*files, hook), limits=limits, args=args)
    found: list[str] = []
    for file in run.written:
        if file.path.startswith(f"{WATCH}/") and file.path.endswith(".txt") and file.content:
            found += file.content.decode("utf-8", "replace").split("\n")
    return EventLog(run, tuple(found))


class Names:
    """Functions by file and first line; a comprehension, a lambda and a class's body count for what is around them."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.known: dict[str, list[tuple[int, int, str]]] = {}
        self.loops: dict[str, list[ast.For | ast.AsyncFor | ast.While]] = {}

    def spot(self, place: str) -> Frame | None:
        """The function at `/path:line`; None for what is not the project's."""
        path, _, text = place[1:].rpartition(":")
        if place[:1] != "/" or path not in self.files:
            return None
        if text == "0":
            return Frame("<module>", path)
        line = int(text)
        around = [(first, name) for first, last, name in self._spans_of(path) if first <= line <= last]
        first, name = max(around, default=(0, "<module>"))
        return Frame(name, path, first)

    def loop_lines(self, path: str, last: int) -> tuple[int, ...]:
        """Lines at which a statement begins in the innermost loop that may end at line `last` with a jump of its own.

        Python gives that jump no line if the loop's body ends with a block, such as `if`. If no such loop is, it is
        the line itself.
        """
        if path not in self.loops:
            self.loops[path] = _loops(self.files[path])
        around = [loop for loop in self.loops[path] if loop.lineno <= last <= last_line(loop.body[-1])]
        if not around:
            return (last,)
        inner = max(around, key=lambda loop: loop.lineno)
        inside = [node.lineno for part in inner.body for node in ast.walk(part) if isinstance(node, ast.stmt)]
        return tuple(sorted({inner.lineno, *inside}))

    def spot_in(self, place: str, files: Collection[str]) -> Frame | None:
        """The same in some of the files. Most files of a large project take no time, but each would be parsed."""
        return self.spot(place) if place[1:].rpartition(":")[0] in files else None

    def functions(self) -> Iterator[Frame]:
        """Yield the functions of the files that were asked for."""
        for path, rows in self.known.items():
            yield from (Frame(name, path, first) for first, _, name in rows)

    def called_in(self, spot: Frame) -> Iterator[str]:
        """Yield names before a parenthesis in the text of a function, or of a module outside of functions."""
        lines = self.files[spot.file].splitlines()
        spans = self._spans_of(spot.file)
        if not spot.line:
            inside = {at for first, last, _ in spans for at in range(first, last + 1)}
            yield from _called(line for at, line in enumerate(lines, 1) if at not in inside)
        for first, last, name in spans:
            if (first, name) == (spot.line, spot.name):
                yield from _called(lines[first - 1 : last])

    def _spans_of(self, path: str) -> list[tuple[int, int, str]]:
        if path not in self.known:
            self.known[path] = _spans(self.files[path])
        return self.known[path]


def _called(lines: Iterable[bytes]) -> list[str]:
    return CALL.findall(b"\n".join(lines).decode("utf-8", "replace"))


def _spans(content: bytes) -> list[tuple[int, int, str]]:
    """First and last line of each function."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return []
    return [(first_line(node), last_line(node), name) for name, node in definitions(tree)]


def _loops(content: bytes) -> list[ast.For | ast.AsyncFor | ast.While]:
    """Loops whose body ends with a block."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return []
    return [each for each in ast.walk(tree) if isinstance(each, LOOPS) and isinstance(each.body[-1], COMPOUND)]
