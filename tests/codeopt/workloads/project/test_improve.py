"""`codeopt improve --run COMMAND`: one patch of several files, judged by the command and the project's tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codeopt.core.program import changes_of
from codeopt.core.revision import Revision
from codeopt.workloads.project.project_program import is_own, read_project, read_text
from codeopt.workloads.project.proposer import apply_answer
from codeopt.workloads.project.suite import steadily_lost
from codeopt.workloads.source.edits import edits_of, without
from codeopt.workloads.source.functions import SpliceError
from tests.codeopt.command import codeopt
from tests.codeopt.workloads.shop import ADD, FIND, HEAD, STORE, USELESS, answer, write_shop
from tests.conftest import require_sandbox
from tests.support.files import git


def script(path: Path, *answers: str) -> str:
    path.write_text("\n--- next answer ---\n".join(answers))
    return f"scripted:{path}"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project in which only a change of two methods together helps, committed."""
    return write_shop(tmp_path / "shop")


@pytest.mark.full
def test_a_change_of_two_functions_is_one_patch(shop: Path) -> None:
    """Half of it is wrong and rejected; the whole is accepted, without the edit that brings nothing."""
    require_sandbox()
    model = script(
        shop.parent / "answers.txt",
        "The store is searched for each name.\nVERDICT: IMPROVE",
        answer("half of it", HEAD + FIND),  # it fails at a line, and is mended without a critique
        answer("an index", HEAD + ADD + "\n" + FIND + "\n" + USELESS),
        "Good.\nVERDICT: DONE",
    )
    flags = ("--model", model, "--sandbox", "bubblewrap", "--json", "--branch", "quick")
    done = codeopt("improve", "--run", "python bench.py", *flags, cwd=shop)
    assert done.status == 0, done.err
    found = done.json
    half, whole = found["rounds"]
    assert half["verdict"] == "wrong", half
    assert whole["verdict"] == "faster", whole
    assert found["speedup"]["ci_low"] > 1.5
    assert [edit["qualname"] for edit in found["edits"]] == ["Store.__init__", "Store.add", "Store._find"]
    assert all(edit["ablation"]["reason"] or edit["ablation"]["ratio"] > 1.5 for edit in found["edits"])
    assert [(edit["qualname"], edit["never_called"]) for edit in found["left_out_edits"]] == [("Store.size", True)]
    assert found["project_tests"] == {"passed": 1, "failed": 0, "files": 1, "of": 1}
    assert found["profile"]["functions"][0]["qualname"] == "Store._find"
    assert "shop/store.py::Store._find" in done.err
    assert git(shop, "log", "--format=%s", "quick").count("Make Store.") == 3
    assert not git(shop, "status", "--porcelain", "--", "shop")
    subprocess.run(["git", "-C", str(shop), "apply", "-"], input=found["diff"], text=True, check=True)
    assert not git(shop, "diff", "quick", "--", "shop")


def test_a_project_is_its_own_modules(shop: Path) -> None:
    program = read_text(shop, read_project(shop))
    assert list(program.files) == ["shop/__init__.py", "shop/report.py", "shop/store.py"]
    assert [is_own(path) for path in ("a/core.py", "test_a.py", "tests/x.py", "bench_a.py", "timer.py")] == [
        True, False, False, False, True,
    ]  # fmt: skip
    changed = program.revision.with_file("shop/store.py", STORE.replace("len(self.rows)", "0"))
    found = [(each.path, each.program.place, each.text) for each in changes_of(program, changed)]
    assert found == [("shop/store.py", "shop/store.py", STORE.replace("len(self.rows)", "0"))]


TEXT = Revision({"a.py": "import re\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n", "b.py": "B = 1\n"})


BLOCK = "# === file: a.py ===\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def test_an_answer_is_put_in_and_each_edit_taken_out_again() -> None:
    new = apply_answer(
        TEXT, "# === file: a.py ===\nimport os\n\n_N = 3\n\ndef f(x):\n    return _h(x)\n\ndef _h(x):\n    return x\n"
        "\ndef g(x):\n    return x\n# === file: b.py ===\nB = 2\n",
    )  # fmt: skip
    files = new
    compile(files["a.py"], "a.py", "exec")
    assert files["b.py"] == "B = 2\n"
    assert [str(edit) for edit in edits_of(TEXT, new)] == ["a.py::f", "a.py::g", "b.py::<module>"]
    left = new
    for edit in edits_of(TEXT, new):
        one = without(TEXT, new, edit)
        assert edit not in edits_of(TEXT, one)
        assert len(edits_of(TEXT, one)) == 2
        left = without(TEXT, left, edit)
    assert left == TEXT


OLD = """\
@cache
def f(x: int) -> int:
    \'\'\'Twice.\'\'\'
    return x + x


class C:
    @property
    def g(self):
        "A."
        return 1
"""


def test_what_an_answer_need_not_repeat() -> None:
    """Decorators, annotations and docstring stay; an import and a constant get the usual blank lines."""
    f, g = "def f(x):\n    # as often\n    return _N * x\n", "class C:\n    def g(self):\n        return 2\n"
    new = apply_answer(Revision({"a.py": OLD}), f"# === file: a.py ===\nimport re\n_N = 2\n{f}{g}")
    changed = OLD.replace("return x + x", "# as often\n    return _N * x").replace("return 1", "return 2")
    assert new["a.py"] == f"import re\n\n_N = 2\n\n\n{changed}"
    other = apply_answer(
        Revision({"a.py": OLD}), "# === file: a.py ===\n@lru_cache\ndef f(x: float):\n    'Both.'\n    return x * 2\n"
    )
    assert "@lru_cache\ndef f(x: float):\n    'Both.'\n    return x * 2\n" in other["a.py"]
    assert "Twice" not in other["a.py"]
    short = Revision({"a.py": "@cache\ndef f(x): return x + x\n"})
    assert (
        "@cache\ndef f(x):\n    return 2 * x\n"
        in apply_answer(short, "# === file: a.py ===\ndef f(x):\n    return 2 * x\n")["a.py"]
    )


def test_search_and_replace() -> None:
    block = BLOCK.format(old="    return f(x)", new="    return x")
    assert "def g(x):\n    return x\n" in apply_answer(TEXT, block)["a.py"]
    with pytest.raises(SpliceError, match="0 times"):
        apply_answer(TEXT, block.replace("f(x)", "nothing"))
    assert (
        "f = _f"
        in apply_answer(TEXT, BLOCK.format(old="def f(x):\n    return x", new="def _f(x):\n    return x\nf = _f"))[
            "a.py"
        ]
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def k(x):\n    return x\n", "which file"),
        ("# === file: c.py ===\nx = 1\n", "no file c.py"),
        ("# === file: a.py ===\ndef f(x, y):\n    return x\n", "parameters of f"),
        ("# === file: a.py ===\ndef f(x:\n", "a.py"),
        (BLOCK.format(old="def f(x):", new="def f(x, y=1):"), "parameters of f"),
        (BLOCK.format(old="def f(x):", new="def _f(x):"), "removes f"),
    ],
)
def test_an_answer_that_cannot_be_put_in(text: str, why: str) -> None:
    with pytest.raises(SpliceError, match=why):
        apply_answer(TEXT, text)


def test_tests_that_are_named_otherwise_each_time_are_counted() -> None:
    """As those whose parameters come from a set."""
    passed = ("t::a[1-x0]", "t::a[2-x1]", "t::b")
    again = {"t::a[1-x1]": True, "t::a[2-x0]": True, "t::b": True}
    assert steadily_lost(passed[:1], {"t::a[2-x1]": True, "t::a[1-x9]": True}, passed, again) == []
    assert steadily_lost(passed[:1], {"t::a[2-x1]": True, "t::a[1-x9]": False}, passed, again) == ["t::a[1-x0]"]
    assert steadily_lost(("t::b",), {}, passed, again) == ["t::b"]
