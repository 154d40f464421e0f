"""Promises of bubblewrap where a real ordinary user starts it, and that as whom runs run is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
NOBODY = "65534"
AS_NOBODY = ("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups")


def as_ordinary_user(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python ARGUMENTS`, by somebody who is not root."""
    before = AS_NOBODY if os.geteuid() == 0 else ()
    env = {"PATH": os.defpath, "PYTHONPATH": str(ROOT / "sandbox"), "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [*before, sys.executable, *arguments]
    done = subprocess.run(words, cwd="/", env=env, capture_output=True, text=True, check=False)
    if done.returncode == 3 or re.search("Permission denied|No module named", done.stderr):  # or namespaces
        pytest.skip(done.stderr[-300:])
    return done


def test_every_other_promise_holds_for_an_ordinary_user() -> None:
    done = as_ordinary_user("-m", "codeopt_sandbox.conformance", "bubblewrap")
    lines = done.stdout.splitlines()
    assert (done.returncode, [line for line in lines if line.startswith("FAIL")]) == (0, []), done
    cannot = {line.split(":")[0].removeprefix("CANNOT").strip(): line for line in lines if line.startswith("CANNOT")}
    assert set(cannot) == {"identity", "ignored children"}
    assert "guest and runs share that user's number" in cannot["identity"]
    assert any(line.startswith("PASS    out of memory: ") for line in lines)


def test_as_whom_runs_run_is_said() -> None:
    script = "import codeopt_sandbox as s\nwith s.open_sandbox('bubblewrap') as it: print(it.description)"
    assert "runs have your user" in as_ordinary_user("-c", script).stdout
