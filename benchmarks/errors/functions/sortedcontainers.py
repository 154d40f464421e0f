"""Functions of sortedcontainers: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "sortedcontainers.sortedlist:SortedList.count",
        slow="""
def count(self, value):
    return len(list(self.irange(value, value))) if self._len else 0
""",
        wrong="""
def count(self, value):
    _maxes = self._maxes
    if not _maxes:
        return 0
    pos = bisect_left(_maxes, value)
    if pos == len(_maxes):
        return 0
    return bisect_right(self._lists[pos], value) - bisect_left(self._lists[pos], value)
""",
        calls="""
from sortedcontainers import SortedList
def made(items, load):
    found = SortedList(items)
    found._reset(load)
    return found
CALLS = [((made(ints(n, 4), 3), value), {}) for n in range(0, 30, 3) for value in (0, 2, 5)]
BIG = [((made(ints(4000, 2), 100), value), {}) for value in (0, 1)]
""",
    ),
]
