"""Better use of the standard library: heaps, bisection, memos, generators, indexes, patterns, joins, early exits."""

from benchmarks.errors.honest import Honest

INTS = """
CALLS = [((ints(n),), {}) for n in range(14)]
BIG = [((ints(6000, 10 ** 6),), {}) for _ in range(2)]
"""

DRAFTS = [
    Honest(
        "largest",
        old="""
def largest(numbers):
    return sorted(numbers, reverse=True)[:5]
""",
        new="""
import heapq


def largest(numbers):
    return heapq.nlargest(5, numbers)
""",
        calls=INTS,
    ),
    Honest(
        "grades",
        old="""
def grades(scores, limits):
    return [sum(limit <= score for limit in limits) for score in scores]
""",
        new="""
from bisect import bisect_right


def grades(scores, limits):
    ordered = sorted(limits)
    return [bisect_right(ordered, score) for score in scores]
""",
        calls="""
CALLS = [((ints(n), ints(n // 2 + 1)), {}) for n in range(14)]
BIG = [((ints(400, 10 ** 6), ints(200, 10 ** 6)), {}) for _ in range(2)]
""",
    ),
    Honest(
        "listing",
        old="""
def listing(rows):
    text = ""
    for name, size in rows:
        text = "%s%s: %d\\n" % (text, name, size)
    return text
""",
        new="""
def listing(rows):
    return "".join(["%s: %d\\n" % (name, size) for name, size in rows])
""",
        calls="""
CALLS = [(([(word(3), draw.randrange(99)) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([(word(9), draw.randrange(99)) for _ in range(900)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "flattened",
        old="""
def flattened(rows):
    return sum([list(row) for row in rows], [])
""",
        new="""
from itertools import chain


def flattened(rows):
    return list(chain.from_iterable(rows))
""",
        calls="""
CALLS = [(([ints(n % 4) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([ints(4) for _ in range(600)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "distance",
        old="""
def distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return distance(a[1:], b[1:])
    return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
""",
        new="""
def distance(a, b):
    memo = {}

    def rest(i, j):
        if i == len(a) or j == len(b):
            return len(a) - i + len(b) - j
        if (i, j) not in memo:
            if a[i] == b[j]:
                memo[i, j] = rest(i + 1, j + 1)
            else:
                memo[i, j] = 1 + min(rest(i + 1, j), rest(i, j + 1), rest(i + 1, j + 1))
        return memo[i, j]

    return rest(0, 0)
""",
        calls="""
CALLS = [((word(n % 5), word(n // 3)), {}) for n in range(15)]
BIG = [((word(7), word(7)), {}) for _ in range(2)]
""",
    ),
    Honest(
        "has_repeat",
        old="""
def has_repeat(words):
    return len([word for word in words if words.count(word) > 1]) > 0
""",
        new="""
def has_repeat(words):
    seen = set()
    for word in words:
        if word in seen:
            return True
        seen.add(word)
    return False
""",
        calls="""
CALLS = [(([word(2) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([word(8) for _ in range(500)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "maxima",
        old="""
def maxima(numbers, width):
    for at in range(len(numbers) - width + 1):
        yield max(numbers[at : at + width])
""",
        new="""
from collections import deque


def maxima(numbers, width):
    if width <= 0:
        for at in range(len(numbers) - width + 1):
            yield max(numbers[at : at + width])
        return
    waiting = deque()
    for at, number in enumerate(numbers):
        while waiting and numbers[waiting[-1]] < number:
            waiting.pop()
        waiting.append(at)
        if waiting[0] <= at - width:
            waiting.popleft()
        if at >= width - 1:
            yield numbers[waiting[0]]
""",
        calls="""
CALLS = [((ints(n + 2), 3), {}) for n in range(10)] + [((ints(9), n), {}) for n in (1, 2, 5, 9, 12)]
BIG = [((ints(900, 10 ** 6), 150), {}) for _ in range(2)]
""",
    ),
    Honest(
        "totals",
        old="""
def totals(tables):
    found = {}
    for table in tables:
        found = {**found, **{name: found.get(name, 0) + count for name, count in table.items()}}
    return found
""",
        new="""
def totals(tables):
    found = {}
    for table in tables:
        for name, count in table.items():
            found[name] = found.get(name, 0) + count
    return found
""",
        calls="""
def table(n, length): return {word(length): draw.randrange(9) for _ in range(n)}
CALLS = [(([table(n % 4, 1) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([table(4, 5) for _ in range(200)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "Ring.successor",
        old='''
class Ring:
    """Points in order; who comes after the last is the first."""

    def __init__(self, points):
        self.points = sorted(points)

    def successor(self, key):
        for point in self.points:
            if point >= key:
                return point
        return self.points[0]
''',
        new='''
from bisect import bisect_left


class Ring:
    """Points in order; who comes after the last is the first."""

    def __init__(self, points):
        self.points = sorted(points)

    def successor(self, key):
        at = bisect_left(self.points, key)
        return self.points[at if at < len(self.points) else 0]
''',
        tests="""
import subject
def test_successor():
    ring = subject.Ring(range(0, 9000, 9))
    for key in range(0, 9100, 350):
        assert ring.successor(key) == (-(-key // 9) * 9 if key <= 8991 else 0)
    small = subject.Ring([5, 1, 3])
    assert [small.successor(key) for key in range(8)] == [1, 1, 3, 3, 5, 5, 1, 1]
""",
    ),
    Honest(
        "mentions",
        old="""
import re


def mentions(lines, names):
    found = []
    for line in lines:
        pattern = "|".join(re.escape(name) for name in sorted(names))
        if re.search(pattern, line):
            found.append(line)
    return found
""",
        new="""
import re


def mentions(lines, names):
    if not lines:
        return []
    search = re.compile("|".join(map(re.escape, sorted(names)))).search
    return [line for line in lines if search(line)]
""",
        calls="""
CALLS = [(([word(6) for _ in range(n)], [word(2) for _ in range(3)]), {}) for n in range(14)]
BIG = [(([word(20) for _ in range(200)], [word(3) for _ in range(12)]), {}) for _ in range(2)]
""",
    ),
    Honest(
        "interleaved",
        old="""
def interleaved(runs):
    runs = [list(run) for run in runs]
    found = []
    while any(runs):
        first = min((run for run in runs if run), key=lambda run: run[0])
        found.append(first.pop(0))
    return found
""",
        new="""
import heapq


def interleaved(runs):
    return list(heapq.merge(*runs))
""",
        calls="""
CALLS = [(([sorted(ints(n)) for _ in range(n % 4)],), {}) for n in range(14)]
BIG = [(([sorted(ints(60, 10 ** 6)) for _ in range(20)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "first_single",
        old="""
def first_single(text):
    return ([letter for letter in text if text.count(letter) == 1] + [None])[0]
""",
        new="""
from collections import Counter


def first_single(text):
    counts = Counter(text)
    for letter in text:
        if counts[letter] == 1:
            return letter
    return None
""",
        calls="""
CALLS = [((word(n),), {}) for n in range(14)] + [(("aabcc",), {}), (("aabb",), {})]
BIG = [((word(1500) + "z",), {}) for _ in range(2)]
""",
    ),
    Honest(
        "ways",
        old="""
def ways(total, coins):
    if total == 0:
        return 1
    if total < 0 or not coins:
        return 0
    return ways(total - coins[0], coins) + ways(total, coins[1:])
""",
        new="""
def ways(total, coins):
    if total <= 0 or any(coin <= 0 for coin in coins):
        return _ways(total, coins)
    found = [1] + [0] * total
    for coin in coins:
        for sum_ in range(coin, total + 1):
            found[sum_] += found[sum_ - coin]
    return found[total]


def _ways(total, coins):
    if total == 0:
        return 1
    if total < 0 or not coins:
        return 0
    return _ways(total - coins[0], coins) + _ways(total, coins[1:])
""",
        calls="""
CALLS = [((n, [1, 2, 5]), {}) for n in range(12)] + [((n, [3, 4]), {}) for n in range(6)]
BIG = [((n, [1, 2, 5, 10]), {}) for n in (40, 41)]
""",
    ),
]
