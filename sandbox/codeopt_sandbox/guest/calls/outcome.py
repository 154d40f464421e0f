"""State that calls leave, calls that gave no answer, and fields of answers, which are made from trees; the values are
shared with the host."""

from __future__ import annotations

import _struct
from binascii import b2a_base64

from ..answer import NOTHING, Answer, Field, Floats, Kind
from ..request import Record
from .repr.shown import LIMIT, shown_text
from .repr.structure import digest, modules, number
from .repr.tree import written

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any


class Failure:
    """Reason in the code under test for a run without outcomes."""

    NOT_IMPORTED = "not_imported"
    """The module cannot be imported."""
    IS_PROGRAM = "is_program"
    """The module runs as a program when it is imported, without its input, or to its end."""
    ENDED_EARLY = "ended_early"
    """The module ends its process."""
    OVERRUN = "overrun"
    """The timed calls exceed their time limit."""


class RunFailed(Exception):
    """The run cannot continue because of the code under test."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class RunTimes(Record):
    """Times that the controller took of a run, seconds, and the memory of its calls."""

    cpu: tuple[float, ...] = ()
    """CPU seconds of each pass; empty where nothing was timed."""
    wall: tuple[float, ...] = ()
    delay: tuple[float, ...] = ()
    """Seconds in which the worker of each pass was ready to run while others had the processor."""
    given: tuple[float, ...] = ()
    """CPU seconds until a pass had its arguments."""
    beside: tuple[float, ...] = ()
    """CPU seconds of worker and importer while arguments are made, and while results are used: any work of a call that
    is done beforehand or is put off. What the harness looks at meanwhile is in neither. The next are by the wall."""
    beside_wall: tuple[float, ...] = ()
    looked: tuple[float, ...] = ()
    """CPU seconds of a worker in which the harness encodes objects of a pass, before and after its calls; 0 where all
    is plain, as that takes each version alike."""
    exits: tuple[float, ...] = ()
    """CPU seconds in which the kernel ends the process of each pass, then the one that imported the module: it takes
    their memory back, and runs no code of theirs."""
    known_s: float = 0.0
    """CPU seconds of all processes of ours: of a whole run the rest is that of others that the calls' module began."""
    import_s: float = 0.0
    digest: str = ""
    """Digest of the outcomes of the first pass; empty where they are not plain."""
    memory: tuple[int, ...] = ()
    """Bytes: the highest peak of a call by tracemalloc, the growth of the process, what the importer has; empty where
    memory was not measured."""


PASSES = tuple([name for name, kind in RunTimes.__annotations__.items() if kind == "tuple[float, ...]"])
"""Names of the figures that each pass has."""


class State(Record):
    """State that calls leave behind in their process."""

    changed: Field = NOTHING
    """Globals, attributes, random numbers and the environment that are another afterwards."""
    counted: Field = NOTHING
    """State that other modules of the project keep for themselves."""

    printed: Field = NOTHING
    """Output of the calls of a timed pass."""

    made_of = {"changed": Field, "counted": Field, "printed": Field}

    @property
    def text(self) -> str:
        """The state in one line, for people alone."""
        counted = f" | other modules keep for themselves: {self.counted.shown}" if self.counted else ""
        printed = f"; prints {self.printed.shown}" if self.printed else ""
        return f"state: {self.changed.shown or 'unchanged'}{printed}{counted}"


def without_answer(kind: str, words: str, **more: Any) -> Answer:
    """A call of which only its end is known."""
    return Answer(kind, raised=text_field(words), **more)


def timeout(seconds: float) -> Answer:
    """A call that was ended after so long."""
    return without_answer(Kind.TIMEOUT, f"takes longer than {seconds:g} s", seconds=seconds)


def died(status: int, seconds: float) -> Answer:
    """A call that ended its process."""
    return without_answer(Kind.DIED, "ends the process" + how_it_ended(status), seconds=seconds)


def not_made() -> Answer:
    """A call after those that took all the time of a batch."""
    return without_answer(Kind.NOT_MADE, "is not made: the calls before it hang or take all the time")


def no_arguments(error: BaseException) -> Answer:
    """A call whose arguments cannot be made: a class does not take those that were generated for it."""
    name = type(error).__name__
    return without_answer(Kind.NO_ARGUMENTS, f"making its arguments raises {name}", exception=name)


def how_it_ended(status: int) -> str:
    """End of a process in words."""
    return f" (signal {status & 127})" if status & 127 else f" (exit status {status >> 8})"


# Fields of an answer, made from trees.

MAX_VALUE_BYTES = 4 << 20
"""Bytes of an encoding that a checker is handed."""


class FieldMaker:
    """Makes the fields of one answer. given: makes the tree of its arguments; wanted: digests of values whose floats
    are asked for; whole: values are reported whole, for a checker."""

    def __init__(self, given: Callable[[], Any] = tuple, wanted: Container[str] = (), whole: bool = False) -> None:
        self.given, self.wanted, self.whole = given, wanted, whole

    def field(self, tree: Any, floats: bool = False, **more: Any) -> Field:
        """The field of a tree; nothing for an empty one. floats: there may be some in it."""
        if type(tree) is tuple and not tree:
            return NOTHING
        data = written(tree)
        key = digest(data)
        told = None
        # bytes of an encoding whose floats are always reported
        if floats and (len(data) <= 4096 or key in self.wanted):
            told = FloatsApart.told(tree, self.given())
        return Field(key, shown_text(tree), len(data), floats, told, **more)

    def value(self, tree: Any, floats: bool = False) -> Field:
        """The same of a result, which a checker may read."""
        found = self.field(tree, floats)
        if self.whole and found.size <= MAX_VALUE_BYTES:
            return found.replace(value=portable(tree))
        return found


def text_field(text: str, shown: str = "", **more: Any) -> Field:
    """A field that is a text. shown: another text for people."""
    if not text:
        return NOTHING
    data = text.encode("utf-8", "surrogatepass")
    return Field(digest(data), shown or text[:LIMIT], len(data), **more)


# Floats of an encoding, apart from the rest of it: two answers may differ in their last bits.

pack = _struct.pack
MAX_BYTES = 64 << 20
"""Most bytes of floats that are sent."""
SPACING = {"f4": 2.0**-23, "c8": 2.0**-23, "f2": 2.0**-10}
"""Relative distance between neighbours of the shorter floats of numpy."""
FLOAT = ...
"""Takes a float's place; no tree has it."""


class FloatsApart:
    """Takes the floats out of a tree."""

    def __init__(self) -> None:
        self.found: list[float] = []
        self.spacing = 0.0

    @classmethod
    def told(cls, tree: Any, given: Any) -> Floats | None:
        """The floats of an answer; None where they are too many, or nested too deep. given: tree of the arguments."""
        apart, terms = cls(), cls()
        try:
            rest = written(apart.rest(tree))
            terms.rest(given)
        except (RecursionError, ValueError):
            return None
        if 8 * len(apart.found) > MAX_BYTES:
            return None
        every = [abs(value) for value in (*apart.found, *terms.found) if value - value == 0]
        packed = base64(pack(f"<{len(apart.found)}d", *apart.found))
        return Floats(digest(rest), packed, len(every), max(every, default=0.0), apart.spacing)

    def rest(self, tree: Any) -> Any:
        kind = type(tree)
        if kind is list:
            return [self.rest(part) for part in tree]
        if kind is not tuple or not tree:
            return self.of_plain(tree)
        tag = tree[0]
        if tag == "=":
            return tag, self.of_plain(tree[1])
        if tag == "array" and tree[1][1:2] in ("f", "c"):
            _, kind, shape, data = tree
            numpy: Any = modules["numpy"]
            items = numpy.frombuffer(data, numpy.dtype(kind))
            items = items.view(items.real.dtype) if kind[1] == "c" else items
            self.found += items.astype("<f8").tolist()
            self.spacing = max(self.spacing, SPACING.get(kind[1:], 0.0))
            return tag, kind, shape
        if tag == "scalar":
            self.spacing = max(self.spacing, SPACING.get(tree[1][1:], 0.0))
        if tag in ("set", "frozenset"):
            return tag, sorted([self.rest(part) for part in tree[1]], key=written)
        return tuple([self.rest(part) for part in tree])

    def of_plain(self, value: Any) -> Any:
        kind = type(value)
        if kind is float:
            self.found.append(value)
            return FLOAT
        if kind is complex:
            self.found += (value.real, value.imag)
            return FLOAT, FLOAT
        if kind is list or kind is tuple:
            return kind([self.of_plain(part) for part in value])
        if kind is dict:
            return [(self.of_plain(key), self.of_plain(part)) for key, part in value.items()]
        return value


# Trees of literals and arrays as JSON, for a checker of the user's own that is to read them in another process.


def portable(tree: Any) -> Any:
    """JSON of a tree, which guest/accept.py reads; None where it is more than literals and arrays."""
    try:
        return of_tree(tree)
    except (ValueError, RecursionError):
        return None


def of_tree(tree: Any) -> Any:
    """The same. Raises ValueError where it is more."""
    if type(tree) is not tuple:
        return of_plain(tree)
    tag, *parts = tree
    if tag == "=":
        return of_plain(parts[0])
    if tag in ("list", "tuple", "set", "frozenset"):
        return [tag, *[of_tree(part) for part in parts[0]]]
    if tag == "dict":
        return ["dict", *[[of_tree(key), of_tree(part)] for key, part in parts[0]]]
    if tag == "ndarray":
        return of_tree(parts[0])
    if tag == "array":
        return ["array", parts[0], list(parts[1]), base64(parts[2])]
    if tag == "scalar":
        return ["scalar", parts[0], of_plain(parts[1])]
    if tag == "object" and parts[0] == ("name", "array.array"):
        return ["array.array", *[of_tree(part) for part in parts[2]]]
    raise ValueError(tag)


def of_plain(value: Any) -> Any:
    """A plain value. Raises ValueError for anything else."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return ["int", number(value)]
    if kind is float:
        return ["float", repr(value)]
    if kind is complex:
        return ["complex", repr(value.real), repr(value.imag)]
    if kind is bytes:
        return ["bytes", base64(value)]
    if kind is list or kind is tuple:
        return [kind.__name__, *[of_plain(part) for part in value]]
    if kind is dict:
        return ["dict", *[[of_plain(key), of_plain(part)] for key, part in value.items()]]
    raise ValueError(kind.__name__)


def base64(data: bytes) -> str:
    return str(b2a_base64(data, newline=False), "ascii")
