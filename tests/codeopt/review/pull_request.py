"""A small package with tests in a real git repository, and a branch as somebody would propose it."""

from __future__ import annotations

from pathlib import Path

from tests.support.files import git, write_files

BASE = {
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
    "shop/__init__.py": "",
    "shop/orders.py": '"""Orders."""\n\n\ndef total(prices):\n    return sum(prices)\n',
    "tests/test_orders.py": "from shop.orders import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
}
REPEATED = '''\
def repeated(lines):
    """How many codes come again."""
    seen = []
    again = 0
    for line in lines:
        code = str(line)
        if code in seen:
            again += 1
        else:
            seen.append(code)
    return again
'''
REPEATED_TEST = """\
def test_repeated():
    for n in range(12):
        assert repeated([k % 5 for k in range(n)]) == max(0, n - 5)
    assert repeated([k * 7 % 1800 for k in range(2400)]) == 600
"""
ORDERS = f'''\
"""Orders."""


def total(prices):
    return sum(prices)


{REPEATED}

def served(count):
    queue = []
    for number in range(count):
        queue.append(number)
    order = []
    while queue:
        order.append(queue.pop(0))
    return order


def untested(rows):
    known = []
    for row in rows:
        if row not in known:
            known.append(row)
    return len(known)


def quick(items):
    return len(set(items))
'''
STOCK = '''\
"""Stock."""


def whole(text):
    """Whether a lot cannot be split evenly."""
    lot = int(text)
    if lot < 2:
        return False
    for part in range(2, lot):
        if lot % part == 0:
            return False
    return True
'''
TESTS = f"""\
from shop.orders import quick, repeated, served, total


def test_total():
    assert total([1, 2]) == 3


{REPEATED_TEST}

def test_served():
    for n in range(12):
        assert served(n) == list(range(n))
    assert len(served(12000)) == 12000


def test_quick():
    for n in range(14):
        assert quick(list(range(n)) * 2) == n
    assert quick(list(range(450))) == 450
"""
STOCK_TESTS = """\
from shop.stock import whole


def test_whole():
    assert [n for n in range(30) if whole(str(n))] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert whole("100003")
"""
BRANCH = {
    "shop/orders.py": ORDERS,
    "shop/stock.py": STOCK,
    "tests/test_orders.py": TESTS,
    "tests/test_stock.py": STOCK_TESTS,
}
SLOW = {"shop/orders.py::repeated", "shop/orders.py::served", "shop/stock.py::whole"}
"""Three that can be better."""


def propose(folder: Path, base: dict[str, str], branch: dict[str, str]) -> Path:
    """A repository with `base` on main and `branch` on a branch of it, which is checked out."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    write_files(folder, base)
    commit(folder, "base")
    git(folder, "checkout", "-q", "-b", "proposal")
    write_files(folder, branch)
    commit(folder, "proposal")
    return folder


def commit(folder: Path, message: str) -> None:
    """Everything that is there."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
