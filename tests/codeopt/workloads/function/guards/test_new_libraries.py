"""Drafts that newly import an installed library: its import is no reason to reject, and is reported once."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.report.outcomes import why
from codeopt.workloads.source.module_names import imported_names
from tests.support.judges import compared, function_judge

pytestmark = pytest.mark.full

OLD = """\
def f(points: list[float]) -> float:
    best = 0.0
    for a in points:
        for b in points:
            best = max(best, abs(a - b))
    return float(best)
"""
AT_THE_TOP = "import numpy\ndef f(points):\n    return float(numpy.ptp(numpy.array(points))) if points else 0.0\n"
IN_THE_CALL = (
    "def f(points):\n    if not points:\n        return 0.0\n"
    "    import numpy as np\n    array = np.array(points)\n"
    "    return float(np.linalg.norm(array.max() - array.min()))\n"
)
CALLS = """\
CALLS = [(([n * k % 17 / 4 for n in range(k)],), {}) for k in range(12)]
BIG = [(([n * 7 % 1013 / 4 for n in range(700)],), {})]
"""


@pytest.mark.parametrize(
    ("backend", "draft"),
    [
        pytest.param("bubblewrap", AT_THE_TOP, id="at the top"),
        pytest.param("bubblewrap", IN_THE_CALL, id="in the call"),
        pytest.param("docker", IN_THE_CALL, id="in the call, docker", marks=pytest.mark.docker),
    ],
)
def test_a_library_changes_the_process_of_both(tmp_path: Path, backend: str, draft: str) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "calls.py").write_text(CALLS)
    options = {"calls": tmp_path / "calls.py", "max_examples": 20, "sandbox": backend}
    with function_judge(Target(tmp_path / "old.py", "f"), timed=False, **options) as judge:
        found = judge.check(Revision.of(draft), "a person's")
        assert found.correct, why(found)


def test_its_import_is_no_moved_work(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    for name, text in (("old.py", OLD), ("new.py", AT_THE_TOP), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    old, new = (f"{tmp_path / name}::f" for name in ("old.py", "new.py"))
    found = compared(old, new, calls=tmp_path / "calls.py", no_tests=True, max_examples=50)
    assert found["verdict"] == "faster", found["reason"]
    (note,) = [each for each in found["notes"] if "newly imports" in each]
    assert "numpy" in note
    assert "of the process" in note


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b\na.b.c(a.d)", ("a", "a.b", "a.b.c", "a.d")),
        ("import a.b as c\ndef f():\n    return c.d.e()", ("a.b", "a.b.d.e", "a.b.d")),
        ("def f():\n    from a import b, c as d\n    return d.e", ("a.b", "a.c", "a.c.e")),
        ("from a import *\nfrom . import b\nfrom .c import d", ("a",)),
        ("import a\nx.a.b\nf(a).b", ("a",)),
        ("def", ()),
    ],
)
def test_names_that_a_text_imports(source: str, names: tuple[str, ...]) -> None:
    assert set(imported_names(source)) == set(names)
