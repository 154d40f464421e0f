"""The code of docs/extend/analysis.md and docs/extend/writing-a-rule.md does what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codeopt.rules import load_rule
from tests.support.files import write_files

DOCS = Path(__file__).parents[3] / "docs" / "extend"


def test_the_rule_of_the_page_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "writing-a-rule.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    write_files(tmp_path, {"page_rules/__init__.py": "", "page_rules/cube.py": text})
    monkeypatch.syspath_prepend(tmp_path)
    made = load_rule("page_rules.cube")
    assert made.rewrite(made.example.before) == made.example.after
    loop = "for x in [{}]:\n    print(x ** 3)\n"
    assert made.name == "cube"
    assert made.rewrite(loop.format("2")) == loop.format("2").replace("x ** 3", "x * x * x")
    assert made.rewrite(loop.format("1.5")) is None
    assert made.reason in text
