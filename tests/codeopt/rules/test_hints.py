"""Rules on functions of modules: builtin hints are taken at their word, and a list that is returned was nobody's."""

from __future__ import annotations

import copy
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.rules import Hot, all_rules, load_rule
from codeopt.workloads.function.view import within

CHANGED = {
    "membership": ("list_membership_to_set", "return [x for x in a if x in b]"),
    "unique": (
        "list_membership_to_set",
        "out = []\nfor x in a:\n    if x not in out:\n        out.append(x)\nreturn out",
    ),
    "reached": (
        "list_membership_to_set",
        "seen = [len(b)]\nfor x in a:\n    if x not in seen:\n        seen.append(x)\nreturn seen",
    ),
    "in a list that is returned": (
        "counter",
        "all = []\nfor y in b:\n    row = [y, 1, 1]\n    all.append(row)\n    all.append([row.count(x) for x in b])\n"
        "return all",
    ),
    "count": ("counter", "return [a.count(x) for x in b]"),
    "largest": ("loop_invariant", "return [x - max(a) for x in a]"),
    "a helper that leaves it": (
        "list_membership_to_set",
        "n = 0\nfor x in a:\n    if x in b:\n        n += quiet(x)\nreturn n",
    ),
}
"""A rule, and the body of a function that it rewrites."""
REFUSED = {
    "the same list may be changed": (
        "n = 0\nfor x in a:\n    if x in b and len(a) < 9:\n        a.append(n)\n        n += 1\nreturn n"
    ),
    "a row may be the list": (
        "n = 0\nfor row in rows:\n    for x in a:\n        if x in b:\n            row[:1] = [n]\nreturn n"
    ),
    "a global list may be": "return [x for x in a if x in b and not KNOWN.append(x)]",
    "a helper changes it": "n = 0\nfor x in a:\n    if x in b:\n        n += loud(b)\nreturn n",
    "an annotated variable may be the same list": (
        "n = 0\nknown = list(b)\nother: list[int] = known if a else LAST[0]\nfor x in a:\n    if x in known:\n"
        "        other.append(n)\nreturn n"
    ),
    "unknown code runs": "n = 0\nfor x in a:\n    if x in b:\n        n += CALLBACK(x)\nreturn n",
    "kept for later calls": ("global LAST\nfor x in a:\n    if x not in LAST:\n        LAST.append(x)\nreturn LAST"),
    "a default is kept, too": (
        "def g(x, out=[]):\n    for y in a:\n        if y not in out:\n            out.append(y)\n    return out\n"
        "return g(b)"
    ),
    "a function in it holds it": (
        "out = []\ndef put(x):\n    out.append(x)\nfor x in a:\n    if x not in out:\n        put(x)\nreturn out"
    ),
    "given away before it is asked": (
        "out = []\nCALLBACK(out)\nfor x in a:\n    if x not in out:\n        CALLBACK(x)\n        out.append(x)\n"
        "return out"
    ),
}
"""Bodies in which a list may change while it is asked."""
MODULE = """\
from __future__ import annotations
from collections.abc import Sequence
from typing import Any, Dict, List, Optional
import typing as t

KNOWN = []
LAST = []
CALLBACK = KNOWN.append

class Odd:
    def __eq__(self, other):
        KNOWN.append(1)
        return True

    @property
    def size(self):
        return 1

def quiet(x: int) -> int:
    return x + 1

def loud(b: list[int]) -> int:
    b[len(b) // 2] = 1
    return 0

def f({parameters}):
{body}
"""
HINTS = "a: list[int], b: List[int], rows: list[list[int]] = []"


def module(body: str, parameters: str = HINTS) -> str:
    return MODULE.format(parameters=parameters, body=textwrap.indent(body, "    "))


def rewritten(name: str, source: str) -> str | None:
    (cut,) = within([load_rule(name)], "f")
    return cut.rewrite(source, Hot())


@pytest.mark.parametrize(("name", "body"), CHANGED.values(), ids=CHANGED)
def test_a_function_with_hints_is_rewritten(name: str, body: str) -> None:
    assert rewritten(name, module(body)) is not None


@pytest.mark.parametrize(("name", "body"), [CHANGED["membership"], CHANGED["count"]])
def test_without_hints_it_is_not(name: str, body: str) -> None:
    assert rewritten(name, module(body, "a, b")) is None


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_may_be_changed_meanwhile_stays(body: str) -> None:
    assert rewritten("list_membership_to_set", module(body)) is None


@pytest.mark.parametrize(
    ("hint", "taken"),
    [
        ("list[int]", True),
        ("list[float]", True),
        ("List[str]", True),
        ("t.List[str]", True),
        ("list[tuple[int, ...]]", True),
        ("list[tuple[str, int] | None]", True),
        ("list[Optional[int]]", True),
        ("list", False),
        ("list[Odd]", False),
        ("list[list[int]]", False),
        ("list[Any]", False),
        ("Sequence[int]", False),
        ("list[int] | None", False),
        ("'list[int]'", False),
        ("KNOWN", False),
    ],
)
def test_only_builtin_types_of_what_can_be_hashed_are_taken_at_their_word(hint: str, taken: bool) -> None:
    source = module("return [x for x in a if x in b]", f"a: {hint}, b: {hint}")
    assert (rewritten("list_membership_to_set", source) is not None) == taken


def test_a_name_that_means_something_else_is_no_hint() -> None:
    source = module("return [x for x in a if x in b]", "a: list[int], b: list[int]")
    assert rewritten("list_membership_to_set", source.replace("KNOWN = []", "KNOWN = []\nlist = set")) is None


def test_an_annotated_variable_is_taken_at_its_word() -> None:
    body = "known: list[int] = LAST[0]\nreturn [x for x in b if x in known]"
    assert "known_set = set(known)" in (rewritten("list_membership_to_set", module(body)) or "")


def outcome(source: str, arguments: list[Any]) -> tuple[Any, ...]:
    """What a call gives or raises, and what became of its arguments and of the module's own lists."""
    space: dict[str, Any] = {"__name__": "module"}
    exec(compile(source, "module", "exec"), space)
    try:
        result = ("returns", copy.deepcopy(space["f"](*arguments)))
    except (ValueError, IndexError, TypeError) as error:
        result = ("raises", type(error))
    return result, arguments, space["KNOWN"], space["LAST"]


@pytest.mark.parametrize("body", [body for _, body in CHANGED.values()] + list(REFUSED.values()))
def test_every_sound_rule_gives_the_same_where_two_arguments_are_one_list_too(body: str) -> None:
    source = module(body)
    sound = [one for one in all_rules() if one.safety == "safe"]
    versions = [new for one in within(sound, "f") if (new := one.rewrite(source, Hot())) is not None]

    @settings(max_examples=25, deadline=None, database=None)
    @given(st.lists(st.integers(-2, 4), max_size=5), st.lists(st.integers(-2, 4), max_size=5), st.booleans())
    def same(a: list[int], b: list[int], one: bool) -> None:
        def given_arguments() -> list[Any]:
            first = list(a)
            second = first if one else list(b)
            return [first, second, [second, list(b)]]

        expected = outcome(source, given_arguments())
        for new in versions:
            assert outcome(new, given_arguments()) == expected, new

    same()
