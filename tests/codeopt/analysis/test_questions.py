"""The questions that rules ask: liveness, escape, bounds, loops, effects; and where the answer is no."""

from __future__ import annotations

import ast

import pytest

from codeopt.analysis import AnalyzedProgram, parse


def program(text: str) -> AnalyzedProgram:
    found = parse(text)
    assert found is not None
    return found


def loop_of(found: AnalyzedProgram) -> ast.For:
    return found.of_kind(ast.For)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("range(3)", ("0", "3")),
        ("range(1, n)", ("1", "n")),
        ("range(1, n, 2)", None),
        ("range(*n)", None),
        ("range(stop=3)", None),
        ("other(3)", None),
    ],
)
def test_range_bounds(text: str, expected: tuple[str, str] | None) -> None:
    found = program(f"n = 3\n{text}\n")
    bounds = found.range_bounds(found.of_kind(ast.Call)[0])
    assert (tuple(map(ast.unparse, bounds)) if bounds else None) == expected


def test_a_rebound_range_counts_nothing() -> None:
    found = program("range = list\nfor i in range(3): pass\n")
    assert found.range_bounds(loop_of(found).iter) is None


@pytest.mark.parametrize(
    ("change", "shrinks"),
    [
        ("xs.append(1)", False),
        ("xs[0] = 1", False),
        ("xs += [1]", False),
        ("xs.pop()", True),
        ("del xs[0]", True),
        ("xs[:1] = []", True),
        ("xs *= 0", True),
        ("import heapq\nheapq.heappop(xs)", True),
        ("ys = xs\nys.clear()", True),
    ],
)
def test_what_may_get_shorter(change: str, shrinks: bool) -> None:
    found = program(f"xs = [3, 1]\n{change}\nprint(xs)\n")
    (container,) = found.types.containers(found.of_kind(ast.Name)[0], "list") or [None]
    (shown,) = [node for node in found.of_kind(ast.Name) if node.id == "xs"][-1:]
    assert bool(set(found.types.containers(shown, "list")) & found.escape.shrunk) is shrinks
    assert container is None or found.escape.changes(container)


@pytest.mark.parametrize(
    ("body", "keeps"),
    [
        ("print(v)", True),
        ("ys.append(v)", True),
        ("xs.append(v)", False),
        ("zs.append(v)", False),
        ("unknown(v)", True),
        ("unknown(xs)", False),
    ],
)
def test_what_a_loop_leaves_as_it_is(body: str, keeps: bool) -> None:
    found = program(f"from m import unknown\nxs = [1]\nys = []\nzs = xs\nfor v in [1, 2]:\n    {body}\n    len(xs)\n")
    (call,) = [node for node in found.of_kind(ast.Call) if ast.unparse(node) == "len(xs)"]
    assert (found.loops.outermost_same(call) is loop_of(found)) is keeps


def test_an_index_within_a_list() -> None:
    found = program("n = int(input())\nxs = [0] * n\nfor i in range(n):\n    xs[i]\n    xs[i + 1]\n")
    inside, outside = found.of_kind(ast.Subscript)
    answers = [
        found.bounds.index_is_valid(node.value, node.slice, node)
        for node in (inside, outside)
        if isinstance(node.value, ast.Name)
    ]
    assert answers == [True, False]
