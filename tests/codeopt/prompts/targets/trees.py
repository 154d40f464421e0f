"""A search tree: the target is a method of a class with state."""

from __future__ import annotations

from bisect import bisect_left, insort

LIMIT = 64
COLOURS = ("red", "green", "blue")


class Node:
    """A key with what belongs to it."""

    __slots__ = ("key", "value")

    def __init__(self, key, value):
        self.key = key
        self.value = value

    def __lt__(self, other):
        return self.key < other.key


class Tree:
    """Keys in order, in leaves of at most LIMIT."""

    fanout = 4

    def __init__(self, pairs=()):
        self.leaves = [[]]
        self.lookups = 0
        for key, value in pairs:
            self.add(key, value)

    def add(self, key, value):
        """Put a key in."""
        leaf = self._leaf(key)
        insort(leaf, Node(key, value))
        if len(leaf) > LIMIT:
            at = self.leaves.index(leaf)
            middle = len(leaf) // 2
            self.leaves[at : at + 1] = [leaf[:middle], leaf[middle:]]

    def _leaf(self, key):
        for leaf in self.leaves:
            if not leaf or key <= leaf[-1].key:
                return leaf
        return self.leaves[-1]

    def remove(self, key):
        """Take a key out."""
        leaf = self._leaf(key)
        leaf[:] = [node for node in leaf if node.key != key]

    def merge(self, other, keep=None):
        """Values of the keys that both trees hold, those of `keep` first.

        >>> Tree([(1, "a"), (2, "b")]).merge(Tree([(2, "x")]))
        [(2, 'b', 'x')]
        """
        found = []
        for leaf in self.leaves:
            for node in leaf:
                self.lookups += 1
                for other_leaf in other.leaves:
                    for candidate in other_leaf:
                        if candidate.key == node.key:
                            found.append((node.key, node.value, candidate.value))
        if keep is not None:
            found.sort(key=lambda row: row[0] not in keep)
        return found


def colours_of(tree):
    """Unrelated."""
    return [COLOURS[len(leaf) % 3] for leaf in tree.leaves]


def depth(tree):
    """Unrelated, too."""
    return bisect_left([LIMIT, LIMIT * Tree.fanout], len(tree.leaves))
