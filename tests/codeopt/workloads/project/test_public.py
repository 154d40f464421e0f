"""`codeopt improve --run COMMAND`: a public function keeps its contract, also where the command shows no difference."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.impact import Surfaces
from codeopt.workloads.project.public_calls import outcome_of, pickled_names
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.call_answer import CallAnswer, CallRun
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.tests.writing import write_call
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.shop import answer
from tests.conftest import require_sandbox
from tests.support.files import write_files

SLUGS = '''\
def slug(title):
    """Words in lower case, joined."""
    words = []
    word = ""
    for sign in title:
        if sign.isalnum():
            word = word + sign.lower()
        else:
            if word:
                words.append(word)
            word = ""
    if word:
        words.append(word)
    found = ""
    for word in words:
        found = found + ("-" if found else "") + word
    return found


class Titles:
    def __init__(self):
        self.all = []

    def add(self, title):
        self.all.append(title)

    def has(self, title):
        return slug(title) in [slug(each) for each in self.all]
'''
BENCH = """\
from texts.slugs import Titles, slug

titles = Titles()
seen = set()
for k in range(90):
    titles.add(f"Title {k}, the {k % 7}th (of many)!")
for k in range(9000):
    seen.add(slug(f"Title {k}, the {k % 7}th (of many)!"))
print(len(seen), sum(titles.has(f"title {k} the {k % 7}th of many") for k in range(70, 120)))
"""
HEAD = "# === file: texts/slugs.py ===\n"
QUICK = (
    'import re\n\n_WORDS = re.compile("[^\\\\W_]+")\n\n\ndef slug(title):\n    return "{}".join(_WORDS.findall({}))\n'
)
WRONG, RIGHT = QUICK.format("_", "title.lower()"), QUICK.format("-", "title.lower()")
KEPT = """\
class Titles:
    def __init__(self):
        self.all = []
        self._slugs = set()

    def add(self, title):
        self.all.append(title)
        self._slugs.add(slug(title))

    def has(self, title):
        return slug(title) in self._slugs
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    write_files(root, {"texts/__init__.py": "", "texts/slugs.py": SLUGS, "bench.py": BENCH})
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    return root


@pytest.mark.full
def test_a_difference_that_only_other_callers_would_see_is_wrong(project: Path) -> None:
    """The command counts slugs, and there is no test: the wrong draft prints the same."""
    require_sandbox()
    script = project.parent / "answers.txt"
    answers = [
        "Joined slowly.\nVERDICT: IMPROVE", answer("an underscore", HEAD + WRONG),
        "Wrong sign.\nVERDICT: IMPROVE", answer("a pattern, and slugs kept", HEAD + RIGHT + "\n\n" + KEPT),
        "Good.\nVERDICT: DONE",
    ]  # fmt: skip
    script.write_text("\n--- next answer ---\n".join(answers))
    flags = ("--model", f"scripted:{script}", "--sandbox", "bubblewrap", "--json")
    done = codeopt("improve", "--run", "python bench.py", *flags, "--no-tests", cwd=project)
    assert done.status == 0, done.err
    wrong, right = done.json["rounds"]
    assert wrong["verdict"] not in ("faster", "same", "inconclusive"), wrong
    assert "texts/slugs.py::slug" in str(wrong)
    assert "_" in str(wrong)
    assert right["verdict"] == "faster", right
    edits = {edit["qualname"]: edit for edit in done.json["edits"]}
    assert edits["slug"]["evidence"][0] == f"{edits['slug']['calls']} calls of it"
    assert f"{edits['slug']['calls']} calls of 1 public function agree" in done.err
    assert edits["Titles.has"]["evidence"] == ["the command's output and files"]
    said = [row["message"] + row["cause"] for row in done.json["diagnostics"]]
    assert any("Titles.has" in each and "the candidate changes" in each for each in said), said
    assert done.json["sandbox_seconds"]["functions_s"] > 0
    assert "Titles.add is judged by the whole command alone" in done.err
    assert codeopt("show", "--html", "page.html", cwd=project).status == 0
    page = (project / "page.html").read_text()
    assert "<h1>texts: python bench.py</h1>" in page
    assert edits["slug"]["evidence"][0] in page.partition("What each edit brings")[2]


FILES = {
    "src/top/__init__.py": "from top.core import given, same\n__all__ = ['given']\n",
    "src/top/core.py": "def given(): pass\ndef same(): pass\ndef helper(): pass\n",
    "src/top/sub/__init__.py": "from top.sub._all import *\n",
    "src/top/sub/_all.py": "def any(): pass\n",
    "src/top/sub/rest.py": "def open(): pass\n",
    "pkg/__init__.py": "from pkg._core import shown as shown\nfrom pkg._core import other as _other\n",
    "pkg/_core.py": "def shown(): pass\ndef other(): pass\n",
    "pkg/listed.py": "__all__ = ['a']\ndef a(): pass\ndef b(): pass\n",
    "pkg/open.py": "class C:\n    def m(self): pass\n    def _p(self): pass\n",
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
    assert Surfaces(FILES).is_public(CodeEdit(file, qualname)) is public


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
