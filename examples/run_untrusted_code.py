"""Run programs that nobody trusts: each run is a fresh process, with limits, without a network, gone when it ends."""

from codeopt_sandbox import RunLimits, open_sandbox

HOSTILE = """
import socket
socket.create_connection(("192.0.2.1", 80), timeout=5)
"""

with open_sandbox(limits=RunLimits(seconds=2, memory_mib=128)) as sandbox:
    print(sandbox.description)

    run = sandbox.run("print(int(input()) * 2)", b"21\n")
    print(run.stdout, f"{run.wall_s * 1000:.1f} ms, {run.peak_bytes >> 20} MiB")

    run = sandbox.run(HOSTILE)
    print(run.exit, run.stderr.decode().splitlines()[-1])

    run = sandbox.run("while True: pass")
    print(run.stop, run.stop_detail)
