"""Edits of functions that a command never calls are left out without any timing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.report.verdict import table_of
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.edit_gains import REACH, changed_places

CODE = '''\
import math

LIMIT = 5


def plain(n, most=LIMIT):
    """Text."""
    return n


class Box:
    def __init__(self, value):
        self.value = value

    @property
    def size(self):
        return self.value

    @size.setter
    def size(self, value):
        self.value = value
'''


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [
        ("    return n\n", "    return n + 0\n", {("m.py", 6)}),
        ('"""Text."""', '"""Another text."""', set()),
        ("    return n\n", "    # noted\n    return n\n", set()),
        ("        self.value = value\n\n    @p", "        self.value = value + 0\n\n    @p", {("m.py", 12)}),
        ("size(self, value):\n        self.value = value", "size(self, value):\n        self.value = 0",
         {("m.py", 15), ("m.py", 19)}),
        ("def plain(n, most=LIMIT)", "def plain(n, most=LIMIT + 1)", None),  # evaluated when it is defined
        ("def plain", "@math.sqrt\ndef plain", None),
        ("LIMIT = 5", "LIMIT = sum(range(10))", None),
        ("import math\n", "import math\nimport json\n", None),
        ("class Box:", "class Box(object):", None),
        ("class Box:", "class Box:\n    count = 0\n", None),
        ("class Box:", "def more(n):\n    return n\n\n\nclass Box:", {("m.py", 11)}),
        ("class Box:", "@math.sqrt\ndef more(n):\n    return n\n\n\nclass Box:", None),
    ],
)  # fmt: skip
def test_what_only_calls_can_tell(was: str, now: str, changed: set[tuple[str, int]] | None) -> None:
    """Places are those of the draft; what is evaluated without a call is for the clock to tell."""
    assert CODE.count(was) == 1
    assert changed_places(Revision({"m.py": CODE.replace(was, now)}), Revision({"m.py": CODE})) == changed


def test_a_function_that_the_draft_removes_may_be_asked_for() -> None:
    rest = Revision({"m.py": CODE + "\n\ndef more(n):\n    return n\n"})
    assert changed_places(Revision({"m.py": CODE}), rest) is None


POOL = """\
from multiprocessing import get_context


def work(n):
    return inner(n)


def inner(n):
    return n * n


def never():
    return 0


if __name__ == "__main__":
    with get_context("METHOD").Pool(2) as pool:
        print(sum(pool.map(work, range(8), chunksize=1)))
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_calls_of_a_pool_that_is_terminated_are_known(tmp_path: Path, method: str) -> None:
    """Leaving the `with` ends the workers before they can write anything at their end."""
    (tmp_path / "pool.py").write_text(POOL.replace("METHOD", method))
    text = REACH.hook("os.path.dirname(_folder), ")
    (tmp_path / WATCH).mkdir()
    (tmp_path / WATCH / "sitecustomize.py").write_text(text)
    command = [sys.executable, "pool.py"]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / WATCH)}, capture_output=True)
    assert done.stdout == b"140\n", done.stderr
    lines = [line for log in (tmp_path / WATCH).glob("*.txt") for line in log.read_text().splitlines()]
    rows = [json.loads(line.removeprefix("@ reach ")) for line in lines if line.startswith("@ reach ")]
    assert {place for _, places in rows for place in places} >= {"/pool.py:4", "/pool.py:8"}
    assert not any("/pool.py:12" in places for _, places in rows)


SEVERAL = ((1, 0), (2, 0), (1, 1))
"""Edits of a patch, and edits that were left out."""


def test_the_table_says_why_an_edit_is_left_out() -> None:
    row = {"file": "m.py", "qualname": "plain", "ratio": None, "at": ""}
    lines = table_of({"edits": [], "left_out_edits": [{**row, "never_called": True}, row]})
    assert ["never seen to call it" in line for line in lines] == [True, False]
    one = {**row, "ablation": {"ratio": 0.5, "ci_low": 0.4, "ci_high": 0.6}}
    sizes = [len(table_of({"edits": [one] * edits, "left_out_edits": [row] * gone})) for edits, gone in SEVERAL]
    assert sizes == [0, 3, 3]  # one edit is the result itself
