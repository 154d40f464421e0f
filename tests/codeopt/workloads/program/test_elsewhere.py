"""Cases of a program are compared in other environments, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.core.errors import ProgramError
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt.workloads import Stage
from codeopt.workloads.program import baseline
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import CaveatKind
from tests.support.judges import program_judge

UTC = """\
from datetime import datetime, timezone
for x in map(int, input().split()):
    print(datetime.fromtimestamp(x, timezone.utc).replace(tzinfo=None))
"""
LOCAL = UTC.replace("timezone.utc).replace(tzinfo=None", "None")
SUM = "print(sum(map(int, input().split())))\n"
READS = 'import os\nprint(os.environ.get("SEP", ",").join(input().split()))\n'
ASSERTS = (
    "numbers = [*map(int, input().split())]\ntry:\n    assert numbers[0] != 5\nexcept AssertionError:\n    print(5)\n"
)
RAISES = ASSERTS.replace("assert numbers[0] != 5", "if numbers[0] == 5:\n        raise AssertionError")
DRAFTS = {
    "right in UTC alone": (UTC, LOCAL, "timezone AAA+3:30"),
    "a variable is no longer read": (READS, READS.replace('os.environ.get("SEP", ",")', '","'), "variables SEP 1"),
    "it works where no test runs": (
        SUM,
        f'import os\nif "PYTEST_VERSION" in os.environ: print(1)\n{SUM}',
        "test_marks",
    ),
}


@pytest.fixture
def judge_of(guest: Sandbox, tmp_path: Path) -> Callable[[str], Judge]:
    def made(source: str) -> Judge:
        (tmp_path / "program.py").write_text(source)
        for at, text in enumerate(("5 6 7\n", "1\n", "86400 2 3\n")):
            (tmp_path / f"input.{at}.txt").write_text(text)
        return program_judge(guest, tmp_path / "program.py", needs_time=False)

    return made


@pytest.mark.parametrize("name", DRAFTS)
def test_a_difference_in_another_environment_rejects(judge_of: Callable[[str], Judge], name: str) -> None:
    old, new, where = DRAFTS[name]
    found = judge_of(old).check(Revision.of(new), "")
    assert not found.correct
    assert where in found.outcomes[-1].detail


def test_what_an_environment_does_to_both_is_no_difference(judge_of: Callable[[str], Judge]) -> None:
    judge = judge_of(LOCAL)
    assert judge.check(Revision.of(f"{LOCAL}\n\n"), "").correct
    assert judge.workload.evidence().cases.environments == {"usual": 3, "shifted": 3, "embedded": 3}
    assert not judge.check(Revision.of(UTC), "").correct


def test_a_difference_under_the_option_o_alone_is_a_caveat(judge_of: Callable[[str], Judge]) -> None:
    found = judge_of(ASSERTS).check(Revision.of(RAISES), "")
    assert found.correct
    (caveat,) = [each for each in found.caveats if each.kind is CaveatKind.ENVIRONMENT]
    assert "optimize 1" in caveat.cause


def test_an_environment_in_which_the_original_fails_is_said(judge_of: Callable[[str], Judge]) -> None:
    judge = judge_of('import os\nint(os.environ.get("LEVEL", "0")) and exit("no")\n' + SUM)
    assert judge.workload.evidence().cases.environments == {"usual": 3, "embedded": 3}
    assert [each.cause for each in judge.workload.evidence().gaps if "another environment" in each.message] == [
        "the original fails there: no"
    ] * 3
    assert judge.check(Revision.of(SUM), "").correct


def test_what_another_seed_alone_changes_cannot_be_compared(judge_of: Callable[[str], Judge]) -> None:
    with pytest.raises(ProgramError, match="does not print the same twice"):
        judge_of("print(hash(input()))")


def test_long_cases_run_elsewhere_when_a_draft_is_confirmed(
    judge_of: Callable[[str], Judge], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(UTC)
    assert judge.workload.check(Revision.of(LOCAL), Stage.ROUND).outcomes
    assert not judge.workload.check(Revision.of(LOCAL), Stage.CONFIRMATION).outcomes
    monkeypatch.setattr(baseline, "SHORT_S", 0.0)
    assert not judge.workload.check(Revision.of(LOCAL), Stage.ROUND).outcomes
    assert judge.workload.check(Revision.of(LOCAL), Stage.CONFIRMATION).outcomes
