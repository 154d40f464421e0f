"""Scenarios: several calls made together, as lists of steps that one player takes: on arguments that the caller changes
meanwhile, with iterators read by turns, from within a callback, in two threads.

A step is a tuple: its name, as in `play_give` of the player, and mostly the number of the call that it is about. Each
call of a scenario has arguments, and a result where it was begun. The answer of a scenario has those that its steps
give. Each scenario is played in a process forked for it, in which nothing was called before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Step = tuple[Any, ...]
    Steps = tuple[Step, ...]

SCENARIO = "play"
"""Name by which the expression of a scenario begins: `play(STEPS, f(1), f(2))`."""
TIMES = 12
"""Number of calls of the step `many`."""


def first(call: int) -> Steps:
    """Begin a call with new arguments."""
    return ("give", call), ("call", call)


BOTH = (*first(0), *first(1))
AGAIN = (*first(0), ("read", 0), ("spoil", 0), ("call", 0), ("read", 0))
"""Same arguments once more, after the caller changed the result."""
RENEWED = (*first(0), ("read", 0), ("give", 0), ("spoil", 0), ("call", 0), ("read", 0), ("kept",))
"""New, equal arguments, after the caller changed the first result."""
OFTEN = (("many", 0),)
"""New, equal arguments many times."""
JOINED = (("give", 0), ("join", 0), ("call", 0), ("read", 0))
"""Equal parts of the arguments are one object."""
CHANGED = (*first(0), ("read", 0), ("become", 0, 1), ("call", 0), ("read", 0))
"""Same arguments once more, which the caller has changed into those of another call."""
ALONE = (*first(0), ("read", 0))
ORDER = (*ALONE, *first(1), ("read", 1))
"""One call after another."""
TURN = (*BOTH, ("turns", 0, 1), ("read", 0), ("read", 1))
"""Two iterators read by turns."""
GATHERED = (("gather", 0, 1),)
"""Two coroutines at once."""
HALVES = (*BOTH, ("half", 0), ("read", 1), ("read", 0))
"""One iterator read half, then all of another, then the rest."""
LEFT = (*first(0), ("next", 0), ("drop", 0), *first(1), ("read", 1))
"""One iterator that is begun and dropped."""
THROWN = (*first(0), ("next", 0), ("throw", 0), ("read", 0), ("given", 0))
"""An exception that is thrown into an iterator, which is then read on."""
CLOSED = (*first(0), ("next", 0), ("close", 0), ("given", 0))
"""An iterator that is begun and closed."""
CANCELLED = (("give", 0), ("cancel", 0), ("given", 0))
"""A coroutine that is cancelled, an asynchronous generator that is closed."""
INSIDE = (("nest", 0, 1),)
"""A callback, or an iterator, that calls the function again."""
TRACED = (("trace", 0),)
"""Arguments of a callback in their order."""
THREADS = (("stop", 0, 1),)
"""Two threads."""


def same_twice(one: int, other: int) -> Steps:
    """One object as two arguments."""
    return ("give", 0), ("alias", 0, one, other), ("call", 0), ("read", 0), ("given", 0)


def same_rows(at: int) -> Steps:
    """Items of an argument that are one object."""
    return ("give", 0), ("rows", 0, at), ("call", 0), ("read", 0), ("given", 0)


def of_subclass(base: str, subclass: str) -> Steps:
    """Objects of a subclass among the arguments."""
    return ("give", 0), ("subclass", 0, base, subclass), ("call", 0), ("read", 0)


def with_setting(name: str, value: Any) -> Steps:
    """Another value of a name of the module."""
    return ("set", name, value), *ALONE


IN_CONTEXT = (("context", 9, "ROUND_DOWN"), *ALONE)
"""Another decimal context."""
