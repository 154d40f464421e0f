"""A thousand problems through a scripted server with faults: does each end with a status, do memory and cost stay flat?

    python -m benchmarks.costs.batch_scale [--problems 1000] [--faults 0.05] [--chunk 100]

Prints, for each part of the set, seconds and requests a problem, and the largest resident memory of the batch and of
its workers; exits with 1 when a problem did not end or memory grows by more than a quarter after the first part.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from codeopt.batch.batch_folder import FINAL, BatchFolder
from tests.support.synthetic import QUICK, answers, write_set
from tests.support.wire_server import WireServer


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--faults", type=float, default=0.05)
    parser.add_argument("--chunk", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, WireServer(answers(arguments.faults)) as server:
        return measure(Path(folder), server, arguments.problems, arguments.chunk)


def measure(folder: Path, server: WireServer, problems: int, chunk: int) -> int:
    """One batch, watched from outside."""
    run = folder / "run"
    command = [
        sys.executable, "-m", "codeopt.cli.main", "batch", str(write_set(folder, problems)), "--run-dir", str(run),
        "--quiet",
        "--model", "m", "--base-url", server.base_url, *QUICK,
    ]  # fmt: skip
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "TMPDIR": str(folder)}
    print(f"{'done':>6} {'s/problem':>10} {'requests/problem':>17} {'batch MiB':>10} {'workers MiB':>12}")
    peaks: list[tuple[float, float]] = []
    with subprocess.Popen(command, env=environment) as process:
        started, asked, done = time.monotonic(), 0, 0
        while process.poll() is None:
            time.sleep(0.2)
            ended = sum(_counts(run)[status] for status in FINAL)
            if ended >= done + chunk:
                now, requests = time.monotonic(), len(server.requests)
                peaks.append((resident(process.pid), max([0.0, *map(resident, children(process.pid))])))
                seconds, each = (now - started) / (ended - done), (requests - asked) / (ended - done)
                print(
                    f"{ended:>6} {seconds:>10.3f} {each:>17.2f} {peaks[-1][0]:>10.1f} {peaks[-1][1]:>12.1f}", flush=True
                )
                started, asked, done = now, requests, ended
    counts = _counts(run)
    print("status:", dict(counts), "exit:", process.returncode)
    flat = not peaks or all(late <= 1.25 * early for early, late in zip(peaks[0], peaks[-1], strict=True))
    return 0 if sum(counts.values()) == problems and set(counts) <= {"done", "failed"} and flat else 1


def _counts(run: Path) -> Counter[str]:
    """Number of problems by status."""
    if not (run / "batch.json").exists():
        return Counter()
    batch = BatchFolder(run)
    return Counter(batch.status(each.id).status for each in batch.problems())


def resident(pid: int) -> float:
    """MiB of memory that a process holds; 0 when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmRSS")), 0.0)


def children(pid: int) -> list[int]:
    """The workers."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


if __name__ == "__main__":
    sys.exit(main())
