"""The split by kind of code where there is no Scalene: stacks that Python 3.15 reads of another process."""

from __future__ import annotations

import time
from collections import Counter
from importlib import import_module

from .sampled import finish, prepare, read_json, started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import Any

    from ..boot import Bundle
    from .program import ProfiledProgram
    from .request import ProfileRequest

    Kinds = Counter[tuple[int, bool]]
    """Samples of a line, in native code or not."""

INTERVAL = 0.001
"""Seconds between samples."""
TORN = (RuntimeError, OSError, UnicodeDecodeError, MemoryError)
"""Errors of reading a stack that changes meanwhile. Such samples are dropped, as profiling.sampling does."""


def run_samples(program: ProfiledProgram, request: ProfileRequest, bundle: Bundle) -> dict[str, Any]:
    """Split the program's time by samples; there are no figures of memory. Raises ImportError before
    Python 3.15, and ChildProcessError if the program ends with an error."""
    sampling = import_module("profiling.sampling.sample")
    names = import_module("profiling.sampling.opcode_utils")
    mode = import_module("profiling.sampling.constants").PROFILING_MODE_CPU
    folder = program.path.parent
    script = prepare(folder, bundle, "repeat")
    with started([str(script)], {}, request) as process:
        try:
            stacks = sampling.SampleProfiler(process.pid, int(INTERVAL * 1e6), False, mode=mode, opcodes=True)
        except (SystemExit, OSError) as error:  # this process may not read the other
            process.kill()
            raise ChildProcessError from error
        kinds = sample(process, stacks, names.get_opcode_info, str(program.path), request.max_seconds)
        stopped = finish(process, 0)
    total = sum(kinds.values()) or 1
    lines = sorted({line for line, _ in kinds})
    shares = ([kinds[line, native] * 100 / total for native in (False, True)] for line in lines)
    rows = [[line, *both, 0, 0, 0] for line, both in zip(lines, shares)]
    return {**read_json(folder / "runs"), "lines": rows, "stopped": stopped, "memory": False}


def sample(process: Popen[bytes], stacks: Any, named: Any, path: str, seconds: float) -> Kinds:
    """Count the samples of the program's lines until it ends or its time is up."""
    kinds: Kinds = Counter()
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        try:
            (main,) = [thread.frame_info for each in stacks.dump_stack() for thread in each.threads][:1] or [[]]
        except TORN:
            main = []
        line = next((frame.location[0] for frame in main if frame.filename == path and frame.location), None)
        if line is not None:
            kinds[line, is_native(named(main[0].opcode)["opname"])] += 1
        time.sleep(INTERVAL)
    return kinds


def is_native(instruction: str) -> bool:
    """Return True if the innermost frame has called compiled code, which has no frame of its own."""
    return instruction.startswith("CALL") and "_PY_" not in instruction
