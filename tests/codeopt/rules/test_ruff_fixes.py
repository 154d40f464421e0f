"""Ruff's fixes as rules: one a code, in hot lines only, and texts stay programs."""

from __future__ import annotations

import ast
import sys
from typing import cast

import pytest

from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.engine.run_plan import make_plan, open_proposer
from codeopt.proposers.rules import Rules
from codeopt.rules import Hot, Rule
from codeopt.rules._ruff_fixes import ruff_rules
from codeopt.workloads import Workload
from codeopt.workloads.function.view import function_rules
from tests.support.candidates import original

PROGRAM = """\
words = input().split()
print(any([word > "é" for word in words]), sorted(words)[0])
print(any([word > "z" for word in words]), sorted(words)[-1])
doubled = []
for word in words:
    doubled.append(word * 2)
print(doubled)
"""


def rules(source: str = PROGRAM) -> dict[str, Rule]:
    found = ruff_rules(source)
    assert found is not None
    return {rule.name: rule for rule in found}


def test_one_rule_for_each_code_that_ruff_can_mend() -> None:
    assert {"ruff:C419", "ruff:FURB192", "ruff:PERF401"} <= set(rules())
    assert all(rule.safety == "unsafe" for rule in rules().values())
    assert rules("print(1)\n") == {}


def test_a_rule_mends_all_of_its_code_and_nothing_else() -> None:
    new = rules()["ruff:C419"].rewrite(PROGRAM, Hot())
    assert new == PROGRAM.replace("any([", "any(").replace("words])", "words)")
    assert rules()["ruff:C419"].rewrite(new or "", Hot()) is None


def test_only_hot_lines_change() -> None:
    new = rules()["ruff:C419"].rewrite(PROGRAM, Hot((3,)))
    assert new is not None
    assert [at for at, (a, b) in enumerate(zip(PROGRAM.splitlines(), new.splitlines(), strict=True), 1) if a != b] == [
        3
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "", "\n\f\n"])
def test_other_line_ends_and_wide_letters_move_nothing(end: str) -> None:
    text = "# ünïcödé 𝕏\n" + PROGRAM.rstrip("\n").replace("\n", end if end == "\r\n" else "\n") + end
    new = rules(text)["ruff:C419"].rewrite(text, Hot())
    assert new == text.replace("any([", "any(").replace("words])", "words)")
    ast.parse(new)


@pytest.mark.parametrize("tail", ["print(globals())\n"])
def test_what_no_rule_may_touch_stays(tail: str) -> None:
    assert rules(PROGRAM + tail)["ruff:C419"].rewrite(PROGRAM + tail, Hot()) is None


def test_an_import_that_several_fixes_need_is_added_once() -> None:
    part = "try:\n    print(1)\nexcept ValueError:\n    pass\n"
    new = rules(part * 2)["ruff:SIM105"].rewrite(part * 2, Hot()) or ""
    assert new.count("import contextlib") == 1
    assert new.count("with contextlib.suppress(ValueError):") == 2


def test_of_a_function_only_the_function() -> None:
    text = "def f(xs):\n    return any([x > 1 for x in xs])\n\n\ndef g(xs):\n    return all([x > 1 for x in xs])\n"
    (rule,) = function_rules(ruff_rules(text) or (), "g")
    assert rule.rewrite(text, Hot()) == text.replace("all([x > 1 for x in xs])", "all(x > 1 for x in xs)")


@pytest.mark.parametrize("text", ["def (", "\0", "", "\ud800"])
def test_what_is_no_program_has_no_fixes(text: str) -> None:
    assert ruff_rules(text) in ((), None)


class Fixed:
    """What a proposer asks of a workload."""

    baseline = original(PROGRAM)

    def rules(self, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(rules)


def chosen(**options: tuple[str, ...]) -> set[str]:
    """The names of the rules that are tried, ruff's alone."""
    asked = ImproveOptions(model="rules", **options)  # type: ignore[arg-type]
    found = open_proposer(make_plan(asked), cast(Workload, Fixed()), lambda asked: pytest.fail("no model"), Console())
    assert isinstance(found, Rules)
    return {rule.name for rule in found.rules}


def test_the_rules_include_them_unless_they_are_left_out() -> None:
    everything = chosen()
    assert {"main_function", "ruff:C419", "ruff:PERF401"} <= everything
    assert chosen(ignore=("ruff",)) == {name for name in everything if not name.startswith("ruff:")}
    assert chosen(ignore=("ruff:C419",)) == everything - {"ruff:C419"}
    assert chosen(select=("ruff:C419", "main_function")) == {"ruff:C419", "main_function"}
    assert chosen(select=("main_function",)) == {"main_function"}
    assert chosen(select=("ruff",)) == {name for name in everything if name.startswith("ruff:")}


def test_a_code_that_is_not_tried_is_refused() -> None:
    with pytest.raises(UsageError, match="ruff:E501"):
        chosen(ignore=("ruff:E501",))


def test_a_ruff_that_does_not_run_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    monkeypatch.setattr(Fixed, "baseline", original("x = 0\n" + PROGRAM))
    assert "main_function" in chosen()
    assert "ruff does not run here, so its fixes are not tried" in capsys.readouterr().err
