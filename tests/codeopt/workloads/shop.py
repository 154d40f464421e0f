"""A project in which only a change of two methods together helps."""

from __future__ import annotations

from pathlib import Path

from tests.support.files import make_repository

STORE = '''\
class Store:
    """Orders."""

    def __init__(self):
        self.rows = []

    def add(self, name, price):
        self.rows.append((name, price))

    def _find(self, name):
        return [price for each, price in self.rows if each == name]

    def size(self):
        return len(self.rows)
'''
REPORT = """\
from shop.store import Store


def report(n):
    store = Store()
    for k in range(n):
        store.add(f"item{k % (n // 4)}", k)
    return [sum(store._find(f"item{k}")) for k in range(n // 4)]
"""
BENCH = "from shop.report import report\n\nprint(sum(report(3600)))\n"
TEST = (
    "from shop.report import report\n\n\ndef test_report():\n    assert report(8) == [0 + 2 + 4 + 6, 1 + 3 + 5 + 7]\n"
)
ADD = """\
    def __init__(self):
        self.rows = []
        self.index = {}

    def add(self, name, price):
        self.rows.append((name, price))
        self.index.setdefault(name, []).append(price)
"""
FIND = "    def _find(self, name):\n        return self.index.get(name, [])\n"
USELESS = "    def size(self):\n        count = len(self.rows)\n        return count\n"
HEAD = "# === file: shop/store.py ===\nclass Store:\n"


def answer(summary: str, text: str) -> str:
    return f"SUMMARY: {summary}\n\n```python\n{text}```\n"


def write_shop(root: Path) -> Path:
    """The project, committed."""
    files = {"shop/__init__.py": "", "shop/store.py": STORE, "shop/report.py": REPORT, "bench.py": BENCH,
             "tests/test_report.py": TEST}  # fmt: skip
    return make_repository(root, files, "all")
