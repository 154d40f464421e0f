"""A package in the syntax of Python 3.12 and later, for an interpreter of 3.13."""

from benchmarks.errors.changes import ChangedProject, Replacement

GROUPS = '''\
"""Groups."""

from collections.abc import Iterable

type Group[T] = list[T]


class Groups[T]:
    """Values that stand together."""

    def __init__(self) -> None:
        self.found: list[Group[T]] = []

    def add(self, values: Iterable[T]) -> None:
        """Add a group, unless it is there."""
        group: Group[T] = [*values]
        if group not in self.found:
            self.found.append(group)
'''
RUN = """\
import sys

from groups import Groups

groups = Groups[int]()
for number in range(int(sys.argv[1])):
    groups.add([number * 7919 % 701, number % 2])
print(f"{len(groups.found)} {f"{groups.found[-1]}"}")
"""
FILE = "groups/__init__.py"
TO_DICT = (
    Replacement(FILE, "self.found: list[Group[T]] = []", "self.found: list[Group[T]] = []\n        self.known = set()"),
    Replacement(FILE, "if group not in self.found:", "if tuple(group) not in self.known:"),
    Replacement(FILE, "self.found.append(group)", "self.known.add(tuple(group))\n            self.found.append(group)"),
)
PROJECT = ChangedProject(
    "python run.py 3000",
    {FILE: GROUPS, "run.py": RUN, "pyproject.toml": "[project]\nname = 'groups'\nrequires-python = '>=3.13'\n"},
    right=TO_DICT,
    wrong=(*TO_DICT[:1], Replacement(FILE, "if group not in self.found:", "if frozenset(group) not in self.known:"),
           Replacement(FILE, "self.found.append(group)",
                       "self.known.add(frozenset(group))\n            self.found.append(group)")),
    release="3.13",
)  # fmt: skip
