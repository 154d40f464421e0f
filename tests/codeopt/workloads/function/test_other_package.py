"""Two versions of a whole package: its import may take longer, which is told, and is not the function's doing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.workloads.function.test_traps import FAST_SUMS, SUMS
from tests.support.judges import compared

SLEEPY = "import time\nend = time.process_time() + 0.03\nwhile time.process_time() < end:\n    pass\n"


@pytest.mark.parametrize(
    ("package", "module", "verdict"), [(SLEEPY, "", "faster"), ("", SLEEPY, "same")], ids=["package", "module"]
)
def test_a_longer_import(tmp_path: Path, package: str, module: str, verdict: str) -> None:
    sides = {"old": ("", SUMS), "new": (package, module + FAST_SUMS)}
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
    told = [each["input"] for each in found["caveats"] if each["subject"] == "speed"]
    assert told == (["the import of its module"] if verdict == "faster" else [])
    assert ("the work was moved" in found["reason"]) is (verdict == "same")
