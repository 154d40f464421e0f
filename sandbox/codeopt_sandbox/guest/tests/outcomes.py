"""Outcomes of a run of tests, with reasons and times; a plug-in of pytest that finds them."""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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

    def begin(self) -> None:
        self.lost_before = self.lost()

    def took(self, seconds: float) -> None:
        """A part of a test, as a fixture is, took so long."""
        lost = self.lost()
        self.seconds += max(0.0, seconds - (lost - self.lost_before))
        self.lost_before = lost

    @property
    def time_is_up(self) -> bool:
        """Return True if no further test should begin."""
        self.cut = self.cut or time.monotonic() > self.until
        return self.cut

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
        kept = self.failed if report.failed else self.skipped if report.skipped else None
        if kept is not None:
            kept[report.nodeid] = _reason(report.longrepr)

    def pytest_runtest_logstart(self) -> None:
        self.begin()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if time.monotonic() > self.until:
            self.session.shouldstop = "that is enough"
        self.took(report.duration)  # of fixtures too
        self._note(report)
        if report.when == "call" and report.passed:
            self.passed.append(report.nodeid)
        if report.when == "teardown":
            self.ended(report.nodeid)
            self.cut = bool(self.session.shouldstop)


def _reason(found: Any) -> str:
    """Return in one line why a test failed or was skipped: its exception, with pytest's values of an assertion."""
    crash = getattr(found, "reprcrash", None)
    if crash is not None:
        return " ".join(crash.message.split())[:300] or "no reason is given"
    return last_line(found[-1] if isinstance(found, tuple) else str(found))


def last_line(text: str) -> str:
    """The last line, without pytest's mark."""
    last = (text.strip() or "no reason is given").splitlines()[-1]
    return (last[2:] if last.startswith("E ") else last).strip()[:300]
