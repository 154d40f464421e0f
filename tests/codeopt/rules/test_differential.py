"""The small version of benchmarks/rules/rules_differential.py: random programs print the same before and after."""

from __future__ import annotations

import warnings

import pytest

from benchmarks.rules import rules_differential
from benchmarks.rules.rule_programs import PATTERNS
from benchmarks.rules.rules_differential import check, output
from codeopt.rules import all_rules, load_rule

SOUND = sorted(one.name for one in all_rules() if one.safety == "safe")


@pytest.mark.parametrize("name", SOUND)
def test_the_same_before_and_after(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_differential, "SECONDS", 0.3)  # some of the programs never end
    with warnings.catch_warnings():  # of the programs
        warnings.simplefilter("ignore")
        found = check(name, 8, seed=7, together=0.1)
    assert found.matched == 8
    assert not found.different, "\n".join(found.different[0])


def test_every_rule_has_programs() -> None:
    assert {load_rule(name).name for name in PATTERNS} == {one.name for one in all_rules()}


def test_a_difference_is_seen() -> None:
    assert output("print(len('ab'))", "") != output("print(1 / 0)", "")
    assert output("print(input())", "é\n") == output("print('é')", "")


def test_a_program_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the alarm rings in a destructor, out of which Python lets no exception."""
    monkeypatch.setattr(rules_differential, "SECONDS", 0.05)
    deaf = "class Deaf:\n    def __del__(self):\n        for _ in range(10**7): pass\nDeaf()\nwhile True: pass\n"
    with pytest.raises(rules_differential._TooLong), rules_differential._alarm():
        output(deaf, "")
