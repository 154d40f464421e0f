"""generator_for_list, stream_input and slots: what is the same, what is refused, and who is offered them."""

from __future__ import annotations

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.engine.run_plan import make_plan
from tests.codeopt.rules.programs import rewritten, same


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(sum([k * k for k in range(9)]))\n", "print(sum(k * k for k in range(9)))\n"),
        ("print(max([len(w) for w in 'a bc'.split()],))\n", "print(max((len(w) for w in 'a bc'.split()),))\n"),
        ("print(any([k % 3 == 1 for k in range(9) if k]))\n", "print(any(k % 3 == 1 for k in range(9) if k))\n"),
        ("vs = [3, 4]\nprint(min([-v for v in vs]))\n", "vs = [3, 4]\nprint(min(-v for v in vs))\n"),
    ],
)  # fmt: skip
def test_no_list(before: str, after: str) -> None:
    assert rewritten("generator_for_list", before) == after


@pytest.mark.parametrize(
    "source",
    [
        "print(sum([k / 2 for k in range(9)]))\n",  # an error would come before later elements are made
        "print(any([1 // k for k in range(9)]))\n",  # the rest might fail
        "print(all([print(k) for k in range(9)]))\n",  # the rest does something
        "print(any([k == 1 for k in iter([1, 2])]))\n",  # what is left of it can be seen
        "it = iter([1])\nprint(sum([int(next(it)) for _ in range(2)]))\n",  # StopIteration, or RuntimeError
        "print(sum([(n := k) for k in range(9)]))\n",
        "print(max([k for k in range(9)], default=0))\n",
        "print(len([k for k in range(9)]), sorted([k for k in range(9)]))\n",
        "sum = list\nprint(sum([k for k in range(9)]))\n",
        "def f(vs):\n    return sum([v for v in vs])\nprint(f([1.5]))\n",
    ],
)
def test_a_list_stays(source: str) -> None:
    assert rewritten("generator_for_list", source) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for row in sys.stdin.readlines():\n    print(row)\n", "for row in sys.stdin:\n    print(row)\n"),
        (
            "print(sum(map(int, sys.stdin.read().split())))\n",
            "print(sum(map(int, (word for line in sys.stdin for word in line.split()))))\n",
        ),
        ("def main():\n    print([r.split() for r in sys.stdin.readlines()])\nmain()\n",
         "def main():\n    print([r.split() for r in sys.stdin])\nmain()\n"),
    ],
)  # fmt: skip
def test_a_line_at_a_time(before: str, after: str) -> None:
    assert rewritten("stream_input", "import sys\n" + before) == "import sys\n" + after


@pytest.mark.parametrize(
    "source",
    [
        "rows = sys.stdin.readlines()\nprint(len(rows))\n",
        "for row in sys.stdin.readlines():\n    break\n",
        "for row in sys.stdin.readlines():\n    print(row, input())\n",
        "n = int(sys.stdin.readline())\nfor row in sys.stdin.readlines():\n    print(row)\n",
        "try:\n    for row in sys.stdin.readlines():\n        print(1 // len(row))\nexcept ValueError:\n    pass\n",
        "for _ in range(2):\n    for row in sys.stdin.readlines():\n        print(row)\n",
        "def main():\n    for row in sys.stdin.readlines():\n        print(row)\nmain()\nmain()\n",
        "for w in sys.stdin.read().split(','):\n    print(w)\n",
        "for w in reversed(sys.stdin.readlines()):\n    print(w)\n",
    ],
)
def test_the_input_is_read_as_it_was(source: str) -> None:
    assert rewritten("stream_input", "import sys\n" + source) is None


POINT = "class P:\n    def __init__(self, a):\n        self.x = a\n"
ROW = "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    b: int\n"


@pytest.mark.parametrize(
    ("source", "listed"),
    [
        (POINT + "print(P(1).x)\n", '("x",)'),
        (POINT + "    def f(self): self.x, self.y = 1, 2\np = P(1)\np.f()\np.x = 3\nprint(p.y)\n", '("x", "y")'),
        (POINT + "    K = 2\nprint([p.x * P.K for p in map(P, range(3))])\n", '("x",)'),
        (POINT + "class Q:\n    def __init__(self): self.q = P(2)\nprint(Q().q.x)\n", '("x",)'),
        (ROW + "print(sorted([P(1, 2), P(0, 1)], key=lambda p: p.a))\n", '("a", "b")'),
    ],
)  # fmt: skip
def test_objects_without_a_dict(source: str, listed: str) -> None:
    assert f"    __slots__ = {listed}\n" in same("slots", source)


@pytest.mark.parametrize(
    "source",
    [
        POINT + "p = P(1)\np.y = 2\nprint(p.y)\n",
        POINT + "print(vars(P(1)))\n",
        POINT + "setattr(P(1), 'y', 2)\n",
        POINT + "import pickle\nprint(len(pickle.dumps(P(1))))\n",
        POINT + "import weakref\nprint(weakref.ref(P(1)))\n",
        POINT + "class Q(P):\n    pass\nprint(Q(1).x)\n",
        POINT + "P.x = 3\nprint(P(1).x)\n",
        POINT + "print(P.x)\n",
        POINT + "def tell(k): k.x = 3\ntell(P)\n",
        POINT + "    x = 3\nprint(P(1).x)\n",
        POINT + "    def x(self): return 3\nprint(P(1).x)\n",
        POINT + "    @classmethod\n    def set(cls): cls.x = 3\nP.set()\n",
        POINT + "class Q(Exception):\n    def set(self): self.q = 1\nQ.set(P(1))\n",
        POINT + "class Q:\n    def set(self): self.q = 1\nclass R(Q): pass\nR.set(P(1))\n",
        POINT + "class Q:\n    def set(self): self.q = 1\n    property(set).fget(P(1))\n",
        POINT + "def now(f): return f(P(1))\nclass Q:\n    @now\n    def set(self): self.q = 1\n",
        POINT + "property = lambda f: f(P(1))\nclass Q:\n    @property\n    def set(self): self.q = 1\n",
        POINT + "class Q:\n    class R:\n        def set(self): self.q = 1\nQ.R.set(P(1))\n",
        POINT + "try: print(P(1).y)\nexcept Exception as error: print(error)\n",
        POINT + "print('{0.__dict__}'.format(P(1)))\n",
        POINT.replace("P:", "P(Exception):") + "print(P(1).x)\n",
        POINT.replace("P:", "P(metaclass=type):") + "print(P(1).x)\n",
        "import enum\n@enum.unique\n" + POINT,
        "class P:\n    __slots__ = ('x', '__dict__')\n    def __init__(self): self.x = 1\n",
        "class P:\n    def f(self): return 1\nprint(P().f())\n",
        ROW.replace("b: int", "b: int = 2") + "print(P(1))\n",
        ROW.replace("@dataclass", "@dataclass(slots=True)") + "print(P(1, 2))\n",
    ],
)  # fmt: skip
def test_objects_keep_their_dict(source: str) -> None:
    assert rewritten("slots", source) is None


@pytest.mark.parametrize(("task", "offered"), [("memory", True), ("runtime,memory", True), ("runtime", False)])
def test_they_are_offered_where_memory_is_compared(task: str, offered: bool) -> None:
    names = {rule.name for rule in make_plan(ImproveOptions(model="rules", task=task)).rules.built_in}
    assert ("generator_for_list" in names) is offered
    assert "counter" in names
