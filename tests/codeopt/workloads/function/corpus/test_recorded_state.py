"""A call that gave another result when it was recorded, in another state of its module or environment, is no
evidence; what it gave then and what it gives here is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.program import Target
from tests.conftest import require_sandbox
from tests.support.files import write_files
from tests.support.judges import function_judge

SHOP = """\
import os

RATES = {"usual": 1}


def price(n, kind="usual"):
    if n < 0:
        raise ValueError(n)
    return [n * RATES[kind], os.environ.get("CURRENCY", "EUR")]
"""
USUAL = """\
import os
import pytest
import shop


def test_usual():
    assert [shop.price(n) for n in range(12)] == [[n, "EUR"] for n in range(12)]
    with pytest.raises(ValueError):
        shop.price(-1)

"""
STATES = {
    "of the module": (
        "def test_state(monkeypatch):\n    monkeypatch.setitem(shop.RATES, 'usual', 3)\n"
        "    assert shop.price(20) == [60, 'EUR']\n    shop.price(21)\n",
        2,
        "price(20) returned [60, 'EUR'] when it was recorded and here returns [20, 'EUR']",
    ),
    "of the environment": (
        "def test_state(monkeypatch):\n    monkeypatch.setenv('CURRENCY', 'USD')\n    shop.price(20)\n",
        1,
        "price(20) returned [20, 'USD'] when it was recorded and here returns [20, 'EUR']",
    ),
    "without which it raises": (
        "def test_state(monkeypatch):\n    monkeypatch.setitem(shop.RATES, 'net', 2)\n    shop.price(20, 'net')\n",
        1,
        "price(20, 'net') returned [40, 'EUR'] when it was recorded and here raises KeyError('net')",
    ),
    "in which it raises": (
        "def test_state(monkeypatch):\n    monkeypatch.delitem(shop.RATES, 'usual')\n"
        "    with pytest.raises(KeyError):\n        shop.price(20)\n",
        1,
        "price(20) raised KeyError when it was recorded and here returns [20, 'EUR']",
    ),
}


def evidence_of(folder: Path, tests: str) -> WorkloadEvidence:
    require_sandbox()
    write_files(folder, {"shop.py": SHOP, "test_shop.py": USUAL + tests, "pyproject.toml": ""})
    with function_judge(Target(folder / "shop.py", "price"), timed=False, max_examples=20) as judge:
        return judge.workload.evidence()


@pytest.mark.parametrize("name", STATES)
def test_it_is_left_out_and_said(name: str, tmp_path: Path) -> None:
    tests, count, words = STATES[name]
    evidence = evidence_of(tmp_path, "\n" + tests)
    assert evidence.checked.sources["tests"] == 13
    assert evidence.checked.left_out[f"calls that did not do what they did when recorded ({words})"] == count
    (gap,) = [each for each in evidence.gaps if words in each.cause]
    assert gap.message == f"{count} call{'s' * (count > 1)} neither checked nor timed"
    assert gap.hint


def test_calls_in_the_same_state_stay(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, "")
    assert evidence.checked.sources["tests"] == 13
    assert not any("recorded" in words for words in evidence.checked.left_out)
