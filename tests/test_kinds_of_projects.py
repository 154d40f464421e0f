"""Twelve kinds of real projects by the installed wheel: a right change is faster, and a wrong one is rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.errors.changed_projects import main
from benchmarks.errors.changes import all_names
from tests.support.wheels import bare, build


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """codeopt in an environment of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    return bare(folder / "environment", build(folder)) / "codeopt"


@pytest.mark.full
@pytest.mark.parametrize("name", all_names())
def test_both_changes_are_judged_right(name: str, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main([name, "--codeopt", str(program)])
    assert status == 0, capsys.readouterr().out


def test_there_are_twelve_kinds() -> None:
    assert len(all_names()) == 12
