"""Outcomes of a run of tests by pytest, unittest or Django, with reasons and times."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


UNUSABLE = 4
"""Status of pytest where it cannot begin."""
MOST_CHARS = 2_000
"""Length of what is kept of why a test fails, and of its variables, characters."""


class TestOutcomes:
    """Outcomes of one run, by ids as pytest writes them."""

    __test__ = False

    def __init__(
        self,
        qualname: str = "",
        seconds: float = 0.0,
        ended: Callable[[str], None] = lambda test: None,
        lost: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Create the outcomes.

        Args:
            qualname: A function. Tests with its name run first.
            seconds: Time after which no further test begins.
            ended: Receives the name of each test that has ended.
            lost: Returns the seconds that recorders took so far, which do not count for tests.
        """
        self.ended, self.lost, self.lost_before = ended, lost, 0.0
        self.name = qualname.rpartition(".")[2].replace("_", "").lower()
        self.until = time.monotonic() + seconds
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}
        self.skipped: dict[str, str] = {}
        self.seconds = 0.0
        self.cut = False
        """True if tests were left out for lack of time."""

    def passes(self, test: str) -> None:
        self.passed.append(test)

    def fails(self, test: str, why: str, text: Any = "") -> None:
        """Note a failure. text: all that is known of it."""
        self.failed[test] = why

    def begin(self) -> None:
        self.lost_before = self.lost()

    def took(self, seconds: float) -> None:
        """A part of a test, as a fixture is, took so long."""
        lost = self.lost()
        self.seconds += max(0.0, seconds - (lost - self.lost_before))
        self.lost_before = lost

    def fields(self) -> dict[str, Any]:
        """Answer for the host. ran: whether a test has, which a module that cannot be imported is not."""
        return {
            "ran": bool(self.passed) or any("::" in test for test in self.failed),
            "passed": [name for name in dict.fromkeys(self.passed) if name not in self.failed],
            "failed": self.failed,
            "skipped": self.skipped,
            "seconds": self.seconds,
            "cut": self.cut,
        }


class PytestPlugin(TestOutcomes):
    """Outcomes from pytest's own reports."""

    def pytest_sessionstart(self, session: Any) -> None:
        """Keep the session, to end it early."""
        self.session = session

    def pytest_sessionfinish(self, session: Any) -> None:
        """Skip the summary of Hypothesis' plug-in, which imports all of Hypothesis (1 s), if no test uses it."""
        plugins = session.config.pluginmanager
        if "hypothesis" not in sys.modules and plugins.hasplugin("hypothesispytest"):
            plugins.unregister(name="hypothesispytest")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Tests named like the function come first: a large suite may not be run to its end."""
        items.sort(key=lambda item: self.name not in item.nodeid.replace("_", "").lower())

    def pytest_collectreport(self, report: Any) -> None:
        """A file, or what is in it, was looked through: one that cannot be imported has no test to fail."""
        self._note(report)

    def _note(self, report: Any) -> None:
        if not (report.failed or report.skipped):
            return
        found = report.longrepr
        crash = getattr(found, "reprcrash", None)
        if crash is not None:  # the exception, with pytest's values of an assertion
            why = " ".join(crash.message.split())[:300] or "no reason is given"
        else:
            why = last_line(found[-1] if isinstance(found, tuple) else str(found))
        if report.failed:
            self.fails(report.nodeid, why, found)
        else:
            self.skipped[report.nodeid] = why

    def pytest_runtest_logstart(self) -> None:
        self.begin()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if time.monotonic() > self.until:
            self.session.shouldstop = "that is enough"
        self.took(report.duration)  # of fixtures too
        self._note(report)
        if report.when == "call" and report.passed:
            self.passes(report.nodeid)
        if report.when == "teardown":
            self.ended(report.nodeid)
            self.cut = bool(self.session.shouldstop)

    def run(self, options: Sequence[str], tests: Sequence[str]) -> int:
        """Run pytest once and return its status, or the status for each folder.

        A conftest.py that cannot be loaded ends pytest before it sees the other folders.
        """
        import pytest

        def ask(some: Sequence[str]) -> int:
            return int(pytest.main([*options, *some], plugins=[self]))

        folders: dict[str, list[str]] = {}
        for test in tests:
            folders.setdefault(str(Path(test.partition("::")[0]).parent), []).append(test)
        status = ask(tests)
        if status != UNUSABLE or len(folders) == 1:
            return status
        states = {folder: ask(some) for folder, some in folders.items()}
        lost = [folder for folder, state in states.items() if state == UNUSABLE]
        for test in (each for folder in lost for each in folders[folder]):
            self.fails(os.path.relpath(test.partition("::")[0]), "its conftest.py cannot be loaded")
        return UNUSABLE if len(lost) == len(states) else max(set(states.values()) - {UNUSABLE})


class ToldOutcomes(PytestPlugin):
    """Outcomes in a file, each as soon as it is known: a run that is ended counts up to that point."""

    def __init__(self, path: str) -> None:
        super().__init__(seconds=float("inf"))
        self.file = os.open(Path(path).resolve(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.given: dict[str, str] = {}
        """Variables of tests that failed."""

    def passes(self, test: str) -> None:
        self.tell(test, "passed")

    def fails(self, test: str, why: str, text: Any = "") -> None:
        self.tell(test, "failed", str(text or why)[-MOST_CHARS:], self.given.get(test, "")[:MOST_CHARS])

    def tell(self, *row: str) -> None:
        """Write name, state, reason and variables of a test."""
        os.write(self.file, (json.dumps([*row, "", ""][:4]) + "\n").encode("utf-8", "replace"))

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep what a failing test was given, of the first tests alone: the text of a large object may take long."""
        if call.excinfo is not None and len(self.given) < 40:
            try:
                self.given[item.nodeid] = variables(item, call.excinfo.traceback)
            except Exception:
                return


def variables(item: Any, traceback: Any) -> str:
    """Return some variables of a test where it failed, a line each."""
    import reprlib

    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 100
    frames = [each.frame for each in traceback if str(each.path) == str(item.fspath)]
    found = frames[-1].f_locals.items() if frames else ()
    no_data = (type(os), type(variables), type)
    rows = [(name, value) for name, value in found if name.isidentifier() and name != "self"]
    shown = [f"{name} = {short.repr(value)}" for name, value in rows if not isinstance(value, no_data)]
    return "\n".join(shown[:12])


def main(argv: Sequence[str], runner: str, options: Sequence[str], tests: Sequence[str], result: str) -> int:
    """Run tests of a project and return pytest's status. argv: of the project's command, for code that asks for it."""
    sys.argv[:] = argv
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable, *argv]
    found = ToldOutcomes(result)
    if runner == "pytest":
        return found.run(options, tests)
    UnittestRun(found, "", str(Path.cwd()), django=runner != "unittest").run(tests)
    return 0


def last_line(text: str) -> str:
    """The last line, without pytest's mark."""
    last = (text.strip() or "no reason is given").splitlines()[-1]
    return (last[2:] if last.startswith("E ") else last).strip()[:300]


# Runs tests of unittest's, and Django's by `manage.py test`; their ids are written as pytest writes them.

MANAGE = "manage.py"
SETTINGS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files from which pytest reads its settings; shared with the host."""


def django_home(tests: Iterable[str], folder: str) -> str:
    """Return the folder of Django's nearest manage.py above the tests.

    Empty if it does not exist, or if pytest has a configured plug-in for Django.
    """
    for name in SETTINGS:
        # setting by which pytest's plug-in for Django finds the project
        if b"DJANGO_SETTINGS_MODULE" in read(Path(folder, name)):
            return ""
    for test in tests:
        for above in Path(folder, test.partition("::")[0]).parents:
            if b"django" in read(above / MANAGE):
                return str(above)
            if str(above) == folder:
                break
    return ""


def read(path: Path) -> bytes:
    """Return the content of a file, empty if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


class UnittestRun:
    """One run. Any result class of the runner reports its outcomes."""

    def __init__(self, outcomes: TestOutcomes, folder: str, home: str = "", *, django: bool = True) -> None:
        """folder: that ids are relative to. home: that names of modules count from. Empty: the folder above their
        packages. django: home has a manage.py, which runs them."""
        self.outcomes, self.folder, self.home = outcomes, folder or str(Path.cwd()), home
        self.django = bool(home) and django
        self.started = 0.0

    def run(self, tests: Iterable[str]) -> None:
        """Run files, or tests by their ids; of Django's those below its folder."""
        import unittest

        self.watch(unittest.TestResult)
        words = []
        for test in tests:
            name, _, inside = test.partition("::")
            path = Path(self.folder, name)
            if self.django and not path.is_relative_to(self.home):
                home = os.path.relpath(self.home, self.folder)
                self.outcomes.fails(test, f"it is not below {home}, whose {MANAGE} runs the tests")
            else:
                words.append(self.label(path, inside))
        try:
            if self.django:
                self.manage(words)
            else:
                unittest.main(module=None, argv=["unittest", *words], exit=False)
        except SystemExit:
            return

    def manage(self, words: list[str]) -> None:
        """Run tests by Django's command."""
        import runpy

        os.chdir(self.home)
        sys.path.insert(0, self.home)
        sys.argv[:] = [MANAGE, "test", "--noinput", *words]
        runpy.run_path(MANAGE, run_name="__main__")

    def label(self, path: Path, inside: str) -> str:
        """Dotted name of a file, or of a test in it."""
        dotted = ".".join(path.relative_to(self.base(path)).with_suffix("").parts).removesuffix(".__init__")
        return ".".join([dotted, *inside.split("::")]) if inside else dotted

    def base(self, path: Path) -> Path:
        """Folder that the name of a file counts from: that of manage.py, else above its packages, put on sys.path."""
        if self.home:
            return Path(self.home)
        folder = path.parent
        while (folder / "__init__.py").exists():
            folder = folder.parent
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        return folder

    def id(self, test: Any) -> str:
        """Return the id of a test. A module that cannot be imported has its name as the id."""
        kind = type(test)
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        method = getattr(test, "_testMethodName", "")
        if kind.__module__.startswith("unittest.") or not file or not method:
            return str(test.id()).removeprefix("unittest.loader._FailedTest.")
        return "::".join([os.path.relpath(file, self.folder), *kind.__qualname__.split("."), method])

    def watch(self, result: Any) -> None:
        """Put what notes outcomes before the methods of unittest's result, of which all others are made."""
        for name, note in (
            ("startTest", self.begin),
            ("addSuccess", lambda test: self.outcomes.passes(self.id(test))),
            ("addFailure", self.fail),
            ("addError", self.fail),
            ("addSubTest", lambda test, part, error: self.fail(test, error) if error else None),
            ("addUnexpectedSuccess", lambda test: self.fail(test, None)),
            ("addSkip", self.skip),
        ):
            setattr(result, name, _before(note, getattr(result, name)))
        plain = result.stopTest

        def stop(found: Any, test: Any) -> None:
            plain(found, test)
            self.end(test)
            self.outcomes.cut = self.outcomes.cut or time.monotonic() > self.outcomes.until
            if self.outcomes.cut:
                found.stop()

        result.stopTest = stop

    def begin(self, test: Any) -> None:
        os.environ["PYTEST_CURRENT_TEST"] = f"{self.id(test)} (call)"  # as pytest does
        self.started = time.perf_counter()
        self.outcomes.begin()

    def end(self, test: Any) -> None:
        self.outcomes.took(time.perf_counter() - self.started)
        os.environ.pop("PYTEST_CURRENT_TEST", None)
        self.outcomes.ended(self.id(test))

    def fail(self, test: Any, error: Any) -> None:
        """Report a test that fails, or a module that cannot be imported."""
        import traceback

        text = "".join(traceback.format_exception(*error)) if error else "it was expected to fail, and passes"
        self.outcomes.fails(self.id(test), last_line(text), text)

    def skip(self, test: Any, reason: str) -> None:
        self.outcomes.skipped[self.id(test)] = reason[:300]


def _before(note: Any, plain: Any) -> Any:
    def noted(found: Any, test: Any, *rest: Any) -> Any:
        note(test, *rest)
        return plain(found, test, *rest)

    return noted
