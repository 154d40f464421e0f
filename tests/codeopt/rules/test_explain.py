"""Where each rule matches, and what kept it from matching elsewhere."""

from __future__ import annotations

import pytest

from codeopt.analysis import RefusalReason, parse
from codeopt.rules import Explanation, Hot, all_rules, explain, load_rule

LOOP = "for v in [1, 2, 3]:\n    {}\n"


def explained(name: str, text: str) -> Explanation:
    program = parse(text)
    assert program is not None
    return explain(load_rule(name), program, Hot())


@pytest.mark.parametrize(
    ("name", "text", "doubt", "line"),
    [
        ("counter", "xs = [1]\n" + LOOP.format("xs.append(xs.count(v))"), RefusalReason.CHANGED, 3),
        ("loop_invariant", LOOP.format("ws = [v]\n    print(len(ws))"), RefusalReason.UNBOUND, 3),
        (
            "row_hoist",
            "n = 3\ng = [[1]]\nfor i in range(n):\n    for j in range(1):\n        print(g[i][j])\n",
            RefusalReason.INDEX,
            5,
        ),
        (
            "seen_set",
            "set = list\ndef f(a):\n    print(1 in a)\n",
            RefusalReason.REBOUND,
            1,
        ),
        (
            "isqrt_trial_division",
            "isqrt = 1\nn = 9\nfor i in range(2, n):\n    if n % i == 0:\n        break\nelse:\n    print(n)\n",
            RefusalReason.NAME_TAKEN,
            1,
        ),
    ],
)
def test_a_refusal_has_its_reason(name: str, text: str, doubt: RefusalReason, line: int) -> None:
    found = explained(name, text)
    assert not found.lines
    assert line in found.refused[doubt]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_match_is_explained_as_one(rule: object) -> None:
    name = str(getattr(rule, "name", ""))
    assert explained(name, load_rule(name).example.before).lines
    assert not explained(name, load_rule(name).example.after).lines


def test_a_program_without_the_pattern_is_no_refusal() -> None:
    assert explained("counter", "import m\nfor v in m.x:\n    print(v)\n") == Explanation("counter")
