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
AGAIN, JOINED, CHANGED, ORDER = "again", "joined", "changed", "in_order"
"""The same arguments once more, after the caller changed the result; equal parts of arguments that are one object; the
same arguments once more, which the caller has changed into those of another call; one call after another."""
TURNS, GATHERED, HALVES, LEFT = "turns", "gathered", "halves", "left"
"""Two iterators read by turns; two coroutines at once; one iterator read half, then all of another, then the rest; one
that is begun and dropped."""
INSIDE, TRACED, THREADS = "inside", "traced", "threads"
"""A callback, or an iterator, that calls again; what a callback is given, in order; two threads."""
KINDS = (AGAIN, JOINED, CHANGED, ORDER, TURNS, GATHERED, HALVES, LEFT, INSIDE, TRACED, THREADS)
