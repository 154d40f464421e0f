"""What a user points at."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.program import Target, as_target


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("a/b.py::C.m", Target(Path("a/b.py"), "C.m")),
        ("a/b.py::C::m", Target(Path("a/b.py"), "C.m")),
        ("a/b.py", Target(Path("a/b.py"))),
    ],
)
def test_a_target_is_a_file_or_something_in_it(written: str, target: Target) -> None:
    assert as_target(written) == target
    assert as_target(str(target)) == target
