"""The calls of a batch within a program that is profiled: every one, in its own process."""

from __future__ import annotations

import sys

from ..boot import read_exactly
from .batch import batch_of
from .module_loader import find_target
from .scene import Before
from .timing import read
from .worker import CallWorker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .function_ref import FunctionRef


def make_calls(ref: FunctionRef, module: ModuleType) -> None:
    """Every call on standard input, of the module that has just been run as a program."""
    sys.modules[ref.module] = module
    worker = CallWorker(ref, module, find_target(ref.qualname, module), Before())
    batch = batch_of(read_exactly(0, sys.maxsize))
    prepared = [worker.arguments.fresh(compile(call, "call", "eval")) for call in batch.calls]
    vars(module).get("__begin__", tuple)()  # neither the import nor the making of arguments is the function's
    for args, kwargs in prepared:
        try:
            read(worker.invoke(args, kwargs), True)
        except Exception:
            continue
