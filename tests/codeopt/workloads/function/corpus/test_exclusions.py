"""Calls that are no evidence, in words: the numbers are of what was counted, and the sentence reads well."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.program import Target
from codeopt.workloads.function.corpus.sources import Found
from tests.conftest import require_sandbox
from tests.support.judges import function_judge

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
