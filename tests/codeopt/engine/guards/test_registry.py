"""How guards are found, ordered and told what is wrong with them."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from codeopt.core.errors import UsageError
from codeopt.engine import guards
from codeopt.engine.guards import Gain, Guard, TimedRegion, guard, guards_of
from codeopt.workloads import Workload
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.program.workload import ProgramWorkload
from codeopt.workloads.project.workload import ProjectWorkload

HEAD = "from codeopt.engine.guards import *\n"
ABOUT = "def {}(subject):\n    return Finding(Consequence.NOTE, 'seen')\n"


def plug_in(text: str, name: str = "elsewhere") -> ModuleType:
    module = ModuleType(name)
    exec(HEAD + text, vars(module))
    return module


def test_a_guard_says_when_it_is_asked() -> None:
    (found,) = guards_of(plug_in("@guard(region=TimedRegion.CALLS, order=7)\n" + ABOUT.format("check_gain")))
    assert (found.verb, found.order) == ("check_gain", 7)
    assert found.is_asked(TimedRegion.CALLS, faster=True, in_round=False)
    assert not found.is_asked(TimedRegion.RUN, faster=True, in_round=False)
    assert not found.is_asked(TimedRegion.CALLS, faster=False, in_round=False)
    assert not found.is_asked(TimedRegion.CALLS, faster=True, in_round=True)
    deco = "@guard(applies_to='comparisons', every_round=True)\n"
    (always,) = guards_of(plug_in(deco + ABOUT.format("check_gain"), "always"))
    for region in TimedRegion:
        assert always.is_asked(region, faster=False, in_round=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@guard(ordr=3)\n" + ABOUT.format("check_gain"), "unexpected keyword argument 'ordr'"),
        ("@guard(applies_to='gain')\n" + ABOUT.format("check_gain"), "has to be 'gains' or 'comparisons'"),
        ("@guard()\n" + ABOUT.format("check_gian"), "not of check_gian"),
        ("@guard(every_round=True)\n" + ABOUT.format("check_source"), "takes `order` alone"),
    ],
)
def test_a_misspelt_guard_is_an_error_that_says_so(text: str, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        plug_in(text)


@pytest.mark.parametrize(
    "text", ["", ABOUT.format("check_gian"), "from codeopt.engine.guards.memory import check_gain\n"]
)
def test_a_module_without_a_guard_of_its_own_is_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="elsewhere is no guard: it decorates no check_source or check_gain"):
        guards_of(plug_in(text))


@pytest.mark.parametrize("kind", [FunctionWorkload, ProgramWorkload, ProjectWorkload])
def test_a_kind_brings_the_guards_below_its_folder(kind: type[Workload]) -> None:
    general, asked = (guards._guards("check_gain", *groups) for groups in ((), kind.guards))
    brought = {each.check.__module__.rpartition(".")[2] for each in asked if each not in general}
    files = Path(sys.modules[kind.__module__].__file__ or "").parent.rglob("*.py")
    assert brought == {file.stem for file in files if "\n@guard(" in file.read_text("utf-8")} != set()


@pytest.mark.parametrize("verb", ["check_source", "check_gain"])
def test_cheap_guards_are_asked_before_dear_ones(verb: str) -> None:
    asked = [each.order for each in guards._guards(verb)]
    assert asked == sorted(asked)
    assert len(set(asked)) > 1


def test_every_knob_of_the_decorator_is_documented() -> None:
    knobs = {field.name for field in fields(Guard)} - {"check"}
    assert knobs == set(guard.__annotations__) - {"return"}
    assert Gain.__doc__
