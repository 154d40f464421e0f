"""A file that is imported by several names is one module, and its profile is of the module that its users import."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt

pytestmark = pytest.mark.full

TREES = """\
class Tree:
    def __init__(self, items=()):
        self.items = list(items)

    def total(self, times: int = 1) -> int:
        if type(self) is not Tree:
            raise TypeError
        found = 0
        for item in self.items:
            for _ in range(times):
                found += item
        return found
"""
TESTS = """\
import pytest
from app.trees import Tree

@pytest.mark.parametrize("n", range(12))
def test_total(n):
    assert Tree(range(n)).total(3) == sum(range(n)) * 3  # other calls than those of the file
"""
CALLS = "from {module} import Tree\nCALLS = [((Tree(range(n)), 2), {{}}) for n in range(12)]\n"
CALLS += "BIG = [((Tree(range(900)), 5), {{}})]\n"


def test_another_name_of_the_file_is_the_same_module(tmp_path: Path) -> None:
    """`app` has no `__init__.py`: the module is `trees`, and tests of the project say `app.trees`."""
    for name, text in (("app/trees.py", TREES), ("tests/test_trees.py", TESTS), ("pyproject.toml", PROJECT)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "calls.py").write_text(CALLS.format(module="app.trees"))
    flags = ("--calls", "calls.py", "--tests", "tests", "--model", "rules", "--no-profile")
    done = codeopt("improve", "app/trees.py::Tree.total", *flags, "--sandbox", "bubblewrap", "--json", cwd=tmp_path)
    assert done.status == 1, done.err
    assert done.json["evidence"]["sources"]["tests"] == 12, done.json["evidence"]
    assert done.json["evidence"]["line_coverage"] > 0.8


def test_a_method_has_a_profile_though_its_package_imports_it(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("from .trees import Tree\n")
    (tmp_path / "pkg/trees.py").write_text(TREES)
    (tmp_path / "calls.py").write_text(CALLS.format(module="pkg"))
    flags = ("--calls", "calls.py", "--sandbox", "bubblewrap", "--json", "-q")
    done = codeopt("profile", "pkg/trees.py::Tree.total", *flags, cwd=tmp_path)
    assert done.status == 0, done.err
    assert {line["line"] for line in done.json["lines"][:2]} == {10, 11}, done.json["lines"]


PROJECT = '[project]\nname = "trees"\nversion = "1"\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
