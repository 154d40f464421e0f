"""What a run of calls pays to load our own modules.

    python -m pytest benchmarks/test_guest_load.py [--rounds 150]

Read the ratios, not the milliseconds. `sources` is what every run would pay without code objects that are made once
in a guest; `code objects` is what a forked run pays, `marshalled` what one in a fresh interpreter does.
"""

from __future__ import annotations

import marshal
from typing import Any

import pytest

from codeopt_sandbox import Sandbox, open_sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.boot import Bundle
from codeopt_sandbox.guest_bundle import bundle

MODULE = "def f(n):\n    return n\n"
BATCH = CallBatch(("f(1)", "f(2)"), "time", passes=1)


def load(modules: dict[str, Any]) -> None:
    """All that a run of calls loads."""
    Bundle(modules).load("calls.__main__")


@pytest.mark.parametrize("kind", ["sources", "code objects", "marshalled"])
def test_load(benchmark: Any, rounds: int, kind: str) -> None:
    """In this process, whose own modules are loaded."""
    load(dict(bundle()))
    packed = Bundle(dict(bundle())).pack("")
    codes = marshal.loads(packed)
    benchmark.name = kind
    ways = {
        "sources": lambda: load(dict(bundle())),
        "code objects": lambda: load(codes),
        "marshalled": lambda: load(marshal.loads(packed)),
    }
    benchmark.pedantic(ways[kind], rounds=rounds, warmup_rounds=3)


@pytest.fixture(scope="module")
def sandbox() -> Any:
    """What is always there on Linux."""
    with open_sandbox("bubblewrap") as opened:
        yield opened


@pytest.mark.parametrize("mode", ["fork", "exec"])
@pytest.mark.parametrize("what", ["program", "calls"])
def test_run(benchmark: Any, rounds: int, sandbox: Sandbox, what: str, mode: Any) -> None:
    """A whole run of calls, and of a program that does nothing."""
    runner = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"))
    benchmark.name = f"{what}, {mode}"
    if what == "calls":
        benchmark.pedantic(lambda: runner.run(MODULE, BATCH.stdin(), mode=mode), rounds=rounds, warmup_rounds=3)
    else:
        benchmark.pedantic(lambda: sandbox.run("pass", mode=mode), rounds=rounds, warmup_rounds=3)
