"""Runs tests of unittest's, and Django's by `manage.py test`; their ids are written as pytest writes them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from .outcomes import TestOutcomes, last_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MANAGE = "manage.py"
SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
CONFIGURED = b"DJANGO_SETTINGS_MODULE"
"""Setting by which pytest's plug-in for Django finds the project."""


def django_home(tests: Iterable[str], folder: str) -> str:
    """Return the folder of Django's nearest manage.py above the tests.

    Empty if it does not exist, or if pytest has a configured plug-in for Django.
    """
    for name in SETTINGS:
        if CONFIGURED in read(Path(folder, name)):
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

    def __init__(self, outcomes: TestOutcomes, folder: str, home: str = "") -> None:
        """folder: that ids are relative to. home: of manage.py; empty: unittest's own runner runs them."""
        self.outcomes, self.folder, self.home = outcomes, folder or str(Path.cwd()), home
        self.started = 0.0

    def run(self, tests: Iterable[str]) -> None:
        """Run files, or tests by their ids; of Django's those below its folder."""
        import unittest

        self.watch(unittest.TestResult)
        words = []
        for test in tests:
            name, _, inside = test.partition("::")
            path = Path(self.folder, name)
            if self.home and not path.is_relative_to(self.home):
                home = os.path.relpath(self.home, self.folder)
                self.outcomes.failed[test] = f"it is not below {home}, whose {MANAGE} runs the tests"
            else:
                words.append(self.label(path, inside))
        try:
            if self.home:
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
            ("addSuccess", lambda test: self.outcomes.passed.append(self.id(test))),
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
            if self.outcomes.time_is_up:
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
        self.outcomes.failed[self.id(test)] = last_line(text)

    def skip(self, test: Any, reason: str) -> None:
        self.outcomes.skipped[self.id(test)] = reason[:300]


def _before(note: Any, plain: Any) -> Any:
    def noted(found: Any, test: Any, *rest: Any) -> Any:
        note(test, *rest)
        return plain(found, test, *rest)

    return noted
