"""Profiles one program inside the sandbox. A whole program with its parts subject, callsites, ownlines and sampled,
which sandbox.profile puts in front of it.

stdin:  one line of JSON {"source": bytes, "stdin": bytes, "mode": "lines" | "scalene", "marker": text,
        "min_seconds": s, "max_seconds": s, "late": whether lines are looked at only from when the program calls its
        global `__begin__()`, so that what it does to set up counts for nothing}, then the program's source (UTF-8) and
        its input, of those lengths.
stdout: a line of the marker and the result as JSON. What the program itself prints goes to /dev/null.

lines    {"lines": [[line, hits, own ns]], "functions": [[name, line, calls, own ns]], "peak_mib": MiB}
scalene  {"lines": [[line, python, native, peak MiB, growth MiB, copied MiB/s]], "system": share of the CPU time,
          "runs": n, "seconds": of all runs, "memory": whether it could see it}; python, native in % of all samples
both     "ended": type of the exception that ended the program, "stopped": it ran past max_seconds;
         or only "missing": a package, or "error": type of an exception of ours

Uses the standard library, line_profiler and scalene; reads nothing but its stdin and its own text.
"""

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

leave_process = os._exit
MODES = {"lines": ("line_profiler", run_lines), "scalene": ("scalene", run_scalene)}


def main():
    header = json.loads(sys.stdin.buffer.readline())
    folder = Path(tempfile.mkdtemp(prefix="profile"))
    program = Program(folder)
    program.path.write_bytes(sys.stdin.buffer.read(header["source"]))
    program.stdin.write_bytes(sys.stdin.buffer.read(header["stdin"]))
    process, output = os.getpid(), own_the_streams()
    result = answer(program, header)
    if os.getpid() == process:  # not a process that the program forked
        shutil.rmtree(folder, ignore_errors=True)
        text = memoryview(f"\n{header['marker']}{json.dumps(result)}\n".encode())
        while text:
            text = text[os.write(output, text) :]
    leave_process(0)


def answer(program, header):
    package, run = MODES[header["mode"]]
    if importlib.util.find_spec(package) is None:
        return {"missing": package}
    try:
        return run(program, header)
    except Exception as error:
        return {"error": type(error).__name__}


if __name__ == "__main__" and sys.argv[1:2] == ["run"]:
    main_scalene()
elif __name__ == "__main__":
    main()
