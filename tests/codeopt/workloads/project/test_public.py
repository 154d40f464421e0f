"""`codeopt improve --run COMMAND`: a public function keeps its contract, also where the command shows no difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from codeopt.core.program import Program
from codeopt.core.revision import Revision
from codeopt.workloads.project import public_calls
from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.impact import FunctionGraph, ImportedNames
from codeopt.workloads.project.project_program import ProjectFiles, ProjectProgram
from codeopt.workloads.project.public_calls import PublicCalls, outcome_of, pickled_names
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.calls import CallAnswer, CallRun
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.tests.recorder import write_call
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run, RunLimits, WrittenFile
from tests.support.candidates import run

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


CORE = {"core.py": "def one(n):\n    return n\n\n\ndef two(n):\n    return n\n", "use.py": "import core\n"}


@dataclass
class Recorded(CommandRuns):
    """Runs nothing: its recorder writes these lines."""

    lines: tuple[str, ...] = ()
    status: int = 0

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Any) -> Run:
        self.spent["runs"] = self.spent.get("runs", 0) + 1
        ((hook, _),) = options["files"]
        text = "\n".join(self.lines).encode()
        return replace(run(exit=self.status), written=(WrittenFile(hook.replace("sitecustomize.py", "1.txt"), text),))


@pytest.mark.parametrize("imported", [True, False])
@pytest.mark.parametrize(
    ("lines", "status", "why"),
    [
        ((), 0, "the command does not call it"),
        (("0 # self: an open file",), 0, "its calls cannot be written down: self: an open file, nor those of public"),
        (("0 f(1)",), 1, "its calls cannot be written down: the command ends differently under the recorder, nor"),
        (("1 f(1)", "0 other"), 0, "the command does not call it"),
    ],
)
def test_why_a_function_is_judged_by_the_whole_command(
    lines: tuple[str, ...], status: int, why: str, imported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surface(runs: object, revision: Revision, paths: tuple[str, ...]) -> ImportedNames:
        names = {"one": frozenset([revision["core.py"].partition("\n\n")[0]]), "two": frozenset(["same"])}
        return ImportedNames(revision, {"core.py": names} if imported else {})

    monkeypatch.setattr(public_calls, "read_surface", surface)
    sandbox, request = Mock(limits=RunLimits()), Mock()
    project = ProjectFiles(Path("/p"), tuple((path, text.encode()) for path, text in CORE.items()))
    runs = Recorded(sandbox, project, ProjectCommand("python use.py", ("use.py",)), lines=lines, status=status)
    program = ProjectProgram(Path("/p"), {path: Program(Path("/p", path), text, text) for path, text in CORE.items()})
    judge = PublicCalls(request, program, runs)
    draft = program.revision.with_file("core.py", CORE["core.py"].replace("return n\n", "return 0 + n\n", 1))
    found = judge.judge(draft)
    (first,) = found.functions
    assert first.shortfall is not None
    assert (str(first.edit), first.calls, first.evidence, found.wrong) == ("core.py::one", 0, [], "")
    assert first.shortfall.cause.startswith(why)
    messages = ["core.py::one is judged by the whole command alone"]
    messages += ["changes of core.py are found by its text, not by what it does when it is imported"] * (not imported)
    assert [each.message for each in found.diagnostics] == messages
    spent = runs.spent["runs"]
    assert judge.judge(draft) is found is judge.latest
    assert runs.spent["runs"] == spent, "nothing is recorded twice"
