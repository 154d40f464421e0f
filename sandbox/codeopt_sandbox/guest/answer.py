"""The answer of a call, as a value: a field for each thing that its caller can observe; shared with the host.

Fields are compared by digests of their whole encodings, and by numbers where these are floats. Texts are for people.
"""

from __future__ import annotations

from .request import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Kind:
    """End of a call."""

    RETURNS = "returns"
    YIELDS = "yields"
    """The call returns, and its result holds iterators."""
    RAISES = "raises"
    TIMEOUT = "timeout"
    DIED = "died"
    """The call ended its process."""
    NOT_MADE = "not_made"
    """The calls before it took all the time."""
    NOT_COMPARABLE = "not_comparable"
    """The call returns or raises, and a part of what it does has no text that could be compared."""
    NO_ARGUMENTS = "no_arguments"
    """The arguments of the call cannot be made."""
    UNFIT = "unfit"
    """The calls do not fit the scenario."""
    CLOSED = "closed"
    """The caller was to change objects that keep something private."""


KINDS: tuple[str, ...] = tuple([value for name, value in vars(Kind).items() if name.isupper()])
EFFECTS = {
    "network": "uses the network", "process": "starts a process", "files": "changes files",
    "environment": "changes the environment", "folder": "changes the folder", "signals": "sends signals",
    "database": "opens a database", "library": "loads a library",
}  # fmt: skip
"""Effects of a call outside of its process, in words."""


class Floats(Record):
    """Floats of an encoding, in their order."""

    rest: str
    """Digest of the encoding without them."""
    packed: str
    """Eight bytes of each, in base64."""
    terms: int
    """Number of floats in the arguments and here: each may be a term of a sum."""
    largest: float
    """Largest absolute value of these; those that are not finite are left out."""
    spacing: float = 0.0
    """Relative distance between neighbours of the shortest type of float that numpy has here; 0 where all are of the
    usual type."""


class Field(Record):
    """One observable of a call."""

    digest: str = ""
    """SHA-256 of the whole encoding, in hex; empty where nothing was observed."""
    shown: str = ""
    """Beginning of it as text, for people."""
    size: int = 0
    """Bytes of the encoding."""
    has_floats: bool = False
    """Another digest need not be another value."""
    floats: Floats | None = None
    """Floats of the value, where they are few, or were asked for."""
    value: Any = None
    """The value as JSON if a checker reads it. Otherwise a few words for the host's rules."""

    def __bool__(self) -> bool:
        return bool(self.digest)

    def __hash__(self) -> int:
        return hash(self.digest)  # a value of JSON may be a list or a dict

    made_of = {"floats": Floats}


NOTHING = Field()
"""Field of what was not there."""
NO_VIEW = "that they hang, end the process or differ each time"
"""Value of a field of views that could not be made."""


class Answer(Record):
    """Everything that a call did."""

    kind: str
    """One of KINDS."""
    value: Field = NOTHING
    """The result, or the items of an iterator, without what only the objects themselves look at."""
    raised: Field = NOTHING
    """The exception's type with its data that is no text; or how a call ended that gave no answer."""
    message: Field = NOTHING
    """Text of an exception that the function's own module raises."""
    output: Field = NOTHING
    """Texts that it prints, writes to standard error, warns of, and logs."""
    arguments: Field = NOTHING
    """The arguments afterwards, where it has changed them."""
    sharing: Field = NOTHING
    """Mark of a result that is returned again."""
    again: Field = NOTHING
    """Answer of a second call after its result was changed, if it differs."""
    other_run: Field = NOTHING
    """Answer in another pass of the same calls, if it differs."""
    operations: Field = NOTHING
    """Reading of its arguments before its first item, operations of a container that its class overrides, and objects
    of the module that the result is."""
    interface: Field = NOTHING
    """Mark of a result that is a generator which callers may close; ==, hash and < of the classes of its objects."""
    views: Field = NOTHING
    """Answers to callers by objects of the result that keep something private; only where that was asked."""
    views_of_arguments: Field = NOTHING
    private: Field = NOTHING
    """Attributes of the result with an underscore; the value has their names."""
    private_arguments: Field = NOTHING
    """Private state of the arguments, if they have changed."""
    exception: str = ""
    """Name of the exception that it raised, or that ended an iterator."""
    effects: tuple[str, ...] = ()
    """Keys of EFFECTS."""
    opaque: str = ""
    """Type of what cannot be encoded: the call is no evidence."""
    line: int = 0
    """Line of the module where the exception was raised; 0 for one that is raised elsewhere."""
    iterators: int = 0
    cut_short: bool = False
    """An iterator had more items than are read."""
    overrides: bool = False
    """True if its result is a container whose class overrides operations."""
    complains: bool = False
    """True if it logs an error."""
    seconds: float = 0.0
    """Wall time, including the reading of its result; never compared."""
    steps: tuple[Answer, ...] = ()
    """Answers of the calls of a scenario."""
    stopped: tuple[int, ...] = ()
    """Line and number of the time at which the first of two threads was stopped when their answers differed."""

    def observed(self) -> dict[str, Any]:
        """Return everything that two answers share if a call does the same, as comparable values.

        The text of an exception may differ.
        """
        found: dict[str, Any] = {name: getattr(self, name).digest for name in FIELDS if name != "message"}
        found.update(kind=self.kind, effects=self.effects, steps=tuple([step.observed() for step in self.steps]))
        return found

    def seen(self) -> dict[str, Any]:
        """Return the observed values without private state of objects."""
        return {name: value for name, value in self.observed().items() if not name.startswith("private")}

    @property
    def text(self) -> str:
        """The answer in one line, for people alone."""
        return " | ".join(filter(None, [self.end, *map(self.part, (*WORDS, "effects"))]))

    @property
    def end(self) -> str:
        """End of the call: return or exception."""
        if self.steps:
            return ", then ".join([step.text for step in self.steps])
        if self.kind in (Kind.TIMEOUT, Kind.DIED, Kind.NOT_MADE, Kind.NO_ARGUMENTS, Kind.UNFIT, Kind.CLOSED):
            return self.raised.shown
        if self.raised:
            return f"raises {self.raised.shown}"
        return f"returns {self.interface.shown}{self.value.shown}" if self.value else ""

    def part(self, name: str) -> str:
        """Further text of a field; empty where there is nothing in it, or the end says it."""
        if name == "effects":
            return " and ".join([words for key, words in EFFECTS.items() if key in self.effects])
        if name == "interface":
            return str(self.interface.value or "")
        return f"{WORDS[name]}{getattr(self, name).shown}" if name in WORDS and getattr(self, name) else ""


FIELDS = tuple([name for name, kind in Answer.__annotations__.items() if kind == "Field"])
Answer.made_of = {**dict.fromkeys(FIELDS, Field), "steps": Answer}
KEPT_UNCHANGED = "an object that it keeps"
"""Sharing of an object whose changes do not show in later results."""
WORDS = {
    "private": "private attributes ", "arguments": "arguments become ",
    "private_arguments": "private attributes of arguments become ", "operations": "", "views": "of its objects show ",
    "views_of_arguments": "of its arguments show ", "output": "",
    "again": "called again, after its result was changed: ",
    "sharing": "called again, it gives out ",
    "other_run": "and in another run: ",
}  # fmt: skip
"""Words before each field."""
