"""The calls of a batch in the process of a profiler: every one, of the module as its users import it."""

from __future__ import annotations

import sys

from ..boot import read_exactly
from .batch import batch_of
from .import_context import Before
from .module_loader import SourceLoader, import_target
from .stage import read
from .worker import CallWorker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from .function_ref import FunctionRef


class PreparedCalls:
    """Every call on standard input, with arguments made, of a module whose code a profiler has made ready."""

    def __init__(self, ref: FunctionRef, source: str, code: CodeType) -> None:
        sys.modules.pop(ref.module, None)  # a profiler may repeat all of it
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, SourceLoader)]
        before = Before()
        self.worker = CallWorker(ref, *import_target(ref, source, code), before)
        batch = batch_of(read_exactly(0, sys.maxsize))
        codes = [compile(call, "call", "eval") for call in batch.calls]
        self.calls = [self.worker.arguments.fresh(each) for each in codes]
        if ref.asynchronous:
            self.worker.loop()

    def make(self, begin: Callable[[], Any]) -> None:
        """Make them. begin: called just before: neither the import nor the making of arguments is the function's."""
        invoke = self.worker.invoke
        begin()
        for args, kwargs in self.calls:
            try:
                read(invoke(args, kwargs), True)
            except Exception:
                continue
