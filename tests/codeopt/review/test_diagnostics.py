"""Nothing is silent: tests that do not run are named, with the reason, by every command that would have run them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.cli.review_flags import report_blind
from codeopt.core.console import Console
from codeopt.core.diagnostic import Diagnostic
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.check import why_blind
from codeopt.review.reporters import gitlab, markdown, terminal
from codeopt.review.suggestion import Review, Skipped
from tests.codeopt.command import QUICK, codeopt
from tests.codeopt.review.pull_request import BASE, propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

BAD_IMPORT = (
    "from shop.parts import double\nimport module_that_is_not_there\n\n\ndef test_it():\n    assert double(2) == 4\n"
)
MISSING = "ModuleNotFoundError: No module named 'module_that_is_not_there'"
DOUBLE = "def double(n):\n    return n * 2\n"
DOUBLES = "from shop.parts import double\n\n\ndef test_it():\n    assert double(2) == 4\n"
FILES = {**BASE, "tests/test_parts.py": BAD_IMPORT}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A change that adds a function whose only test cannot be imported."""
    require_sandbox()
    return propose(tmp_path / "r", FILES, {"shop/parts.py": DOUBLE})


def test_improve_names_the_module_that_the_tests_miss(folder: Path) -> None:
    done = codeopt("improve", "shop/parts.py::double", "--model", "rules", "--json", *QUICK, cwd=folder)
    assert done.status == 5, done
    assert [row["cause"] for row in done.json["diagnostics"]] == [
        f"tests/test_parts.py: {MISSING}",
        "n has no type hint",
    ]
    assert f"1 test file found, none ran: tests/test_parts.py: {MISSING}" in done.err
    assert "(--python PATH runs them in another environment" in done.err
    assert "no calls could be generated from type hints: n has no type hint" in done.err


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


def test_an_environment_without_pytest_is_named_by_all_five(folder: Path) -> None:
    """With both ways out: `--python`, or pytest for it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    (folder / "tests" / "test_parts.py").write_text(DOUBLES)
    target = "shop/parts.py::double"
    for command in (
        ["improve", target, "--model", "rules", *QUICK], ["check", "shop/parts.py", *QUICK],
        ["review", "--base", "main", "--model", "rules", *QUICK], ["compare", target, target, *QUICK[:2]],
        ["profile", target],
    ):  # fmt: skip
        done = codeopt(*command, "--json", cwd=folder, env={"VIRTUAL_ENV": "", "CI": "1"})
        assert done.status == 5, done
        (row, *_) = done.json["diagnostics"]
        assert row["cause"] == "ModuleNotFoundError: No module named 'pytest'"
        assert row["hint"].startswith("install pytest in it, or --python PATH")
        assert row["cause"] in done.err or command[0] == "compare"


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


def test_reports_say_it() -> None:
    review = Review(
        "a", "b", "", skipped=(Skipped("a.py", "f", "no"),), diagnostics=(SHORT,), not_checked_reason="saw nothing"
    )
    assert "Note: 2 tests found, none passes: tests/test_a.py: 'boom' again" in terminal.render(review)
    assert "> saw nothing" in markdown.render(review)
    (issue,) = json.loads(gitlab.render(review))
    assert (issue["description"], issue["location"]["path"], issue["severity"]) == ("saw nothing", "a.py", "major")


@pytest.mark.parametrize(
    ("asked", "step"),
    [
        (("review",), "codeopt review --model NAME"),
        (
            ("review", "--base", "main", "--python", ".venv/bin/python", "src"),
            "codeopt review --base main --python .venv/bin/python src --model NAME",
        ),
    ],
)
def test_a_next_step_keeps_the_users_words(asked: tuple[str, ...], step: str) -> None:
    review = Review("a", "b", "", skipped=(Skipped("a.py", "f", "no"),), asked=asked)
    assert terminal.render(review).splitlines()[-1] == f"Next: {step}"
