"""A notebook's code cells as a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.program import Target
from codeopt.workloads.notebook import plain_cell, read
from tests.codeopt.command import codeopt

SLOW = """\
def uniq(n):
    seen = []
    for i in range(n):
        if i not in seen:
            seen.append(i)
    return seen
"""


def cell(source: str, kind: str = "code") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), "outputs": []}


def notebook(path: Path, *cells: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path


MAGICS = "%matplotlib inline\n!pip install -q numpy\n%load_ext autoreload\nimport sys\n"
FLAGS = ("--model", "rules", "--no-profile", "--sandbox", "bubblewrap")


def test_a_function_goes_back_into_its_cell(tmp_path: Path) -> None:
    timed = cell("%%time\nprint(len(uniq(2500)))\n%time print('\u00fc')")
    path = notebook(tmp_path / "n.ipynb", cell("# title", "markdown"), cell(MAGICS), cell(SLOW), timed)
    before = json.loads(path.read_text())
    done = codeopt("improve", "n.ipynb", *FLAGS, "-o", "n.py", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "left out, as only Jupyter runs it: %matplotlib inline, !pip install -q numpy" in " ".join(done.err.split())
    assert "seen_set" in (tmp_path / "n.py").read_text()
    done = codeopt("improve", "n.ipynb", *FLAGS, "-o", "m.ipynb", cwd=tmp_path)
    assert (done.status, len(done.facts)) == (2, 1)
    assert json.loads(path.read_text()) == before
    done = codeopt("improve", "n.ipynb", *FLAGS, "--write", "--json", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "%%time" in json.dumps(done.json["diagnostics"])
    after = json.loads(path.read_text())
    assert "seen_set" in "".join(after["cells"][2].pop("source"))
    assert before["cells"][2].pop("source")
    assert after == before
    assert (tmp_path / "n.ipynb.orig").is_file()


@pytest.mark.parametrize("spread", [{"indent": 1, "ensure_ascii": False}, {}, {"separators": (",", ":"), "indent": 3}])
@pytest.mark.parametrize("whole", [False, True], ids=["list", "text"])
def test_all_else_of_a_notebook_stays_to_the_byte(tmp_path: Path, spread: dict[str, Any], whole: bool) -> None:
    """Whatever form it was written in."""
    sources = ("x = 1", "def f():\n    return 'ü'\n", "f()")
    cells = [cell("# ü", "markdown"), *map(cell, sources)]
    if whole:
        cells = [{**each, "source": "".join(each["source"])} for each in cells]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"a": [1, {"b": "]"}]}, "nbformat": 4}, **spread) + "\n")
    program, before = read(Target(path)), path.read_text()
    assert program.around is not None
    assert program.around.replaced(program.source) == before
    after = program.around.replaced(program.source.replace("return 'ü'", "return 'ö'"))
    escaped = spread.get("ensure_ascii", True)
    same = json.dumps("return 'ü'", ensure_ascii=escaped), json.dumps("return 'ö'", ensure_ascii=escaped)
    assert after == before.replace(same[0][1:-1], same[1][1:-1])
    assert after != before


@pytest.mark.parametrize(
    "change",
    [("x = 1\ny = 2\n", "x = y = 3\n"), ("# only Jupyter runs: %matplotlib inline\n", "")],
    ids=["two cells at once", "a magic is lost"],
)
def test_what_fits_into_no_cell_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    path = notebook(tmp_path / "n.ipynb", cell("x = 1"), cell("y = 2"), cell("%matplotlib inline\nz = 3"))
    program = read(Target(path))
    assert program.around is not None
    with pytest.raises(UsageError, match="-o FILE.py"):
        program.around.replaced(program.source.replace(*change))


NOT = "# only Jupyter runs: "


@pytest.mark.parametrize(
    ("source", "plain", "left_out"),
    [
        ("%matplotlib inline\nx = 1", f"{NOT}%matplotlib inline\nx = 1", 1),
        ("%%time\nx = 1", f"{NOT}%%time\nx = 1", 1),
        ("%time x = 1", "x = 1", 1),
        ("if x:\n    !pip install x \\\n      y\nz = 1",
         f"if x:\n    pass  {NOT}!pip install x \\\n    pass  {NOT}y\nz = 1", 1),
        ("%%html\n<b>\n", f"{NOT}%%html\n{NOT}<b>\n", 1),
        ("print?\n?print\nx = '''\n%time\n!rm x\n'''", f"{NOT}print?\n{NOT}?print\nx = '''\n%time\n!rm x\n'''", 2),
        ("x = (5\n% 3)", "x = (5\n% 3)", 0),
    ],
)  # fmt: skip
def test_what_changes_nothing_is_left_out(source: str, plain: str, left_out: int) -> None:
    found = plain_cell(source, "n.ipynb, code cell 1")
    assert (found.text, len(found.left_out)) == (plain, left_out)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([cell("x = 1"), cell("import os\n%run other.py")], r"cell 2: `%run other.py`, which only"),
        ([cell("%%bash\nls")], r"code cell 1: `%%bash`"),
        ([cell("%pylab inline")], r"`%pylab inline`"),
        ([cell("!wget http://x")], r"`!wget http://x`"),
        ([cell("!echo a > b")], r"`!echo a > b`"),
        ([cell("!echo a && python make.py")], r"`!echo a && python make.py`"),
        ([cell("!pip install x; python make.py")], r"`!pip install x; python make.py`"),
        ([cell("!echo $(python make.py)")], r"`!echo "),
        ([cell("files = !ls")], r"`files = !ls`, which is no Python"),
        ([cell("x = 1\nx = = 2")], r"`x = = 2`, which is no Python"),
        ([cell("%matplotlib inline\nx = = 2")], r"`x = = 2`, which is no Python"),
        ([cell("words", "markdown")], r"has no code"),
    ],
)
def test_what_only_jupyter_runs_is_named(cells: list[dict[str, Any]], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        read(Target(notebook(tmp_path / "n.ipynb", *cells)))


def test_what_is_no_notebook(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    for content in ("{", "[]", "{}", '{"cells": 3}'):
        path.write_text(content)
        with pytest.raises(UsageError, match="is no notebook of format 4"):
            read(Target(path))
    with pytest.raises(UsageError, match="cannot be named"):
        read(Target(path, "f"))
