"""Calls that are no evidence, in words: the numbers are of what was counted, and the sentence reads well."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.program import Target
from codeopt.workloads.function.corpus.corpus import quick_calls
from codeopt.workloads.function.corpus.observe import (
    Exclusion,
    ExclusionReason,
    Exclusions,
    KnownCall,
    objection,
    unwritten,
)
from codeopt.workloads.function.corpus.sources import Found
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer
from tests.conftest import require_sandbox
from tests.support.judges import function_judge

TOO_LONG, ENDED, NO_SENSE, TWICE = (
    Exclusion(why)
    for why in (ExclusionReason.TOO_LONG, ExclusionReason.ENDED, ExclusionReason.NO_SENSE, ExclusionReason.TWICE)
)


@pytest.mark.parametrize(
    ("given", "made_up", "words"),
    [
        ({}, {}, ""),
        ({TOO_LONG: 1}, {}, "1 call that took too long"),
        ({TOO_LONG: 0}, {NO_SENSE: 0}, ""),
        ({TOO_LONG: 2, ENDED: 3}, {}, "3 calls that ended the process, 2 calls that took too long"),
        ({TOO_LONG: 2}, {NO_SENSE: 118}, "2 calls that took too long, 118 generated calls that made no sense"),
        (
            {},
            {Exclusion(ExclusionReason.TWICE, "the clock"): 1},
            "1 generated call that did not do the same twice (the clock)",
        ),
        (
            unwritten({"self._file: an open file": 1}),
            {},
            "1 call that cannot be written down (self._file: an open file)",
        ),
    ],
)
def test_what_is_left_out(given: dict[Exclusion, int], made_up: dict[Exclusion, int], words: str) -> None:
    assert Exclusions(given, made_up).words() == words


@pytest.mark.parametrize(
    ("dropped", "total", "what", "words"),
    [
        (
            {Exclusion(ExclusionReason.EFFECTS, "changes files"): 2},
            2,
            "call",
            "all 2 calls had side effects (changes files); name the part",
        ),
        (
            {Exclusion(ExclusionReason.TWICE, "the clock"): 1},
            1,
            "call",
            "its only call did not do the same twice (the clock); give it",
        ),
        (
            {Exclusion(ExclusionReason.COMPARED, "socket"): 2, TOO_LONG: 1},
            3,
            "call",
            "2 of 3 calls had a value that cannot be compared (socket)",
        ),
        ({TWICE: 118}, 120, "generated call", "118 of 120 generated calls did not do the same twice; give it"),
        ({TWICE: 1}, 2, "call", ""),
        ({TOO_LONG: 5, NO_SENSE: 5}, 10, "call", ""),
    ],
)
def test_what_speaks_against_a_function(dropped: dict[Exclusion, int], total: int, what: str, words: str) -> None:
    found = objection(dropped, total, what)
    assert found.startswith(words)
    assert bool(found) is bool(words)


SUMS = """\
def f(rows):
    names = set(name for name, _ in rows)
    return {name: sum(size for other, size in rows if other == name) for name in names}
"""
FIRST = """\
def f(rows):
    return next(iter({name for name, _ in rows}), "")
"""
ROWS = """\
CALLS = [(([(f"u{n % 7}", n) for n in range(size)],), {}) for size in (60, 80)]
CALLS += [(([("u", n) for n in range(size)],), {}) for size in range(12)]
"""


def evidence_of(folder: Path, text: str) -> WorkloadEvidence:
    """Facts of `f` of a module text, which is timed by nobody."""
    require_sandbox()
    (folder / "old.py").write_text(text)
    (folder / "calls.py").write_text(ROWS)
    target = Target(folder / "old.py", "f")
    with function_judge(target, timed=False, calls=folder / "calls.py", max_examples=20) as judge:
        return judge.workload.evidence()


def test_calls_whose_order_alone_changes_are_compared_without_it(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, SUMS)
    assert [each.message for each in evidence.gaps if "order" in each.message] == [
        "2 of 14 calls are compared without the order of items"
    ]
    assert evidence.checked.sources["calls_file"] == 14


def test_calls_that_change_by_themselves_are_named(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, FIRST)
    assert [count for words, count in evidence.checked.left_out.items() if "the order of a set" in words][:1] == [2]
    (short,) = [each for each in evidence.gaps if "the order of a set" in each.cause]
    assert "2 calls" in short.message
    assert short.hint


@pytest.mark.parametrize(("size", "told"), [(3_000, True), (3, False)])
def test_an_array_that_is_never_varied_is_named(size: int, told: bool, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    require_sandbox()
    (tmp_path / "old.py").write_text("def f(points, n):\n    return len(points) + n\n")
    (tmp_path / "calls.py").write_text(
        f"import numpy\nCALLS = [((numpy.arange({size}.0) + n, n), {{}}) for n in range(14)]\n"
    )
    target = Target(tmp_path / "old.py", "f")
    with function_judge(target, timed=False, calls=tmp_path / "calls.py", max_examples=200) as judge:
        gaps = judge.workload.evidence().gaps
    assert [each.message for each in gaps] == ["`points` is not varied"] * told


@pytest.mark.parametrize(("count", "kept", "left"), [(0, 0, ""), (10_000, 10_000, ""), (10_001, 10_000, "1 known call"),
                                                     (25_000, 10_000, "15,000 known calls")])  # fmt: skip
def test_of_very_many_given_calls_some_are_made(count: int, kept: int, left: str) -> None:
    texts = tuple(f"f({at})" for at in range(count))
    found = Found((("tests", ("f('a')",)), ("calls_file", texts))).limited()
    assert found.calls[0] == ("tests", ("f('a')",))
    assert len({*found.calls[1][1]}) == kept
    assert not left or found.calls[1][1][-1] in texts[-3:]
    assert [each.message for each in found.diagnostics] == [f"{left} left out"] * bool(left)


@given(st.permutations([0.01, 0.02, 0.03, 0.04, 0.05]))
def test_the_quickest_calls_stay_in_their_order(seconds: list[float]) -> None:
    known = [KnownCall(read(f"f({at})"), Answer("returns"), "generated", took) for at, took in enumerate(seconds)]
    assert quick_calls(known, most=1.0) == known
    assert quick_calls(known, most=0.07) == [each for each in known if each.seconds <= 0.03]
    assert quick_calls(known, most=0.0, least=2) == [each for each in known if each.seconds <= 0.02]
