"""Generators that a draft replaces by another iterator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import FIRST_LINE, codeopt

pytestmark = pytest.mark.full

HEAD = "from collections.abc import Generator\n\n"
PLAIN = """\
def f(xs: list[int]) -> Generator[int, None, None]:
    for at, x in enumerate(xs):
        yield x - min(xs[:at], default=0)
"""
RECEIVES = """\
def f(xs: list[int]):
    least = 0
    for at, x in enumerate(xs):
        sent = yield x - min(xs[:at], default=0)
        least += sent or 0
"""
QUICK = """\
from itertools import accumulate

def f(xs: list[int]):
    return map(int.__sub__, xs, [0, *accumulate(xs, min)])
"""
CALLS = "CALLS = [(([(i * 37 + n) % 11 for i in range(n)],), {}) for n in range(14)]\nBIG = [(([*range(700)],), {})]\n"


@pytest.mark.parametrize(
    ("old", "flags", "verdict"),
    [(PLAIN, (), "faster"), (PLAIN, ("--strict",), "wrong"), (RECEIVES, (), "wrong")],
    ids=["of a hint", "strict", "that is sent to"],
)
def test_another_iterator_is_a_caveat_unless_the_generator_is_sent_to(
    old: str, flags: tuple[str, ...], verdict: str, tmp_path: Path
) -> None:
    for name, text in (("old.py", HEAD + old), ("new.py", QUICK), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    usual = ("--calls", "calls.py", "--no-tests", "--sandbox", "bubblewrap", "--max-pairs", "8", "--max-examples", "50")
    done = codeopt("compare", "old.py::f", "new.py::f", *usual, *flags, cwd=tmp_path)
    assert FIRST_LINE[verdict] in done.out.splitlines()[0], done.out + done.err
    assert verdict == "wrong" or "another iterator than a generator" in done.out


LONG = "CALLS = [((list(range(n)),), {}) for n in (2, 5, 7_000, 12_000)]\nBIG = [(([*range(700)],), {})]\n"
"""Answers of more characters than are shown, and of more items: digests stand for the rest."""
EACH = "def f(xs: list[int]) -> Generator[int, None, None]:\n    for x in xs:\n        yield x + 1\n"
MAPPED = "def f(xs: list[int]):\n    return map((1).__add__, xs)\n"
SHORTENED = MAPPED.replace("xs)", "xs if len(xs) < {0} else xs[:-1])")
LAST = MAPPED.replace("xs)", "xs if len(xs) < {0} else [*xs[:-1], 0])")


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        (MAPPED, ""),
        (SHORTENED.format(6_000), "wrong"),
        (LAST.format(6_000), "wrong"),
        (LAST.format(11_000), "wrong"),
    ],
    ids=["the same items", "an item less", "another item", "another item that is not shown"],
)
def test_another_iterator_of_many_items_is_a_caveat_where_they_are_the_same(
    new: str, verdict: str, tmp_path: Path
) -> None:
    for name, text in (("old.py", HEAD + EACH), ("new.py", new), ("calls.py", LONG)):
        (tmp_path / name).write_text(text)
    usual = ("--calls", "calls.py", "--no-tests", "--sandbox", "bubblewrap", "--max-pairs", "8", "--max-examples", "20")
    done = codeopt("compare", "old.py::f", "new.py::f", *usual, "--mutated-inputs", "off", cwd=tmp_path)
    assert done.status == bool(verdict), done.out + done.err
    assert (done.status == 1) is bool(verdict), done.out + done.err
    assert verdict or "another iterator than a generator" in done.out
