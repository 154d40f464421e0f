"""The program that profiles another one.

stdin:  a ProfileRequest as one line of JSON, then the program's source (UTF-8) and its input, of the lengths in it.
stdout: a line of the marker and the result as JSON. What the program itself prints goes to /dev/null.

lines    {"lines": [[line, hits, own ns]], "functions": [[name, line, calls, own ns]], "peak_mib": MiB}
scalene  {"lines": [[line, python, native, peak MiB, growth MiB, copied MiB/s]], "system": share of the CPU time,
          "runs": n, "seconds": of all runs, "memory": whether it could see it}; python, native in % of all samples
callees  {"callees": [[name, module, first line, calls, share, source]]} of a function's calls, outside of its module
allocated {"allocated": [[line, bytes held at the height, most bytes at one moment]]} of a function's calls
all      "ended": type of the exception that ended the program, "stopped": it ran past max_seconds;
         or only "missing": a package, or "error": type of an exception of ours

Uses the standard library; line_profiler, where there is one, for lines, and scalene.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from ..calls.function_ref import FunctionRef
from .allocated import run_allocated
from .callees import run_callees
from .own_time import run_lines
from .program import ProfiledProgram, claim_streams
from .request import ProfileRequest
from .sampled import run_scalene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..boot import Bundle

leave_process = os._exit


def main(bundle: Bundle) -> None:
    """Profile the program on standard input."""
    request = ProfileRequest.read(json.loads(sys.stdin.buffer.readline()))
    folder = Path(tempfile.mkdtemp(prefix="profile"))
    program = ProfiledProgram(folder, FunctionRef.read(request.function) if request.function else None, request.args)
    program.path.write_bytes(sys.stdin.buffer.read(request.source))
    program.stdin.write_bytes(sys.stdin.buffer.read(request.stdin))
    process, output = os.getpid(), claim_streams()
    result = answer(program, request, bundle)
    if os.getpid() == process:  # not a process that the program forked
        shutil.rmtree(folder, ignore_errors=True)
        text = memoryview(f"\n{request.marker}{json.dumps(result)}\n".encode())
        while text:
            text = text[os.write(output, text) :]
    leave_process(0)


def answer(program: ProfiledProgram, request: ProfileRequest, bundle: Bundle) -> dict[str, Any]:
    """Answer for the host."""
    if request.mode == "scalene" and importlib.util.find_spec("scalene") is None:
        return {"missing": "scalene"}
    try:
        if request.mode == "lines":
            return run_lines(program, request)
        if request.mode == "allocated":
            return run_allocated(program, request)
        return run_callees(program, request) if request.mode == "callees" else run_scalene(program, request, bundle)
    except Exception as error:
        return {"error": type(error).__name__}
