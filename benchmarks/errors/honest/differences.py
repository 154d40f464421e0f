"""Drafts that differ from their originals where no known input goes, or where nobody can tell."""

from benchmarks.errors.honest import Honest

DRAFTS = [
    Honest(
        "moving_average",
        old='''
def moving_average(values, width):
    """The mean of each window."""
    return [sum(values[at : at + width]) / width for at in range(len(values) - width + 1)]
''',
        new='''
def moving_average(values, width):
    """The mean of each window."""
    if width <= 0:
        return [sum(values[at : at + width]) / width for at in range(len(values) - width + 1)]
    if len(values) < width:
        return []
    total = sum(values[:width])
    found = [total / width]
    for new, old in zip(values[width:], values):
        total += new - old
        found.append(total / width)
    return found
''',
        calls="""
CALLS = [((floats(n + 3), 3), {}) for n in range(10)] + [((floats(30), n), {}) for n in (1, 2, 5, 10)]
BIG = [((floats(1200), 400), {}) for _ in range(2)]
""",
    ),
    Honest(
        "reach",
        old='''
class Graph:
    def __init__(self, edges):
        self.edges = list(edges)

    def neighbours(self, node):
        return [b for a, b in self.edges if a == node]


def reach(graph, start):
    """All nodes that can be come to from one."""
    found, todo = {start}, [start]
    while todo:
        for node in graph.neighbours(todo.pop()):
            if node not in found:
                found.add(node)
                todo.append(node)
    return sorted(found)
''',
        new='''
class Graph:
    def __init__(self, edges):
        self.edges = list(edges)

    def neighbours(self, node):
        return [b for a, b in self.edges if a == node]


def reach(graph, start):
    """All nodes that can be come to from one."""
    table = getattr(graph, "_table", None)
    if table is None or table[0] != graph.edges:
        after = {}
        for a, b in graph.edges:
            after.setdefault(a, []).append(b)
        table = graph._table = list(graph.edges), after
    found, todo = {start}, [start]
    while todo:
        for node in table[1].get(todo.pop(), ()):
            if node not in found:
                found.add(node)
                todo.append(node)
    return sorted(found)
''',
        tests="""
import random
import subject
draw = random.Random(3)
def test_reach():
    for n in range(2, 30):
        edges = [(draw.randrange(n), draw.randrange(n)) for _ in range(2 * n)]
        assert 0 in subject.reach(subject.Graph(edges), 0)
    edges = [(draw.randrange(500), draw.randrange(500)) for _ in range(1500)]
    assert len(subject.reach(subject.Graph(edges), 0)) > 10
""",
    ),
    Honest(
        "Shelf.find",
        old='''
class Shelf:
    """Things by name, in the order in which they came."""

    def __init__(self, things=()):
        self.things = []
        for name, value in things:
            self.put(name, value)

    def put(self, name, value):
        self.things.append((name, value))

    def find(self, name):
        for known, value in self.things:
            if known == name:
                return value
        return None
''',
        new='''
class Shelf:
    """Things by name, in the order in which they came."""

    def __init__(self, things=()):
        self.things = []
        self._places = {}
        for name, value in things:
            self.put(name, value)

    def put(self, name, value):
        self._places.setdefault(name, len(self.things))
        self.things.append((name, value))

    def find(self, name):
        at = self._places.get(name)
        return None if at is None else self.things[at][1]
''',
        tests="""
import subject
def test_find():
    shelf = subject.Shelf((f"n{at}", at) for at in range(300))
    for at in range(0, 320, 7):
        assert shelf.find(f"n{at}") == (at if at < 300 else None)
    small = subject.Shelf([("a", 1)])
    small.put("b", 2)
    for name in "abcdefghijk":
        small.find(name)
""",
    ),
    Honest(
        "Units.parts",
        old='''
class Part:
    def __init__(self, name, size):
        self.name, self.size = name, size

    def area(self):
        return self.size * self.size


class Units:
    def __init__(self, sizes):
        self.sizes = dict(sizes)

    def parts(self, name):
        """The part of a name."""
        ranked = sorted(self.sizes.items(), key=lambda pair: (-pair[1], pair[0]))
        for rank, (known, size) in enumerate(ranked):
            if known == name:
                return Part(f"{rank}:{known}", size)
        raise KeyError(name)
''',
        new='''
class Part:
    def __init__(self, name, size):
        self.name, self.size = name, size

    def area(self):
        return self.size * self.size


class Units:
    def __init__(self, sizes):
        self.sizes = dict(sizes)

    def parts(self, name):
        """The part of a name."""
        if name not in self.sizes:
            raise KeyError(name)
        mine = (-self.sizes[name], name)
        rank = sum((-size, known) < mine for known, size in self.sizes.items())
        return Part(f"{rank}:{name}", self.sizes[name])
''',
        tests="""
import pytest
import subject
def test_parts():
    units = subject.Units({f"u{at}": at * 7 % 50 for at in range(400)})
    for at in range(0, 400, 17):
        assert units.parts(f"u{at}").area() == (at * 7 % 50) ** 2
    with pytest.raises(KeyError):
        units.parts("none")
""",
    ),
    Honest(
        "total_weight",
        old='''
def total_weight(nodes):
    """The sum of the weights of distinct nodes, by name."""
    seen = []
    total = 0
    for node in nodes:
        if node.name not in seen:
            seen.append(node.name)
            total += node.weight
    return total
''',
        new='''
def total_weight(nodes):
    """The sum of the weights of distinct nodes, by name."""
    seen = set()
    total = 0
    for node in nodes:
        if node.name not in seen:
            seen.add(node.name)
            total += node.weight
    return total
''',
        tests="""
import subject
class Node:
    def __init__(self, name, weight):
        self.name, self.weight = name, weight
def test_total():
    for n in range(1, 20):
        assert subject.total_weight([Node(f"n{at}", at) for at in range(n)]) == sum(range(n))
    assert subject.total_weight([Node(f"n{at}", 1) for at in range(900)]) == 900
""",
    ),
    Honest(
        "longest_common",
        old='''
from collections.abc import Collection


def longest_common(words: Collection[str], others: Collection[str]) -> str:
    """The longest word that both have, the first of them by the alphabet."""
    best = ""
    for word in sorted(words):
        for other in others:
            if word == other and len(word) > len(best):
                best = word
    return best
''',
        new='''
from collections.abc import Collection


def longest_common(words: Collection[str], others: Collection[str]) -> str:
    """The longest word that both have, the first of them by the alphabet."""
    return min(set(words) & set(others), key=lambda word: (-len(word), word), default="")
''',
        calls="""
CALLS = [(([word(3) for _ in range(n)], [word(3) for _ in range(n)]), {}) for n in range(12)]
CALLS += [(([word(4, "ab") for _ in range(n)], [word(4, "ab") for _ in range(n)]), {}) for n in range(8)]
BIG = [(([word(4) for _ in range(300)], [word(4) for _ in range(300)]), {}) for _ in range(2)]
""",
    ),
    Honest(
        "components",
        old='''
def components(pairs):
    """Connected groups, as a set of frozen sets."""
    groups = []
    for a, b in pairs:
        joined = {a, b}
        rest = []
        for group in groups:
            if group & {a, b}:
                joined = joined | group
            else:
                rest.append(group)
        groups = rest + [joined]
    return {frozenset(group) for group in groups}
''',
        new='''
def components(pairs):
    """Connected groups, as a set of frozen sets."""
    parent = {}

    def find(node):
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in pairs:
        parent.setdefault(a, a)
        parent.setdefault(b, b)
        parent[find(a)] = find(b)
    groups = {}
    for node in parent:
        groups.setdefault(find(node), set()).add(node)
    return {frozenset(group) for group in groups.values()}
''',
        calls="""
CALLS = [(([(word(1), word(1)) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([(draw.randrange(900), draw.randrange(900)) for _ in range(500)],), {}) for _ in range(2)]
""",
    ),
    Honest(
        "rank_of",
        old='''
def rank_of(scores, at):
    """How many scores are above that at a place."""
    ordered = sorted(scores, reverse=True)
    return ordered.index(scores[at])
''',
        new='''
def rank_of(scores, at):
    """How many scores are above that at a place."""
    mine = scores[at]
    return sum(1 for score in scores if score > mine) if at >= 0 else sum(map(mine.__lt__, scores[::-1]))
''',
        calls="""
CALLS = [((ints(n), n // 2), {}) for n in range(1, 14)] + [((ints(9), n), {}) for n in range(9)]
BIG = [((ints(4000, 10 ** 6), n), {}) for n in (7, 70, 700)]
""",
    ),
    Honest(
        "split_path",
        old='''
def split_path(path):
    """The folders above a file, outermost first."""
    found = []
    while "/" in path:
        path = path[: path.rindex("/")]
        if path:
            found.insert(0, path)
    return found
''',
        new='''
def split_path(path):
    """The folders above a file, outermost first."""
    found, at = [], path.find("/")
    while at >= 0:
        if at:
            found.append(path[:at])
        at = path.find("/", at + 1)
    return found
''',
        calls="""
CALLS = [(("/".join(word(3) for _ in range(n)),), {}) for n in range(1, 12)]
CALLS += [(("/usr/lib/x",), {}), (("a/b/c.py",), {})]
BIG = [(("/".join(word(3) for _ in range(1500)),), {}) for _ in range(2)]
""",
    ),
    Honest(
        "count_true",
        old='''
def count_above(numbers, limits):
    """For each limit how many numbers are above it."""
    return [len([number for number in numbers if number > limit]) for limit in limits]


def count_true(numbers, limits):
    """The number of limits that most numbers are above."""
    return sum(2 * count > len(numbers) for count in count_above(numbers, limits))
''',
        new='''
import bisect


def count_above(numbers, limits):
    """For each limit how many numbers are above it."""
    return [len([number for number in numbers if number > limit]) for limit in limits]


def count_true(numbers, limits):
    """The number of limits that most numbers are above."""
    ordered = sorted(numbers)
    return sum(2 * (len(ordered) - bisect.bisect_right(ordered, limit)) > len(ordered) for limit in limits)
''',
        calls="""
CALLS = [((ints(n), ints(n)), {}) for n in range(14)]
BIG = [((ints(300, 10 ** 6), ints(300, 10 ** 6)), {}) for _ in range(2)]
""",
    ),
]
