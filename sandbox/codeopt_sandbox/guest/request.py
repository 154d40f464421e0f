"""What the host asks of our own programs in a guest, as immutable values that both sides share."""

from __future__ import annotations

from marshal import dumps, loads

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, Self, dataclass_transform

    Ordered = Literal["all", "lists", "none"]
    Program = Literal["check", "combine", "time", "inspect"]
    Question = Literal[
        "", "show", "objects", "list", "shape", "scene", "libraries", "watch", "state", "traced", "resident"
    ]
    Filter = Literal["always", "ignore"]
    Order = Literal["given", "shuffled", "reversed"]
    Thread = Literal["main", "other"]
    TestJob = Literal["pytest", "doctest"]
    ProfileMode = Literal["lines", "scalene", "callees", "allocated"]
else:

    def dataclass_transform(**options):
        """Says to a type checker how such a class is made."""
        return lambda kind: kind


NEEDED = object()
"""Stands for the default of a field that has none."""

# `dataclasses` imports `inspect`, which takes longer than all that a run of calls does around such values.


@dataclass_transform(frozen_default=True)
class Record:
    """Immutable value with the fields that its class annotates, in their order. The assigned values are defaults."""

    made_of = {}  # type: ignore[var-annotated]  # an annotation would make it a field
    """Records that fields hold, alone or several, by the name of the field."""

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = type(self).__annotations__
        given = {**dict(zip(fields, values)), **named}
        if len(given) != len(values) + len(named) or not given.keys() <= fields.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}")
        for name in fields:
            self.__dict__[name] = given[name] if name in given else getattr(type(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"

    def fields(self) -> dict[str, Any]:
        return dict(vars(self))

    def replace(self, **changes: Any) -> Self:
        """A copy with other values in some fields."""
        if not changes.keys() <= type(self).__annotations__.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(type(self).__annotations__)}")
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **changes)
        return made

    def told(self) -> dict[str, Any]:
        """Fields for JSON, those that have their defaults left out."""
        defaults, found = vars(type(self)), {}
        for name, value in vars(self).items():
            default = defaults.get(name, NEEDED)
            if value is not default and value != default:
                if isinstance(value, Record):
                    value = value.told()
                elif name in self.made_of and value is not None:
                    value = [each.told() for each in value]
                found[name] = value
        return found

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """Rebuild a record from `fields`, which may have passed through JSON. Raises TypeError, AttributeError."""
        made: dict[str, Any] = {}
        for name, value in fields.items():
            kind = cls.made_of.get(name)
            if isinstance(value, list) and "tuple" in cls.__annotations__.get(name, ""):
                made[name] = tuple([kind.read(each) for each in value] if kind else value)
            else:
                made[name] = kind.read(value) if kind else value
        return cls(**made)


class FunctionRef(Record):
    """Reference to the function that is called, and where its module believes itself to be."""

    module: str
    file: str
    """Path of the module in the sandbox."""
    qualname: str
    paths: tuple[str, ...] = ()
    """Put first on sys.path, in the sandbox."""
    globals: tuple[str, ...] = ()
    """Module-level data of the original; calls that change it are found out."""
    classes: tuple[str, ...] = ()
    """Module-level classes of the original; the same for their data."""
    attributes: tuple[str, ...] = ()
    """Attributes of functions that the original's text sets, `f.calls`; the same for them."""
    generator: bool = False
    """The function is a generator function for its callers, who may close it: another iterator in its place is
    reported."""
    receives: bool = False
    """The generator takes what is sent to it, unlike an iterator: one in its place is another answer."""
    first_line: int = 1
    """First line of the function's body: lines from here on count for coverage."""
    asynchronous: bool = False
    calls_file: str | None = None
    """Text of the user's file with CALLS and BIG."""
    memory_bytes: int = 0
    """Memory limit of one worker beyond the import, bytes: it then gets a MemoryError where a run would be killed; 0
    for no limit."""
    whole_answers: bool = False
    """Long answers are reported whole, up to a million characters: a checker of the user's own reads them."""
    aliases: tuple[str, ...] = ()
    """Other names under which pickled arguments may know the module."""
    test_paths: tuple[str, ...] = ()
    """Folders of the project's tests, put last on sys.path once the module is imported: classes of arguments
    may be there."""
    django: str = ""
    """Settings module of the Django project that the module is part of, which is set up before its import; empty: it
    is part of none."""
    calls_paths: tuple[str, ...] = ()
    """Folders where modules that the calls file imports are looked for after all others: those of the original, where
    the function is in another project."""
    libraries: tuple[str, ...] = ()
    """Libraries that are imported before the module: those that a version imports and the original does not. Names of
    anything else are ignored."""


class OwnCode:
    """The file of the module under test, and those of the project around it."""

    def __init__(self, ref: FunctionRef) -> None:
        self.file = ref.file
        top = ref.file.rpartition("/")[0]
        package = ref.module if ref.file.endswith("/__init__.py") else ref.module.rpartition(".")[0]
        for _ in package.split(".")[1:]:
            top = top.rpartition("/")[0]
        paths = [path for path in ref.paths if not path.endswith("-packages")]
        self.folders = tuple([f"{path}/" for path in [*([top] if package else []), *paths]])

    def has(self, file: object) -> bool:
        """Whether a file is one of them; what is installed below the project is not, unless it is what is judged."""
        if type(file) is not str or file == self.file:
            return file == self.file
        inside = next((folder for folder in self.folders if file.startswith(folder)), None)
        return inside is not None and "-packages/" not in file[len(inside) :]


# The calls that one run makes, as a value and as bytes; shared with the host.

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
    """Each an expression: `f(1, [2], key='x')`, `CALLS[3]`; to the controller long ones of numbers come packed."""
    program: Program = "check"
    question: Question = ""
    """Question of `inspect`:

    show       each call in words, none is made
    objects    what makes the recorded object that each call has as its argument (constructed.py), no call is made
    list       the calls file's CALLS and BIG as expressions
    shape      what the arguments and results of all calls are like, in words
    scene      what the module finds when it is called first: libraries, environment (import_hooks.py)
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
    known: tuple[str, ...] = ()
    """Digests of outcomes that the host has already: of a pass with these, none is shown. The code under test, which
    makes the digest of its own pass, is not told."""
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

    def for_worker(self, calls: tuple[str, ...], question: Question, spent: float) -> Self:
        """The part of the batch that a worker has to know: neither the number of passes, nor the limit of a call.
        question: the worker's own; spent: seconds of the calls that earlier workers made."""
        given = {name: getattr(self, name) for name in TOLD}
        calls = tuple([call for call in calls if type(call) is str])  # what is packed comes as code
        program = "inspect" if question else self.program
        return type(self)(calls, program, question, budget=self.budget - spent, **given)

    def stdin(self) -> bytes:
        """Encoding as the standard input of a run, and for a worker."""
        return dumps(self.fields(), FORMAT)


def batch_of(stdin: bytes) -> CallBatch:
    return CallBatch(**loads(stdin))


# Environments of runs: everything that a program can depend on except its input, as a value shared with the host.
#
# Both sides of a comparison run in the same environments. The consequence of a difference depends on the axis. Time
# zone, log level, hash seed, thread, folder, argument, variable and test mark reject. Decimal context, -O and
# recursion limit are removed by `plain`, and a difference that needs them is a caveat.

TEST_MARKS = (("PYTEST_CURRENT_TEST", "test_calls.py::test_calls (call)"), ("PYTEST_VERSION", "8.0.0"))
"""Variables by which code finds out that a test is running."""


class Environment(Record):
    """Environment of a run. A field that is empty or 0 leaves what the sandbox gives: UTC, C.UTF-8, one thread."""

    name: str = "usual"
    hash_seed: int = 0
    order: Order = "given"
    """Order of the calls of a run."""
    timezone: str = ""
    """Timezone as the variable TZ has it."""
    locale: str = ""
    """Locale as the variable LC_ALL has it."""
    log_level: int = 0
    """Level of the root logger."""
    warnings: Filter = "always"
    """Action of the filter for all warnings."""
    decimal: tuple[int, str] | None = None
    """Digits and rounding of decimal contexts."""
    recursion_limit: int = 0
    optimize: int = 0
    """Level of `python -O`."""
    thread: Thread = "main"
    """Thread that makes the calls; the module is imported in the main thread."""
    omp_threads: int = 0
    """Threads of libraries that are loaded with the module; one that is preloaded keeps its own."""
    folder: str = ""
    """Working folder of calls, relative to the usual one. It is created if it is missing."""
    argv: tuple[str, ...] = ()
    """Arguments of the process that makes the calls."""
    test_marks: bool = False
    variables: tuple[tuple[str, str], ...] = ()
    """Other values of variables that the original reads."""
    distinct: bool = False
    """Equal parts of the arguments are separate objects."""

    @property
    def plain(self) -> Self:
        """Return the environment without the settings whose effects are only caveats."""
        return self.replace(decimal=None, recursion_limit=0, optimize=0)

    def process_variables(self) -> dict[str, str]:
        """Return the environment variables of the process, without the hash seed."""
        own = {
            "TZ": self.timezone, "LC_ALL": self.locale, "PYTHONOPTIMIZE": self.optimize,
            "OMP_NUM_THREADS": self.omp_threads,
        }  # fmt: skip
        found = {name: str(value) for name, value in own.items() if value}
        return {**dict(self.variables), **found, **(dict(TEST_MARKS) if self.test_marks else {})}


USUAL = Environment()
SHIFTED = Environment(
    "shifted", 1, "shuffled", timezone="AAA+3:30BBB,M3.2.0,M11.1.0", locale="C", log_level=10, warnings="ignore",
    decimal=(9, "ROUND_DOWN"), recursion_limit=3000, optimize=1, folder="elsewhere", argv=("--other", "1"),
)  # fmt: skip
EMBEDDED = Environment("embedded", 2, "reversed", log_level=50, thread="other", omp_threads=2, test_marks=True)
NEIGHBOUR = Environment("neighbour", 1, "shuffled", distinct=True)
"""Environment of generated calls, which OLD makes in the usual environment."""
CONFIRMING = NEIGHBOUR.replace(hash_seed=2, order="reversed")
"""Environment of calls that confirm a candidate."""


def seeded(hash_seed: int) -> Environment:
    """The usual environment with another hash seed alone."""
    return USUAL.replace(hash_seed=hash_seed)


# Request to run tests, with its purpose; shared with the host.


class TestRequest(Record):
    """One run of existing tests."""

    __test__ = False

    job: TestJob
    tests: tuple[str, ...]
    """Paths or test ids."""
    folder: str
    """Folder to run in; empty for the current one."""
    most: int
    """Maximum number of calls of a function that are written down."""
    seconds: float
    """Time after which no further test is begun, seconds."""
    files: tuple[str, ...] = ()
    """Files whose functions are timed."""
    functions: tuple[str, ...] = ()
    """Functions whose calls are written down, each as `module qualname`."""


# Question to a user's own checker; shared with the host.

NO_LITERAL = "the call or an answer cannot be handed to the checker: it is no literal and no array, or too long"
"""Reason of refusal for answers that are objects, and for texts that are cut."""


class CheckerRequest(Record):
    """A checker, and the answers of calls or the outputs of programs that it is asked about."""

    source: str
    file: str
    """Name of its file, for tracebacks."""
    accept: str
    """Name of its function, which takes (arguments by name, expected, got), or (input, expected, got) of a program."""
    asked: tuple[tuple[Any, Any, Any], ...]
    """A call as an expression, what is expected and what is returned, each as JSON of a value. Of a program: input,
    expected output and printed output.

    The input is standard input as a text. If a program has more, it is a dict with `stdin`, `args` and `files`.
    """
    names: tuple[str, ...] = ()
    """Positional parameters of the function that was called."""


# Request to a profiler; shared with the host.

INTERVAL = 0.005
"""Seconds between Scalene's samples."""


class ProfileRequest(Record):
    """One profiled run. On standard input it is one line of JSON, and what follows is the program and its input."""

    mode: ProfileMode
    source: int
    """Bytes of the program's text."""
    stdin: int
    """Bytes of its input."""
    marker: str
    """Stands before the result, which the program may have printed something like."""
    max_seconds: float
    """Time limit of the program, seconds; samples until then count."""
    function: dict[str, Any] | None = None
    """Fields of a FunctionRef. The program is its module, and the function is called with the calls on the program's
    input.

    Lines are measured only from then on. Import and construction of arguments are excluded, with their time.
    """
    args: tuple[str, ...] = ()
