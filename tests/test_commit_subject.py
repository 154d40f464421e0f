"""The commit-msg hook accepts imperative subjects of one change and rejects others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[1] / ".github" / "check_commit_subject.py"


@pytest.mark.parametrize(
    ("subject", "status"),
    [
        ("Fix counterexample of generators", 0),
        ("Pass the seed to the guest", 0),
        ("Merge branch 'a-branch-with-a-name-so-long-that-the-subject-has-more-than-72-characters'", 0),
        ("Fixed counterexample of generators", 1),
        ("Fixes counterexample of generators", 1),
        ("the counterexample of generators", 1),
        ("Fix counterexample of generators.", 1),
        ("Fix counterexample of generators; add a test", 1),
        ("Fix " + "x" * 69, 1),
    ],
)
def test_a_subject_is_checked(tmp_path: Path, subject: str, status: int) -> None:
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\nWhy: a body may have any form; even this one.\n")
    assert subprocess.run([sys.executable, CHECK, message], capture_output=True).returncode == status
