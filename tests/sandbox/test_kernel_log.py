"""A run that takes too much memory is ended by the watcher: the kernel would print names that it chose to its log."""
# looks at sandbox/codeopt_sandbox/guest/supervisor/monitor

from __future__ import annotations

import secrets
import subprocess

import pytest

from codeopt_sandbox import RunLimits, Sandbox
from tests.conftest import BACKENDS, open_or_skip

GROW = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        break
kept = []
while True:
    kept.append(b"x" * (1 << 22))
"""


def log() -> str:
    """The kernel's log; the test is skipped where it may not be read."""
    done = subprocess.run(["dmesg"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("the kernel's log may not be read")
    return done.stdout


@pytest.mark.parametrize("children", [0, 20])
@pytest.mark.parametrize("backend", BACKENDS[:2])
def test_no_name_of_a_run_is_in_the_log(backend: str, children: int) -> None:
    log()
    name = f"x{secrets.token_hex(6)}"
    with open_or_skip(backend, RunLimits(seconds=20, memory_mib=128)) as opened:
        assert grown(opened, name, children)
    assert name not in log()


def grown(opened: Sandbox, name: str, children: int) -> bool:
    """Whether the watcher ended it."""
    run = opened.run(GROW, args=[name, str(children)])
    return run.stop == "memory" and "resident" in run.stop_detail
