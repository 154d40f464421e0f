"""Whatever a program that reads standard input does after its answer is out counts, whoever does it."""
# looks at sandbox/codeopt_sandbox/guest/supervisor/monitor

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox

WORK = "import os, sys\ndef work():\n    t = 0\n    for i in range(2_000_000):\n        t += i % 7\n"
SAID = "print(1, flush=True)\n"
LATE = {
    "when its output is closed": SAID + "os.close(1)\nwork()\n",
    "while it ends": "import atexit\natexit.register(work)\n" + SAID,
    "when its modules go": "class Late:\n    def __del__(self):\n        work()\nlate = Late()\n" + SAID,
    "in a child that nobody waits for": SAID + "if not os.fork():\n    work()\n    os._exit(0)\n",
    "in a child of a child": SAID + "if not os.fork():\n    if not os.fork():\n        os.setsid()\n        work()\n"
    "    os._exit(0)\n",
    "in a thread": SAID + "import threading\nthreading.Thread(target=work).start()\n",
}
LONG_S = 0.02


@pytest.mark.full
@pytest.mark.parametrize("name", LATE)
def test_work_after_the_answer_counts_or_is_ended(sandbox: Sandbox, name: str) -> None:
    """Work that is left to a child may be ended with the run instead: then nothing came of it."""
    run = sandbox.run(WORK + LATE[name])
    assert run.stdout == b"1\n", run
    assert run.exit == 0
    assert run.cpu_s > LONG_S or "child" in name, run.cpu_s


def test_what_a_child_says_late_is_waited_for_and_counts(sandbox: Sandbox) -> None:
    run = sandbox.run(WORK + "if not os.fork():\n    work()\n    os.write(1, b'1')\n    os._exit(0)\nos.wait()\n")
    assert run.stdout == b"1"
    assert run.cpu_s > LONG_S
