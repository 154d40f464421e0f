"""Edits of a patch at a larger size, a command that is too short to time, and the rest of one apart from its start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.errors import NotVerifiable
from codeopt.core.revision import Revision
from codeopt.report.verdict import table_of
from codeopt.workloads import Suite
from codeopt.workloads._judging import InputPolicy, OutputChecker
from codeopt.workloads.project import edit_gains
from codeopt.workloads.project.command import ProjectCommand, read_command
from codeopt.workloads.project.command_probes import BaselineCommand, changed_runs, larger_commands, smaller_commands
from codeopt.workloads.project.edit_gains import EditGains, FailingTest
from codeopt.workloads.project.guards.start_and_imports import StartTime, apart, hot_region
from codeopt.workloads.project.profile import NO_PROFILE
from codeopt.workloads.project.project_program import ProjectFiles
from codeopt.workloads.project.public_calls import FunctionFinding
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.workload import ProjectWorkload
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule
from codeopt_sandbox.outcome import Case, Run, RunLimits
from codeopt_sandbox.verdict import check_tokens
from tests.support.candidates import run

BENCH = b"from core import work\nprint(work(100))\n"
CORE = "def one(n):\n    return n\n\n\ndef two(n):\n    return n\n"
OLD = Revision({"core.py": CORE})
BOTH = Revision({"core.py": "def one(n):\n    m = n\n    return m\n\n\ndef two(n):\n    return n + 0\n"})
TWO = CodeEdit("core.py", "two")
COMMAND = ProjectCommand("python bench.py", ("bench.py",))
Seconds = Callable[[Revision, bool], float]
"""Function of a version, and of whether it runs the larger command, to CPU seconds."""


@dataclass
class Timed(CommandRuns):
    """Runs nothing: a function says how long each run takes."""

    seconds: Seconds = lambda revision, larger: 1.0

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Any) -> Run:
        """Return a run that takes as long as `seconds` says, and up to 0.4 % more."""
        count = self.spent["runs"] = self.spent.get("runs", 0.0) + 1
        if self.command.words == ("-c", ""):
            return replace(run(), cpu_s=0.01, wall_s=0.01)
        taken = self.seconds(program, bool(options.get("files"))) * (1 + 0.001 * (count * 7 % 5))
        return replace(run(b"5\n"), cpu_s=taken, wall_s=taken)


def gains(
    seconds: Seconds, max_pairs: int = 120, plain_s: float = 1.0, fails: FailingTest = lambda rest: ""
) -> EditGains:
    """Gains of the edits of `one` and `two` in a patch of both, by made-up times in which that of `one` pays."""
    sandbox: Any = Mock(limits=RunLimits(seconds=60.0))
    project = ProjectFiles(Path("/project"), (("bench.py", BENCH), ("core.py", CORE.encode())))
    runs = Timed(sandbox, project, COMMAND, seconds=seconds)
    plain = replace(run(b"5\n"), cpu_s=plain_s, wall_s=plain_s)
    given = BaselineCommand(runs, OLD, check_tokens, Case("command", b"", b"5\n"), plain)
    found = EditGains(given, lambda line: None)
    whole = Comparison(Decision.FASTER, 2.0, 1.9, 2.1, 9, "cpu", 0.95, 0.01, "", ())
    kept = found.paid(BOTH, whole, fails, StoppingRule(max_pairs=max_pairs))
    assert ("return n + 0" in kept["core.py"]) == (TWO in {each.edit for each in found.kept})
    return found


def took(two: float, at_larger: float) -> Seconds:
    """Times in which the edit of `one` doubles the speed; two, at_larger: speedup by that of `two`, at either size."""

    def seconds(revision: Revision, larger: bool) -> float:
        text = revision["core.py"]
        return (3.0 if larger else 1.0) * (1.0 if "m = n" in text else 2.0) * (
            1.0 if "n + 0" in text else at_larger if larger else two
        )  # fmt: skip

    return seconds


@pytest.mark.parametrize(
    ("two", "at_larger", "kept", "at"),
    [
        (1.5, 1.5, True, ""),
        (1.0, 1.3, True, "its numbers times 4"),
        (1.0, 1.0, False, "its numbers times 4"),
        (1.02, 1.02, False, ""),  # less than a part has to gain
        (0.7, 1.3, False, ""),  # the command itself says that it is a loss
        (1.0, 0.8, False, "its numbers times 4"),
    ],
)
def test_an_edit_that_pays_in_a_larger_run_alone_is_kept(two: float, at_larger: float, kept: bool, at: str) -> None:
    found = gains(took(two, at_larger))
    rows = found.kept if kept else found.dropped
    gain = next(each for each in rows if each.edit == TWO)
    assert at in gain.at
    assert bool(gain.at) == bool(at)
    edits = [each.to_json((), FunctionFinding(each.edit)) for each in found.kept]
    lines = table_of({"edits": edits, "left_out_edits": [each.dropped_json() for each in found.dropped]})
    shown = " ".join(" ".join(lines).split())
    assert ("Left out: core.py::two" in shown, at in shown) == (not kept, True)


def test_what_cannot_be_told_is_kept_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs scatter by more than the gain, at each size."""
    draws = iter(range(10_000))

    def seconds(revision: Revision, larger: bool) -> float:
        return (3.0 if larger else 1.0) * (1.0 if "m = n" in revision["core.py"] else 9.0) * (
            1.0 + 0.5 * (next(draws) * 7 % 11) / 11
        )  # fmt: skip

    found = gains(seconds)
    gain = next(each for each in found.kept if each.edit == TWO)
    assert gain.undecided
    edits = [each.to_json((), FunctionFinding(each.edit)) for each in found.kept]
    assert "kept, its gain is inconclusive" in " ".join(
        " ".join(table_of({"edits": edits, "left_out_edits": []})).split()
    )


def scattered() -> Seconds:
    """Times that differ by up to a half from run to run, whatever runs."""
    draws = iter(range(10_000))
    return lambda revision, larger: 1.0 + 0.5 * (next(draws) * 7 % 11) / 11


def test_no_tests_are_run_for_what_is_kept_anyway() -> None:
    """The pairs scatter, and a command of 9 s has no larger size: tests could only say why it is kept."""
    asked: list[Revision] = []

    def fails(rest: Revision) -> str:
        asked.append(rest)
        return ""

    found = gains(scattered(), max_pairs=8, plain_s=9.0, fails=fails)
    assert [each.undecided for each in found.kept] == [True, True]
    assert not asked


def test_no_edit_takes_more_pairs_than_the_user_allows() -> None:
    """Pairs that scatter by more than the gain: the comparison ends at --max-pairs."""
    found = gains(scattered(), max_pairs=8)
    assert [each.comparison.pairs for each in found.kept if each.comparison] == [8, 8]


def test_larger_commands(tmp_path: Path) -> None:
    """All numbers are resized, then one at a time, the largest first; a seed stays as it is."""
    files = {"bench.py": b"import random\nrandom.seed(7)\nprint(sum(range(5000)) + 30)\n"}
    found = list(larger_commands(read_command("python bench.py --n 40 --seed 9", tmp_path), files))
    lines = [each.line for each in found]
    assert lines[0] == ("bench.py", "--n", "160", "--seed", "9")
    assert b"seed(7)\nprint(sum(range(20000)) + 120)" in dict(found[0].files)["bench.py"]
    assert found[0].case("x").title == "the command with its numbers times 4"
    assert dict(found[3].files)["bench.py"] == files["bench.py"].replace(b"5000", b"20000"), "the largest first"
    assert lines[3] == ("bench.py", "--n", "40", "--seed", "9")
    assert list(larger_commands(read_command("python bench.py", tmp_path), {"bench.py": b"print(1)\n"})) == []


def test_smaller_commands(tmp_path: Path) -> None:
    """All numbers, then each alone by each factor, the largest first; a whole number stays above zero."""
    found = list(smaller_commands(read_command("python bench.py 3000 60", tmp_path), {"bench.py": b"print(1)\n"}))
    assert [each.line[1:] for each in found] == [
        ("375", "7"), ("93", "1"), ("375", "60"), ("93", "60"), ("3000", "7"), ("3000", "1"),
    ]  # fmt: skip
    found = list(smaller_commands(read_command("python bench.py 7 5", tmp_path), {"bench.py": b""}))
    assert [each.line[1:] for each in found] == [("1", "1"), ("1", "5"), ("7", "1")], "none comes twice"


def test_a_larger_command_that_the_users_checker_cannot_judge_is_not_taken() -> None:
    """Its script makes the larger input, and the checker sees the arguments alone."""
    given = gains(took(1.5, 1.5)).given
    asked: Any = Mock()
    assert EditGains(given, lambda line: None).larger_command(1.5) is not None
    checked = replace(given, check=OutputChecker(asked))
    assert EditGains(checked, lambda line: None).larger_command(1.5) is None


@pytest.mark.parametrize(("takes_s", "tried"), [(0.1, 5), (12.0, 2), (11.0, 3)])
def test_the_search_for_a_larger_command_ends(monkeypatch: pytest.MonkeyPatch, takes_s: float, tried: int) -> None:
    """One that takes as long as it may costs as much as many pairs of the command; none is long enough here."""
    clock = [0.0]

    def seconds(revision: Revision, larger: bool) -> float:
        clock[0] += takes_s
        return 0.5

    given = gains(took(1.5, 1.5)).given
    script = (("bench.py", b"print(sum(range(500)) + 40)\n"),)
    runs: Any = replace(given.runs, seconds=seconds, project=replace(given.runs.project, files=script))
    monkeypatch.setattr(edit_gains, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    assert edit_gains.larger_case(replace(given, runs=runs), 1.0) is None
    assert clock[0] == pytest.approx(tried * takes_s)


@pytest.mark.parametrize(
    ("plain_s", "output", "made"),
    [(1.0, b"5\n", 5), (9.0, b"5\n", 3), (1.0, b"6\n", 5), (9.0, b"6\n", 2)],  # there are five
)
def test_a_long_command_whose_output_hides_what_is_changed_is_changed_a_few_times(
    plain_s: float, output: bytes, made: int
) -> None:
    """Each changed one takes two runs, and of such a command says little; the original prints 5."""

    @dataclass
    class Printing(Timed):
        def run(self, program: Revision, stdin: bytes = b"", /, **options: Any) -> Run:
            return replace(super().run(program, stdin, **options), stdout=output)

    given = gains(took(1.5, 1.5)).given
    script = (("bench.py", b"print(sum(range(500)) + 40 + 41 + 42)\n"),)
    runs: Any = Printing(given.runs.sandbox, replace(given.runs.project, files=script), COMMAND)
    changed = changed_runs(replace(given, runs=runs, plain=replace(given.plain, wall_s=plain_s)), 1, InputPolicy())
    assert len(list(changed)) == made


@pytest.mark.parametrize(
    ("work_s", "timed_command"), [(0.5, ""), (0.012, "the command with its numbers times 4"), (0.001, "")]
)
def test_a_command_that_is_too_short_is_timed_with_larger_numbers(work_s: float, timed_command: str) -> None:
    """Work of 0.5 s is timed as it is, of 12 ms at a larger size; for 1 ms no size is long enough, an error."""

    def seconds(revision: Revision, larger: bool) -> float:
        return 0.01 + work_s * (4 if larger else 1)

    given = gains(took(1.5, 1.5)).given
    runs = replace(given.runs, seconds=seconds)
    found = EditGains(replace(given, runs=runs), lambda line: None)
    program: Any = Mock(revision=OLD)
    suite = Suite((given.case,), check_tokens)
    none: Any = Mock()
    project = ProjectWorkload(
        none, program, runs, none, none, none, found, NO_PROFILE, none, suite, StoppingRule()
    ).timed()  # fmt: skip
    assert isinstance(project, ProjectWorkload)
    assert project.timed_command == timed_command
    if work_s < 0.01:
        with pytest.raises(NotVerifiable, match="no number in it makes it longer"):
            project.require_plan()
    else:
        assert ("larger" in project.require_plan().cases[0].name) == bool(timed_command)


SECONDS = st.floats(0.05, 3.0)


@given(apart_s=SECONDS, old=SECONDS, new=SECONDS)
def test_the_speedup_of_the_rest_is_that_of_the_rest(apart_s: float, old: float, new: float) -> None:
    whole = (apart_s + old) / (apart_s + new)
    pair = Comparison(Decision.FASTER, whole, whole, whole, 9, "cpu", 0.95, 0.01, "", ())
    sides = (StartTime((apart_s,) * 3, (apart_s + rest,) * 3) for rest in (old, new))
    found = apart(*sides, found=pair)
    assert found.ratio == pytest.approx(old / new)
    assert found.ci_low == pytest.approx(old / new)


def test_nothing_is_told_by_another_clock() -> None:
    runs: Any = None
    pair = Comparison(Decision.FASTER, 2.0, 1.9, 2.1, 9, "wall", 0.95, 0.01, "", ())
    assert hot_region(runs, OLD, BOTH, pair) is None
