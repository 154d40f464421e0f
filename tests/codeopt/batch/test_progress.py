"""The time that is left to a batch, from the problems that have ended."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.scheduler import Progress, WorkerEvent


def test_the_estimate_of_a_batch_falls_and_does_not_run_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = Progress(BatchFolder(tmp_path, create=True), None)
    progress.begin(3)
    assert progress.left() == "estimating"
    now += 40.0
    progress.on_event(WorkerEvent("ended", "a", "", "faster"))
    assert progress.left() == "about 80 s left"
    now += 30.0
    assert progress.left() == "about 50 s left"
    now += 60.0
    assert progress.left() == ""
