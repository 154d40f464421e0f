"""Syntax of Python 3.14 and 3.15 is judged: a right version is compared, a wrong one rejected, a draft put back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox

FUNCTION = '''
def count(words: list[str]) -> int:
    """Count different words.

    >>> count(["1", "x", "1"])
    2
    """
    seen = []
    for word in words:
        if word not in seen:
            seen.append(word)
    return len(seen)
'''
TRIED = """\
        try:
            int(word)
        except ValueError, TypeError:
            pass
"""
SYNTAX: dict[str, tuple[tuple[int, int], str]] = {
    "except without parentheses": ((3, 14), FUNCTION.replace("        if word not", f"{TRIED}        if word not")),
    "a template": ((3, 14), FUNCTION.replace("if word not", 'if t"{word}".values[0] not')),
    "annotations of what comes later": (
        (3, 14),
        FUNCTION.replace(": list[str]", ": Words") + "\n\ntype Words = list[str]\n",
    ),
    "lazy imports": ((3, 15), "lazy import json\nlazy from math import isqrt\n" + FUNCTION),
    "a lazy import that is used": (
        (3, 15),
        "lazy import json\n" + FUNCTION.replace("len(seen)", "json.loads(str(len(seen)))"),
    ),
    "unpacking in a comprehension": ((3, 15), FUNCTION.replace("in words:", "in [*each for each in [words]]:")),
}
FLAGS = ("--sandbox", "bubblewrap", "--mutated-inputs", "off", "--max-pairs", "6")
TIMED = ("faster", "same", "slower", "inconclusive")
"""Verdicts of a version that is right; which of them depends on the machine."""


def faster(text: str) -> str:
    return text.replace("seen = []", "seen = set()").replace("seen.append", "seen.add")


@pytest.fixture(
    params=[
        pytest.param(
            text,
            id=name,
            marks=pytest.mark.skipif(sys.version_info < since, reason=f"Python {since[0]}.{since[1]} reads it"),
        )
        for name, (since, text) in SYNTAX.items()
    ]
)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The module as it was."""
    require_sandbox()
    path = tmp_path / "old.py"
    path.write_text(request.param)
    return path


def test_a_right_version_is_compared_and_a_wrong_one_rejected(old: Path) -> None:
    new = old.with_name("new.py")
    right = faster(old.read_text())
    new.write_text(right)
    done = codeopt("compare", "old.py::count", "new.py::count", "--json", *FLAGS, cwd=old.parent)
    assert (done.status, done.json["verdict"] in TIMED) == (0, True), done.err
    assert "Warning" not in done.err
    new.write_text(right.replace("len(seen)", "len(words)"))
    done = codeopt("compare", "old.py::count", "new.py::count", "--json", *FLAGS, cwd=old.parent)
    assert (done.status, done.json["verdict"]) == (1, "wrong"), done.err
