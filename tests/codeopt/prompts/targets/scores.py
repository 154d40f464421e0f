"""Rankings: the target's time is in what it calls, two functions away and in another module."""

from __future__ import annotations

from middles import middle

WEIGHTS = {"home": 3, "away": 5}
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def weight(place):
    """What a result counts."""
    return WEIGHTS.get(place, 1)


def spread(results):
    """Half the distance of results from their middle, on the whole."""
    centre = middle([points for _, points in results])
    return sum(abs(points - centre) for _, points in results) / 2


def day_of(number):
    """Nobody calls it here."""
    return DAYS[number % 7]


def ranking(teams):
    """Teams by the spread of their results, the steadiest first.

    >>> ranking({"a": [("home", 1), ("away", 5)], "b": [("home", 2), ("home", 2)]})
    ['b', 'a']
    """
    rows = []
    for name, results in teams.items():
        total = sum(weight(place) * points for place, points in results)
        rows.append((spread(results), -total, name))
    return [name for _, _, name in sorted(rows)]
