"""A forked run sees and does what a run in a fresh interpreter does; what must differ is stated here."""
# looks at sandbox/codeopt_sandbox/guest/zygote, sandbox/codeopt_sandbox/guest/boot
# looks at sandbox/codeopt_sandbox/guest/supervisor/zygotes, sandbox/codeopt_sandbox/guest/import_hooks

from __future__ import annotations

import re

import pytest

from codeopt_sandbox import Run, Sandbox
from codeopt_sandbox.guest.request import seeded
from tests.sandbox.probes import PROBES

_ADDRESS = re.compile(rb"0x[0-9a-f]+|started \d+")


def seen(run: Run) -> tuple[object, ...]:
    """All that a run showed, without addresses, which differ from one process to the next."""
    return run.exit, run.signal, run.stop, _ADDRESS.sub(b"0x", run.stdout), _ADDRESS.sub(b"0x", run.stderr)


@pytest.mark.parametrize("name", PROBES)
def test_same_in_both_modes(name: str, sandbox: Sandbox) -> None:
    fork, fresh = (sandbox.run(PROBES[name], b"l1\nl2\r\nl3", mode=mode) for mode in ("fork", "exec"))
    assert seen(fork) == seen(fresh)


STATED = {
    "two frames of the warm interpreter stand below the program's": "import sys; print(sys._getframe().f_back)",
    "and so recursion ends two calls earlier": """
depth = 0
def dig():
    global depth
    depth += 1
    dig()
try:
    dig()
except RecursionError:
    print(depth)
""",
    "the kernel still shows the command line of the warm interpreter": "print(open('/proc/self/cmdline').read())",
    "the interpreter's own objects are frozen": "import gc; print(gc.get_freeze_count())",
}


@pytest.mark.parametrize("difference", STATED)
def test_stated_differences_are_still_there(difference: str, sandbox: Sandbox) -> None:
    fork, fresh = (sandbox.run(STATED[difference], mode=mode) for mode in ("fork", "exec"))
    assert (fork.exit, fresh.exit) == (0, 0)
    assert fork.stdout != fresh.stdout, "no longer a difference: move it to the probes"


def test_the_first_run_finds_the_modules_that_the_next_one_finds(sandbox: Sandbox) -> None:
    sandbox.restart_guest()
    first, second, fresh = (sandbox.run(PROBES["modules"], mode=mode) for mode in ("fork", "fork", "exec"))
    assert first.stdout == second.stdout == fresh.stdout


def test_arguments_reach_the_program(sandbox: Sandbox) -> None:
    for mode in ("fork", "exec"):
        run = sandbox.run("import sys; print(sys.argv[1:])", args=["a", "", "ä b"], mode=mode)
        assert run.stdout == "['a', '', 'ä b']\n".encode()


def test_hash_seed_is_the_same_in_both_modes(sandbox: Sandbox) -> None:
    fork, fresh = (sandbox.run("print(hash('a'), {*'abcdef'})", mode=mode) for mode in ("fork", "exec"))
    assert fork.stdout == fresh.stdout
    other = sandbox.run("print(hash('a'), {*'abcdef'})", mode="exec", environment=seeded(7))
    assert other.stdout != fresh.stdout


def test_own_imports_are_paid_for_in_both_modes(sandbox: Sandbox) -> None:
    source = "import sys; before = set(sys.modules); import json, ctypes; print(len(set(sys.modules) - before) > 5)"
    assert [sandbox.run(source, mode=mode).stdout for mode in ("fork", "exec")] == [b"True\n"] * 2


def test_compiling_its_own_text_counts_in_both_modes(sandbox: Sandbox) -> None:
    """A table of answers in the text of a program is a cost of the program."""
    table = f"table = [{','.join(map(str, range(40_000)))}]\nprint(len(table))\n"
    for mode in ("fork", "exec"):
        with_table, without = (min(sandbox.run(text, mode=mode).cpu_s for _ in range(3)) for text in (table, ""))
        assert with_table > without + 0.01
