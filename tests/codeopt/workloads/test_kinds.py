"""A kind of target is one file: written outside of the package, it is improved by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import as_target
from codeopt.workloads import kind_of
from tests.codeopt.command import codeopt, reply
from tests.conftest import require_sandbox

SLOW = "sum(k * k for k in range(n))\n"
FAST = "(n - 1) * n * (2 * n - 1) // 6\n"
WRONG = "n * n * n // 3\n"
KIND = "tests.codeopt.workloads.kinds.expressions"
ROOT = Path(__file__).parents[3]


def test_a_third_kind_is_improved_by_name(tmp_path: Path) -> None:
    """Judged and believed like any other: the wrong draft is refused with its case, the right one confirmed."""
    require_sandbox()
    target = tmp_path / "squares.txt"
    target.write_text(SLOW)
    script = tmp_path / "script.txt"
    answers = ["More.\nVERDICT: IMPROVE", reply(WRONG), "Wrong.\nVERDICT: IMPROVE", reply(FAST), "VERDICT: DONE"]
    script.write_text("\n--- next answer ---\n".join(answers))
    done = codeopt(
        "improve", target, "--model", f"scripted:{script}", "--sandbox", "bubblewrap", "--json",
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "CODEOPT_WORKLOAD": KIND},
    )  # fmt: skip
    assert done.status == 0, done.err
    assert [each["verdict"] for each in done.json["rounds"]] == ["wrong", "faster"]
    assert done.json["speedup"]["ratio"] > 10
    assert done.json["tests"]["held_out"] == 1
    assert (tmp_path / done.json["run"] / "best.py").read_text() == FAST


@pytest.mark.parametrize(
    ("target", "kind"), [("slow.py", "program"), ("mod.py::f", "function"), ("mod.py::C.m", "function")]
)
def test_a_target_says_of_what_kind_it_is(target: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("print(input())\n")
    found = kind_of(as_target(tmp_path / target), ImproveOptions())
    assert found.name == kind


@pytest.mark.parametrize("name", ["no_such_kind", "tests.codeopt.workloads.kinds"])
def test_a_kind_that_is_none_is_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="workload"):
        kind_of(as_target("slow.py"), ImproveOptions(workload=name))
