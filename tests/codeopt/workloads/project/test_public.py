"""`codeopt improve --run COMMAND`: a public function keeps its contract, also where the command shows no difference."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.impact import FunctionGraph
from codeopt.workloads.project.public_calls import outcome_of, pickled_names
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.calls import CallAnswer, CallRun
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.tests.recorder import write_call
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome

FILES = {
    "src/top/__init__.py": "from top.core import given, same\n__all__ = ['given']\n",
    "src/top/core.py": "def given(): pass\ndef same(): pass\ndef helper(): pass\n",
    "src/top/sub/__init__.py": "from top.sub._all import *\n",
    "src/top/sub/_all.py": "def any(): pass\n",
    "src/top/sub/rest.py": "def open(): pass\n",
    "pkg/__init__.py": "from pkg._core import shown as shown\nfrom pkg._core import other as _other\n",
    "pkg/_core.py": "def shown(): pass\ndef other(): pass\n",
    "pkg/listed.py": "__all__ = ['a']\ndef a(): pass\ndef b(): pass\n",
    "pkg/open.py": "class C:\n    def m(self): pass\n    def _p(self): pass\n    def __len__(self): pass\n"
    "    def __init__(self): pass\n",
}


@pytest.mark.parametrize(
    ("file", "qualname", "public"),
    [
        ("src/top/core.py", "given", True),
        ("src/top/core.py", "same", False),
        ("src/top/core.py", "helper", False),
        ("src/top/sub/rest.py", "open", True),
        ("src/top/sub/_all.py", "any", True),
        ("pkg/open.py", "C.m", True),
        ("pkg/open.py", "C.__len__", True),
        ("pkg/open.py", "C.__init__", False),
        ("pkg/open.py", "C._p", False),
        ("pkg/open.py", "_C.m", False),
        ("pkg/open.py", "<module>", False),
        ("pkg/listed.py", "a", True),
        ("pkg/listed.py", "b", False),
        ("pkg/_core.py", "shown", True),
        ("pkg/_core.py", "other", False),
    ],
)
def test_what_others_may_call(file: str, qualname: str, public: bool) -> None:
    assert FunctionGraph(FILES).is_public(CodeEdit(file, qualname)) is public


class Thing:
    def __init__(self) -> None:
        self.inner = [object()]


def test_names_in_pickles_are_read_without_unpickling() -> None:
    text = write_call([Thing(), "a text"], {})
    assert text is not None
    assert "Thing" in pickled_names(f"f{text}" if text.startswith("(") else text)
    assert pickled_names("f('Thing')") == set()


@pytest.mark.parametrize(("kinds", "verdict"), [(("timeout", "returns"), "AC"), (("timeout", "timeout"), "WA")])
def test_calls_that_do_not_end_in_time_run_again(kinds: tuple[str, ...], verdict: str) -> None:
    """Other processes may have the machine."""
    ends = iter(kinds)

    def run_case(draft: Revision, case: Case) -> Outcome:
        kind = next(ends)
        run = CallRun(0, None, 0.1, 0.1, 0, b"", b"", answer=CallAnswer((Answer(kind),), ("f(1)",)))
        return Outcome("calls.1", CaseVerdict.AC if kind == "returns" else CaseVerdict.WA, run)

    workload: Any = Mock(run_case=run_case)
    assert outcome_of(workload, Revision({}), Case("calls.1", b"")).verdict == verdict
