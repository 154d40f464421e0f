"""Programs that read standard input; every input keeps the form that its first line tells of."""

import random

from benchmarks.errors.honest import Honest

_draw = random.Random(5)


def _numbers(count: int, top: int) -> str:
    """A count, then as many numbers."""
    return f"{count}\n{' '.join(str(_draw.randrange(top)) for _ in range(count))}\n"


def _graph(nodes: int, edges: int) -> str:
    """Nodes and edges, then an edge a line, none to itself."""
    pairs = [_draw.sample(range(1, nodes + 1), 2) for _ in range(edges)]
    return "".join(f"{a} {b}\n" for a, b in [(nodes, edges), *pairs])


LISTS = tuple(_numbers(count, 50) for count in (1, 3, 5, 9, 12)) + (_numbers(1500, 10**6), _numbers(1600, 10**6))
GRAPHS = (*(_graph(n, n) for n in (2, 3, 5, 8)), _graph(300, 900), _graph(320, 900))

DRAFTS = [
    Honest(
        "program: repeated numbers",
        old="""
n = int(input())
numbers = list(map(int, input().split()))
print(sum(number in numbers[:at] for at, number in enumerate(numbers)))
""",
        new="""
n = int(input())
numbers = input().split()
print(len(numbers) - len(set(map(int, numbers))))
""",
        inputs=LISTS,
    ),
    Honest(
        "program: next larger",
        old="""
n = int(input())
numbers = list(map(int, input().split()))
for at in range(n):
    print(next((other for other in numbers[at + 1 :] if other > numbers[at]), -1))
print(sum(a < b for a in numbers[:600] for b in numbers[:600]) >= 0)
""",
        new="""
n = int(input())
numbers = list(map(int, input().split()))
found, open_ = [-1] * n, []
for at, number in enumerate(numbers[:n]):
    while open_ and numbers[open_[-1]] < number:
        found[open_.pop()] = number
    open_.append(at)
print(*found, True, sep="\\n")
""",
        inputs=LISTS,
    ),
    Honest(
        "program: groups of a graph",
        old="""
n, m = map(int, input().split())
group = list(range(n + 1))
for _ in range(m):
    a, b = map(int, input().split())
    old, new = group[a], group[b]
    group = [new if each == old else each for each in group]
print(len(set(group[1:])))
""",
        new="""
import sys


def main():
    n, m, *ends = map(int, sys.stdin.read().split())
    parent = list(range(n + 1))
    groups = n
    for a, b in zip(ends[0 : 2 * m : 2], ends[1 : 2 * m : 2]):
        while parent[a] != a:
            parent[a] = a = parent[parent[a]]
        while parent[b] != b:
            parent[b] = b = parent[parent[b]]
        if a != b:
            parent[a] = b
            groups -= 1
    print(groups)


main()
""",
        inputs=GRAPHS,
    ),
    Honest(
        "program: degrees",
        old="""
n, m = map(int, input().split())
edges = [tuple(map(int, input().split())) for _ in range(m)]
for node in range(1, n + 1):
    print(sum(node in edge for edge in edges))
""",
        new="""
n, m = map(int, input().split())
count = [0] * (n + 1)
for _ in range(m):
    for node in map(int, input().split()):
        count[node] += 1
print(*count[1:], sep="\\n")
""",
        inputs=GRAPHS,
    ),
]
