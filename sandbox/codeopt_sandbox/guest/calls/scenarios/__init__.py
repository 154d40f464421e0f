"""Scenarios: several calls made together, each of which must answer as it does alone: on arguments that the caller
changes meanwhile, with iterators read by turns, from within a callback, in two threads.

The text of a scenario is that of its calls, joined by THEN. The host compares it with the calls made alone, and plays
for drafts only the scenarios that the original passes. Each one is played in a process forked for it, in which nothing
was called before.
"""

from __future__ import annotations

THEN = ", then "
"""Separator between the texts of a scenario's calls."""
STOPPED = "with a stop at "
"""Beginning of the text of two threads that do something else than alone."""
NO_SCENARIO = "has no arguments: no such scenario"
CLOSED = "has no arguments: objects that keep something private, which a caller cannot change with the rest"
"""In place of an outcome, where a caller was to change the arguments."""
"""Text of a scenario that cannot be played: the caller had nothing to change."""
AGAIN = "again"
"""Same arguments once more, after the caller changed the result."""
OFTEN = "often"
"""New, equal arguments many times."""
TIMES = 12
"""Number of calls with equal arguments."""
JOINED = "joined"
"""Equal parts of the arguments are one object."""
CHANGED = "changed"
"""Same arguments once more, which the caller has changed into those of another call."""
ORDER = "in_order"
"""One call after another."""
TURNS = "turns"
"""Two iterators read by turns."""
GATHERED = "gathered"
"""Two coroutines at once."""
HALVES = "halves"
"""One iterator read half, then all of another, then the rest."""
LEFT = "left"
"""One iterator that is begun and dropped."""
INSIDE = "inside"
"""A callback, or an iterator, that calls the function again."""
TRACED = "traced"
"""Arguments of a callback in their order."""
THREADS = "threads"
"""Two threads."""
KINDS = (AGAIN, OFTEN, JOINED, CHANGED, ORDER, TURNS, GATHERED, HALVES, LEFT, INSIDE, TRACED, THREADS)
