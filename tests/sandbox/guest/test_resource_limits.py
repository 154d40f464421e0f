"""Resource limits of a run, as the kernel then has them; and what the monitor ends, on every backend."""
# looks at sandbox/codeopt_sandbox/guest/supervisor/monitor, sandbox/codeopt_sandbox/guest/supervisor/limits
# looks at sandbox/codeopt_sandbox/guest/supervisor/usage

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import replace

import pytest

from codeopt_sandbox import RunLimits, Sandbox

LIMITED = """
import json, resource, sys
from codeopt_sandbox.guest.supervisor.limits import limit
limit(open_files=50, file_bytes=1 << 20, processes=PROCESSES, address_bytes=ADDRESS)
numbers = {name: number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}
print(json.dumps({name: resource.getrlimit(number) for name, number in numbers.items()}))
"""
KEPT = ("RLIMIT_NPROC", "RLIMIT_AS")


def limits_with(processes: int | None, address: int | None) -> dict[str, tuple[int, int]]:
    source = LIMITED.replace("PROCESSES", str(processes)).replace("ADDRESS", str(address))
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return {name: tuple(pair) for name, pair in json.loads(done.stdout).items()}


def test_every_limit_is_set_and_none_can_be_raised() -> None:
    """Soft and hard ones."""
    expected = {
        "RLIMIT_NOFILE": 50, "RLIMIT_FSIZE": 1 << 20, "RLIMIT_CORE": 0, "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NPROC": 4000, "RLIMIT_AS": 1 << 40,
    }  # fmt: skip
    found = limits_with(4000, 1 << 40)
    assert {name: found[name] for name in expected} == {name: (value, value) for name, value in expected.items()}


def test_a_limit_that_is_not_asked_for_stays() -> None:
    found = limits_with(None, None)
    assert {name: found[name] for name in KEPT} == {name: resource.getrlimit(getattr(resource, name)) for name in KEPT}


OWN = """
import resource
names = "NOFILE", "FSIZE", "CORE", "MEMLOCK", "MSGQUEUE"
print(*[resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1] for name in names])
"""


def test_a_run_has_the_limits_that_were_asked_for(sandbox: Sandbox) -> None:
    limits = RunLimits(open_files=99, file_mib=3)
    assert sandbox.run(OWN, mode="exec", limits=limits).stdout.split() == [b"99", b"%d" % (3 << 20), b"0", b"0", b"0"]


SPREAD = """
import os
def child():
    kept = bytearray(MIB << 20)
    kept[::4096] = b"x" * len(kept[::4096])
    os.write(writer, b"x")
    os.read(never, 1)
reader, writer = os.pipe()
never, keep = os.pipe()
for _ in range(COUNT):
    if os.fork() == 0:
        os.close(keep)
        child()
        os._exit(0)
for _ in range(COUNT):
    os.read(reader, 1)
WAIT
"""
"""Children that each hold so much memory until their parent ends."""
UNTIL_LOOKED_AT = "import time\nlimit = time.monotonic() + 3\nwhile time.monotonic() < limit: pass\nprint('unseen')"


@pytest.mark.parametrize(("mib", "stopped"), [(30, False), (90, True)])
def test_memory_of_all_processes_together_is_what_counts(mib: int, stopped: bool, sandbox: Sandbox) -> None:
    """Two children have more than the limit together, and neither has alone."""
    wait = UNTIL_LOOKED_AT if stopped else ""
    source = SPREAD.replace("MIB", str(mib)).replace("COUNT", "2").replace("WAIT", wait)
    run = sandbox.run(source, limits=RunLimits(memory_mib=128, seconds=10))
    assert (run.stop == "memory") is stopped, run
    assert not stopped or "the limit is 128 MiB" in run.stop_detail
    assert run.stdout == b""  # it is ended, not only found guilty by its peak when it has done what it wanted


def test_a_few_processes_more_than_allowed_are_too_many(sandbox: Sandbox) -> None:
    """The kernel refuses a process where a run has a user of its own; else the monitor ends the run."""
    source = SPREAD.replace("MIB", "1").replace("COUNT", "12").replace("WAIT", UNTIL_LOOKED_AT)
    run = sandbox.run(source, limits=RunLimits(processes=8, seconds=10))
    assert run.stop == "processes" or b"BlockingIOError" in run.stderr, run
    fewer = source.replace("range(12)", "range(5)").replace(UNTIL_LOOKED_AT, "print('done')")
    assert sandbox.run(fewer, limits=RunLimits(processes=8, seconds=10)).stdout == b"done\n"


def test_the_output_of_a_run_ends_at_its_limit(sandbox: Sandbox) -> None:
    limits = RunLimits(output_mib=1 / 1024)
    assert sandbox.run("print('x' * 1023)", limits=limits).stop is None
    run = sandbox.run("print('x' * 1024)", limits=limits)
    assert (run.stop, len(run.stdout)) == ("output", 1024)
    endless = sandbox.run("while True: print('x' * 99)", limits=replace(limits, seconds=2))
    assert (endless.stop, len(endless.stdout)) == ("output", 1024)
    errors = sandbox.run("import sys; sys.stderr.write('x' * 1025)", limits=limits)
    assert (errors.stop, len(errors.stderr)) == ("output", 1024)


def test_a_time_limit_is_of_the_clock_on_the_wall_and_ends_a_run(sandbox: Sandbox) -> None:
    run = sandbox.run("import time; time.sleep(4); print('late')", limits=replace(sandbox.limits, seconds=0.5))
    assert (run.stop, run.stop_detail, run.exit) == ("time", "still running after 0.5 s", None)
    assert run.stdout == b""
