"""A project whose command has its input in its script, and one that is given numbers and a file; drafts of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codeopt.core.history import Candidate, Draft, History
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.engine.judge import Judge
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.project import open_workload, read
from codeopt.workloads.project.workload import ProjectWorkload
from codeopt_sandbox.compare import StoppingRule

CORE = """\
import sys


def dedupe(xs):
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out


def _sizes(xs):
    return len(dedupe(xs))


def total(xs):
    return sum(dedupe(xs))
"""
IN_SCRIPT = {
    "app/__init__.py": "",
    "app/core.py": CORE,
    "app/latest.py": "def newest(xs):\n    return sorted(xs)[-1]\n",
    "app/contest.py": "def winner(xs):\n    return sorted(xs)[0]\n",
    "app/testing.py": "class BaseTestCase:\n    def check(self, xs):\n        return sorted(xs)[0]\n",
    "app/fakes.py": "def rows():\n    return [3, 1, 3]\n",
    "app/checks.py": "import unittest\nfrom app.core import total\n\n\nclass TotalTestCase(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertEqual(total([1, 2, 1]), 3)\n",
    "main.py": """\
from app import contest, latest, testing
from app.core import _sizes, total


def main():
    xs = [i * 7919 % 1999 for i in range(6000)]
    print(_sizes(xs), total(xs), latest.newest(xs), contest.winner(xs), testing.BaseTestCase().check(xs))


if __name__ == "__main__":
    main()
""",
    "app/tests.py": """\
from app.core import dedupe
from app.fakes import rows


def test_dedupe():
    assert dedupe(rows()) == [3, 1]


def test_unhashable():
    assert dedupe([[1], [1], [2]]) == [[1], [2]]
""",
    "conftest.py": "",
    "setup.py": "from setuptools import setup\n\nsetup(name='app')\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npython_files = ["tests.py", "test_*.py"]\n',
}
TOOL = """\
import json
import sys

from app.core import dedupe


def main():
    rows = json.load(open(sys.argv[1]))
    size = int(sys.argv[sys.argv.index("--size") + 1])
    found = dedupe([row * k % 1877 for row in rows for k in range(size)])
    print(len(found), sum(found) if "--sum" in sys.argv else "")


if __name__ == "__main__":
    main()
"""
HONEST = """\
# === file: app/core.py ===
def _first_of_each(xs):
    return list(dict.fromkeys(xs))


def dedupe(xs):
    xs = list(xs)
    try:
        return _first_of_each(xs)
    except TypeError:
        out = []
        for x in xs:
            if x not in out:
                out.append(x)
        return out
"""
"""Right: a new helper, and what cannot be hashed goes the old way."""


class _Never:
    """A proposer that is not asked."""

    name = "never"


class Judged:
    """Drafts of an opened project, as a model's answers are judged."""

    def __init__(self, workload: ProjectWorkload) -> None:
        self.workload = workload
        self.judge = Judge(workload, profiled=False)
        self.history = History((workload.baseline,))
        self.put_in = workload.adapt(_Never())  # type: ignore[arg-type]

    def draft(self, answer: str) -> Draft:
        """Put into the project, or with its problem."""
        draft, original = Draft(Revision.of(answer), "a draft"), self.workload.program.revision
        whole: Draft = self.put_in.whole(draft, original)  # type: ignore[attr-defined]
        return whole

    def round(self, answer: str) -> Candidate:
        """As in a round."""
        return self.judge.measure(self.draft(answer), self.history)

    def confirmed(self, answer: str) -> Candidate:
        """As at the end."""
        return self.judge.confirm(self.round(answer))


@contextmanager
def judged_project(root: Path, run: str, backend: str, **options: Any) -> Iterator[Judged]:
    """Measured, for drafts; few pairs are enough here."""
    chosen = ImproveOptions(run=run, sandbox=backend, **options)
    request = WorkloadRequest(
        Target(root), read(Target(root)), chosen, Session(), StoppingRule(max_pairs=12), drawn_seed=7
    )
    with open_workload(request) as opened:
        workload = opened.measure().timed()
        assert isinstance(workload, ProjectWorkload)
        yield Judged(workload)
