"""`codeopt review` from end to end, on a real repository: exactly the right suggestions, and each of them holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.command import QUICK, codeopt, environment
from tests.codeopt.review.pull_request import BASE, BRANCH, SLOW, git, propose
from tests.conftest import open_or_skip


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The repository, and what `review --json` says of its branch."""
    open_or_skip("bubblewrap").close()
    folder = propose(tmp_path_factory.mktemp("pull") / "shop", BASE, BRANCH)
    done = codeopt("review", "--base", "main", "--model", "rules", *QUICK, "--json", "-q", cwd=folder)
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
    assert "no draft was right and better" in skipped["shop/orders.py::quick"]["reason"]


def test_each_suggestion_applied_passes_the_tests(reviewed: tuple[Path, dict[str, Any]]) -> None:
    folder, found = reviewed
    for suggestion in found["suggestions"]:
        git(folder, "checkout", "-q", "--", ".")
        subprocess.run(["git", "apply"], cwd=folder, input=suggestion["diff"].encode(), check=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        assert subprocess.run(command, cwd=folder, env=environment(), capture_output=True).returncode == 0
    git(folder, "checkout", "-q", "--", ".")
