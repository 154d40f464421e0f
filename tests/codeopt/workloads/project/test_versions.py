"""`codeopt compare --run COMMAND`: two versions of a project, judged by a command, whoever made the change."""
# looks at codeopt/workloads/project/test_runs, codeopt/workloads/project/public_calls

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.project_program import OtherVersion, ProjectFiles, TwoVersions, read_versions
from tests.codeopt.command import Done, codeopt
from tests.codeopt.workloads.shop import ADD, FIND, write_shop
from tests.conftest import require_sandbox

QUICK = ("--sandbox", "bubblewrap", "--max-pairs", "12", "-q")
INDEXED = f"class Store:\n{ADD}\n{FIND}\n    def size(self):\n        return len(self.rows)\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_shop(tmp_path / "shop")


def compared(root: Path, *arguments: str | Path, run: str = "python bench.py") -> Done:
    return codeopt("compare", *arguments, "--run", run, *QUICK, cwd=root)


@pytest.mark.full
def test_an_edited_project_against_its_commit(shop: Path) -> None:
    require_sandbox()
    (shop / "shop" / "store.py").write_text(INDEXED)
    done = compared(shop, "--base", "HEAD", "--json", "--fail-if-slower", "5%")
    found: dict[str, Any] = done.json
    assert (done.status, found["verdict"], found["limit"]["answer"]) == (0, "faster", "pass"), done.out
    assert 1.5 < found["ci_low"] <= found["ratio"] <= found["ci_high"]
    assert (found["schema"], found["command"], len(found["base"])) == ("codeopt.compare/1", "python bench.py", 40)
    assert found["evidence"]["tests"] == 1
    assert found["evidence"]["mutated_commands"] > 0
    assert "profile" not in found
    assert [each["qualname"] for each in found["functions"]] == ["Store.add", "report"]


NEW_TESTS = """\
import pytest
from helper import size
from shop.store import Store


def test_size():
    assert size(Store()) == 0


def test_last():
    assert Store().last() is None


@pytest.mark.skipif("conftest" in __import__("sys").modules, reason="NEW's conftest.py is not loaded")
def test_alone():
    assert True
"""


@pytest.mark.full
def test_tests_that_only_new_has_are_a_row_of_their_own(shop: Path) -> None:
    """They run on both sides, without NEW's conftest.py; one that only OLD passes is a wrong result."""
    require_sandbox()
    other = shop.parent / "other"
    shutil.copytree(shop, other)
    (other / "shop" / "store.py").write_text(f"{INDEXED}\n    def last(self):\n        return None\n")
    (other / "tests" / "test_size.py").write_text(NEW_TESTS)
    (other / "tests" / "helper.py").write_text("def size(store):\n    return store.size()\n")
    (other / "tests" / "conftest.py").write_text("import nowhere\n")
    subprocess.run(["git", "add", "."], cwd=other, check=True)
    done = compared(shop.parent, "shop", "other", "--json")
    assert (done.status, done.json["verdict"]) == (0, "faster"), done.out + done.err
    row = {"run": 3, "passed_on_new": 3, "passed_on_old": 2, "not_run": ""}
    assert done.json["evidence"]["new_tests"] == row
    assert done.json["evidence"]["tests"] == 1
    assert "3 tests that only NEW has: 3 pass on NEW, 2 on OLD" in done.json["notes"]
    (other / "shop" / "store.py").write_text(INDEXED.replace("len(self.rows)", "len(self.rows) or None"))
    wrong = compared(shop.parent, "shop", "other", "--json")
    assert wrong.status == 1
    assert "tests/test_size.py::test_size, which only NEW has, passes on OLD and fails on NEW" in wrong.json["reason"]


SHOP = {"bench.py": "import a\n", "a.py": "", "tests/test_a.py": "def test_a(): pass\n", "setup.cfg": "[metadata]\n"}
INI = "[tool:pytest]\naddopts = -k nothing\n"


@pytest.mark.parametrize(
    ("path", "text", "on_old", "on_new", "in_row"),
    [
        ("tests/test_b.py", "def test_b(): pass\n", False, False, True),
        ("tests/conftest.py", "", False, False, False),
        ("tests/rows.csv", "1\n", False, False, False),
        ("tests/__init__.py", "collect_ignore_glob = ['*']\n", False, False, False),
        ("tests/helper.py", "", False, False, False),
        ("pytest.ini", "[pytest]\naddopts = -x\n", False, False, False),
        ("pytest.ini", "", False, False, False),
        ("pyproject.toml", "[tool.pytest.ini_options]\n", False, False, False),
        ("tox.ini", "[tox]\n", False, True, False),
        ("b.py", "B = 1\n", False, True, False),
    ],
)
def test_what_of_a_file_that_only_new_has_is_shown(
    path: str, text: str, on_old: bool, on_new: bool, in_row: bool
) -> None:
    both = read_both_of(SHOP, {**SHOP, path: text})
    assert (path in both.old.contents, path in both.new.project.contents) == (on_old, on_new)
    assert (path in dict(both.new.tests)) == in_row


def test_a_benchmark_that_only_new_has_is_shown_with_what_it_imports() -> None:
    new = {"bench/run.py": "import sizes\nopen('rows.csv')\n", "bench/sizes.py": "", "bench/more.py": "",
           "bench/rows.csv": "1\n"}  # fmt: skip
    both = read_both_of(SHOP, {**SHOP, **new}, run="python bench/run.py")
    shown = {"bench/run.py", "bench/sizes.py", "bench/rows.csv"}
    assert both.old.contents.keys() & new.keys() == both.new.project.contents.keys() & new.keys() == shown


def test_settings_of_pytest_are_olds_on_both_sides() -> None:
    """The rest of such a file is under test, as long as pytest's part is the same."""
    found = read_both_of({**SHOP, "setup.cfg": INI}, {**SHOP, "setup.cfg": "[metadata]\n"})
    assert found.new.project.contents["setup.cfg"].decode() == INI
    gone = read_both_of({**SHOP, "pytest.ini": "[pytest]\nxfail_strict = 1\n"}, SHOP)
    assert gone.new.project.contents["pytest.ini"] == gone.old.contents["pytest.ini"]
    other = read_both_of(SHOP, {**SHOP, "setup.cfg": "[metadata]\nname = b\n"})
    assert "setup.cfg" in other.new.differing


def read_both_of(old: dict[str, str], new: dict[str, str], run: str = "python bench.py") -> TwoVersions:
    sides = [ProjectFiles(Path("/nowhere"), tuple((k, v.encode()) for k, v in each.items())) for each in (old, new)]
    return read_versions(*sides, read_command(run, Path("/nowhere")), ())


def versions(old: dict[str, str], new: dict[str, str], run: str) -> OtherVersion:
    return read_both_of(old, new, run).new


@pytest.mark.parametrize(
    ("changed", "judged"),
    [
        ("shop/core.py", True),
        ("shop/time_zones.py", True),
        ("shop/profile.py", True),
        ("shop/testing/fakes.py", True),
        ("settings.toml", True),
        ("report.py", True),
        ("shop/new.py", True),
        ("bench.py", False),
        ("tests/test_core.py", False),
        ("tests/data/rows.csv", False),
        ("conftest.py", False),
        ("sales.csv", False),
        ("prices.csv", False),
    ],
)
@pytest.mark.parametrize("run", ["python report.py sales.csv", "python bench.py sales.csv"])
def test_what_is_judged_and_what_is_the_ruler(changed: str, judged: bool, run: str) -> None:
    """All of NEW but what measures and checks, and the data that the command is given or names."""
    script = "import shop.core\nROWS = open('prices.csv').read()\n"
    old = {"shop/core.py": "A = 1\n", "shop/time_zones.py": "", "shop/profile.py": "", "settings.toml": "a = 1\n",
           "shop/testing/fakes.py": "", "report.py": script, "bench.py": script, "sales.csv": "1\n",
           "prices.csv": "1\n", "tests/test_core.py": "def test_a(): pass\n", "tests/data/rows.csv": "1\n",
           "conftest.py": ""}  # fmt: skip
    found = versions(old, {**old, changed: "# other\n"}, run)
    assert (changed in found.differing) == (judged or (changed == "bench.py" and "bench" not in run))
    after = found.project.contents[changed]
    assert (after == b"# other\n") == (changed in found.differing)


def test_two_versions_are_two_revisions_whatever_differs() -> None:
    old = {"a.py": "A = 1\n", "b.toml": "b = 1\n", "gone.py": "B = 2\n"}
    same = versions(old, old, "python a.py")
    assert not same.differing
    others = [versions(old, new, "python a.py") for new in (
        {**old, "b.toml": "b = 2\n"}, {**old, "b.toml": "b = 3\n"}, {**old, "c.bin": "\0"},
        {"a.py": "A = 1\n", "b.toml": "b = 1\n"}, {**old, "a.py": "A = (\n"},
    )]  # fmt: skip
    found: set[Revision] = {each.revision for each in (same, *others)}
    assert len(found) == 6


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("shop/store.py",), "takes folders of a project, but shop/store.py is not one"),
        ((".", ".", "--base", "HEAD"), "--run compares two folders\n  hint: name OLD and NEW, or give --base REF"),
        ((".", ".", "."), "--run compares two folders\n  hint: name OLD and NEW, or give --base REF"),
        (("--base", "HEAD", "--cases", "tests"), "--cases is not for --run"),
        (("--base", "HEAD", "--", "--top", "3"), "with --run they are part of the command"),
        (("--base", "nowhere"), "git knows no commit 'nowhere' here"),
        (("--base", "HEAD", "--max-pairs", "3", "--fail-if-slower", "1"), "--max-pairs must be at least 7"),
    ],
)
def test_refused_in_one_line(shop: Path, arguments: tuple[str, ...], why: str) -> None:
    done = codeopt("compare", "--run", "python bench.py", *arguments, cwd=shop)
    assert (done.status, done.out, len(done.facts)) == (2, "", 1), done.err
    assert why in done.err


def test_a_file_that_became_a_folder_is_refused_in_a_line() -> None:
    with pytest.raises(UsageError, match="tool is a file in one version and a folder in the other"):
        versions({"tool": "", "bench.py": ""}, {"tool/__init__.py": "", "bench.py": ""}, "python bench.py")


def test_compiled_modules_that_differ_are_named() -> None:
    """NEW's stands nowhere that a container could load it from."""
    old = {"bench.py": "import a\n", "a.py": "import fast\n", "fast.so": "1"}
    said = "fast.so are compiled and differ"
    assert not versions(old, {**old, "a.py": "import fast as f\n"}, "python bench.py").notes
    assert [note for note in versions(old, {**old, "fast.so": "2"}, "python bench.py").notes if note.startswith(said)]


def test_a_script_of_tests_that_a_makefile_names_is_the_ruler() -> None:
    old = {
        "bench.py": "import a\n",
        "a.py": "",
        "check.py": "def test_a(): pass\n",
        "Makefile": "t:\n\tpytest check.py\n",
    }
    found = versions(old, {**old, "check.py": "def test_b(): pass\n", "a.py": "B = 1\n"}, "python bench.py")
    assert found.differing == {"a.py"}
