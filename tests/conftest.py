"""What every test may ask for: a real sandbox of each backend, and an environment without the caller's keys."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NoReturn

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

from codeopt_sandbox import BackendUnavailable, Options, RunLimits, Sandbox, open_sandbox

BACKENDS = (
    pytest.param("docker", marks=(pytest.mark.docker, pytest.mark.full)),
    "bubblewrap",
    pytest.param("process", marks=pytest.mark.full),
)
"""The quick tier has bubblewrap's rows, and of every backend tests/sandbox/test_conformance.py."""
ISOLATING = BACKENDS[:2]


def rest_in_full(rows: Iterable[object], quick: int = 1) -> list[ParameterSet]:
    """Rows of a table of which the quick tier has the first ones."""
    tiers = ((number >= quick, row if isinstance(row, tuple) else (row,)) for number, row in enumerate(rows))
    return [pytest.param(*row, marks=pytest.mark.full if full else ()) for full, row in tiers]


REQUIRE_DOCKER = "CODEOPT_REQUIRE_DOCKER"
UNTIL = "TESTS_UNTIL"
"""Seconds since the epoch after which no test begins: `.ci/full` has only so many minutes."""
NO_TIME = f"no time is left ({UNTIL})"


def pytest_configure() -> None:
    """How long an example takes gates no test: the machines are noisy."""
    settings.register_profile("codeopt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("codeopt")


def pytest_collection_finish() -> None:
    """What seven thousand tests are made of is not looked through again at each collection: property-based tests, which
    allocate much, then take a quarter of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is cached in the home of who runs the tests."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin no test after the time that is given."""
    if time.time() > float(os.environ.get(UNTIL) or "inf"):
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was left out for want of time, in one line."""
    skipped = terminalreporter.stats.get("skipped", [])
    left = Counter(report.nodeid.partition("::")[0] for report in skipped if NO_TIME in str(report.longrepr))
    if left:
        files = ", ".join(f"{file} ({count})" for file, count in left.items())
        terminalreporter.write_line(f"not run, because {NO_TIME}: {left.total()} tests: {files}")


@pytest.fixture(scope="session", autouse=True)
def _no_keys() -> Iterator[None]:
    """No test reaches a paid model, or a proxy on its way to a server of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("OPENAI_")]:
            patch.delenv(name)
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C works in tests that send it, also where they were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def open_or_skip(backend: str, limits: RunLimits | None = None, options: Options | None = None) -> Sandbox:
    """An open sandbox; the test is skipped where the backend cannot run, unless the user said that it must."""
    try:
        return open_sandbox(backend, limits=limits, options=options)
    except BackendUnavailable as error:
        _skip(backend, str(error))


def require_sandbox(backend: str = "bubblewrap") -> None:
    """The same for a test whose commands open it themselves; tried once, as it takes a tenth of a second."""
    if missing := _missing(backend):
        _skip(backend, missing)


@cache
def _missing(backend: str) -> str:
    try:
        open_sandbox(backend).close()
    except BackendUnavailable as error:
        return str(error)
    return ""


def _skip(backend: str, missing: str) -> NoReturn:
    reason = f"{backend}: {missing}"
    if backend == "docker" and os.environ.get(REQUIRE_DOCKER) == "1":
        pytest.fail(f"{REQUIRE_DOCKER}=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Each backend in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def sandbox(backend: str) -> Iterator[Sandbox]:
    """One sandbox of each backend, shared by all tests: nothing of one run may reach the next."""
    with open_or_skip(backend) as opened:
        yield opened


@pytest.fixture(scope="session", params=ISOLATING)
def isolated(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """One sandbox of each backend that isolates."""
    with open_or_skip(str(request.param)) as opened:
        yield opened


@pytest.fixture(scope="module")
def guest() -> Iterator[Sandbox]:
    """One of bubblewrap alone for the tests of a file: what they look at is the same on each backend."""
    with open_or_skip("bubblewrap") as opened:
        yield opened
