"""A program that is stopped at its time limit: a line that waits for a callee has no more time than its own."""
# looks at sandbox/codeopt_sandbox/guest/profile

from __future__ import annotations

import pytest

from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import profile
from tests.sandbox.profile.conftest import RunDriver

PROGRAM = """\
def least(values):
    for value in values:
        HOT
    return 0

def main():
    values = list(range(60_000))
    print(least(values))

main()
"""
HOT = {
    "a generator": "below = sum(other < value for other in values)",
    "a lambda": "below = sum(map(lambda other: other < value, values))",
    "C code": "below = sum(sorted(range(300_000), key=lambda other: -other)[:0])",
}


@pytest.mark.parametrize("inside", HOT)
def test_the_line_that_waits_is_not_charged(run_driver: RunDriver, inside: str) -> None:
    source = PROGRAM.replace("HOT", HOT[inside])
    found = profile(run_driver, source, Case("one", b""), seconds=0.6, modes=("lines",))
    assert any("stopped at its time limit" in note for note in found.notes)
    shares = {line.line: line.share for line in found.lines}
    assert max(shares, key=lambda line: shares[line]) == 3, shares
    assert shares.get(8, 0) < 0.3 > shares.get(10, 0), shares
