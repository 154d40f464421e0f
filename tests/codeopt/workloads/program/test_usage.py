"""What a user sees beside the output counts: written files, a second run in the same folder, options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.options import FuzzPolicy
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt.workloads import Stage
from codeopt.workloads.program.mutated_cases import other_usage
from codeopt_sandbox import Case, Sandbox
from codeopt_sandbox.outcome import CaveatKind, WrittenFile
from tests.support.judges import program_judge

SUM = "total = sum(map(int, input().split()))\nprint(total)\n"
NEW_FILE = SUM + "import os\nopen(os.open('key', os.O_CREAT | os.O_WRONLY, 0o600), 'w').write(str(total))\n"
APPENDS = SUM + "open('log', 'a').write('%d\\n' % total)\n"
OPTIONS = "import sys\n" + SUM + "if '--reverse' in sys.argv:\n    print(-total)\n"
WRONG = [
    pytest.param("off", NEW_FILE, SUM, "key", id="a file is missing"),
    pytest.param("off", NEW_FILE, NEW_FILE.replace("str(total)", "'1'"), "key", id="a file has other content"),
    pytest.param("off", NEW_FILE, NEW_FILE.replace("0o600", "0o666"), "600", id="others may read it"),
    pytest.param("auto", APPENDS, APPENDS.replace("'a'", "'w'"), "log", id="it overwrites what it appended"),
]


@pytest.fixture
def judge_of(guest: Sandbox, tmp_path: Path) -> Callable[..., Judge]:
    def made(source: str, generated: str, inputs: tuple[str, ...] = ("5 6 7\n", "1\n", "86400 2 3\n")) -> Judge:
        (tmp_path / "program.py").write_text(source)
        for at, text in enumerate(inputs):
            (tmp_path / f"input.{at}.txt").write_text(text)
        return program_judge(guest, tmp_path / "program.py", strictness=FuzzPolicy(generated), needs_time=False)

    return made


@pytest.mark.parametrize(("generated", "old", "new", "where"), WRONG)
def test_written_files_count(judge_of: Callable[..., Judge], generated: str, old: str, new: str, where: str) -> None:
    judge = judge_of(old, generated)
    assert judge.check(Revision.of(f"{old}\n\n"), "").correct
    found = judge.check(Revision.of(new), "")
    assert not found.correct
    assert where in found.outcomes[-1].detail


def test_an_option_that_no_case_gives_is_tried(judge_of: Callable[..., Judge]) -> None:
    judge = judge_of(OPTIONS, "auto")
    assert not judge.workload.check(Revision.of(f"{OPTIONS}\n\n"), Stage.ROUND).caveats
    found = judge.check(Revision.of(SUM), "")
    assert found.correct
    assert [each.cause for each in found.caveats if each.kind is CaveatKind.INPUT] == [
        "inputs that break: no known case gives --reverse"
    ]


COUNTED = "print(sum(int(input()) for _ in range(int(input()))))\n"
ALL_LINES = "import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n"


def test_lines_after_those_that_a_number_counts_are_tried(judge_of: Callable[..., Judge]) -> None:
    judge = judge_of(COUNTED, "auto", ("3\n30\n38\n13\n", "1\n8\n", "5\n92\n50\n61\n19\n11\n"))
    assert not judge.workload.check(Revision.of(f"{COUNTED}\n\n"), Stage.ROUND).caveats
    found = judge.check(Revision.of(ALL_LINES), "")
    assert found.correct
    assert any("goes on after its end" in str(each.domain) for each in found.caveats), found.caveats


def test_the_names_of_files_are_changed_where_arguments_give_them() -> None:
    case = Case("c", b"", args=("data.csv", "-v"), files=(("data.csv", b"1"), ("beside.csv", b"2")))
    made = [each for each in other_usage("", [case]) if each.name == "names"]
    assert [(each.case.args, each.case.files, each.because) for each in made] == [
        (("data2.csv", "-v"), (("data2.csv", b"1"), ("beside.csv", b"2")), "")
    ]
    assert not [each for each in other_usage("", [replace(case, args=("-v",))]) if each.name == "names"]


def test_a_case_that_is_held_out_is_not_changed() -> None:
    """A difference on a changed case is shown to a model."""
    wrote = Case("held", b"1\n", files=(), written=(WrittenFile("log", b"1"),))
    shown = replace(wrote, name="shown", args=("--top", "1"))
    assert list(other_usage(OPTIONS, [], [wrote])) == []
    assert {each.case.args[:1] for each in other_usage(OPTIONS, [shown], [wrote])} == {("--top",)}


SAYS = f"import sys\n{SUM}print('done', file=sys.stderr)\n"
WARNS = f"import warnings\n{SUM}warnings.warn('old format')\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(SAYS, SUM, True, id="a line is missing"),
        pytest.param(SAYS, SAYS.replace("'done'", "'over'"), True, id="another line"),
        pytest.param(SAYS.replace("'done'", "'  3 rows'"), SUM, True, id="an indented line is missing"),
        pytest.param(SUM, SAYS, True, id="a new line"),
        pytest.param(SAYS.replace("'done'", "'took', total"), SAYS.replace("'done'", "'took', 1"), True, id="a number"),
        pytest.param(
            f"import time\n{SAYS.replace('done', 'took {}')}".replace("'took {}'", "'took', time.time()"),
            f"import time\n{SAYS.replace('done', 'took {}')}\n".replace("'took {}'", "'took', time.time() + 1"),
            False, id="a number that changes",
        ),
        pytest.param(WARNS, f"\n\n{WARNS}", False, id="the line of a warning"),
        pytest.param(WARNS, SUM, True, id="no warning"),
    ],
)  # fmt: skip
def test_standard_error_is_a_caveat(judge_of: Callable[..., Judge], old: str, new: str, told: bool) -> None:
    found = judge_of(old, "off").check(Revision.of(new), "")
    assert found.correct
    assert [each.kind for each in found.caveats] == [CaveatKind.TEXT] * told
    assert all(each.cause == "standard error" for each in found.caveats)
