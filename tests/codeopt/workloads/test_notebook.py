"""A notebook's code cells as a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.target import Target
from codeopt.workloads.notebook import read
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


def test_a_notebook_is_improved_into_a_python_file(tmp_path: Path) -> None:
    """The notebook itself stays as it is, and --write and -o over it are refused."""
    path = notebook(tmp_path / "n.ipynb", cell("# title", "markdown"), cell(SLOW), cell("print(len(uniq(2500)))"))
    before = path.read_bytes()
    flags = ("--model", "rules", "--no-profile", "--sandbox", "bubblewrap")
    done = codeopt("improve", "n.ipynb", *flags, "-o", "n.py", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "seen_set" in (tmp_path / "n.py").read_text()
    assert "+++ b/n.py" in done.out
    for refused in (["--write"], ["-o", "n.ipynb"]):
        done = codeopt("improve", "n.ipynb", *flags, *refused, cwd=tmp_path)
        assert (done.status, len(done.lines)) == (2, 1)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            [cell("x = 1"), cell("import os\n%matplotlib inline")],
            r"cell 2: `%matplotlib inline`, which only",
        ),
        ([cell("%%time\nx = 1")], r"code cell 1: `%%time`"),
        ([cell("!pip install x")], r"`!pip install x`"),
        ([cell("x = 1\nx = = 2")], r"`x = = 2`, which is no Python"),
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
