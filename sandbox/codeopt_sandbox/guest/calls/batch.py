"""The calls that one run makes, as a value and as text; shared with the host."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Self

    BatchMode = Literal[
        "check",
        "time",
        "memory",
        "traced",
        "resident",
        "cover",
        "show",
        "objects",
        "list",
        "shape",
        "scene",
        "libraries",
        "state",
        "scenario",
        "watch",
    ]

AS_RECORDED = "as recorded"
"""The answer about an object that its history makes as it was recorded."""
IN_PARTS = "in parts "
"""Beginning of the answer about an object that neither a constructor nor its history makes as it was recorded; its
class follows."""


class CallBatch(Record):
    """Calls that one run makes.

    check  each call by itself, twice, the second time after its first result was changed by its caller
    time   all calls of a pass between two readings of the clock
    memory how much memory the calls take at their peak, in two passes for that: one with tracemalloc ("traced"), one as
           they are ("resident"); then as time
    cover  as check, with the lines of the function that were run
    show   each call in words, none is made
    objects  what makes the recorded object that each call has as its argument (constructed.py), no call is made
    list   the calls file's CALLS and BIG as expressions
    shape  what the arguments and results of all calls are like, in words
    scenario several calls together (scenarios/), or one by itself
    watch  what the import and the calls read of their surroundings, and what is kept of each call (watched.py)
    scene  what the module finds when it is called first: libraries, environment (import_context.py)
    libraries  each "call" is the name of a module, which is imported; what that leaves of the process (leaving.py)
    state  what is there before any call, none is made
    """

    calls: tuple[str, ...]
    """Each an expression: `f(1, [2], key='x')`, `CALLS[3]`."""
    mode: BatchMode = "check"
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
    """Objects that are written alike are one for all calls of a pass, those that warm up left out; timing only."""
    items: int = 10_000
    """Most items that are read of an iterator; checking only."""
    whole: bool = False
    """Each timed pass is looked at as calls that are checked: what its calls leave behind and print, and whether a
    result that its owner changes is given out again. What is timed cannot know it: it is asked after the pass."""
    iterators: str = ""
    """"flat" or "nested": results are iterators (of iterators) and are read within the timed region."""

    def told(self, calls: tuple[str, ...], mode: BatchMode, spent: float = 0.0) -> Self:
        """The part of the batch that a worker has to know: neither the number of passes, nor the limit of a call.
        spent: seconds of the calls that earlier workers made."""
        given = {name: getattr(self, name) for name in ("shared", "items", "iterators", "warm")}
        return type(self)(calls, mode, budget=self.budget - spent, **given)

    def text(self) -> str:
        """One line for how, then one for each call."""
        header = {name: value for name, value in self.fields().items() if name != "calls"}
        return "\n".join([f"# {header!r}", *self.calls])

    def stdin(self) -> bytes:
        """Encoding as the standard input of a run."""
        return (self.text() + "\n").encode("utf-8", "surrogatepass")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of a batch."""
        head, *calls = text.split("\n")
        return cls(tuple(calls), **eval(head[2:], {"__builtins__": {}}))


def batch_of(stdin: bytes) -> CallBatch:
    """Parse a batch from a run's standard input."""
    return CallBatch.parse(stdin.decode("utf-8", "surrogatepass").rstrip("\n"))
