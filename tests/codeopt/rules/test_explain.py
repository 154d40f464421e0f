"""`codeopt rules --explain FILE`: where each rule matches, and what kept it from matching elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeopt.analysis import RefusalReason, parse
from codeopt.cli.main import main
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
            "index_to_element",
            "xs = [1]\nfor i in range(len(xs)):\n    print(xs[i])\nprint(i)\n",
            RefusalReason.READ_LATER,
            2,
        ),
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


def test_of_a_module_its_functions_are_looked_at_as_those_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "def once(rows):\n    seen = []\n    for row in rows:\n        if row not in seen:\n"
        "            seen.append(row)\n    return seen\n"
    )
    assert main(["rules", "--explain", str(path)]) == 0
    assert "list_membership_to_set  not line 4: what is in it is not known" in capsys.readouterr().out


def test_a_program_without_the_pattern_is_no_refusal() -> None:
    assert explained("counter", "import m\nfor v in m.x:\n    print(v)\n") == Explanation("counter")


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    file = tmp_path / "slow.py"
    file.write_text("import m\nxs = [3, 1]\nfor v in m.values:\n    if 2 in xs:\n        print(v in xs)\n")
    return file


def test_on_the_command_line(slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--explain", str(slow), "--select", "list_membership_to_set,main_function"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "main_function           matches: line 2",
        "list_membership_to_set  matches: lines 3, 4; not line 5: its type is not known",
        "",
        "Why not:",
        "    1  its type is not known",
    ]


def test_as_json(slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list_membership_to_set", "--explain", str(slow), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["file"] == str(slow)
    (rule,) = found["rules"]
    assert rule == {"name": "list_membership_to_set", "lines": [3, 4], "refused": {"unknown_type": [5]}}
    assert found["refused"] == {"unknown_type": 1}


def test_a_program_that_no_rule_may_touch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "odd.py"
    file.write_text("print(globals())\n")
    assert main(["rules", "--explain", str(file)]) == 2
    assert "no rule may touch" in capsys.readouterr().err
