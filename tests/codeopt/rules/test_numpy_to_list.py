"""numpy_to_list: arrays that are only indexed become lists, all others stay."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

HEAD = "import numpy as np\nn = int('4')\n"


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "a = np.zeros(n, dtype=int)\nfor i in range(n):\n    a[i] = i\nprint(a[2], len(a), a[-1])\n",
        HEAD + "a = np.ones((n, 2))\nfor i in range(n):\n    a[i, 1] += i\nprint(a[3, 1], a[0][0], len(a))\n",
        HEAD + "a = np.full(n + 1, 7)\nfor x in a:\n    print(x)\n",
        HEAD + "a = np.full((2, n), 0.5)\nprint(a[1][2])\nfor i in []: pass\n",
        HEAD + "a = np.array('3 1 2'.split(), dtype=np.int64)\nfor i in range(3):\n    print(a[i])\n",
        HEAD + "a = np.array([[1, 2], [3, 4]])\nfor i in range(2):\n    print(a[i][1 - i], a[i, i])\n",
        HEAD + "a = np.zeros(n, dtype=bool)\nfor i in range(n):\n    a[i] = i > 2\nprint(sum(a))\n",
    ],
)
def test_lists(source: str) -> None:
    assert "np" not in same("numpy_to_list", source)


@pytest.mark.parametrize(
    "rest",
    [
        "a = np.zeros(n)\na += 1\n",
        "a = np.zeros(n)\nb = a\n",
        "a = np.zeros(n)\nprint(a[1:])\n",
        "a = np.zeros(n)\nprint(a)\n",
        "a = np.zeros((n, n))\nprint(a[0])\n",
        "a = np.zeros((n, n))\nprint(a[:, 0])\n",
        "a = np.zeros((n, n, n))\nprint(a[0][0][0])\n",
        "a = np.zeros(n)\nprint(a[[0, 1]])\n",
        "a = np.zeros(n)\nprint(a.sum())\n",
        "a = np.arange(n)\nprint(a[0])\n",
        "a = np.zeros(n)\na = np.ones(n)\nprint(a[0])\n",
        "a = np.zeros(n)\nprint(a[0], np.sqrt(n))\n",
        "a = np.array([1, 2.5])\nprint(a[0])\n",
        "a = np.zeros(n, dtype='complex')\nprint(a[0])\n",
        "a = np.array([[1], [2, 3]], dtype=object)\nprint(a[0][0])\n",
    ],
)
def test_refused(rest: str) -> None:
    assert rewritten("numpy_to_list", HEAD + rest + "for i in range(n):\n    pass\n") is None


def test_refused_with_another_import() -> None:
    assert rewritten("numpy_to_list", "from numpy import sqrt\n" + HEAD + "a = np.zeros(n)\nfor i in a: pass\n") is None
