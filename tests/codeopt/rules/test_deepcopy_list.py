"""deepcopy_list: what is copied stays apart, and rows that stand in two places stay one."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

GRID = "import copy\ng = {}\n{}h = copy.deepcopy(g)\nh[0].append(9)\ng[-1].append(8)\nprint(g, h)\n"
ROWS = "[row.copy() for row in g]"


@pytest.mark.parametrize(
    ("made", "then"),
    [
        ("[[0] * 2 for _ in range(3)]", ""),
        ("[[1], [2] + [3], sorted('ba')]", ""),
        ("[list(line) for line in ['ab', 'cd']]", "g[0][1] = 'x'\ng[1] = [5]\ng[0] += ['y']\n"),
        ("[]", "for i in range(3):\n    g.append([i] * i)\ng.reverse()\ng.pop()\n"),
        ("[[2], [1]]", "g = copy.deepcopy(g)\n"),
        ("[[2], [1]]", "print(sum(map(sum, g)), max(g, key=max))\n"),
        ("[line.split() for line in ['a b', 'c']]", "g.insert(0, g[1][:])\ng.insert(0, g[1].copy())\n"),
    ],
)
def test_rows_of_their_own(made: str, then: str) -> None:
    assert ROWS in same("deepcopy_list", GRID.format(made, then))


@pytest.mark.parametrize(
    ("made", "then"),
    [
        ("[[0] * 2] * 3", ""),
        ("[[1]] + [[2]]", "g += g\n"),
        ("[[1], [2]]", "g[0] = g[1]\n"),
        ("[[1], [2]]", "g[0], g[1] = g[1], g[1]\n"),
        ("[[1], [2]]", "g[:] = [g[0], g[0]]\n"),
        ("[[1], [2]]", "g.append(g[0])\n"),
        ("[[1], [2]]", "g.extend(g)\n"),
        ("[[1], [2]]", "b = g\nb += b\n"),
        ("[[1], [2]]", "for g[0] in [g[1]]:\n    pass\n"),
        ("[r for r in ([0],) for _ in range(2)]", ""),
        ("[[[1]], [[2]]]", ""),
        ("[[1], [2]]", "from somewhere import f\nf(g)\n"),
        ("[[object()], [2]]", ""),
    ],
)
def test_rows_that_may_be_one(made: str, then: str) -> None:
    assert rewritten("deepcopy_list", GRID.format(made, then)) is None


@pytest.mark.parametrize(
    "made",
    [
        "[1, 'a', (2, None)]",
        "{1: 2.5, (1, 2): 'x'}",
        "{1, 2}",
        "collections.Counter('abca')",
        "collections.deque([1])",
    ],
)
def test_flat_things(made: str) -> None:
    source = f"import collections\nfrom copy import deepcopy\na = {made}\nb = deepcopy(a)\na.clear()\nprint(a, b)\n"
    assert "b = a.copy()" in same("deepcopy_list", source)


@pytest.mark.parametrize(
    "source",
    [
        "import copy\na = {1: [2]}\nprint(copy.deepcopy(a))\n",
        "import copy\na = [1]\nprint(copy.deepcopy(a, {}), copy.copy(a))\n",
        "def deepcopy(v):\n    return v\na = [1]\nprint(deepcopy(a))\n",
        "import copy\nclass A(list):\n    pass\nprint(type(copy.deepcopy(A())))\n",
        "from copy import deepcopy\nprint(deepcopy((1, [2])))\n",
    ],
)
def test_left_alone(source: str) -> None:
    assert rewritten("deepcopy_list", source) is None


def test_copies_are_followed() -> None:
    """What is done to a copy may be done to its rows: a call over them is not taken out of the loop."""
    source = "import copy\ng = [[1]]\nr = g[0]\nfor i in range(3):\n    copy.copy(g)[0].append(i)\n    print(len(r))\n"
    assert rewritten("loop_invariant", source) is None
