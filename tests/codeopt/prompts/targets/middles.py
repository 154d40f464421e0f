"""Middles of lists, in the way that takes longest."""


def middle(values):
    """The median."""
    ordered = []
    for value in values:
        at = 0
        while at < len(ordered) and ordered[at] < value:
            at += 1
        ordered.insert(at, value)
    return ordered[len(ordered) // 2]


def extremes(values):
    """Nobody calls it."""
    return min(values), max(values)
