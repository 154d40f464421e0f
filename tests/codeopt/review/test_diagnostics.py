"""Nothing is silent: tests that do not run are named, with the reason, by every command that would have run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.review_flags import report_blind
from codeopt.core.console import Console
from codeopt.core.diagnostic import Diagnostic
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.check import why_blind
from tests.codeopt.command import QUICK, codeopt
from tests.codeopt.review.pull_request import BASE, propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

BAD_IMPORT = (
    "from shop.parts import double\nimport module_that_is_not_there\n\n\ndef test_it():\n    assert double(2) == 4\n"
)
MISSING = "ModuleNotFoundError: No module named 'module_that_is_not_there'"
DOUBLE = "def double(n):\n    return n * 2\n"
FILES = {**BASE, "tests/test_parts.py": BAD_IMPORT}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A change that adds a function whose only test cannot be imported."""
    require_sandbox()
    return propose(tmp_path / "r", FILES, {"shop/parts.py": DOUBLE})


GITHUB = {"GITHUB_ACTIONS": "true"}


@pytest.mark.parametrize("variables", [{}, GITHUB], ids=str)
def test_check_that_saw_nothing_is_no_success(variables: dict[str, str], folder: Path) -> None:
    done = codeopt("check", "shop/parts.py", "--json", *QUICK, cwd=folder, env=variables)
    assert done.status == 5, done
    assert [row["cause"] for row in done.json["diagnostics"]] == [f"tests/test_parts.py: {MISSING}"]
    assert MISSING in done.json["not_checked_reason"]
    annotation = "::error title=codeopt::none of 1 functions and programs could be looked at"
    assert (annotation in done.err) == ("GITHUB_ACTIONS" in variables)
    assert MISSING in done.err


def test_review_and_compare_name_it_too(folder: Path) -> None:
    done = codeopt("review", "--base", "main", "--model", "rules", "--json", *QUICK, cwd=folder, env=GITHUB)
    assert done.status == 5, done
    assert "::error title=codeopt::none of 1 functions and programs could be looked at" in done.err
    assert [row["message"] for row in done.json["diagnostics"]] == [
        "1 test file cannot be loaded and counts for nothing"
    ]
    assert MISSING in done.err
    done = codeopt("compare", *["shop/parts.py::double"] * 2, "--json", *QUICK[:2], cwd=folder)
    assert MISSING in done.json["reason"]
    assert f"tests/test_parts.py: {MISSING}" in [row["cause"] for row in done.json["diagnostics"]]


SHORT = Diagnostic("2 tests found, none passes", "tests/test_a.py: `boom`\nagain", "--tests PATH")


def target(seconds: float = 0.0) -> ReviewTarget:
    return ReviewTarget("a.py", "f", Path("a.py"), seconds=seconds)


def test_blind_is_who_saw_nothing_at_all() -> None:
    assert why_blind([], 0, [], []) == ""
    assert why_blind([target()], 1, [SHORT], ["x"]) == ""
    assert why_blind([target(), target(0.1)], 0, [SHORT], ["x"]) == ""
    assert why_blind([target()], 0, [], []).endswith("no test runs them")
    why = why_blind([target()], 0, [SHORT], ["cannot be run"])
    assert why.endswith(": 2 tests found, none passes: tests/test_a.py: 'boom' again (--tests PATH); cannot be run")


def test_an_annotation_cannot_be_forged(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_blind("a%\n::error::b", Console(), {"GITHUB_ACTIONS": "true"}) == 5
    assert capsys.readouterr().err == "::error title=codeopt::a%25%0A::error::b\n"
    assert report_blind("a", Console(), {}) == 5
