"""`codeopt review` from end to end, on a real repository: exactly the right suggestions, and each of them holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.command import QUICK, codeopt, environment
from tests.codeopt.review.pull_request import BASE, BRANCH, SLOW, propose
from tests.conftest import require_sandbox
from tests.support.files import git

pytestmark = pytest.mark.full
THREE = ("--select", "deque_popleft,isqrt_trial_division,list_membership_to_set")
"""One rule a function: none has to be tried without another."""


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The repository, and what `review --json` says of its branch."""
    require_sandbox()
    folder = propose(tmp_path_factory.mktemp("pull") / "shop", BASE, BRANCH)
    done = codeopt("review", "--base", "main", "--model", "rules", *QUICK, *THREE, "--json", "-q", cwd=folder)
    assert done.status == 0, done.err
    return folder, done.json


def named(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {f"{item['path']}::{item['function']}": item for item in items}


def test_exactly_the_slow_functions_are_suggested(reviewed: tuple[Path, dict[str, Any]]) -> None:
    found = reviewed[1]
    assert set(named(found["suggestions"])) == SLOW
    for suggestion in found["suggestions"]:
        assert suggestion["speedup"]["ci_low"] > 1.05
        assert suggestion["evidence"]["sources"]["tests"] >= 10
        assert suggestion["changes"]
        assert 0 < suggestion["share"] <= 1


def test_what_is_not_suggested_says_why_and_what_would_help(reviewed: tuple[Path, dict[str, Any]]) -> None:
    skipped = named(reviewed[1]["skipped"])
    assert set(skipped) == {"shop/orders.py::untested", "shop/orders.py::quick"}
    assert "--tests PATH" in skipped["shop/orders.py::untested"]["reason"]
    assert "no rule applies" in skipped["shop/orders.py::quick"]["reason"]


def test_the_suggestions_applied_pass_the_tests_each_and_all(reviewed: tuple[Path, dict[str, Any]]) -> None:
    folder, found = reviewed
    diffs = {name: each["diff"] for name, each in named(found["suggestions"]).items()}
    for applied in (*([one] for one in diffs), list(diffs)):
        git(folder, "checkout", "-q", "--", ".")
        for name in applied:
            subprocess.run(["git", "apply"], cwd=folder, input=diffs[name].encode(), check=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        assert subprocess.run(command, cwd=folder, env=environment(), capture_output=True).returncode == 0
    git(folder, "checkout", "-q", "--", ".")


def test_two_of_one_file_were_verified_together(reviewed: tuple[Path, dict[str, Any]]) -> None:
    assert {name: each["together"] for name, each in named(reviewed[1]["suggestions"]).items()} == {
        "shop/orders.py::repeated": 2,
        "shop/orders.py::served": 2,
        "shop/stock.py::whole": 1,
    }
