"""Work on another core beside that of the main sandbox."""

from __future__ import annotations

import ast
import gc
import time
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from codeopt.workloads._runs import on_other_core
from codeopt_sandbox import Sandbox

TEXT = f"f([{', '.join(['(1, [2, {3: 4}])'] * 300)}])"
SECONDS = 3.0


class Core:
    """A sandbox whose other core is its own."""

    thread = ThreadPoolExecutor(1)

    def on_other_core(self) -> Core:
        return self

    def stop(self) -> None:
        pass


class Finalized:
    """Garbage whose end runs Python code, in which the interpreter goes over to another thread."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        sum(range(50))


def parse_often(depth: int = 0) -> int:
    if depth:
        return parse_often(depth - 1)
    count, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        Finalized()
        ast.parse(TEXT, mode="eval")
        count += 1
    return count


def test_both_threads_may_parse() -> None:
    """Python 3.11 ends with a SystemError where one collects garbage within `ast.parse`."""
    was = gc.isenabled()
    with on_other_core(cast(Sandbox, Core()), lambda _: parse_often(60)) as result:
        assert parse_often() > 0
        assert result() > 0
    assert gc.isenabled() == was
