"""The guest's code in the oldest Python that it supports: it compiles there, and functions are judged there."""

from __future__ import annotations

import subprocess
from typing import Any, Literal

import pytest

from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest_bundle import bundle
from codeopt_sandbox.host import Options
from tests.conftest import open_or_skip
from tests.sandbox.said import said
from tests.support.pythons import python_of

OLDEST = "3.8"
COMPILE = "import sys; [compile(text, 'guest', 'exec') for text in sys.stdin.read().split(chr(0))]"
MODULE = "import collections, json\ndef f(words):\n    return sorted(collections.Counter(words).items())\n"


@pytest.fixture
def oldest() -> str:
    """Path of the oldest supported interpreter; the test is skipped where there is none."""
    found = python_of(OLDEST)
    if found is None:
        pytest.skip(f"no Python {OLDEST} here")
    return found


def test_all_modules_compile(oldest: str) -> None:
    texts = "\0".join(bundle().values())
    done = subprocess.run([oldest, "-I", "-c", COMPILE], input=texts, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("program", "more"), [("check", {}), ("check", {"lines": True}), ("time", {}), ("time", {"memory": True})]
)
def test_functions_are_judged(oldest: str, program: Literal["check", "time"], more: dict[str, Any]) -> None:
    batch = CallBatch(("f(['b', 'a', 'b'])",), program, **more)
    with open_or_skip("bubblewrap", options=Options(python=oldest)) as sandbox:
        run = CallRunner(sandbox, FunctionRef("mod", "/tmp/mod.py", "f")).ask(MODULE, batch)
    assert "returns [('a', 1), ('b', 2)]" in said(run)[0]
