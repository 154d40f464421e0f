"""One run of some of a project's tests, of OLD's or of those that only NEW has.

Each result is written as soon as it is known, so an interrupted run counts up to that point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from codeopt.core.revision import UNCHANGED, Revision
from codeopt.core.sanitize import cut, inline
from codeopt.core.words import counted
from codeopt.workloads.project.command import WATCH, EntryKind, ProjectCommand
from codeopt.workloads.project.runs import CommandRuns, error_of
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Files, Run

_NAMELESS = re.compile(r"\w+ = <[\w.<>]+ object at 0x[0-9a-fA-F]+>")
"""A variable whose value says only that it is an object."""
RESULTS = "codeopt-tests.jsonl"
WITHOUT_OPTIONS = ("-o", "addopts=")
PYTEST_OPTIONS = (
    "-q", "-p", "no:cacheprovider", "--rootdir", ".", "--tb=short", "--continue-on-collection-errors",
)  # fmt: skip
"""A test module that cannot be imported (its own helpers are not installed) does not take the others with it."""
MOST_CHARS = 300
"""Maximum number of characters that are shown of it."""


class TestRunner(StrEnum):
    """Program that runs tests."""

    __test__ = False

    PYTEST = "pytest"
    UNITTEST = "unittest"
    MANAGE = "manage.py test"


Way = tuple[TestRunner, tuple[str, ...]]
"""A runner of tests and its options."""


@dataclass(frozen=True)
class FileResults:
    """The tests of one file on the original."""

    way: Way
    passed: tuple[str, ...] = ()
    """Tests that a draft has to pass."""
    lost: tuple[str, ...] = ()
    """Tests that fail on the original, and count for nothing."""
    seconds: float = 0.0
    cut: bool = False
    """Its last tests did not run, for lack of time."""


SCRIPT = f"{WATCH}/codeopt_tests.py"
RUN = """
{bundle}
raise SystemExit(_bundle.load("tests.outcomes").main({argv}, {runner!r}, {options}, {tests}, {result!r}))
"""


@dataclass(frozen=True)
class TestResults:
    __test__ = False

    run: Run
    states: Mapping[str, bool]
    """True for each test that passed, by name. Skipped tests are left out."""
    why: Mapping[str, str] = field(default_factory=dict)
    """Reasons of those that failed, by name; text of the project's."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Variables of those that failed, by name: what they were given."""

    @property
    def cut(self) -> bool:
        """Return True if the run was stopped, or ended itself, before its last test."""
        return self.run.stop is not None or self.run.exit is None

    @property
    def passed(self) -> tuple[str, ...]:
        """Names."""
        return tuple(name for name, good in self.states.items() if good)

    def reason(self, name: str) -> str:
        """Return the cause of a test's failure in one line.

        The line has pytest's lines with the mark `E` and the code above them, or the last line of a traceback.
        """
        lines = [line for line in self.why.get(name, "").splitlines() if line.strip()]
        first = next((at for at, line in enumerate(lines) if line.startswith("E ")), len(lines))
        marked = [line[2:].strip() for line in lines if line.startswith("E ")]
        at = [line.strip() for line in lines[max(0, first - 1) : first]] if marked else []
        # Maximum number of lines of a failed assertion that are shown
        found = " | ".join([*at, *marked[:3]]) or (lines[-1].strip() if lines else "")
        return inline(found[:MOST_CHARS])

    def detail(self, name: str) -> str:
        """Return the cause of a test's failure: assertion, end of the traceback, and the test's variables."""
        given = "\n".join(line for line in self.given.get(name, "").split("\n") if not _NAMELESS.fullmatch(line))
        # Number of characters that are shown of its traceback's start and end
        shown = cut(self.why.get(name, "").strip(), 200, 900)
        return "\n".join([shown, *(["where", cut(given, MOST_CHARS, 0)] if given else [])]).strip()

    @property
    def last_words(self) -> str:
        """Reason of its end, as it said it."""
        return self.run.stop_detail or error_of(self.run) or f"exit status {self.run.exit}"


def run_tests(
    runs: CommandRuns, draft: Revision, way: Way, paths: Sequence[str], seconds: float, *,
    first: bool = False, extra: Files = (),
) -> TestResults:  # fmt: skip
    """Run the tests of some files.

    Args:
        runs: Runs of the command.
        draft: Edits of the project.
        way: Their runner and its options.
        paths: The files.
        seconds: Time limit, wall time.
        first: The original has not run them.
        extra: Files that the runs get in addition to the project's.
    """
    asked = as_tests(runs, way, paths)
    asked = replace(asked, beside=(*asked.beside, *extra))
    limits = replace(runs.limits, seconds=seconds, memory_mib=runs.sandbox.most_memory_mib)
    run = asked.first_run(draft, limits) if first else asked.run(draft, limits=limits)
    states: dict[str, bool] = {}
    why: dict[str, str] = {}
    given: dict[str, str] = {}
    content = next((file.content for file in run.written if file.path == RESULTS), None) or b""
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        # truncated and foreign lines are skipped
        if isinstance(row, list) and len(row) == 4 and all(isinstance(each, str) for each in row):
            name, state, text, variables = row
            states[name] = states.get(name, True) and state == "passed"
            why |= {name: text} if text else {}
            given |= {name: variables} if variables else {}
    return TestResults(run, states, why, given)


def as_tests(runs: CommandRuns, way: Way, paths: Sequence[str]) -> CommandRuns:
    """Return runs of tests in a process with the command's arguments and variables. Code that asks for these sees the
    same."""
    runner, options = way
    text = RUN.format(
        bundle=loading("tests/__init__", "tests/outcomes"), argv=list(argv_of(runs.command)), runner=runner.value,
        options=[*PYTEST_OPTIONS, *options], tests=list(paths), result=RESULTS,
    )  # fmt: skip
    # The text of the guest's modules is too long for a word of a command.
    words = ("-c", f"exec(open({SCRIPT!r}, encoding='utf-8').read())")
    command = ProjectCommand(runner.value, words, runs.command.variables)
    return replace(
        runs, command=command, seen=lambda run: run, beside=((SCRIPT, text.encode()),), left_out_s=(0.0, 0.0),
        purpose="tests",
    )  # fmt: skip


def argv_of(command: ProjectCommand) -> tuple[str, ...]:
    """The `sys.argv` of a command's program."""
    entry = command.entry
    first = {EntryKind.CODE: "-c", EntryKind.NOTHING: "", EntryKind.MODULE: f"{entry.name.replace('.', '/')}.py"}
    return (first.get(entry.kind, entry.name), *command.arguments)


# Tests that only NEW has, run on both versions: a row of their own, in addition to OLD's tests.

MORE = 4
"""Time limit of these tests on NEW, as a multiple of their time on OLD."""
SECONDS = 120.0
"""Time limit of these tests on OLD, seconds. NEW has it also, and more if OLD takes long."""


@dataclass(frozen=True)
class NewTests:
    """Results of the tests that only NEW has."""

    run: int
    """Number of tests that ran on either side."""
    on_new: int
    """Number of those that pass on NEW."""
    on_old: int
    """Number of those that pass on OLD."""
    wrong: str = ""
    """First test that passes on OLD and fails on NEW. Empty if no test does."""
    unrun: str = ""
    """Reason why no test ran. Empty if one did."""

    @property
    def words(self) -> str:
        """`4 tests that only NEW has: 4 pass on NEW, 3 on OLD`."""
        if self.unrun:
            return f"tests that only NEW has are not run: {self.unrun}"
        passing = f"{self.on_new} pass{'es' * (self.on_new == 1)} on NEW"
        return f"{counted(self.run, 'test')} that only NEW has: {passing}, {self.on_old} on OLD"

    def to_json(self) -> dict[str, Any]:
        """Return the field `new_tests` of the evidence."""
        return {"run": self.run, "passed_on_new": self.on_new, "passed_on_old": self.on_old, "not_run": self.unrun}


def run_new_tests(runs: CommandRuns, way: Way) -> NewTests | None:
    """Run the test files that only NEW has on both versions, in the way of OLD's. None if NEW has no such files."""
    if runs.other is None or not runs.other.tests:
        return None
    files, revision = (*runs.other.tests, *runs.other.test_helpers), runs.other.revision
    paths = [path for path, _ in runs.other.tests]
    old = run_tests(runs, UNCHANGED, way, paths, SECONDS * runs.load, extra=files)
    limit = max(SECONDS, MORE * old.run.active_s) * runs.load
    new = run_tests(runs, revision, way, paths, limit, extra=files)
    lost = [name for name in old.passed if not new.states.get(name)]
    if lost:  # a test that passes by chance alone decides nothing
        again = run_tests(runs, revision, way, paths, limit, extra=files)
        lost = [name for name in lost if not again.states.get(name)]
    why = new.reason(lost[0]) or new.last_words if lost else ""
    wrong = f"test {lost[0]}, which only NEW has, passes on OLD and fails on NEW ({why})" if lost else ""
    run = len({*old.states, *new.states})
    return NewTests(run, len(new.passed), len(old.passed), wrong, "" if run else new.last_words)
