"""`--max-seconds` counts from the start of the command, with what came before its first step."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from codeopt.cli.main import main
from tests.codeopt.review.test_deadline import LOOP
from tests.conftest import require_sandbox
from tests.support.files import write_files

pytestmark = pytest.mark.full

TESTS = "from names import labels\n\n\ndef test_labels():\n    assert labels(['a'] * 9) == ['a']\n"


@pytest.mark.parametrize(
    "words", [("improve", "names.py::labels", "--model", "rules"), ("improve", "names.py"), ("check", ".")]
)
@pytest.mark.parametrize("spent_s", [0.0, 3600.0])
def test_what_was_spent_before_the_first_step_counts(
    words: tuple[str, ...], spent_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Only then is the time up before anything is tried."""
    require_sandbox()
    write_files(tmp_path, {"names.py": LOOP, "test_names.py": TESTS})
    monkeypatch.chdir(tmp_path)
    flags = ("--sandbox", "bubblewrap", "--max-seconds", "600", "--mutated-inputs", "off", "--max-examples", "10")
    status = main([*words, *flags], began=time.monotonic() - spent_s)
    said = capsys.readouterr()
    assert ("the time limit of 600 s is reached" in said.err + said.out) is bool(spent_s), said.err
    assert status in ((5, 6) if spent_s else (0, 1))
