"""Reports are what a program does: every exit status, signal, byte of output and byte of input."""
# looks at sandbox/codeopt_sandbox/guest/supervisor, sandbox/codeopt_sandbox/guest/zygote
# looks at sandbox/codeopt_sandbox/guest/wire, sandbox/codeopt_sandbox/process, sandbox/codeopt_sandbox/outcome

from __future__ import annotations

import signal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Mode

MODES = st.sampled_from(["fork", "exec"])
IGNORED_BY_DEFAULT = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
DEADLY = sorted(set(range(1, 65)) - {32, 33} - IGNORED_BY_DEFAULT - STOPPING)
OUTPUT = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xb2\x80", b"\r\n", b"\x1b[2J", b"{}", b""]),
    st.tuples(st.binary(min_size=1, max_size=3), st.integers(1, 300_000)).map(lambda t: t[0] * t[1]),
)
in_a_guest = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

PRINT_AND_END = """
import os, signal, sys
sys.stdout.buffer.write({stdout!r}[0] * {stdout!r}[1])
sys.stderr.buffer.write({stderr!r})
sys.stdout.flush(), sys.stderr.flush()
{end}
"""


def squeeze(data: bytes) -> tuple[bytes, int]:
    """A short form in source text for output that repeats itself."""
    for size in (1, 2, 3):
        if len(data) > 1000 and len(data) % size == 0 and data == data[:size] * (len(data) // size):
            return data[:size], len(data) // size
    return data, 1


ENDS = st.one_of(
    st.integers(0, 255).map(lambda n: (f"os._exit({n})", n, None)),
    st.integers(-(2**33), 2**33).map(lambda n: (f"sys.exit({n})", n & 255, None)),
    st.sampled_from(DEADLY).map(
        lambda n: (f"{n} in (9,) or signal.signal({n}, 0)\nos.kill(os.getpid(), {n})", None, int(n))
    ),
)


@in_a_guest
@given(end=ENDS, stdout=OUTPUT, stderr=st.binary(max_size=300), mode=MODES)
def test_every_end_and_every_byte_of_output(
    sandbox: Sandbox, end: tuple[str, int | None, int | None], stdout: bytes, stderr: bytes, mode: Mode
) -> None:
    run = sandbox.run(PRINT_AND_END.format(stdout=squeeze(stdout), stderr=stderr, end=end[0]), mode=mode)
    assert (run.exit, run.signal, run.stop) == (*end[1:], None), run
    assert (run.stdout, run.stderr) == (stdout, stderr)


@in_a_guest
@given(data=st.binary(max_size=100), repeat=st.integers(0, 60_000), mode=MODES)
def test_every_byte_of_input(sandbox: Sandbox, data: bytes, repeat: int, mode: Mode) -> None:
    stdin = data * repeat
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    run = sandbox.run(echo, stdin, mode=mode)
    assert (run.exit, run.stdout, run.stderr) == (0, stdin, b"")


@in_a_guest
@given(program=st.binary(max_size=200), mode=MODES)
def test_any_bytes_are_a_program(sandbox: Sandbox, program: bytes, mode: Mode) -> None:
    """Mostly one that does not compile: its verdict is its own, and the sandbox is as good as before."""
    run = sandbox.run(b"raise SystemExit(7)\n" + program, mode=mode)
    assert run.exit in (1, 7)
    assert run.stop is None


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_many_mebibytes_that_nobody_reads(sandbox: Sandbox, mode: Mode) -> None:
    for source in ("print(3)", "import os; os.close(0); print(3)", "import sys; sys.stdin.read(1); print(3)"):
        run = sandbox.run(source, bytes(8 << 20), mode=mode)
        assert (run.exit, run.stdout) == (0, b"3\n")


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_a_program_cannot_change_its_input(sandbox: Sandbox, mode: Mode) -> None:
    """The second run gets the input that the host sent, whatever the first did to the descriptor."""
    stdin = b"the input, unchanged\n"
    spoil = """
import mmap, os
for action in (
    lambda: os.write(0, b"spoiled"),
    lambda: os.ftruncate(0, 0),
    lambda: os.write(os.open("/proc/self/fd/0", os.O_RDWR), b"spoiled"),
    lambda: os.open("/proc/self/fd/0", os.O_WRONLY | os.O_TRUNC),
    lambda: mmap.mmap(0, 4).write(b"spoi"),
):
    try:
        action()
        print("DONE")
    except (OSError, ValueError, TypeError) as error:
        print("refused")
os.lseek(0, 7, os.SEEK_SET)
"""
    assert sandbox.run(spoil, stdin, mode=mode).stdout == b"refused\n" * 5
    again: Any = sandbox.run("import sys; sys.stdout.write(sys.stdin.read())", stdin, mode=mode)
    assert again.stdout == stdin
