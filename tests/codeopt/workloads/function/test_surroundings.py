"""A draft that goes by the date or by who runs it, and one that keeps something of each call for ever."""
# looks at codeopt/workloads/function/guards/surroundings, sandbox/codeopt_sandbox/guest/calls/watched

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import Consequence
from codeopt.report.verdict import why
from codeopt.workloads.function.guards.surroundings import watch
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt_sandbox.outcome import CaveatKind
from tests.codeopt.workloads.conftest import Judges
from tests.codeopt.workloads.function.test_harness_cheats import SLOW as OLD
from tests.support.judges import referee

FAST = "    return list(dict.fromkeys(xs))\n"
CALLS = (
    "CALLS = [(([i * 7 % 11 for i in range(n)],), {}) for n in (1, 2, 3, 5, 8, 13, 20, 30)]\n"
    "BIG = [(([i * i % 1009 for i in range(1500)],), {})]\n"
)
REFUSED = {
    "the date by another name": (
        "import logging\ndef f(xs):\n    if getattr(logging, 'ti' + 'me').time() > 4e9:\n        return []\n" + FAST,
        "it newly reads the date and time, in line 3",
    ),
    "who runs it, when it is imported": (
        "import enum\nTESTED = 'pytest' in enum.sys.argv[0]\ndef f(xs):\n    if TESTED:\n        return []\n" + FAST,
        "it newly reads the command's arguments, in line 2",
    ),
    "nothing that shows, as it ends where it is looked at": (
        "import os, sys\nif type(sys.argv) is not list:\n    os._exit(0)\ndef f(xs):\n" + FAST,
        "there is no answer when what its calls read and keep is looked at",
    ),
    "very much of each call": (
        "def f(xs, kept=[]):\n    kept.append([kept, bytes(300 << 10)])\n" + FAST,
        "it keeps 300 KiB of each call with new arguments for ever",
    ),
}
TOLD = {
    "a clock for waiting": (
        "import time\ndef f(xs):\n    time.monotonic()\n" + FAST,
        CaveatKind.ENVIRONMENT, "it newly reads a clock, in line 3",
    ),
    "a cache in a default": (
        "def f(xs, kept={}):\n    return list(kept.setdefault(tuple(xs), tuple(dict.fromkeys(xs))))\n",
        CaveatKind.MEMORY, "bytes of each call",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(judges: Judges, name: str) -> None:
    draft, reason = REFUSED[name]
    found = watch(workload(judges), Revision.of(draft))
    assert found is not None
    assert (found.consequence, found.reason[: len(reason)]) == (Consequence.REJECT, reason)


@pytest.mark.parametrize("name", TOLD)
def test_told(judges: Judges, name: str) -> None:
    draft, subject, words = TOLD[name]
    found = watch(workload(judges), Revision.of(draft))
    assert found is not None
    assert [each for each in found.caveats if each.kind is subject and words in each.got], found


def test_what_reads_and_keeps_nothing_new(judges: Judges) -> None:
    draft = "import functools\n_known = functools.lru_cache(64)(len)\ndef f(xs):\n    _known(tuple(xs))\n" + FAST
    assert watch(workload(judges), Revision.of(draft)) is None


@pytest.mark.full
def test_what_the_original_reads_is_not_told_of_the_draft(judges: Judges) -> None:
    clocked = "import time\n" + OLD.replace("def f(xs):\n", "def f(xs):\n    time.monotonic()\n")
    found = judges(clocked, CALLS).workload
    assert isinstance(found, FunctionWorkload)
    assert watch(found, Revision.of(TOLD["a clock for waiting"][0])) is None


READS = {
    "a date": (
        "import datetime\n",
        "    next(iter(datetime.date.today, None))\n",
        "it no longer reads the date and time",
    ),
    "a file": ("", "    [each.close() for each in map(open, ['/proc/self/stat'])]\n", "it no longer reads a file"),
    "a variable": ("import os\n", "    os.environ.get('CI')\n", "it no longer reads environment variables"),
    "a clock": ("import time\n", "    time.perf_counter()\n", ""),
}


@pytest.mark.full
@pytest.mark.parametrize("name", READS)
def test_what_a_draft_no_longer_reads(judges: Judges, name: str) -> None:
    before, statement, words = READS[name]
    original = before + OLD.replace("def f(xs):\n", f"def f(xs):\n{statement}")
    found = judges(original, CALLS).workload
    assert isinstance(found, FunctionWorkload)
    assert watch(found, Revision.of(f"{original}\n")) is None
    lost = watch(found, Revision.of(f"def f(xs):\n{FAST}"))
    assert [each.got[: len(words)] for each in lost.caveats] == [words] if lost else not words


@pytest.mark.full
def test_the_judge_asks(judges: Judges) -> None:
    """In a comparison, where nobody reads a draft's text first."""
    draft, reason = REFUSED["the date by another name"]
    assert reason in why(referee(judges(OLD, CALLS), draft))


def workload(judges: Judges) -> FunctionWorkload:
    """One that times nothing."""
    found = judges(OLD, CALLS).workload
    assert isinstance(found, FunctionWorkload)
    return found
