"""How a rule is made: one file, one import, its order and safety in it; from outside as well."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.rules import Hot, all_rules, load_rule, select_rules

OWN = """\
from codeopt.rules import Context, Edit, Example, rule

EXAMPLE = Example(before="x = 1 + 0\\nprint(x)\\n", after="x = 1\\nprint(x)\\n")


@rule(ast.BinOp, example=EXAMPLE, priority=5, safety="unsafe")
def plus_zero(node, ctx):
    \"\"\"Adding zero does nothing.

    Only what is
    written down.
    \"\"\"
    match node:
        case ast.BinOp(left, ast.Add(), ast.Constant(0)):
            yield ctx.program.replace(node, ctx.program.source(left))
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_rules").mkdir()
    (tmp_path / "own_rules/__init__.py").write_text("")
    file = tmp_path / "own_rules/plus_zero.py"
    file.write_text("import ast\n" + OWN)
    for name in [name for name in sys.modules if name.startswith("own_rules")]:
        monkeypatch.delitem(sys.modules, name)
    return file


def test_a_rule_is_one_file(outside: Path) -> None:
    made = load_rule("own_rules.plus_zero")
    assert (made.name, made.reason, made.preconditions) == (
        "plus_zero",
        "Adding zero does nothing.",
        "Only what is written down.",
    )
    assert made.rewrite(made.example.before, Hot()) == made.example.after
    assert [each.name for each in select_rules(["own_rules.plus_zero", "literal_sum"])] == ["literal_sum", "plus_zero"]


def test_an_entry_point_adds_a_rule(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("plus_zero", "own_rules.plus_zero", "codeopt.rules")
    monkeypatch.setattr(plugins, "installed", lambda group: EntryPoints([entry]))
    all_rules.cache_clear()
    try:
        assert all_rules()[0].name == "plus_zero", "its priority is 5"
        assert all_rules()[0].safety == "unsafe"
    finally:
        all_rules.cache_clear()


def test_a_file_makes_one_rule(outside: Path) -> None:
    outside.write_text("import ast\n")
    with pytest.raises(UsageError, match="makes 0"):
        load_rule("own_rules.plus_zero")


def test_what_opens_the_door_to_others_comes_first() -> None:
    names = [each.name for each in all_rules()]
    assert names[:3] == ["main_function", "stdin_readline", "stdout_write"]
    by_name = [each.name for each in all_rules() if each.priority == 1000]
    assert by_name == sorted(by_name)


@pytest.mark.parametrize(("exported", "changes"), [(False, True), (True, False)])
def test_in_a_module_that_others_import_not_all_calls_are_known(exported: bool, changes: bool) -> None:
    text = "def f(values):\n    for v in [1, 2]:\n        if v in values:\n            print(v)\n\n\nf([3, 1])\n"
    assert (load_rule("list_membership_to_set").rewrite(text, exported=exported) is not None) is changes
