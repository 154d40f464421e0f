"""Runs that are not timed, on another core than those of the main sandbox."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from codeopt_sandbox import Sandbox

T = TypeVar("T")


@contextmanager
def on_other_core(sandbox: Sandbox, work: Callable[[Sandbox], T]) -> Iterator[Callable[[], T]]:
    """Do some work in a sandbox of its own, and yield what returns its result.

    Nothing may be timed meanwhile. If no core is left, the work is done in the sandbox itself, when its result is asked
    for. On leaving, work that is not done is given up after the run in progress: nobody waits for what a wrong version
    or Ctrl-C has made useless.
    """
    other = sandbox.on_other_core()
    if other is None:
        yield lambda: work(sandbox)
        return
    with other, _no_collections(), ThreadPoolExecutor(1) as thread:
        try:
            yield thread.submit(work, other).result
        finally:
            other.stop()


@contextmanager
def _no_collections() -> Iterator[None]:
    """Collect no garbage in Python 3.11: a finalizer within one thread's `ast.parse` lets another thread parse, and
    both end with `SystemError: AST constructor recursion depth mismatch` (python/cpython#106905)."""
    stopped = gc.isenabled() and sys.version_info[:2] == (3, 11)
    if stopped:
        gc.disable()
    try:
        yield
    finally:
        if stopped:
            gc.enable()
