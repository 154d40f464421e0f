"""Two tiers: the quick one walks through each command, backend and kind once, and what has no time left is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from codeopt.core import plugins
from tests.conftest import UNTIL

ROOT = Path(__file__).parents[1]
BACKENDS = {"docker", "bubblewrap", "process"}
WORKLOADS = "tests/codeopt/workloads"
WALKS: dict[str, set[str]] = {
    "tests/test_wheel.py::test_the_main_path_of_each_command": set(plugins.names("codeopt.commands"))
    - {"improve", "runs", "show", "apply", "undo"},
    "tests/test_wheel.py::test_a_saved_run_is_listed_shown_put_in_place_and_taken_back": set(),
    "tests/codeopt/serving/test_mcp.py::test_an_agent_has_its_edit_judged": set(),
    "tests/codeopt/serving/test_lsp.py::test_what_is_slow_is_shown_and_a_verified_change_applied": set(),
    "tests/sandbox/test_conformance.py::test_every_promise_holds_or_is_said_not_to": BACKENDS,
    f"{WORKLOADS}/test_kinds.py::test_a_third_kind_is_improved_by_name": set(),
    f"{WORKLOADS}/notebook/test_notebook.py::test_a_function_goes_back_into_its_cell": set(),
    f"{WORKLOADS}/test_same_verdict.py::test_the_same_is_said": {"project"},
}
"""Real walks, each with the rows that it must have; a program and a function are among those of the commands."""


def run_pytest(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_quick_tier_walks_through_each_command_backend_and_kind() -> None:
    done = run_pytest("--collect-only", *WALKS)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        name, _, row = line.partition("[")
        rows.setdefault(name, set()).add(row.rstrip("]"))
    assert [name for name, wanted in WALKS.items() if name not in rows or not wanted <= rows[name]] == []


def test_what_begins_too_late_is_named() -> None:
    done = run_pytest("-n", "2", "tests/test_readme.py", **{UNTIL: "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"not run, because no time is left ({UNTIL}): 5 tests: tests/test_readme.py (5)" in done.stdout.splitlines()


def test_with_time_left_all_is_run() -> None:
    done = run_pytest("tests/test_readme.py", **{UNTIL: "99999999999"})
    assert (done.returncode, "5 passed" in done.stdout) == (0, True), done.stdout + done.stderr
