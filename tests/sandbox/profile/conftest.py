"""The profiler in a plain process of this interpreter, with the environment that the sandbox gives."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt_sandbox.guest_bundle import GuestProgram, loading
from codeopt_sandbox.outcome import Run

RunDriver = Callable[[GuestProgram, bytes], Run]


@pytest.fixture
def run_driver(tmp_path: Path) -> RunDriver:
    """In the interpreter that runs the tests."""
    return driver_of(tmp_path, sys.executable)


def driver_of(tmp_path: Path, python: str) -> RunDriver:
    """In any interpreter."""

    def run(driver: GuestProgram, stdin: bytes, edit: Callable[[str], str] = str) -> Run:
        file, order = tmp_path / "driver.py", tmp_path / "order"
        file.write_text(edit(loading()) + f"\n_space['open_tool'](_bundle, {str(order)!r})()\n")
        order.write_bytes(driver.packed())
        environment = {"PATH": os.defpath, "HOME": str(tmp_path), "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [python, "-I", file], input=stdin, capture_output=True, env=environment, timeout=60, check=False
        )
        status = done.returncode
        ended = {"exit": status, "signal": None} if status >= 0 else {"exit": None, "signal": -status}
        return Run(**ended, wall_s=0, cpu_s=0, peak_bytes=0, stdout=done.stdout, stderr=done.stderr)

    return run
