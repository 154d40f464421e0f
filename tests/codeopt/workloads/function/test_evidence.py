"""No evidence, no claim: functions that cannot be known by calling them are never believed, and the reason is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from codeopt.workloads.function.corpus.cases import calls_of
from codeopt.workloads.function.corpus.corpus import FRESH, LONG
from tests.codeopt.workloads.conftest import Compare, Judges
from tests.support.judges import function_judge

pytestmark = pytest.mark.full

CALLS = "CALLS = [((n,), {}) for n in range(20)]\n"

NOT_KNOWN = {
    "random": ("import random\ndef f(n):\n    return random.random() + n\n", "did not do the same twice"),
    "the order of a set": (
        "def f(n):\n    return ' '.join({'a', 'b', 'c', 'd', str(n)})\n",
        "did not do the same twice",
    ),
    "writes files": (
        "def f(n):\n    with open('/tmp/x', 'w') as file:\n        file.write('1')\n    return n\n",
        "changes files",
    ),
    "the network": (
        "import socket\ndef f(n):\n    try:\n"
        "        socket.create_connection(('192.0.2.1', 80), 0.1)\n"
        "    except OSError:\n        pass\n    return n\n",
        "uses the network",
    ),
    "a process": ("import os\ndef f(n):\n    return os.system('true') + n\n", "starts a process"),
    "a closure": ("def f(n):\n    return lambda: n\n", "cannot be compared"),
    "a socket": ("import socket\ndef f(n):\n    return [socket.socket()]\n", "cannot be compared (socket"),
    "only errors": ("def f(n):\n    raise KeyError(n)\n", "nearly every call raises an exception (KeyError"),
    "another of that name": (
        "import os\nif os.sep == '/':\n    def f(n):\n        return n\nelse:\n    def f(n):\n        return -n\n",
        "not the one at line 6 but the one at line 3",
    ),
}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_not_verified(compare: Compare, name: str) -> None:
    source, words = NOT_KNOWN[name]
    found = compare(source, source + "\n# other\n", CALLS)
    assert found["verdict"] == "inconclusive", found
    assert words in found["reason"]
    assert "; " in found["reason"], "it says what would help"
    assert found["ratio"] is None


@pytest.mark.parametrize(("most", "at_least"), [(30, 20), (2000, 1001)])
def test_as_many_calls_are_made_up_as_are_asked_for(tmp_path: Path, most: int, at_least: int) -> None:
    (tmp_path / "m.py").write_text("def f(a, b, c):\n    return a + b * c\n")
    calls = tmp_path / "calls.py"
    calls.write_text("CALLS = [((n, 7 - n, n + 1000), {}) for n in range(20)]\n")
    with function_judge(Target(tmp_path / "m.py", "f"), timed=False, calls=calls, max_examples=most) as judge:
        made = judge.workload.evidence().checked.sources["generated"]
        assert at_least <= made <= most + LONG
        drawn = sum(len(calls_of(case)) for case in judge.workload.unseen_cases())
        assert FRESH * at_least <= drawn <= FRESH * most + LONG


def test_arguments_that_no_text_can_hold(compare: Compare) -> None:
    """Lambdas and generators of the calls file are made afresh for each call."""
    calls = "CALLS = [((lambda x: x * 2, (i for i in range(n))), {}) for n in range(14)]\n"
    slow = "def f(g, items):\n    out = []\n    for i in items:\n        out = out + [g(i)]\n    return out\n"
    found = compare(slow, "def f(g, items):\n    return [g(i) for i in items][:5]\n", calls)
    assert found["verdict"] == "wrong"
    assert "CALLS[" in found["reason"]


def test_a_made_up_call_that_exhausts_memory_says_nothing(judges: Judges) -> None:
    """One that starts to yield before it fails too: what needs less memory is not wrong."""
    old = "def f(n):\n    yield 1\n    yield len(bytearray(n)) % 2\n"
    new = "def f(n):\n    yield 1\n    if n < 0:\n        raise ValueError\n    yield n % 2\n"
    calls = "CALLS = [((n,), {}) for n in (1, 5, 2**10, 2**11, 2**12, 9, 10)]\n"
    found = judges(old, calls, timed=False).check(Revision.of(new), "a person's")
    assert found.correct, why(found)


def test_big_calls_of_microseconds_are_timed_with_others_like_them(compare: Compare) -> None:
    """Two of them take less than the clock itself; an object that has no literal is kept, its companion is not."""
    source = "def f(box, text):\n    return text[box.n :]\n"
    calls = "from types import SimpleNamespace as Box\n"
    calls += "CALLS = [((Box(n=n), 'abc' * n), {}) for n in range(9)]\nBIG = CALLS[-2:]\n"
    found = compare(source, source + "#\n", calls, max_pairs=1)
    assert "the BIG calls and others like them" in found["timed"], found
    assert found["evidence"]["sources"]["generated"] > 20
