"""Programs with one known hot line, marked `# HOT`: the line profile must put it first."""
# looks at sandbox/codeopt_sandbox/guest/profile

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import RunDriver, profile
from tests.conftest import rest_in_full

PROGRAMS = sorted((Path(__file__).parent / "hot").glob("*.py"))
STDIN = b"3 1 4 1 5 9 2 6\n" * 30_000


@pytest.mark.parametrize("path", rest_in_full(PROGRAMS, 7), ids=lambda path: path.stem)
def test_the_marked_line_is_first(path: Path, run_driver: RunDriver) -> None:
    assert_marked_is_first(path, run_driver)


def assert_marked_is_first(path: Path, driver: RunDriver) -> None:
    source = path.read_text()
    marked = [number for number, text in enumerate(source.splitlines(), 1) if text.endswith("# HOT")]
    found = profile(driver, source, Case("case", STDIN), seconds=30.0, modes=["lines"])
    assert found.notes == ()
    assert [found.lines[0].line] == marked, [(line.line, line.share, line.hits) for line in found.lines[:4]]
    assert sum(function.share for function in found.functions) == pytest.approx(1)
