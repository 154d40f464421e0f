"""Benchmarks do not rot: CI runs each in a short form, and commands that are written down have flags that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.documents import DOCUMENTS

ROOT = Path(__file__).parents[1]
ALL = sorted(path for form in ("*.py", "*/*.py") for path in (ROOT / "benchmarks").glob(form))
RUN = [path for path in ALL if '__name__ == "__main__"' in path.read_text("utf-8")]
BY_PYTEST = [path for path in ALL if path.stem.startswith("test_")]
COMMAND = re.compile(r"python\s+-m\s+benchmarks\.([\w.]+)([^`\n]*)")


@pytest.mark.parametrize("path", BY_PYTEST, ids=lambda path: path.stem)
def test_ci_runs_those_of_pytest_too(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    assert f"\nshort pytest {place} " in (ROOT / ".ci/benchmarks").read_text("utf-8")
    assert f"\n    python -m pytest {place}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_ci_runs_it_in_a_short_form(path: Path) -> None:
    """Of every change or, where that takes a minute and more, of every night."""
    text = (ROOT / ".ci/benchmarks").read_text("utf-8")
    module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    assert re.search(rf"^(short|nightly) {re.escape(module)} ", text, re.MULTILINE)


@pytest.mark.parametrize("path", [*DOCUMENTS, *RUN], ids=lambda path: path.stem)
def test_the_commands_that_are_named_exist(path: Path) -> None:
    for name, rest in COMMAND.findall(path.read_text("utf-8")):
        source = (ROOT / "benchmarks" / f"{name.replace('.', '/')}.py").read_text("utf-8")
        assert [flag for flag in re.findall(r"--[a-z]+", rest) if f'"{flag}"' not in source] == [], name
