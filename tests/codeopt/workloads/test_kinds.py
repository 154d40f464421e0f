"""A kind of target is one file: written outside of the package, it is improved by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.target import as_target
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


TASK = """\
from dataclasses import replace
from codeopt.tasks.runtime import TASK
TASK = replace(TASK, name="leisure", min_gain=0.2)
"""
GUARD = """\
from codeopt.engine.guards import Consequence, Finding, guard
@guard(order=90)
def check_gain(gain):
    return Finding(Consequence.NOTE, "a guard from elsewhere has seen it")
"""
POINTS = """\
[codeopt.tasks]
leisure = scratch.leisure
[codeopt.guards]
watcher = scratch.watcher
[codeopt.workloads]
expressions = scratch.expressions
"""


@pytest.mark.full
def test_task_guard_and_kind_of_another_package_are_one_file_each(tmp_path: Path) -> None:
    """Installed beside codeopt, by entry points; nothing of codeopt is edited."""
    require_sandbox()
    package, points = tmp_path / "scratch", tmp_path / "scratch-1.0.dist-info"
    package.mkdir()
    points.mkdir()
    own = (Path(__file__).parent / "kinds" / "expressions.py").read_text()
    for name, text in {"__init__": "", "leisure": TASK, "watcher": GUARD}.items():
        (package / f"{name}.py").write_text(text)
    named = "@workload(lambda target, options: False)"
    assert named in own
    recognised = '@workload(lambda target, options: str(target).endswith(".expr"))'
    (package / "expressions.py").write_text(own.replace(named, recognised))
    (points / "METADATA").write_text("Metadata-Version: 2.1\nName: scratch\nVersion: 1.0\n")
    (points / "entry_points.txt").write_text(POINTS)
    (tmp_path / "squares.expr").write_text(SLOW)
    (tmp_path / "script.txt").write_text(f"Slow.\nVERDICT: IMPROVE\n--- next answer ---\n{reply(FAST)}")
    done = codeopt(
        "improve", "squares.expr", "--task", "leisure", "--model", "scripted:script.txt", "--max-rounds", "1",
        "--sandbox", "bubblewrap", "--json", "-v", cwd=tmp_path, env={"PYTHONPATH": f"{ROOT}:{tmp_path}"},
    )  # fmt: skip
    assert done.status == 0, done.err
    assert (done.json["accepted"], done.json["task"]) == (True, "leisure")
    assert done.json["notes"] == ["a guard from elsewhere has seen it"]
    assert "a guard from elsewhere has seen it" in done.err


@pytest.mark.parametrize("name", ["no_such_kind", "tests.codeopt.workloads.kinds"])
def test_a_kind_that_is_none_is_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="workload"):
        kind_of(as_target("slow.py"), ImproveOptions(workload=name))
