"""`--mutated-inputs` of a function: what a difference on a call that is made of known ones does."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.corpus.cases import why_beyond
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.guest.answer import Answer
from tests.codeopt.command import codeopt

pytestmark = pytest.mark.full

OLD = """\
def f(xs):
    found = 0
    for x in xs:
        found = found + x * x
    return found
"""
INSIDE = "def f(xs):\n    return sum([x * x for x in xs]) - (len(xs) > 1 and xs[0] == xs[1])\n"
BEYOND = "def f(xs):\n    return sum([x * x for x in xs if x > 0])\n"
CALLS = "CALLS = [([*range(1, n)],) for n in range(1, 14)]\nBIG = [([*range(1, 90_000)],)]\n"


@pytest.mark.parametrize(
    ("new", "policy", "rejected", "caveat"),
    [
        (INSIDE, "auto", True, False),
        (INSIDE, "strict", True, False),
        (INSIDE, "lenient", False, True),
        (INSIDE, "off", False, False),
        (BEYOND, "auto", False, True),
        (BEYOND, "strict", True, False),
        (BEYOND, "lenient", False, True),
        (BEYOND, "off", False, False),
    ],
)
def test_what_a_difference_on_a_made_up_call_does(
    new: str, policy: str, rejected: bool, caveat: bool, tmp_path: Path
) -> None:
    for name, text in (("old.py", OLD), ("new.py", new), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    flags = ("--calls", "calls.py", "--sandbox", "bubblewrap", "--max-pairs", "8", "--mutated-inputs", policy)
    done = codeopt("compare", "old.py::f", "new.py::f", *flags, cwd=tmp_path)
    assert (done.status == 1) is rejected, done.out + done.err
    assert ("caveat: " in done.out) is caveat, done.out
    assert done.status != 2, done.err


@pytest.mark.parametrize(
    ("complains", "source", "why"),
    [
        (True, "generated", "the original logs an error there"),
        (False, "generated", ""),
        (True, "calls_file", ""),
    ],
)
def test_a_made_up_call_on_which_the_original_logs_an_error_is_beyond(complains: bool, source: str, why: str) -> None:
    """It answers, and says that it was given what it cannot do with."""
    known = KnownCall("f(1)", Answer(Kind.RETURNS, complains=complains), source, 0.1)
    assert why_beyond(known, Contract(), ()) == why
