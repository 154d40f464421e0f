"""What commands promise scripts: exit statuses of reviews, the program that a word of a command means, and files that
other tools read."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.commands import review
from codeopt.core.errors import UsageError
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import Verdict
from codeopt.review.suggestion import ComparedFunction
from codeopt.workloads.function.recording import as_the_user_runs_it
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest
from tests.support.reviews import FILES, IN_NEW
from tests.support.reviews import review as made_review

PASS, FAIL, OPEN = LimitAnswer.PASS, LimitAnswer.FAIL, LimitAnswer.INCONCLUSIVE


@pytest.mark.parametrize(
    ("limits", "failure", "flags", "status"),
    [
        ((), 0, {}, 0),
        ((), 0, {"fail_level": "any"}, 1),
        ((), 0, {"fail_level": "any", "found": False}, 0),
        ((), 4, {}, 0),
        ((), 4, {"strict": True}, 4),
        ((), 130, {}, 130),
        ((PASS,), 0, {"fail_if_slower": 0.05}, 0),
        ((PASS, OPEN), 0, {"fail_if_slower": 0.05}, 5),
        ((PASS, OPEN, FAIL), 0, {"fail_if_slower": 0.05}, 1),
        ((FAIL,), 3, {"fail_if_slower": 0.05, "strict": True}, 3),
        ((FAIL,), 130, {"fail_if_slower": 0.05}, 130),
    ],
)
def test_the_exit_status_of_a_review(
    limits: tuple[LimitAnswer, ...],
    failure: int,
    flags: dict[str, Any],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    verdicts = [Verdict(Decision.SAME, limit=LimitTest(0.05, each, 0.01, 9)) for each in limits]
    rows = tuple(ComparedFunction("m.py", "f", PairResult(each)) for each in verdicts)
    made = made_review(FILES, *([IN_NEW] if flags.pop("found", True) else []))
    monkeypatch.setattr(review, "make_review", lambda *_: (made, failure))
    monkeypatch.setattr(review, "_with_limits", lambda _, one, failed, __: (replace(one, limits=rows), failed))
    given = argparse.Namespace(output_format="json", json=True, quiet=True, output=tmp_path / "out", strict=False,
                               fail_level="none", fail_if_slower=None, own_words=frozenset(), settings={})  # fmt: skip
    vars(given).update(flags)
    monkeypatch.setattr("codeopt.cli.settings.require_own_word", lambda *_: None)
    monkeypatch.setattr("codeopt.cli.settings.set_aside", lambda *_: None)
    monkeypatch.setattr(review, "_refuse", lambda *_: None)
    assert review.run(given) == status
    assert json.loads((tmp_path / "out").read_text())["suggestions"] or not made.suggestions


@pytest.mark.parametrize(
    ("words", "python", "there", "expected"),
    [
        ("./tool.sh a", None, (), "./tool.sh a"),
        ("python a.py", "/own/python3.13", (), "/own/python3.13 a.py"),
        ("python3 a.py", "/own/python3.13", (), "/own/python3.13 a.py"),
        ("python a.py", None, ("active/bin/python", "p/.venv/bin/python"), "@/active/bin/python a.py"),
        ("python a.py", None, ("p/.venv/bin/python3", "p/venv/bin/python"), "@/p/.venv/bin/python3 a.py"),
        ("python3 a.py", None, ("p/.venv/bin/python", "path/python3"), "@/path/python3 a.py"),
        ("tool a", None, ("p/venv/bin/tool", "path/tool"), "@/p/venv/bin/tool a"),
        ("tool a", "@/own/python", ("own/tool", "active/bin/tool"), "@/own/tool a"),
        ("tool a", None, ("path/tool",), "@/path/tool a"),
        ("tool a", None, (), ""),
    ],
)
def test_the_program_that_a_word_means(
    words: str,
    python: str | None,
    there: tuple[str, ...],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in there:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "codeopt" / "python"))
    given = python.replace("@", str(tmp_path)) if python else None
    if expected:
        assert as_the_user_runs_it(words.split(), tmp_path / "p", given) == expected.replace("@", str(tmp_path)).split()
    else:
        with pytest.raises(UsageError):
            as_the_user_runs_it(words.split(), tmp_path / "p", given)
