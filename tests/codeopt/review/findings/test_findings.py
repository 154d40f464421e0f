"""Verdicts that are kept: what they depend on, who is believed, and every door that takes them again."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.command_flags import with_cache
from codeopt.core.cache import Cache, CacheKind, machine, open_cache
from codeopt.core.console import CallbackConsole
from codeopt.core.interpreter import Interpreter, Origin
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Session
from codeopt.core.words import Speedup
from codeopt.review.findings.finding import FindingKeys, StoredFinding
from codeopt.review.findings.known import MAX_AGE_S, KnownFindings, carried, open_findings
from tests.codeopt.command import codeopt, environment
from tests.support.files import write_files
from tests.support.reviews import suggestion

PYTHON = Interpreter(sys.executable, "3.11.0", "8.0", Origin.OWN)
OPTIONS = ImproveOptions(model="rules")
MODULE = """\
import re
from helpers import clean

LIMIT = 3


class Box:
    def __init__(self, n):
        self.n = n

    def size(self):
        return self.n

    def unused(self):
        return 0


def other(n):
    return n


def target(words):
    box = Box(len(words))
    return [clean(word) for word in words][: LIMIT + box.size()]
"""
HELPERS = """\
def clean(word):
    return inner(word)


def inner(word):
    return word.strip()


def apart(word):
    return word
"""
TEST = "from mod import target\n\n\ndef test_target():\n    assert target([' a']) == ['a']\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    files = {
        "mod.py": MODULE, "helpers.py": HELPERS, "tests/test_mod.py": TEST, "tests/conftest.py": "",
        "tests/test_far.py": "def test_far():\n    pass\n", "pyproject.toml": "[project]\nname = 'p'\nversion = '1'\n",
    }  # fmt: skip
    write_files(folder, files)
    return folder


def key_of(project: Path, options: ImproveOptions = OPTIONS, python: Interpreter = PYTHON) -> str:
    path = project / "mod.py"
    found = FindingKeys(options, "rules", python).key(path, "target", path.read_text())
    assert found is not None
    return found.digest


OPERATOR = "class C:\n    def __eq__(self, o):\n        return True\n\n\ndef apart"
EDITS = {
    "another function": ("mod.py", "    return n\n\n\ndef t", "    return n + 0\n\n\ndef t", True),
    "a comment above": ("mod.py", "import re", "# words\nimport re", True),
    "a method that it does not name": ("mod.py", "return 0", "return 1", True),
    "a helper's neighbour": ("helpers.py", "    return word\n", "    return word + ''\n", True),
    "a test that is far": ("tests/test_far.py", "pass", "assert True", True),
    "the project's version": ("pyproject.toml", "'1'", "'2'", True),
    "the function": ("mod.py", "LIMIT + box", "box", False),
    "a constant": ("mod.py", "LIMIT = 3", "LIMIT = 4", False),
    "a method": ("mod.py", "return self.n", "return self.n + 1", False),
    "its class's constructor": ("mod.py", "self.n = n", "self.n = n + 1", False),
    "a helper": ("helpers.py", "inner(word)", "inner(word) + ''", False),
    "a helper's helper": ("helpers.py", "word.strip()", "word.lstrip()", False),
    "a name that hides it": ("helpers.py", "def apart", "inner = str.upper\n\n\ndef apart", False),
    "an operator of another class": ("helpers.py", "def apart", OPERATOR, False),
    "a statement at import": ("helpers.py", "def apart", "print('loaded')\n\n\ndef apart", False),
    "its test": ("tests/test_mod.py", "['a']", "['a'][:]", False),
    "conftest.py": ("tests/conftest.py", "", "x = 1\n", False),
    "pytest's settings": ("pyproject.toml", "[project]", "[tool.pytest.ini_options]\nx = 1\n[project]", False),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_what_a_verdict_depends_on(name: str, project: Path) -> None:
    before = key_of(project)
    file, old, new, same = EDITS[name]
    path = project / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    assert (key_of(project) == before) is same


def test_a_package_that_is_installed_in_place_is_reached_too(project: Path, tmp_path: Path) -> None:
    packages, beside = tmp_path / "env/site-packages", tmp_path / "beside"
    for folder in (packages, beside):
        folder.mkdir(parents=True)
    (packages / "beside.pth").write_text(f"{beside}\n")
    (beside / "helpers.py").write_text((project / "helpers.py").read_text())
    (project / "helpers.py").unlink()
    python = replace(PYTHON, libraries=(str(packages),))
    before = key_of(project, OPTIONS, python)
    (beside / "helpers.py").write_text(HELPERS.replace("word.strip()", "word.lstrip()"))
    assert key_of(project, OPTIONS, python) != before


def test_other_options_and_other_pythons_are_other_questions(project: Path) -> None:
    before = key_of(project)
    assert key_of(project, replace(OPTIONS, check="exact")) != before
    assert key_of(project, replace(OPTIONS, sandbox="bubblewrap", max_seconds=9.0)) == before
    assert key_of(project, OPTIONS, replace(PYTHON, version="3.12.0")) != before
    path = project / "mod.py"
    assert FindingKeys(replace(OPTIONS, env=("A=1",)), "rules", PYTHON).key(path, "target", MODULE) is None


def test_what_is_reached_by_text_makes_everything_count(project: Path) -> None:
    (project / "helpers.py").write_text(HELPERS.replace("word.strip()", "getattr(word, word)()"))
    before = key_of(project)
    path = project / "mod.py"
    path.write_text(MODULE.replace("    return n\n\n\ndef t", "    return n + 0\n\n\ndef t"))
    assert key_of(project) != before


IMPROVED = MODULE.replace("import re\n", "import re\nfrom collections import deque\n").replace(
    "in words][: L", "in deque(words)][0 : L"
)


@pytest.mark.parametrize(
    ("edit", "fits"),
    [
        (("", ""), True),
        (("import re\n", "# words\nimport os\nimport re\n"), True),
        (("def other(n):\n    return n\n", ""), True),
        (("import re\n", ""), True),
        (("box = Box", "crate = box = Box"), False),
    ],
    ids=["nothing", "lines above", "a function gone", "the line before an import", "the function"],
)
def test_a_change_is_carried_to_a_file_that_was_edited_elsewhere(edit: tuple[str, str], fits: bool) -> None:
    current = MODULE.replace(*edit) if edit[0] else MODULE
    found = carried(MODULE, IMPROVED, current, "target")
    assert (found is not None) is fits
    if found is not None:
        assert found.count("deque") == 2
        assert found.count("[0 : LIMIT") == 1
        assert len(found.splitlines()) == len(current.splitlines()) + 1


def known() -> KnownFindings:
    found = open_findings(OPTIONS, PYTHON, open_cache, "check", CallbackConsole(lambda line: None))
    assert found is not None
    return found


def put(project: Path, cache: Cache | None = None) -> StoredFinding:
    """A verdict in the project's cache, or in another one."""
    keys = FindingKeys(OPTIONS, "rules", PYTHON)
    path = project / "mod.py"
    key, after = keys.key(path, "target", MODULE), keys.reached(path, "target", IMPROVED)
    assert key is not None
    assert after is not None
    figures = Speedup(4.0, 3.0, 5.0, 9, method="m")
    change = ("a_rule: it is quicker.",)
    judged = suggestion("mod.py", MODULE, IMPROVED, "target", changes=change, speedup=figures)
    found = StoredFinding(key, judged, after, command="check", machine=machine(), made_at=time.time())
    cache = cache or open_cache(project)
    assert cache is not None
    cache.put(CacheKind.FINDING, key.digest, found.to_json())
    return found


def test_a_verdict_is_found_again_with_its_change(project: Path) -> None:
    found = put(project)
    path = project / "mod.py"
    path.write_text("# edited\n" + MODULE)
    again = known().find(path, "target")
    assert again is not None
    assert replace(again.finding, made_at=found.made_at) == found
    assert again.improved == "# edited\n" + IMPROVED
    path.write_text(MODULE.replace("def other", "deque = None\n\n\ndef other"))  # what the change imports is another
    assert known().find(path, "target") is None
    assert known().find(path, "other") is None


def test_a_verdict_in_the_checkout_is_not_read(project: Path) -> None:
    put(project, Cache(project / ".codeopt"))
    assert known().find(project / "mod.py", "target") is None


def test_a_named_folder_takes_the_place_of_the_users_own(project: Path, tmp_path: Path) -> None:
    """`--trust-store`; the same folder serves a checkout at another place."""
    folder = tmp_path / "of CI"
    put(project, Cache(folder))
    session = with_cache(Session(), folder)
    found = open_findings(OPTIONS, PYTHON, session.open_cache, "check", CallbackConsole(lambda line: None))
    assert found is not None
    assert found.find(project / "mod.py", "target") is not None
    moved = project.rename(tmp_path / "moved")
    assert found.find(moved / "mod.py", "target") is not None
    assert known().find(moved / "mod.py", "target") is None


@pytest.mark.full
def test_a_named_folder_that_came_with_the_repository_is_refused(project: Path) -> None:
    put(project, Cache(project / ".codeopt" / "cache"))
    git = ("git", "-C", str(project))
    for words in (("init", "-q"), ("add", "-f", ".codeopt")):
        subprocess.run([*git, *words], check=True, env=environment())
    done = codeopt("check", "--trust-store", ".codeopt/cache", cwd=project)
    assert done.status == 2
    assert "the cache in .codeopt/cache is not yours: git tracks it" in done.err


@pytest.mark.parametrize(
    "damage",
    ["no object", "another format", "another key", "figures of text", "no ratio", "a ratio of 0", "a caveat of none"],
)
def test_a_wrong_value_is_no_verdict(damage: str, project: Path) -> None:
    found = put(project)
    value = found.to_json()

    def with_verdict(**changed: Any) -> dict[str, Any]:
        judged = value["judged"]
        return {**value, "judged": {**judged, "verdict": {**judged["verdict"], **changed}}}

    figures = value["judged"]["verdict"]["speedup"]
    changed: object = {
        "no object": [1], "another format": value | {"format": 99},
        "another key": value | {"key": value["key"] | {"place": "mod.py::other"}},
        "figures of text": with_verdict(speedup={"ratio": "fast"}),
        "no ratio": with_verdict(speedup=figures | {"ratio": None}),
        "a ratio of 0": with_verdict(speedup=figures | {"ratio": 0.0}),
        "a caveat of none": with_verdict(caveats=[{"kind": "none"}]),
    }[damage]  # fmt: skip
    cache = open_cache(project)
    assert cache is not None
    cache.put(CacheKind.FINDING, found.key.digest, changed)
    assert known().find(project / "mod.py", "target") is None


def test_an_old_verdict_is_judged_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + MAX_AGE_S + 60)
    assert known().find(project / "mod.py", "target") is None
