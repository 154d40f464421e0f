"""Rules for the code of real projects: what they make of a line, what the text of a loop keeps them from, and what a
rule that goes by the types of calls finds."""

from __future__ import annotations

import textwrap

import pytest

from codeopt.analysis import ShownTypes, parse
from codeopt.rules import load_rule
from codeopt.workloads.function.view import function_rules
from tests.codeopt.rules.programs import output, rewritten, same

HIT = "class Hit:\n    def __init__(self, ip, n=0):\n        self.ip = ip\n        self.n = n\n"


def program(text: str) -> str:
    return HIT + textwrap.dedent(text)


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("any_all_loop", "def f(xs):\n    return not any(x > 1 for x in xs)\nprint(f([1]), f([2]))", "return False"),
        (
            "any_all_loop",
            "def f(xs):\n    for _ in 'a':\n        if not any(x for x in xs):\n            continue\n"
            "        return 1\n    return 2\nprint(f([0]), f([1]), f([]))",
            "        else:\n            continue\n",
        ),
        (
            "any_all_loop",
            "def f(xs):\n    return all(x > 1 and x for x in xs if x)\nprint(f([0, 2]), f([1]))",
            "not (x",
        ),
        (
            "seen_set",
            "def f(xs):\n    def g(ys, ws: list):\n        return [y for y in ys if y in ws]\n    return g(xs, [1])\n"
            "print(f([1, 2]))",
            "if y in ws_set]",
        ),
        (
            "seen_set",
            "def f(hits):\n    seen = []\n    for h in hits:\n        if h.ip not in seen:\n"
            "            seen.append(h.ip)\n"
            "    return seen\nprint(f([Hit(2), Hit(1), Hit(2)]))",
            "seen_set.add(h.ip)",
        ),
        (
            "seen_set",
            "class Filter:\n    def __init__(self, words):\n        self.words = list(words)\n    def f(self, texts):\n"
            "        return [t for t in texts if t not in self.words]\nprint(Filter('ab').f('abc'))",
            "words_set = set(self.words)",
        ),
    ],
)
def test_what_it_makes(rule: str, text: str, expected: str) -> None:
    assert expected in same(rule, program(text))


@pytest.mark.parametrize(
    ("rule", "text", "why"),
    [
        ("any_all_loop", "print(any(x for x in 'ab'))", "no statement of its own"),
        ("any_all_loop", "def f(x, xs):\n    return x, any(x for x in xs)", "part of a value"),
        ("any_all_loop", "def f(x, xs):\n    if all(x for x in xs):\n        return x", "the variable is read after"),
        ("any_all_loop", "x = 1\ndef f(xs):\n    if all(x for x in xs):\n        return x", "a global of that name"),
        (
            "any_all_loop",
            "def f(xs):\n    if all(y for y in xs):\n        return 1\n    else:\n        return 2",
            "an else",
        ),
        (
            "any_all_loop",
            "def f(xs):\n    if xs:\n        pass\n    elif all(y for y in xs):\n        return 1",
            "an elif",
        ),
        ("any_all_loop", "def f(xs):\n    yield 1\n    return any(x for x in xs)", "a generator function"),
        ("seen_set", "def f(xs, words: str):\n    for x in xs:\n        if x in words:\n            return x", "text"),
        (
            "seen_set",
            "def f(xs, words):\n    for x in xs:\n        if x in words:\n            return x",
            "of no known type",
        ),
        (
            "seen_set",
            "def f(xs):\n    s = []\n    for x in xs:\n        if x not in s:\n"
            "            s.append(x)\n            s.pop()",
            "popped",
        ),
        (
            "seen_set",
            "def f(xs):\n    s = []\n    t = s\n    for x in xs:\n        if x not in s:\n"
            "            s.append(x)\n            t.pop()",
            "alias",
        ),
        (
            "seen_set",
            "def f(xs):\n    s = []\n    for x in xs:\n        if x not in s:\n"
            "            s.append(x)\n            g(s)",
            "given away",
        ),
        (
            "seen_set",
            "def f(xs):\n    s = []\n    for x in xs:\n        if x not in s:\n            s.append(g(x))",
            "a call twice",
        ),
        (
            "seen_set",
            "def f(xs, ws: list):\n    for x in xs:\n        if x in ws:\n            ws.remove(x)",
            "changed",
        ),
        (
            "seen_set",
            "class A:\n    def __init__(self):\n        self.ws = []\n    def add(self, w):\n"
            "        self.ws.append(w)\n"
            "    def f(self, xs):\n        for x in xs:\n            if x not in self.ws:\n                self.add(x)",
            "changed by a method that the loop calls",
        ),
    ],
)
def test_what_it_leaves(rule: str, text: str, why: str) -> None:
    assert rewritten(rule, text + "\n") is None, why


@pytest.mark.parametrize(
    ("hint", "asked"),
    [("list", True), ("List[str]", True), ("Sequence[str]", True), ("MutableSequence", True), ("tuple", True),
     ("Tuple[str, ...]", True), ("Iterable[str]", True), ("Collection", True), ("set", False), ("Mapping", False)],
)  # fmt: skip
def test_hints_of_what_is_gone_through_one_by_one(hint: str, asked: bool) -> None:
    text = f"def f(xs, words: {hint}):\n    for x in xs:\n        if x in words:\n            return x\n"
    assert (rewritten("seen_set", text) is not None) is asked


def test_what_only_a_run_can_show_is_marked() -> None:
    """Such a draft ends with a TypeError, which test cases see; the rule says that they decide."""
    unhashable = (
        "def f(hits: list):\n    seen = []\n    for h in hits:\n        if h not in seen:\n            seen.append(h)\n"
        "    return seen\nprint(f([[1], [1]]))"
    )
    new = rewritten("seen_set", program(unhashable))
    assert new is not None
    assert output(new).endswith("TypeError")
    assert load_rule("seen_set").safety == "unsafe"


COUNTS = """\
def f(items, wanted):
    found = []
    for each in wanted:
        found.append(items.count(each))
    return found
"""


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        ((), []),
        ((("items", "list[int]"), ("wanted", "list[int]")), ["counter:calls"]),
        ((("items", "str"), ("wanted", "list[str]")), []),
        ((("items", "list[list[int]]"), ("wanted", "list[list[int]]")), []),
    ],
)
def test_a_rule_goes_by_the_types_of_calls(shown: tuple[tuple[str, str], ...], names: list[str]) -> None:
    rules = function_rules([load_rule("counter")], "f", shown)
    matched = [rule for rule in rules if rule.rewrite(COUNTS) is not None]
    assert [rule.name for rule in matched] == names
    assert all(rule.safety == "unsafe" for rule in matched), "test cases decide on what rests on a guess"


def test_a_hint_of_the_text_stays() -> None:
    shown = ShownTypes("A.f", (("a", "int"), ("b", "int")))
    found = parse("class A:\n    def f(self, a: str, b):\n        print(a, b)\n", shown=shown)
    assert found is not None
    a, b = (name for name in found.names(found.tree) if name.id in "ab")
    assert found.types.is_text(a)
    assert found.types.is_int(b)
