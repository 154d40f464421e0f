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
GIVE = "give"
"""New arguments for a call; those before are gone."""
CALL = "call"
"""Begin a call with its arguments."""
READ = "read"
"""Read its result to the end: an answer."""
NEXT = "next"
"""Read one item of its result."""
HALF = "half"
"""Read half of its items."""
TURNS = "turns"
"""Read two results by turns."""
THROW = "throw"
"""Throw a ValueError into its result."""
CLOSE = "close"
"""Close its result."""
DROP = "drop"
"""Forget its result."""
SPOIL = "spoil"
"""Change its result, unless that is part of its arguments."""
KEPT = "kept"
"""Look whether the last two results share parts."""
GIVEN = "given"
"""State of its arguments afterwards: an answer."""
BECOME = "become"
"""Change its arguments into those of another call, in place."""
JOIN = "join"
"""Make equal parts of its arguments one object."""
ALIAS = "alias"
"""Give the argument at one place at another place also."""
ROWS = "rows"
"""Make all items of the argument at a place the first one."""
SUBCLASS = "subclass"
"""Make every other object of a class among its arguments one of a subclass."""
SET = "set"
"""Set a name of the module."""
CONTEXT = "context"
"""Set a decimal context with so many digits and some rounding, as each thread has its own."""
MANY = "many"
"""Call it many times: the first answer, and the first other one."""
TIMES = 12
"""Number of these calls."""
GATHER = "gather"
"""Run two coroutines at once: their answers."""
CANCEL = "cancel"
"""Cancel a coroutine where it first waits, or close an asynchronous generator after its first item: how it ends."""
NEST = "nest"
"""Have a callback, or an iterator, of the first call make the second: their answers."""
TRACE = "trace"
"""Note the arguments of its callback: its answer and these."""
STOP = "stop"
"""Stop the first call at one line after another while a second thread makes the second: their answers."""


def first(call: int) -> Steps:
    """Begin a call with new arguments."""
    return (GIVE, call), (CALL, call)


BOTH = (*first(0), *first(1))
AGAIN = (*first(0), (READ, 0), (SPOIL, 0), (CALL, 0), (READ, 0))
"""Same arguments once more, after the caller changed the result."""
RENEWED = (*first(0), (READ, 0), (GIVE, 0), (SPOIL, 0), (CALL, 0), (READ, 0), (KEPT,))
"""New, equal arguments, after the caller changed the first result."""
OFTEN = ((MANY, 0),)
"""New, equal arguments many times."""
JOINED = ((GIVE, 0), (JOIN, 0), (CALL, 0), (READ, 0))
"""Equal parts of the arguments are one object."""
CHANGED = (*first(0), (READ, 0), (BECOME, 0, 1), (CALL, 0), (READ, 0))
"""Same arguments once more, which the caller has changed into those of another call."""
ALONE = (*first(0), (READ, 0))
ORDER = (*ALONE, *first(1), (READ, 1))
"""One call after another."""
TURN = (*BOTH, (TURNS, 0, 1), (READ, 0), (READ, 1))
"""Two iterators read by turns."""
GATHERED = ((GATHER, 0, 1),)
"""Two coroutines at once."""
HALVES = (*BOTH, (HALF, 0), (READ, 1), (READ, 0))
"""One iterator read half, then all of another, then the rest."""
LEFT = (*first(0), (NEXT, 0), (DROP, 0), *first(1), (READ, 1))
"""One iterator that is begun and dropped."""
THROWN = (*first(0), (NEXT, 0), (THROW, 0), (READ, 0), (GIVEN, 0))
"""An exception that is thrown into an iterator, which is then read on."""
CLOSED = (*first(0), (NEXT, 0), (CLOSE, 0), (GIVEN, 0))
"""An iterator that is begun and closed."""
CANCELLED = ((GIVE, 0), (CANCEL, 0), (GIVEN, 0))
"""A coroutine that is cancelled, an asynchronous generator that is closed."""
INSIDE = ((NEST, 0, 1),)
"""A callback, or an iterator, that calls the function again."""
TRACED = ((TRACE, 0),)
"""Arguments of a callback in their order."""
THREADS = ((STOP, 0, 1),)
"""Two threads."""


def same_twice(one: int, other: int) -> Steps:
    """One object as two arguments."""
    return (GIVE, 0), (ALIAS, 0, one, other), (CALL, 0), (READ, 0), (GIVEN, 0)


def same_rows(at: int) -> Steps:
    """Items of an argument that are one object."""
    return (GIVE, 0), (ROWS, 0, at), (CALL, 0), (READ, 0), (GIVEN, 0)


def of_subclass(base: str, subclass: str) -> Steps:
    """Objects of a subclass among the arguments."""
    return (GIVE, 0), (SUBCLASS, 0, base, subclass), (CALL, 0), (READ, 0)


def with_setting(name: str, value: Any) -> Steps:
    """Another value of a name of the module."""
    return (SET, name, value), *ALONE


IN_CONTEXT = ((CONTEXT, 9, "ROUND_DOWN"), *ALONE)
"""Another decimal context."""
