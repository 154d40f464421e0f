"""One run of some of a project's tests, of OLD's or of those that only NEW has.

Each result is written as soon as it is known, so an interrupted run counts up to that point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from codeopt.core.revision import UNCHANGED, Revision
from codeopt.core.sanitize import cut, inline
from codeopt.core.words import counted
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.runs import CommandRuns, error_of
from codeopt_sandbox.outcome import Files, Run

_NAMELESS = re.compile(r"\w+ = <[\w.<>]+ object at 0x[0-9a-fA-F]+>")
"""A variable whose value says only that it is an object."""
RESULTS = "codeopt-tests.jsonl"
WITHOUT_OPTIONS = ("-o", "addopts=")
GO_ON = "--continue-on-collection-errors"
"""A test module that cannot be imported (its own helpers are not installed) does not take the others with it."""
MOST_CHARS = 300
"""Maximum number of characters that are shown of it."""

PYTEST = """\
import pytest, reprlib
_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 100
def _given(item, traceback):
    frames = [each.frame for each in traceback if str(each.path) == str(item.fspath)]
    rows = [(name, value) for name, value in frames[-1].f_locals.items() if name.isidentifier() and name != "self"
            and not isinstance(value, (type(os), type(_given), type))] if frames else []
    return "\\n".join("%s = %s" % (name, _short.repr(value)) for name, value in rows[:{locals}])
class _Told:
    def __init__(self):
        self.given = {}
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and len(self.given) < {given}:
            try:
                self.given[item.nodeid] = _given(item, call.excinfo.traceback)
            except Exception:
                pass
    def pytest_collectreport(self, report):
        if report.failed:
            _tell(report.nodeid, "failed", report.longrepr)
    def pytest_runtest_logreport(self, report):
        if report.failed:
            _tell(report.nodeid, "failed", report.longrepr, self.given.get(report.nodeid, ""))
        elif report.when == "call" and report.passed:
            _tell(report.nodeid, "passed")
_words, _found = {words!r}, {}
_status = pytest.main(_words, plugins=[_Told()])
for _each in _words:
    if os.path.exists(_each.partition("::")[0]):
        _found.setdefault(os.path.dirname(_each), []).append(_each)
if _status == 4 and len(_found) > 1:  # a conftest.py that cannot be loaded ends pytest before it looks at other folders
    _options = [_each for _each in _words if not any(_each in _paths for _paths in _found.values())]
    _status = 0
    for _paths in _found.values():
        _state = pytest.main([*_options, *_paths], plugins=[_Told()])
        _status = max(_status, 1 if _state == 4 else _state)
        for _each in _paths if _state == 4 else ():
            _tell(_each, "failed", "its conftest.py cannot be loaded")
raise SystemExit(_status)
"""
UNITTEST = """\
import traceback, unittest
def _wrap(method, state, at):
    plain = getattr(unittest.TestResult, method)
    def told(self, test, *rest):
        error = rest[at] if at is not None and len(rest) > at else None
        if method != "addSubTest" or error is not None:
            _tell(test.id(), state, "".join(traceback.format_exception(*error)) if error else "")
        return plain(self, test, *rest)
    setattr(unittest.TestResult, method, told)
for _each in (("addSuccess", "passed", None), ("addFailure", "failed", 0), ("addError", "failed", 0),
              ("addSubTest", "failed", 1), ("addUnexpectedSuccess", "failed", None)):
    _wrap(*_each)
"""
"""Whoever runs tests of unittest's tells a TestResult, or one that is made of it, as Django's is."""


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


HEAD = """\
import json, os, sys
sys.argv[:] = {argv!r}
if hasattr(sys, "orig_argv"):
    sys.orig_argv[:] = [sys.executable, *sys.argv]
_told = os.open(os.path.abspath({results!r}), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def _tell(name, state, why="", given=""):
    line = json.dumps([name, state, str(why)[-{most}:], given[:{most}]])
    os.write(_told, (line + "\\n").encode("utf-8", "replace"))
"""

BY_UNITTEST = UNITTEST + "unittest.main(module=None, argv=['unittest', *{words!r}])\n"
BY_MANAGE = (
    UNITTEST + "import runpy\nsys.argv[:] = ['manage.py', 'test', '--noinput', *{words!r}]\n"
    "sys.path.insert(0, os.getcwd())\nrunpy.run_path('manage.py', run_name='__main__')\n"
)
BODY = {TestRunner.PYTEST: PYTEST, TestRunner.UNITTEST: BY_UNITTEST, TestRunner.MANAGE: BY_MANAGE}


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
    runner, options = way
    asked = replace(as_tests(runs, runner, (*options, *paths)), beside=extra)
    limits = replace(runs.limits, seconds=seconds, memory_mib=runs.sandbox.most_memory_mib)
    run = asked.first_run(draft, limits) if first else asked.run(draft, limits=limits)
    states: dict[str, bool] = {}
    why: dict[str, str] = {}
    given: dict[str, str] = {}
    for name, state, text, variables in _rows(run):
        states[name] = states.get(name, True) and state == "passed"
        why |= {name: text} if text else {}
        given |= {name: variables} if variables else {}
    return TestResults(run, states, why, given)


def as_tests(runs: CommandRuns, runner: TestRunner, words: Sequence[str]) -> CommandRuns:
    """Return runs of tests in a process with the command's arguments and variables. Code that asks for these sees the
    same."""
    if runner is TestRunner.PYTEST:
        words = ("-q", "-p", "no:cacheprovider", "--rootdir", ".", "--tb=short", GO_ON, *words)
    elif runner is TestRunner.MANAGE:
        words = [word.removesuffix(".py").replace("/", ".") for word in words]
    # Length of what is kept of why a test fails, characters
    head = HEAD.format(argv=list(argv_of(runs.command)), results=RESULTS, most=2_000)
    text = head + BODY[runner]
    # At most so many of a failing test's variables are kept, and of so many tests: the text of a large object may take
    # long.
    fields = {"{locals}": str(12), "{given}": str(40), "{words!r}": repr(list(words))}
    for name, value in fields.items():
        text = text.replace(name, value)
    command = ProjectCommand(runner.value, ("-c", text), runs.command.variables)
    return replace(runs, command=command, seen=lambda run: run, beside=(), left_out_s=(0.0, 0.0), purpose="tests")


def argv_of(command: ProjectCommand) -> tuple[str, ...]:
    """The `sys.argv` of a command's program."""
    entry = command.entry
    first = {EntryKind.CODE: "-c", EntryKind.NOTHING: "", EntryKind.MODULE: f"{entry.name.replace('.', '/')}.py"}
    return (first.get(entry.kind, entry.name), *command.arguments)


def _rows(run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Yield (name, state, reason, variables) of each valid row. Truncated and foreign lines are skipped."""
    content = next((file.content for file in run.written if file.path == RESULTS), None) or b""
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, list) and len(row) == 4 and all(isinstance(each, str) for each in row):
            yield row[0], row[1], row[2], row[3]


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
