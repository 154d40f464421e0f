"""Calls that are made up from annotations: objects of the project's own classes, from what their definitions say."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.report.verdict import why
from tests.support.judges import function_judge

pytestmark = pytest.mark.full


OLD = """\
from dataclasses import dataclass

@dataclass(frozen=True)
class Item:
    sku: str
    price: float = 1.0

class Depot:
    def __init__(self, items: list[Item]) -> None:
        self.items = items

    def twice(self) -> list[str]:
        seen, found = [], []
        for item in self.items:
            if item.sku in seen and item.sku not in found:
                found.append(item.sku)
            seen.append(item.sku)
        self.asked = True
        return found
"""
RIGHT = """\
        seen, found = set(), {}
        for item in self.items:
            if item.sku in seen:
                found[item.sku] = None
            seen.add(item.sku)
        self.asked = True
        return list(found)
"""


def test_a_method_is_judged_by_made_up_objects(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    head = OLD[: OLD.index("        seen, found")]
    with function_judge(Target(tmp_path / "old.py", "Depot.twice")) as judge:
        evidence = judge.workload.evidence()
        right = judge.check(Revision.of(head + RIGHT), "a person's")
        wrong = judge.check(Revision.of(head + RIGHT.replace("list(found)", "sorted(found)")), "a person's")
    assert evidence.checked.sources["type_hints"] > 50
    assert evidence.checked.line_coverage == 1.0
    assert "grown from the given ones" in evidence.timed
    assert right.correct, why(right)
    assert "Depot.twice(Depot([Item(" in why(wrong)
    assert "a call generated" in why(wrong)
    assert len(why(wrong)) < 450, why(wrong)
