"""A long program is timed on a part of its input, which is found by a few runs of the original."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codeopt.core.revision import Revision
from codeopt.engine.guards import Consequence, Finding, Gain
from codeopt.workloads._sizes import LONG_S, TRIES, WANTED_S, WITHIN, smaller_ones
from codeopt.workloads.program.cut import (
    CutPlan,
    InputCut,
    check_gain,
    cut_input,
    first_part,
)
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Case, Run, WrittenFile
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest
from tests.support.candidates import comparison
from tests.support.scripted import FAST, SLOW, Asked, ScriptedRunner, ScriptedWorkload

LINES = 10_000
TABLE = b"name,value\n" + b"".join(b"a%d,%d\n" % (at, at) for at in range(LINES))
WRITES = (WrittenFile("sums", b"of a part"),)
BY_FILE = Case("table", b"", files=(("notes.txt", b"short"), ("table.csv", TABLE)))


def taking(seconds: float, **more: Any) -> Run:
    return replace(Run(0, None, seconds, seconds, 0, b"out\n", b""), **more)


def grows(whole_s: float, power: float, constant: float = 0.0) -> tuple[Callable[[Case], Run], list[Case]]:
    """Runs of an original whose time grows by a power of its lines, and the cases that it is given."""
    given: list[Case] = []

    def run(case: Case) -> Run:
        given.append(case)
        lines = max(len(content.splitlines()) for content in (case.stdin, *dict(case.files or ()).values()))
        return taking(constant + (whole_s - constant) * (lines / LINES) ** power, written=WRITES)

    return run, given


@given(whole_s=st.floats(LONG_S, 3600), power=st.floats(0.7, 3))
def test_a_part_that_takes_about_a_second(whole_s: float, power: float) -> None:
    run, tried = grows(whole_s, power)
    found = cut_input(BY_FILE, taking(whole_s, written=(WrittenFile("sums", b"of all"),)), run)
    assert len(tried) <= TRIES
    if found is None or found.seconds > WANTED_S * WITHIN:  # less than a line of what grows so little
        assert (WANTED_S * WITHIN / whole_s) ** (1 / power) < 2 / LINES
        return
    assert WANTED_S / WITHIN <= found.seconds <= WANTED_S * WITHIN
    assert found.of == "table.csv"
    assert found.whole is BY_FILE
    (_, notes), (_, less) = found.case.files or ()
    assert notes == b"short"
    assert TABLE.startswith(less)
    assert less.startswith(b"name,value\n")
    assert (found.case.expected, found.case.written) == (b"out\n", WRITES)
    assert found.whole_s == whole_s


@pytest.mark.parametrize(
    ("on_a_part", "why"),
    [
        (taking(0.7, exit=1), "it fails"),
        (taking(0.7, stdout=b""), "it says nothing"),
        (taking(0.7, stderr=b"Traceback (most recent call last):\n"), "it shows a Traceback"),
        (taking(0.7, stop="time"), "it is stopped"),
        (taking(0.7, written=(WrittenFile("more.txt", b""),)), "it writes another file"),
        (taking(9.0), "it takes as long whatever it is given"),
    ],
)
def test_what_is_not_run_alike_is_not_cut(on_a_part: Run, why: str) -> None:
    assert cut_input(BY_FILE, taking(10.0), lambda case: on_a_part) is None, why


def test_a_short_program_and_one_without_input_are_not_cut() -> None:
    run, tried = grows(10.0, 1)
    assert cut_input(BY_FILE, taking(LONG_S * 0.99), run) is None
    assert cut_input(BY_FILE, taking(2.4), run) is None
    assert cut_input(Case("nothing", b""), taking(10.0), run) is None
    assert not tried


@pytest.mark.parametrize(
    ("stdin", "part"),
    [
        (b"4\n1\n2\n3\n4\n", b"2\n1\n2\n"),  # a count stays true
        (b"GET /a\nGET /b\nGET /c\nGET /d\n", b"GET /a\nGET /b\n"),
    ],
)
def test_parts_of_standard_input(stdin: bytes, part: bytes) -> None:
    found = first_part(Case("log", stdin), 0.5)
    assert found is not None
    assert found.stdin == part
    assert found.name == "log, first 50 %"
    assert found.title == "log, first 50 % of standard input"


def of_whole(runner: ScriptedRunner, found: Comparison) -> Finding:
    """What is found of a gain on 7 % of an input, on which the original took 0.7 s; it takes 10 s on the whole."""
    whole, part = Case("whole", b"all of it", b"out\n"), Case("whole, first 7 %", b"all", b"out\n")
    plan = CutPlan((part,), "cpu", 1, cut=InputCut(part, whole, 0.07, "standard input", 0.7, 10.0))
    workload: Any = ScriptedWorkload(runner)
    finding = check_gain(Gain(workload, Revision.of(FAST), found, plan, (), lambda line: None))
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("on_the_whole", "consequence"),
    [
        (taking(5.0), Consequence.NOTE),
        (taking(7.8), Consequence.NOTE),
        (taking(8.1), Consequence.NO_GAIN),  # 1.23x, where the cube root of 2 is 1.26
        (taking(12.0), Consequence.NO_GAIN),
        (taking(5.0, stdout=b"wrong\n"), Consequence.REJECT),
        (taking(5.0, exit=1), Consequence.REJECT),
    ],
)
def test_the_whole_decides(on_the_whole: Run, consequence: Consequence) -> None:
    runner = ScriptedRunner(lambda asked: on_the_whole)
    assert of_whole(runner, comparison(ratio=2.0)).consequence is consequence
    assert runner.asked[0] == Asked(FAST, b"all of it", "fork")
    doubted = consequence is Consequence.NO_GAIN  # then the original runs once more beside it
    assert runner.asked[1:] == [Asked(SLOW, b"all of it", "fork")] * doubted


@pytest.mark.parametrize(("seconds", "slower"), [(14.0, False), (16.0, True), (170.0, True)])
def test_what_is_slower_on_the_whole_is_slower(seconds: float, slower: bool) -> None:
    """As fast on the part; the original takes 10 s on the whole whenever it is asked."""
    same = comparison(ratio=1.0, decision=Decision.SAME)
    runner = ScriptedRunner(lambda asked: taking(seconds if asked.program == FAST else 10.0))
    found = of_whole(runner, same)
    assert (found.consequence is Consequence.NO_GAIN, found.slower) == (slower, slower)
    if slower:
        limit = LimitTest(0.05, LimitAnswer.PASS, 0.01, 9)
        told = replace(same, limit=limit).without_gain(found.reason, slower=found.slower)
        assert told.decision is Decision.SLOWER
        assert told.limit is not None
        assert told.limit.answer is LimitAnswer.INCONCLUSIVE


@given(sizes=st.lists(st.floats(0, sys.float_info.max)), largest=st.floats(1, sys.float_info.max))
@example(sizes=[2.0], largest=sys.float_info.max)
def test_smaller_inputs_are_below_the_timed_one(sizes: list[float], largest: float) -> None:
    found = smaller_ones([(size, size) for size in sizes], largest, lambda wanted: (wanted, wanted))
    assert len([size for size, _ in found if 1 <= size < largest]) == len(found) <= 2
