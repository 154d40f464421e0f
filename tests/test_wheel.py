"""The wheel without extras, in an environment of its own: it declares what it imports, and every command works."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.codeopt.command import AS_A_USER, FAST, QUICK, SLOW, Done, environment, write_problem
from tests.codeopt.serving.projects import SLOW as TYPED
from tests.support.files import git, make_repository
from tests.support.wheels import ROOT, bare, build

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
USERS = {"pytest"}
"""What only the environment of the code under test has to have: tests are run by it."""
USE = "from typed import repeated\nfor size in range(12):\n    repeated([str(n % 5) for n in range(size)])\n"


ADDED = ("completion", "lsp", "mcp", "prices", "ray")
"""Extras whose packages are imported where they are there."""


def test_whatever_is_imported_is_declared() -> None:
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    optional = PROJECT["optional-dependencies"]
    extras = {canonicalize_name(Requirement(text).name) for name in ADDED for text in optional[name]}
    owners = packages_distributions()
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("codeopt", "sandbox/codeopt_sandbox")
        for path in (ROOT / folder).rglob("*.py")
        for name in set(imported(path)) - sys.stdlib_module_names - USERS - {"codeopt", "codeopt_sandbox"}
        if not {canonicalize_name(owner) for owner in owners.get(name, [name])} & (declared | extras)
    }
    assert missing == set()


def imported(path: Path) -> Iterator[str]:
    """The top-level packages that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the environment's programs are."""
    folder = tmp_path_factory.mktemp("bare")
    return bare(folder / "environment", build(folder))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder under git, whose newest commit makes a program slow."""
    folder = tmp_path_factory.mktemp("home")
    write_problem(folder / "set" / "words", words=2000)
    path = write_problem(folder, FAST, words=2000)
    pairs = json.dumps({"problem_id": "words", "input": SLOW, "target": FAST}) + "\n"
    files = {"fast.py": FAST, "typed.py": TYPED, "use.py": USE, "answers.txt": ANSWERS, "pairs.jsonl": pairs}
    make_repository(folder, files, "one")
    path.write_text(SLOW)
    git(folder, "commit", "-qam", "two")
    return folder


ASPECTS = ("pronunciation", "spelling", "relation", "connotation", "recognition")
ANSWERS = "```\nATLE\nA TitLE\n```\n--- next answer ---\n" + "\n".join(
    [*(f"{name}: 5/5" for name in ASPECTS), "VERDICT: DONE"]
)
"""What a model says of a title."""

COMMANDS: dict[str, tuple[list[str], str, str]] = {
    "improve": (["improve", "slow.py", *QUICK], r"^\+.*set\(", "x faster   "),
    "improve a function": (
        ["improve", "typed.py::repeated", *QUICK[:2]],
        r"^\+.*set\(",
        r"Same results on [\d,]+ calls: ",
    ),
    "compare": (["compare", "slow.py", "fast.py", *QUICK[:2]], "faster", ""),
    "profile": (["profile", "slow.py", *QUICK[:2]], "if word in seen", ""),
    "review": (["review", "--base", "HEAD~1", "--model", "rules", *QUICK], r"slow\.py", ""),
    "check": (["check", "slow.py", *QUICK], r"slow\.py .*\dx \(", ""),
    "init": (["init", "--github"], "", r"codeopt\.yml"),
    "batch": (["batch", "set", "--run-dir", "batch", "--model", "rules", *QUICK], "", r"words +[\d.]+x faster"),
    "report": (["report", "batch"], "1 of 1 problem faster", ""),
    "import": (["import", "pie", "pairs.jsonl", "--cases", "set", "-o", "imported", *QUICK[:2]], "", "1"),
    "record": (["record", "typed.py::repeated", "--", "python", "use.py"], "", r"\d+ new call"),
    "doctor": (["doctor", "--sandbox", "bubblewrap"], r"^OK    sandbox +bubblewrap: ", ""),
    "clean": (["clean"], r"^Emptied the cache |^Nothing is cached for ", ""),
    "improve --list-rules": (["improve", "--list-rules"], "list_membership_to_set", ""),
    "improve --list-tasks": (["improve", "--list-tasks"], "acronym", ""),
    "refine": (
        ["refine", "-t", "acronym", "A title", "--model", "scripted:answers.txt"],
        "ATLE",
        "nothing left to improve",
    ),
    "mcp": (["mcp"], "", r"^error: codeopt mcp needs an extra\n  hint: \S+ -m pip install 'mcp>=\S+' 'uvicorn>=\S+'$"),
    "completion": (["--print-completion", "bash"], "", r"^error: --print-completion needs an extra"),
    "lsp": (["lsp"], "", r"^error: codeopt lsp needs an extra\n  hint: \S+ -m pip install 'lsprotocol>=\S+' 'pygls>"),
}
"""Each command's main path: its arguments, what standard output has, and what standard error has."""
GAINS = {"check": 1, "mcp": 2, "lsp": 2, "completion": 2}
"""Exit statuses other than 0 that are right."""
MADE_BY = {"report": "batch"}
"""What a command reads is made by another, which may have been tested by another worker."""
OF_RUNS = {
    "runs": r"slow",
    "show": r"faster",
    "apply": r"slow\.py",
    "undo": r"^Put back slow\.py",
}
"""Commands that take what was saved, and what they print."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name == "improve" else ()) for name in COMMANDS]
)
def test_the_main_path_of_each_command(name: str, programs: Path, home: Path) -> None:
    arguments, out, err = COMMANDS[name]
    if (maker := MADE_BY.get(name)) and not (home / maker).exists():
        run(programs, home, COMMANDS[maker][0])
    done = run(programs, home, arguments)
    assert done.status == GAINS.get(name, 0), done
    assert re.search(out, done.out, re.MULTILINE), done
    assert re.search(err, done.err), done.err
    assert "Traceback" not in done.err
    assert not (home / ".hypothesis").exists()


def test_a_saved_run_is_listed_shown_put_in_place_and_taken_back(programs: Path, tmp_path: Path) -> None:
    path = write_problem(tmp_path, words=2000)
    before = path.read_text()
    assert run(programs, tmp_path, ["improve", path.name, *QUICK]).status == 0
    for name, out in OF_RUNS.items():
        done = run(programs, tmp_path, [name])
        assert (done.status, bool(re.search(out, done.out + done.err, re.MULTILINE))) == (0, True), done
    assert path.read_text() == before
    assert run(programs, tmp_path, ["show", "--html", "page.html"]).status == 0
    assert "What it cost" in (tmp_path / "page.html").read_text()  # the templates are in the wheel


def run(programs: Path, home: Path, arguments: list[str]) -> Done:
    """Run the installed command in a user's folder."""
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    done = subprocess.run(
        [programs / "codeopt", *arguments],
        cwd=home,
        env=environment(**AS_A_USER, PATH=path, PYTHONPATH="", VIRTUAL_ENV=""),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
