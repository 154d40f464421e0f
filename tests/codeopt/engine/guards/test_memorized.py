"""Right on every input, and fast on those alone that were met before: such a gain is not believed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from codeopt.core.history import Draft, History
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Decision, StoppingRule
from tests.support.judges import program_judge, referee

pytestmark = pytest.mark.full

ORIGINAL = """\
import sys


def slow(text):
    a = list(map(int, text.split()[1:]))
    return sum((x ^ y) % 7 == 0 for i, x in enumerate(a) for y in a[i + 1 :]) % 500


"""
SLOW = ORIGINAL + "print(slow(sys.stdin.read()))\n"
FAST = """\
a = list(map(int, input().split()[1:]))
counts = {}
for x in a:
    counts[x % 512] = counts.get(x % 512, 0) + 1
same = sum(n * (n - 1) // 2 for n in counts.values())
print((same + sum(n * m for x, n in counts.items() for y, m in counts.items() if x < y and (x ^ y) % 7 == 0)) % 500)
"""
TABLE = """\
import hashlib

text = sys.stdin.read()
key = hashlib.md5(text.encode()).hexdigest()
print(KNOWN[key] if key in KNOWN else slow(text))
"""
REMEMBERS = """\
import os


def next_number(folder):
    fd = os.open(folder + "/file", os.O_CREAT | os.O_RDWR)
    number = os.fstat(fd).st_ino
    os.close(fd)
    os.unlink(folder + "/file")
    return number


text = sys.stdin.read()
number = next_number("/tmp")
if number > 1000:  # an earlier run has left its answer in the numbers that the folder gives to files
    print((number - 1050 - next_number("/dev/shm")) // 100)  # other users of the folder take a few
else:
    answer = slow(text)
    next_number("/dev/shm")
    print(answer)
    for _ in range(1100 + 100 * answer - number):
        next_number("/tmp")
"""


def numbers(count: int) -> str:
    return " ".join([str(count), *(str(i * i * 7919 % 300) for i in range(count))])


def judge_of(guest: Sandbox, folder: Path, *counts: int) -> Judge:
    path = folder / "slow.py"
    path.write_text(SLOW)
    for number, count in enumerate(counts):
        (folder / f"input.{number}.txt").write_text(numbers(count))
    rule = StoppingRule(max_pairs=12, pair_seconds=0.01, enough_seconds=10)  # all three are timed
    return program_judge(guest, path, rule=rule)


def table_of(judge: Judge, *, shown_only: bool = False) -> str:
    known = {
        hashlib.md5(case.stdin).hexdigest(): int(case.expected or b"")
        for case in judge.suite.cases
        if not (shown_only and case.held_out)
    }
    return f"{ORIGINAL}KNOWN = {known}\n{TABLE}"


def test_what_is_fast_only_on_what_it_has_met_is_refused(guest: Sandbox, tmp_path: Path) -> None:
    judge = judge_of(guest, tmp_path, 900)
    found = referee(judge, table_of(judge))
    assert found.comparison is not None
    assert found.comparison.decision is Decision.FASTER
    assert "on what it has not: it knows the cases" in found.rejection
    assert not found.faster


def test_what_remembers_its_earlier_runs_is_refused(guest: Sandbox, tmp_path: Path) -> None:
    """It is much faster within one guest; a fresh one has nothing to remember."""
    judge = judge_of(guest, tmp_path, 900)
    found = referee(judge, ORIGINAL + REMEMBERS)
    assert found.comparison is not None
    assert not found.faster
    assert found.comparison.decision is not Decision.FASTER or "it knows the cases" in found.rejection


def test_a_gain_on_the_cases_that_were_shown_is_not_confirmed(guest: Sandbox, tmp_path: Path) -> None:
    """Two of the three that take longest were shown: a table of their answers is much faster in the round."""
    judge = judge_of(guest, tmp_path, 800, 805, 810)
    found = judge.measure(Draft(Revision.of(table_of(judge, shown_only=True)), "table"), History((judge.original,)))
    assert found.faster
    assert not judge.confirm(found).faster


def test_an_honest_gain_is_believed(guest: Sandbox, tmp_path: Path) -> None:
    judge = judge_of(guest, tmp_path, 900)
    found = referee(judge, FAST)
    assert found.faster, found
    assert judge.confirm(found).faster
