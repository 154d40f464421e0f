"""Sizes and indices within one argument: learnt of known calls, and a made-up call that breaks them is beyond."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.contract.function.seen import seen
from codeopt.workloads.contract.function.structure import structure
from tests.codeopt.command import codeopt

GRAPHS = [[[(at + 1) % n, (at + 2) % n][: at % 2 + 1] for at in range(n)] for n in (4, 5, 7)]
EDGES = [{"edges": [(0, n - 1), (1, 2)], "nodes": n} for n in (4, 6, 9)]
WEIGHTED = [{"edges": [[0, n - 1, 0.5], [1, 2, 1.5]], "nodes": n} for n in (4, 4, 4)]
COLUMNS = [{"x": [0.5] * n, "y": [1.5] * n} for n in (3, 3, 3)]
SYSTEM = [{"a": [[1.0] * n for _ in range(n)], "b": [0.5] * n} for n in (3, 4, 5)]


def test_a_long_list_is_looked_at_to_its_end() -> None:
    """One number below zero far behind is found, as one of another type is."""
    known = seen([[*range(1, n)] for n in (5, 9, 4000)])
    assert known.unlike([*range(1, 5000)]) == ""
    assert known.unlike([*range(1, 5000), -1, 3]) == "a number below zero among the items"
    assert known.unlike([*range(1, 5000), 0, 3]) == "zero among the items"
    assert known.missing([*range(1, 5000), None, 3]) == "None among the items"


@pytest.mark.parametrize(
    ("known", "asked", "why"),
    [
        (GRAPHS, [[1], [0, 2], [9]], "`p` holds indices below the length of `p`"),
        (GRAPHS, [[1], [0, -1]], "`p` holds indices below the length of `p`"),
        (GRAPHS, [[1], [0]], ""),
        (EDGES, {"edges": [(0, 3)], "nodes": 2}, "`p['edges']` holds indices below `p['nodes']`"),
        (EDGES, {"edges": [(0, 1)], "nodes": 2}, ""),
        (WEIGHTED, {"edges": [[7, 1, 0.5]], "nodes": 4}, "`p['edges']` holds indices below `p['nodes']`"),
        (COLUMNS, {"x": [0.5], "y": []}, "the length of `p['y']` is the length of `p['x']`"),
        (COLUMNS, {"x": [0.5, 1.5], "y": [0.5, 2.5]}, ""),
        (SYSTEM, {"a": [[1.0, 2.0]], "b": [0.5]}, "the length of each row of `p['a']` is the length of `p['a']`"),
        (SYSTEM, {"a": [[1.0]], "b": [0.5, 0.5]}, "the length of `p['b']` is the length of `p['a']`"),
        (
            [[[at for at in range(8) if at != node] for node in range(8)]],
            [[1]],
            "`p` holds indices below the length of `p`",
        ),
        (EDGES[:2], {"edges": [(0, 3)], "nodes": 2}, ""),
        ([*EDGES, {"edges": [(5, 5)], "nodes": 5}], {"edges": [(0, 3)], "nodes": 2}, ""),
        ([[3, 1, 2], [0, 1, 2], [2, 0, 1]], [9], ""),
        (EDGES, {"edges": "no list", "nodes": None}, ""),
    ],
)
def test_what_breaks_what_all_known_values_keep(known: list[Any], asked: Any, why: str) -> None:
    assert structure("p", known).broken(asked) == (f"in every known call {why}" if why else "")


VALUES = st.recursive(
    st.none() | st.integers(-2, 6) | st.floats() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_known_values_break_nothing(known: list[Any]) -> None:
    assert [structure("p", known).broken(each) for each in known] == [""] * len(known)


SLOW = """\
def degrees(graph):
    found = []
    for node in range(len(graph["links"])):
        count = 0
        for each in graph["links"]:
            for other in each:
                count += other == node
        found.append(count)
    return found
"""
QUICK = """\
def degrees(graph):
    found = [0] * len(graph["links"])
    for each in graph["links"]:
        for other in each:
            found[other] += 1
    return found
"""
CALLS = """\
def made(n, step):
    return {"links": [[(at * step + k) % n for k in range(at % 3 + 1)] for at in range(n)]}

CALLS = [((made(n, step),), {}) for n in range(4, 9) for step in (1, 2, 3)]
BIG = [((made(150, 7),), {})]
"""


def test_a_graph_whose_nodes_are_not_its_own_is_a_caveat(tmp_path: Path) -> None:
    for name, text in (("old.py", SLOW), ("new.py", QUICK), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    (tmp_path / "wrong.py").write_text(QUICK.replace("+= 1", "+= other > 0"))
    flags = ("--calls", "calls.py", "--sandbox", "bubblewrap", "--max-pairs", "8")
    done = codeopt("compare", "old.py::degrees", "new.py::degrees", *flags, cwd=tmp_path)
    assert not done.out.startswith("rejected"), done.out
    assert "(in every known call 'graph['links']' holds indices below the length of" in done.out, done.out
    done = codeopt("compare", "old.py::degrees", "wrong.py::degrees", *flags, cwd=tmp_path)
    assert done.out.startswith("rejected"), done.out
