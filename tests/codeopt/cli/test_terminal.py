"""Every command once on a pseudo-terminal: its exit status, and the last line that it leaves on the screen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeopt.core import plugins
from codeopt.core.budget import Ledger
from codeopt.core.history import History
from codeopt.core.revision import Revision
from codeopt.core.run_store import RunFolder, SavedRun
from codeopt.models.scripted import SEPARATOR
from tests.codeopt.command import FAST, NO_FEEDBACK, QUICK, SLOW, WRONG, command, environment, reply, write_problem
from tests.codeopt.core.test_run_index import result
from tests.codeopt.tasks.test_text_tasks import MOST, block, scored
from tests.conftest import require_sandbox
from tests.support.candidates import original, right
from tests.support.files import write_files
from tests.support.terminal import CTRL_D, on_a_terminal

COLUMNS = 500
"""Columns of the terminal: no line of a command is wrapped."""
FREED_IS_SEEN = {"PYTHONMALLOC": "debug"}
"""Memory is overwritten when it is freed: whoever uses it afterwards crashes, and not only now and then."""
COUNT = "def count(words: list[str]) -> int:\n    return len(set(words))\n"
WRONG_COUNT = COUNT.replace("set(words)", "words")
TESTS = "from m import count\n\n\ndef test_count():\n    assert count(['a', 'b', 'a']) == 2\n"
ANSWERS = (block("SELF"), scored("acronym", 2), block("SEAL"), scored("acronym", MOST))
FILES = {
    "wrong.py": WRONG, "m.py": COUNT, "test_m.py": TESTS, "old/m.py": COUNT, "new/m.py": WRONG_COUNT,
    "answers.txt": reply(WRONG), "best.txt": f"\n{SEPARATOR}\n".join(ANSWERS),
    "set.jsonl": json.dumps({"problem_id": "words", "input": SLOW}) + "\n",
    "pairs/pairs.jsonl": json.dumps({"problem_id": "p", "input": "print(1)\n", "target": "print(1)\n"}) + "\n",
    "pairs/cases/p/input.0.txt": "\n", "pairs/cases/p/output.0.txt": "1\n", ".gitignore": ".codeopt\n",
}  # fmt: skip
SCRIPTED = ("--model", "scripted:answers.txt", "-n", "1", *QUICK)
HERE = ("--sandbox", "bubblewrap")
KNOWN = (*HERE, "--mutated-inputs", "off")
RUN = "20260101-000000-slow-aaaa"


@dataclass(frozen=True)
class Line:
    """A command line, and what comes of it."""

    words: tuple[str, ...]
    last: str
    """Pattern of the last line of the screen."""
    status: int = 0
    keys: bytes = b""
    """Keys that are pressed."""


LINES = (
    Line(("improve", "slow.py", *SCRIPTED), "Next: .*", 6),
    Line(("compare", "slow.py", "wrong.py", *KNOWN), "wrong result: .*", 1),
    Line(("compare", "old/m.py", "new/m.py", *KNOWN), r" +\(test_m\.py::test_count\)\)", 1),
    Line(("compare", "--base", "HEAD", *KNOWN), r" +\(test_m\.py::test_count\)\)", 1),
    Line(("profile", "slow.py", *HERE), "Next: codeopt improve slow.py"),
    Line(
        ("record", "m.py::count", "--", sys.executable, "-c", "import m; m.count(['a'])"),
        "Next: codeopt improve m.py::count",
    ),
    Line(("review", "--base", "HEAD", "--model", "rules", *HERE), "warning: 1 test found, none passes: .*"),
    Line(("check", "m.py", *HERE), ".*"),
    Line(("batch", "set.jsonl", "--run-dir", "out", "--cases", "cases", *SCRIPTED), "Time .*"),
    Line(("report", f".codeopt/runs/{RUN}"), rf"saved in \.codeopt/runs/{RUN}"),
    Line(("runs",), f"  2.0x faster +slow.py +{RUN}"),
    Line(("show",), rf"saved in \.codeopt/runs/{RUN}"),
    Line(("show", "--diff"), r"\+main\(\)"),
    Line(("apply",), "Undo: codeopt undo"),
    Line(("undo",), "error: .*", 2),
    Line(("clean",), "(Emptied the cache|Nothing is cached for) .*"),
    Line(("import", "pie", "pairs", "-o", "imported", *HERE), "imported/pairs.jsonl"),
    Line(("doctor", *HERE, "--python", "/bin/false"), r"Not ready: .* failed, .* notes?\.", 1),
    Line(("improve", "--list-rules"), ".+"),
    Line(("init", "--github"), "Next: add OPENAI_API_KEY .*"),
    Line(
        ("refine", "-t", "acronym", "A title", "--model", "scripted:best.txt", "-n", "1", *HERE),
        "saved in .*-acronym-.*",
    ),
    Line(("mcp",), "", keys=CTRL_D),
    Line(("lsp",), "", keys=CTRL_D),
    Line(("--print-completion", "bash"), "complete .* codeopt"),
    Line(("improve", "--list-tasks"), " +same things, as strong as it was."),
)


CRASHED = {"compare", "doctor"}
"""Commands that ended with a segmentation fault in a terminal; the others are of the full tier."""


def test_every_command_is_here() -> None:
    assert {line.words[0] for line in LINES} - {"--print-completion"} == set(plugins.names("codeopt.commands"))


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=() if line.words[0] in CRASHED else pytest.mark.full) for line in LINES],
    ids=lambda line: " ".join(line.words[:3]),
)
def test_a_command_on_a_terminal(line: Line, project: Path) -> None:
    shown = on_a_terminal(
        command(*line.words),
        project,
        environment(TERM="xterm-256color", **FREED_IS_SEEN, **NO_FEEDBACK),
        COLUMNS,
        typed=line.keys,
    )
    last = (shown.lines or [""])[-1]
    assert (shown.status, bool(re.fullmatch(line.last, last)), shown.cursor) == (line.status, True, True), shown.data


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with programs, a function whose change is not committed, a set, and a run that has ended."""
    require_sandbox()
    write_problem(tmp_path, words=400)
    write_files(tmp_path, FILES)
    write_problem(tmp_path / "cases" / "words", words=400)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(tmp_path)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    (tmp_path / "m.py").write_text(WRONG_COUNT)
    run = RunFolder(tmp_path / ".codeopt" / "runs" / RUN)
    run.path.mkdir(parents=True)
    run.save(SavedRun(History((original(SLOW), right(1, FAST))), Ledger()))
    run.finish(Revision.of(SLOW), result(tmp_path), Revision.of(FAST))
    return tmp_path
