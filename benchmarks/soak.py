"""Nothing grows: memory, descriptors and processes, here and in the guest, after many runs.

    python -m benchmarks.soak [--runs 10000] [--guests 200] [--backend docker]

Prints what is held at the start, at each quarter and at the end.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from codeopt_sandbox import Options, open_sandbox

PROGRAMS = (
    "print(sum(map(int, input().split())))",
    "import os\nif os.fork() == 0:\n    os.setsid()\n    import time\n    time.sleep(60)\nprint(6)",
    "open('/tmp/left', 'w').write('x' * 100000)\nprint(6)",
    "raise SystemExit(3)",
)


def here() -> dict[str, int]:
    """Descriptors and resident KiB of this process."""
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10
    return {"descriptors": len(os.listdir("/proc/self/fd")), "resident_kib": resident}  # noqa: PTH208


INSIDE = """
import os
tasks = [p for p in os.listdir('/proc') if p.isdigit()]
one = open('/proc/1/statm').read().split()[1] if os.access('/proc/1/statm', os.R_OK) else 0
print(len(tasks), int(one) * 4)
"""


def main() -> None:
    """Print the figures before, at half time and after."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--guests", type=int, default=200)
    parser.add_argument("--backend", default="docker")
    arguments = parser.parse_args()
    with open_sandbox(arguments.backend) as sandbox:
        started = time.monotonic()
        for number in range(arguments.runs + 1):
            if number % max(1, arguments.runs // 4) == 0:
                inside = sandbox.run(INSIDE).stdout.decode().split()
                print(f"run {number}: host {here()}, guest: {inside[0]} processes, pid 1 {inside[1]} KiB", flush=True)
            run = sandbox.run(PROGRAMS[number % len(PROGRAMS)], b"1 2 3")
            assert run.stop is None, run
            assert run.exit in (0, 3), run
        per_run = (time.monotonic() - started) / arguments.runs * 1000
        print(f"{arguments.runs} runs, {per_run:.2f} ms each")
    with open_sandbox(arguments.backend, options=Options(spare=1)) as sandbox:
        for number in range(arguments.guests + 1):
            if number % max(1, arguments.guests // 4) == 0:
                print(f"guest {number}: host {here()}", flush=True)
            sandbox.restart_guest()
            assert sandbox.run(PROGRAMS[0], b"1 2 3").stdout == b"6\n"


if __name__ == "__main__":
    main()
