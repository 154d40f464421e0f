"""The reports for a terminal, a patch and a program: what nobody trusts is in them as text, and does nothing."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.cli.output import deliver
from codeopt.core.errors import UsageError
from codeopt.core.evidence import CallEvidence, WorkloadEvidence
from codeopt.core.sanitize import acts_in_a_log
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import Verdict
from codeopt.review.reporters import diff, markdown, terminal
from codeopt.review.reporters import json as as_json
from codeopt.review.suggestion import ComparedFunction, FunctionRow, Review, ReviewTarget
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest
from tests.support.reviews import MACHINE, SPEEDUP, suggestion

TOP = '"""\n::set-env name=A::b\n##[error]x \x1b[31m\n```\n"""\n'
OLD = TOP + "\n\ndef f(x):\n    return list(x)\n\n\ndef g(x):\n    return list(x)\n"
PATH = "a\n::error::`x`@y\x1b]0;t\x07.py"
FIGURES = replace(SPEEDUP, ratio=2.0, ci_low=1.5, ci_high=None, pairs=9)
EVIDENCE = WorkloadEvidence(CallEvidence(12, {"tests": 12}, 1.0, {}, 3))


def review(path: str = PATH) -> Review:
    """Two suggestions in one file, by somebody who means harm."""
    change = ("@everyone [x](http://y) ::error::\x1b[2J",)
    first, second = (
        OLD.replace(f"def {name}(x):\n    return list(x)", f"def {name}(x):\n    return [*x]") for name in "fg"
    )
    found = [
        suggestion(path, OLD, t, n, speedup=FIGURES, evidence=EVIDENCE, changes=change)
        for n, t in (("f", first), ("g", second))
    ]
    rows = (FunctionRow(ReviewTarget(path, "h", Path(path)), "::error::why\n::debug::x"),)
    return Review("b", "h", "", tuple(found), rows, ("##[x]\n::y::",), machine=MACHINE)


@pytest.mark.parametrize("reporter", [terminal, as_json])
def test_what_a_log_shows_is_no_command_and_no_escape(reporter: object) -> None:
    text = reporter.render(review())  # type: ignore[attr-defined]
    assert not acts_in_a_log(text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_a_wrong_change_is_wrong_where_a_limit_is_tested() -> None:
    open_limit = LimitTest(0.05, LimitAnswer.INCONCLUSIVE, 0.0, 0)
    found = PairResult(Verdict(Decision.WRONG, "f(1): expected 1, got 2", limit=open_limit))
    changed = Review("b", "h", "", limits=(ComparedFunction("m.py", "g", found),), machine=MACHINE)
    (row,) = json.loads(as_json.render(changed))["limits"]
    assert (row["verdict"], row["answer"]) == ("wrong", None)
    assert changed.said == ("m.py::g is not timed, as wrong result: g(1): expected 1, got 2",)


def test_json_holds_everything_to_the_character() -> None:
    found = json.loads(as_json.render(review()))
    assert found["schema"] == "codeopt.review/1"
    assert [each["path"] for each in found["suggestions"]] == [PATH, PATH]
    assert found["skipped"][0]["reason"] == "::error::why\n::debug::x"


def test_the_patch_of_two_suggestions_applies(tmp_path: Path) -> None:
    (tmp_path / PATH).write_text(OLD)
    subprocess.run(["git", "apply"], cwd=tmp_path, input=diff.render(review()).encode(), check=True)
    assert (tmp_path / PATH).read_text() == OLD.replace("list(x)", "[*x]")


def test_a_log_never_gets_a_patch_that_would_act_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = diff.render(review()) + " ::set-env name=A::b\n"
    with pytest.raises(UsageError, match="use -o FILE"):
        deliver(text, None, {"GITHUB_ACTIONS": "true"})
    assert capsys.readouterr().out == ""
    deliver(text, None, {})
    assert capsys.readouterr().out == text
    deliver(text, tmp_path / "out.diff", {"GITHUB_ACTIONS": "true"})
    assert (tmp_path / "out.diff").read_text() == text


def test_a_name_that_is_not_utf8_can_be_reported(tmp_path: Path) -> None:
    for reporter in (terminal, as_json, markdown, diff):
        deliver(reporter.render(review("caf\udce9.py")), tmp_path / "out")
        assert (tmp_path / "out").read_bytes()
