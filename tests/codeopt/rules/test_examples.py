"""What holds for every rule: its example, what a second pass does, what nobody may touch."""

from __future__ import annotations

import pytest

from codeopt.core.errors import UsageError
from codeopt.rules import Hot, Rule, all_rules, load_rule, select_rules
from tests.codeopt.rules.programs import output

RULES = all_rules()
INPUT = "3\n1\n2\n3\n4\n5\n"


@pytest.fixture(params=RULES, ids=lambda r: r.name)
def each(request: pytest.FixtureRequest) -> Rule:
    found: Rule = request.param
    return found


def test_example(each: Rule) -> None:
    assert each.rewrite(each.example.before, Hot()) == each.example.after


def test_once_is_enough(each: Rule) -> None:
    assert each.rewrite(each.example.after, Hot()) is None


def test_example_prints_the_same(each: Rule) -> None:
    assert output(each.example.after, INPUT) == output(each.example.before, INPUT)


def test_windows_line_ends_stay(each: Rule) -> None:
    new = each.rewrite(each.example.before.replace("\n", "\r\n"), Hot())
    assert new == each.example.after.replace("\n", "\r\n")


def test_comments_stay(each: Rule) -> None:
    new = each.rewrite(
        "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n# é 日本\n\n" + each.example.before + "\x0c\n# the end\n\x0c",
        Hot(),
    )
    assert new is not None
    assert new.startswith("#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n# é 日本\n")
    assert new.endswith("\x0c\n# the end\n\x0c")


@pytest.mark.parametrize(
    "prefix",
    ["def broken(:\n", "exec('x = 1')\n", "g = globals()\n", "print(locals())\n", "v = eval(str(1))\n"],
)
def test_programs_nobody_touches(each: Rule, prefix: str) -> None:
    assert each.rewrite(prefix + each.example.before, Hot()) is None


def test_cold_lines_stay(each: Rule) -> None:
    assert each.rewrite(each.example.before + "print()\n" * 3, Hot((each.example.before.count("\n") + 3,))) is None


def test_every_rule_explains_itself(each: Rule) -> None:
    assert each.reason.count("\n") == 0
    assert len(each.reason) < 130
    assert each.preconditions
    assert load_rule(each.name) is each


def test_selection() -> None:
    assert [r.name for r in select_rules(["stdin-readline", "main_function"])] == ["main_function", "stdin_readline"]
    assert "main_function" not in [r.name for r in select_rules(ignore=["main_function"])]
    with pytest.raises(UsageError, match="no_such_rule"):
        select_rules(["no_such_rule"])


def test_hot_lines_move_with_their_text() -> None:
    hot = Hot((3, 1)).moved("a\nb\nc\n", "x\na\nb\nc\n")
    assert hot.lines == (4, 2)
