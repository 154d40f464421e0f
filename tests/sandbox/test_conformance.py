"""The conformance suite passes on every backend here, and fails a sandbox that keeps none of its promises."""
# looks at sandbox/codeopt_sandbox/conformance, sandbox/codeopt_sandbox/host, sandbox/codeopt_sandbox/bubblewrap

from __future__ import annotations

import os

import pytest

from codeopt_sandbox import Run, Sandbox, SandboxError
from codeopt_sandbox.conformance import LIMITS, CheckResult, checks, run_checks
from tests.conftest import open_or_skip

CANNOT = {
    "docker": set(),
    "bubblewrap": {"ignored children"},
    "process": {
        "network",
        "file cache",
        "files",
        "ignored children",
        "clock setting",
        "forged results",
        "out of sight",
        "identity",
        "out of memory",
        "system calls",
        "traces",
    },
}


@pytest.mark.parametrize("backend", [pytest.param("docker", marks=pytest.mark.docker), "bubblewrap", "process"])
def test_every_promise_holds_or_is_said_not_to(backend: str) -> None:
    results = list(run_checks(lambda limits: open_or_skip(backend, limits)))
    assert [str(result) for result in results if not (result.held or result.cannot)] == []
    as_user = {"identity"} if backend == "bubblewrap" and os.geteuid() != 0 else set()
    assert {result.check.name for result in results if result.cannot} == CANNOT[backend] | as_user
    assert [result.check for result in results] == list(checks())


def test_names_are_unique_and_promises_are_sentences() -> None:
    names = [check.name for check in checks()]
    assert len(set(names)) == len(names) >= 15
    assert all(check.promise.endswith(".") and check.promise[0].isupper() for check in checks())


class Liar(Sandbox):
    """Claims to be a backend that isolates, and reports every run as a good one that printed what it was given."""

    def __init__(self) -> None:
        self.backend = "docker"
        self.limits = LIMITS
        self._guest = None

    def close(self) -> None:
        pass

    def run(self, program: str | bytes, stdin: bytes = b"", **_: object) -> Run:  # type: ignore[override]
        return Run(exit=0, signal=None, wall_s=0, cpu_s=0, peak_bytes=0, stdout=stdin, stderr=b"")


class Broken(Liar):
    """Fails each time."""

    def run(self, program: str | bytes, stdin: bytes = b"", **_: object) -> Run:  # type: ignore[override]
        raise SandboxError("the disk is full")


PASS_FOR_A_LIAR = {"bytes", "repeatable"}


def outcomes(sandbox: Sandbox, leave_out: str = "killed owner") -> list[CheckResult]:
    """Results of all checks but the one that opens a sandbox of its own."""
    found = []
    for result in run_checks(lambda _limits: sandbox):
        found.append(result)
        if len(found) == len(checks()) - 1:
            break
    assert checks()[-1].name == leave_out
    return found


def test_a_sandbox_that_keeps_no_promise_fails() -> None:
    held = {result.check.name for result in outcomes(Liar()) if result.held}
    assert held == PASS_FOR_A_LIAR


def test_a_sandbox_that_fails_passes_nothing_that_needs_a_run() -> None:
    for result in outcomes(Broken()):
        assert not result.held
        assert "FAIL" in str(result)
