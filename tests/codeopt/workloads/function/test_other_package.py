"""Two versions of a whole package: its import may take longer, which is told, and is not the function's doing."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.function.guards.shifted_cost import without_computing
from tests.codeopt.workloads.function.test_traps import FAST_SUMS, SUMS
from tests.support.judges import compared

pytestmark = pytest.mark.full

SLEEPY = "import time\nend = time.process_time() + 0.03\nwhile time.process_time() < end:\n    pass\n"


GONE = "from sums import left_over\n"
"""What the later package has no more."""


def test_what_is_left_computes_nothing() -> None:
    text = """
import os
A = 1
B = os.getcwd()
def f(x=1): return g(x)
def g(x=f()): return 1
@f
def h(): pass
class C(object):
    K = "a"
    T = [i for i in range(9)]
    def m(self): return self.T
for A in range(9): pass
"""
    left = without_computing(text)
    assert "K = 'a'" in left
    assert "def m(self)" in left
    assert "return g(x)" in left
    assert not any(gone in left for gone in ("getcwd", "T = ", "range", "def g"))
    compile(left, "left", "exec")


@pytest.mark.parametrize(
    ("package", "module", "verdict"),
    [
        pytest.param(SLEEPY, GONE, "faster", id="the package"),
        pytest.param("", SLEEPY, "same", id="the module"),
    ],
)
def test_a_longer_import(tmp_path: Path, package: str, module: str, verdict: str) -> None:
    before = GONE if GONE in module else ""
    sides = {
        "old": ("left_over = 1\n" * bool(before), before + SUMS),
        "new": (package, module.removeprefix(GONE) + FAST_SUMS),
    }
    for side, (top, text) in sides.items():
        home = tmp_path / side / "sums"
        home.mkdir(parents=True)
        (tmp_path / side / "pyproject.toml").write_text("[project]\nname = 'sums'\n")
        (home / "__init__.py").write_text(top)
        (home / "core.py").write_text(text)
    (tmp_path / "calls.py").write_text("CALLS = [((n,), {}) for n in range(12)]\nBIG = [((300,), {})]\n")
    old, new = (f"{tmp_path / side / 'sums' / 'core.py'}::f" for side in sides)
    found = compared(old, new, 8, calls=tmp_path / "calls.py", no_tests=True)
    assert found["verdict"] == verdict, found["reason"]
    told = [each["input"] for each in found["caveats"] if each["kind"] == "speed"]
    assert told == (["the import of its module"] if verdict == "faster" else [])
    assert ("the work was moved" in found["reason"]) is (verdict == "same")
