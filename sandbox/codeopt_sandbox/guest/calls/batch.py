"""The calls that one run makes, as a value and as bytes; shared with the host."""

from __future__ import annotations

from marshal import dumps, loads

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Self

    Ordered = Literal["all", "lists", "none"]
    Program = Literal["check", "combine", "time", "inspect"]
    Question = Literal[
        "", "show", "objects", "list", "shape", "scene", "libraries", "watch", "state", "traced", "resident"
    ]

TOLD = ("lines", "shared", "items", "iterators", "warm", "values", "results", "views", "ordered")
"""Fields that a worker has to know."""
ORDERED: tuple[Ordered, ...] = ("all", "lists", "none")
"""Containers whose order is part of answers: all, lists but not dictionaries, none."""
FORMAT = 2
"""Version of marshal's format that every Python reads, and writes the same for the same values."""
AS_RECORDED = "as recorded"
"""The answer about an object that its history makes as it was recorded."""
IN_PARTS = "in parts "
"""Beginning of the answer about an object that neither a constructor nor its history makes as it was recorded; its
class follows."""


class CallBatch(Record):
    """Calls that one run makes.

    check    each call by itself, once
    combine  several calls together (scenarios/), or one by itself
    time     all calls of a pass between two readings of the clock
    inspect  what is asked about calls or their module
    """

    calls: tuple[str, ...]
    """Each an expression: `f(1, [2], key='x')`, `CALLS[3]`."""
    program: Program = "check"
    question: Question = ""
    """Question of `inspect`:

    show       each call in words, none is made
    objects    what makes the recorded object that each call has as its argument (constructed.py), no call is made
    list       the calls file's CALLS and BIG as expressions
    shape      what the arguments and results of all calls are like, in words
    scene      what the module finds when it is called first: libraries, environment (import_context.py)
    libraries  each "call" is the name of a module, which is imported; what that leaves (process_state.py)
    watch      what the import and the calls read of their surroundings, and what is kept of each call (watched.py)
    state      what is there before any call, none is made
    traced     how much memory a call takes at its peak, by tracemalloc
    resident   how much the process grows by at most
    """
    lines: bool = False
    """The lines of the function that were run are reported; checking only."""
    memory: bool = False
    """Whether to measure the peak memory of the calls, in two passes for that, before they are timed; timing only."""
    seconds: float = 2.0
    """Time limit of a single call, seconds; checking only."""
    lost: int = 1000
    """Number of calls that hang or end the process after which the rest is not made; checking only."""
    budget: float = 1e9
    """Seconds of all calls together, after which the rest is not made; checking only."""
    passes: int = 1
    """Number of times that all calls are timed in one run, each time in a process forked for it."""
    groups: tuple[int, ...] = ()
    """Sizes of groups of calls, each of which is a pass of its own, in turn, in place of all calls together; only their
    times are read, no outcome is shown."""
    pass_seconds: float = 60.0
    """The run ends when a timed pass takes longer."""
    warm: int = 0
    """Number of calls at the front that warm up: they are made before the clock is read, and not shown."""
    shared: bool = False
    """Objects with the same text are one for all calls of a pass, without those that warm up; timing only."""
    items: int = 10_000
    """Most items that are read of an iterator; checking only."""
    whole: bool = False
    """Each timed pass is looked at as calls that are checked: what its calls leave behind and print, and whether a
    result that its owner changes is given out again. What is timed cannot know it: it is asked after the pass."""
    values: tuple[str, ...] = ()
    """Digests of values whose floats are asked for."""
    results: bool = False
    """Results are reported whole, as a checker gets them."""
    ordered: Ordered = "all"
    """One of ORDERED."""
    views: bool = False
    """Objects that keep something private are asked for their public view."""
    iterators: str = ""
    """"flat" or "nested": results are iterators (of iterators) and are read within the timed region."""

    def told(self, calls: tuple[str, ...], question: Question, spent: float = 0.0) -> Self:
        """The part of the batch that a worker has to know: neither the number of passes, nor the limit of a call.
        question: the worker's own; spent: seconds of the calls that earlier workers made."""
        given = {name: getattr(self, name) for name in TOLD}
        program = "inspect" if question else self.program
        return type(self)(calls, program, question, budget=self.budget - spent, **given)

    def stdin(self) -> bytes:
        """Encoding as the standard input of a run, and for a worker."""
        return dumps(self.fields(), FORMAT)


def batch_of(stdin: bytes) -> CallBatch:
    return CallBatch(**loads(stdin))
