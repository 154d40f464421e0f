"""The door: which programs are read at all, positions, and what it means that others import a module."""

from __future__ import annotations

import ast

import pytest

from codeopt.analysis import AnalyzedProgram, parse


def program(text: str, *, exported: bool = False) -> AnalyzedProgram:
    found = parse(text, exported=exported)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    ["x = 1" + " + 1" * 900 + "\n", "x = 5\nif x == 0: pass\n" + "".join(f"elif x == {i}: pass\n" for i in range(900))],
    ids=["sum", "elif"],
)
def test_trees_too_deep_to_follow(text: str) -> None:
    assert compile(text, "program", "exec")
    assert parse(text) is None


@pytest.mark.parametrize("text", ["import re\nword = re.compile('a')\n", "dir = [0]\n", "def f(vars): pass\n"])
def test_names_that_only_look_like_reflection(text: str) -> None:
    assert parse(text) is not None


def test_positions_count_characters() -> None:
    program = parse("s = 'é日'; t = s.upper()\n")
    assert isinstance(program, AnalyzedProgram)
    assert program.source(program.tree.body[1]) == "t = s.upper()"


MODULE = "SIZES = [1, 2]\n\n\ndef total(values):\n    return sum(values)\n\n\nprint(total(SIZES))\n"


def test_of_a_program_all_calls_are_known() -> None:
    alone = program(MODULE)
    assert alone.types.given_away() == []
    assert not alone.types.containers(argument(alone), "list")[0].escaped


def test_others_may_call_what_a_module_exports_and_hold_what_it_binds() -> None:
    module = program(MODULE, exported=True)
    assert [function.name for function in module.types.given_away() if isinstance(function, ast.FunctionDef)] == [
        "total"
    ]
    assert not module.types.containers(argument(module), "list"), "anybody's values may come in"
    assert module.types.containers(names(module, "SIZES")[0], "list")[0].escaped


def test_the_importers_stand_in_the_tree_and_not_in_the_text() -> None:
    module = program(MODULE, exported=True)
    assert module.text == MODULE
    assert module.source(module.tree.body[-1]) == ""
    assert module.edited([module.replace(module.tree.body[0], "SIZES = [3]")]) == MODULE.replace("[1, 2]", "[3]")


def argument(found: AnalyzedProgram) -> ast.Name:
    """`values` in `sum(values)`."""
    return names(found, "values")[0]


def names(found: AnalyzedProgram, name: str) -> list[ast.Name]:
    return [node for node in found.of_kind(ast.Name) if node.id == name]
