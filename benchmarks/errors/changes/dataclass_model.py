"""A model of dataclasses: a stock that looks through all of its lots for each order."""

from benchmarks.errors.changes import ChangedProject, Replacement

MODEL = '''\
"""Lots of goods, and orders that are served from the oldest of them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Lot:
    """Pieces of one kind that came on one day."""

    kind: str
    day: int
    pieces: int


@dataclass
class Stock:
    """All lots."""

    lots: list[Lot] = field(default_factory=list)

    def oldest(self, kind: str) -> Lot | None:
        """The lot of a kind that came first; of those of one day the first in the list."""
        return min((lot for lot in self.lots if lot.kind == kind), key=lambda lot: lot.day, default=None)

    def serve(self, kinds: list[str]) -> list[int]:
        """The day of the lot for each order, -1 where there is none."""
        found = []
        for kind in kinds:
            lot = self.oldest(kind)
            found.append(lot.day if lot is not None else -1)
        return found
'''
RUN = """\
import sys

from stock.model import Lot, Stock

count = int(sys.argv[1])
stock = Stock([Lot(f"kind {n % 61}", n * 7919 % 1000, n % 5) for n in range(count)])
days = stock.serve([f"kind {n % 70}" for n in range(count)])
print(sum(days), days[:12])
"""
TEST = """\
from stock.model import Lot, Stock


def test_the_oldest_is_served():
    stock = Stock([Lot("a", 3, 1), Lot("b", 1, 0), Lot("a", 2, 5)])
    assert stock.serve(["a", "b", "c"]) == [2, 1, -1]
"""
FILE = "stock/model.py"
SLOW = MODEL[MODEL.index("        found = []\n        for kind") :]
FAST = """\
        first: dict[str, int] = {}
        for lot in self.lots:
            first[lot.kind] = min(lot.day, first.get(lot.kind, lot.day))
        return [first.get(kind, -1) for kind in kinds]
"""
PROJECT = ChangedProject(
    "python run.py 1500",
    {"stock/__init__.py": "", FILE: MODEL, "run.py": RUN, "tests/test_stock.py": TEST},
    right=(Replacement(FILE, SLOW, FAST),),
    wrong=(Replacement(FILE, SLOW, FAST.replace("min(lot.day, first.get(lot.kind, lot.day))", "lot.day")),),
)
