"""The values of an expression, and those that builtins, methods and standard modules give."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

UNKNOWN = "?"
"""Anything at all: a value that came from, or went to, code that is not followed."""


@dataclass(eq=False)
class Container:
    """All lists (dicts, sets, ...) that one place in the program makes."""

    kind: str
    """Kind: list, dict, set, tuple, deque or iterator."""
    elements: set[object] = field(default_factory=set)
    """The values that its elements, or the values of a dict, may have."""
    keys: set[object] = field(default_factory=set)
    escaped: bool = False
    """Whether code that is not followed may hold the container, and change it at any time. Its elements are unknown
    then, unless a type hint says them, and it may be the same object as another escaped one."""
    grows: bool = False
    """Whether reading a missing element adds it (a defaultdict)."""
    place: ast.AST | None = field(default=None, repr=False)
    """The node that makes the container."""

    def may_be(self, other: Container) -> bool:
        """Return whether both may be one and the same object."""
        if self is other:
            return True
        return self.escaped and other.escaped and self.kind == other.kind and _alike(self.elements, other.elements)


def _alike(one: set[object], other: set[object]) -> bool:
    """Whether the elements of one may be those of the other: a list of numbers is no list of lists."""
    if UNKNOWN in one | other or not one or not other:
        return True
    kinds = [{v.kind if isinstance(v, Container) else "scalar" for v in values} for values in (one, other)]
    return bool(kinds[0] & kinds[1])


@dataclass(frozen=True)
class FunctionValue:
    """A function or lambda of the program."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


Values = frozenset[object]
"""Strings for scalars ("int", "str", "none", ...), "@math.sqrt" for what is imported or built in, UNKNOWN, Container,
FunctionValue. Empty: nothing reaches this place."""

ANY: Values = frozenset({UNKNOWN})
INT: Values = frozenset({"int"})
FLOAT: Values = frozenset({"float"})
BOOL: Values = frozenset({"bool"})
STR: Values = frozenset({"str"})
BYTES: Values = frozenset({"bytes"})
NONE: Values = frozenset({"none"})
WHOLE = frozenset({"int", "bool"})
NUMBERS = frozenset({"int", "bool", "float"})
SCALARS = frozenset({"int", "bool", "float", "str", "bytes", "none", "complex"})


def union(groups: Iterable[Values]) -> Values:
    return frozenset(value for group in groups for value in group)


def deep(values: Iterable[object]) -> set[object]:
    """The values and everything in them."""
    found: set[object] = set()
    stack = list(values)
    while stack:
        value = stack.pop()
        if value not in found:
            found.add(value)
            if isinstance(value, Container):
                stack += [*value.elements, *value.keys]
    return found


def all_plain(values: Iterable[object]) -> bool:
    """Whether all values are numbers, text, functions, builtins, and containers of such: no object of a class of the
    program."""
    others = (value for value in deep(values) if value not in SCALARS)
    return all(isinstance(value, Container | FunctionValue) or str(value).startswith("@") for value in others)


def arithmetic(operator: ast.operator, left: Values, right: Values, positive_power: bool) -> Values | None:
    """The type of `left op right` for numbers and text; None when containers or unknown values take part."""
    if not left or not right:
        return frozenset()
    if left | right <= NUMBERS:
        if isinstance(operator, ast.Div):
            return FLOAT
        floats = FLOAT if "float" in left | right else frozenset()
        ints = INT if left - FLOAT and right - FLOAT else frozenset()
        if isinstance(operator, ast.Pow) and not positive_power:
            return ints | FLOAT | ({"complex"} if floats else frozenset())
        return ints | floats
    if isinstance(operator, ast.Add) and left | right in (STR, BYTES):
        return left
    if isinstance(operator, ast.Mod) and left == STR and not any(isinstance(v, Container) for v in right):
        return STR
    if isinstance(operator, ast.Mult):
        for text, count in ((left, right), (right, left)):
            if text in (STR, BYTES) and count <= {"int", "bool"}:
                return text
    return None


def hashable(values: Iterable[object]) -> bool:
    """Whether all values are numbers, text, None, or tuples of such: equal ones have equal hashes, without effects."""
    values = list(values)
    return bool(values) and hashable_or_empty(values)


def hashable_or_empty(values: Iterable[object]) -> bool:
    """Return whether all values are hashable. Also true for no values at all."""
    others = (value for value in values if value not in SCALARS)
    return all(isinstance(v, Container) and v.kind == "tuple" and hashable_or_empty(v.elements) for v in others)


# Results of builtins, methods and standard modules, and their effects on the containers that they are given.

RETURNS: dict[str, Values] = {
    **dict.fromkeys(("int", "len", "ord", "hash", "id", "math.gcd", "math.lcm", "math.factorial", "math.comb"), INT),
    **dict.fromkeys(("math.perm", "math.isqrt", "math.floor", "math.ceil", "math.trunc"), INT),
    **dict.fromkeys(("bisect.bisect", "bisect.bisect_left", "bisect.bisect_right", "random.randint"), INT),
    **dict.fromkeys(("sys.stdout.write", "sys.stderr.write"), INT),
    **dict.fromkeys(("sys.setrecursionlimit", "print", "heapq.heapify"), NONE),
    **dict.fromkeys(("float", "math.sqrt", "math.log", "math.log2", "math.log10", "math.sin", "math.cos"), FLOAT),
    **dict.fromkeys(("math.tan", "math.hypot", "math.pow", "math.exp", "math.atan2", "math.atan"), FLOAT),
    **dict.fromkeys(("math.radians", "math.degrees", "math.fabs", "math.dist"), FLOAT),
    **dict.fromkeys(("time.time", "random.random"), FLOAT),
    **dict.fromkeys(("bool", "any", "all", "isinstance", "callable", "math.isnan", "math.isinf"), BOOL),
    **dict.fromkeys(("str", "repr", "chr", "bin", "hex", "oct", "input", "format", "ascii"), STR),
    **dict.fromkeys(("numpy.array", "numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty", "numpy.arange"), ANY),
    **dict.fromkeys(("sys.stdin.readline", "sys.stdin.read", "sys.stdin.__next__"), STR),
    **dict.fromkeys(("sys.stdin.buffer.readline", "sys.stdin.buffer.read"), BYTES),
    **dict.fromkeys(("open().readline", "open().read", "open().__next__"), STR),
    "open().write": INT,
    "open().close": NONE,
}
"""Result by function, for functions whose arguments do not matter and stay as they are."""

VALUES: dict[str, Values] = {
    **dict.fromkeys(("math.pi", "math.e", "math.inf", "math.nan", "math.tau"), FLOAT),
    "sys.maxsize": INT,
    "string.ascii_lowercase": STR,
    "string.ascii_uppercase": STR,
    "string.digits": STR,
}

TEXT_FILE: Values = frozenset({"@open()"})
"""The value of `open(...)` for a file of text."""
READERS = {"sys.stdin": STR, "sys.stdin.buffer": BYTES, "open()": STR}
"""Type of a line, by the file that is iterated over."""

MADE_OF: dict[str, str] = {
    **dict.fromkeys(("list", "sorted"), "list"),
    **dict.fromkeys(("set", "frozenset"), "set"),
    "tuple": "tuple",
    "collections.deque": "deque",
    **dict.fromkeys(("iter", "reversed"), "iterator"),
}
"""Kind of the new container, by function, for functions that put the elements of an argument into one."""

TUPLES_OF = frozenset(
    {"itertools.permutations", "itertools.combinations", "itertools.product", "zip"}
    | {"itertools.combinations_with_replacement", "itertools.zip_longest"}
)
"""Functions that give tuples of the elements of their arguments."""

TEXT_METHODS: dict[str, Values] = {
    **dict.fromkeys(("strip", "lstrip", "rstrip", "lower", "upper", "replace", "join", "format", "title"), STR),
    **dict.fromkeys(("capitalize", "swapcase", "zfill", "ljust", "rjust", "center", "translate", "decode"), STR),
    **dict.fromkeys(("removeprefix", "removesuffix"), STR),
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), INT),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isupper", "islower"), BOOL),
    **dict.fromkeys(("isspace", "isnumeric"), BOOL),
    "encode": BYTES,
}
SPLITS = frozenset({"split", "rsplit", "splitlines", "readlines"})

ADDS = {"append": 0, "appendleft": 0, "add": 0, "insert": 1, "extend": -1, "extendleft": -1, "update": -1}
"""Methods that put an argument into the container, with its position; -1: the elements of the first argument."""

TAKES = frozenset({"pop", "popleft", "__next__", "popitem"})
"""Methods that give an element."""

QUIET_METHODS: dict[str, Values] = {
    **dict.fromkeys(["sort", "reverse", "remove", "discard", "clear", "rotate"], NONE),
    **dict.fromkeys(["index", "count", "bit_length", "bit_count"], INT),
    **dict.fromkeys(["issubset", "issuperset", "isdisjoint"], BOOL),
}
COPIES = frozenset({"copy", "union", "intersection", "difference", "symmetric_difference"})

_QUIET_CHANGES = {name for name, result in QUIET_METHODS.items() if "none" in result}
MUTATING = frozenset(ADDS) | {"setdefault", "popitem", "__next__"} | _QUIET_CHANGES | TAKES
READING = (
    frozenset({"index", "count", "get", "keys", "values", "items"}) | COPIES | {"issubset", "issuperset", "isdisjoint"}
)
QUIET_CALLS = (
    frozenset(RETURNS)
    | frozenset(MADE_OF)
    | TUPLES_OF
    | {"range", "map", "filter", "enumerate", "min", "max", "sum", "abs", "round", "pow", "divmod", "dict", "next"}
    | {"type", "slice", "zip", "collections.Counter", "collections.defaultdict", "functools.reduce"}
    | {"itertools.accumulate", "itertools.chain", "sys.stdin.readlines", "open().readlines"}
    | {"copy.copy", "copy.deepcopy"}
)
HEAPS = frozenset({"heapq.heappush", "heapq.heappop", "heapq.heapify", "heapq.heappushpop", "heapq.heapreplace"})
GOING_THROUGH = frozenset({"all", "any", "dict", "max", "min", "next", "sum", "functools.reduce"}) | frozenset(MADE_OF)
"""Functions that iterate over their argument at once; those that only make an iterator of it are left out."""
ALL_OF_IT = frozenset({"extend", "extendleft", "update", "join", "issubset", "issuperset", "isdisjoint"}) | COPIES
"""Methods that iterate over their argument at once."""
LEAVING = frozenset({"exit", "quit", "sys.exit"})
OUTSIDE = ("print", "input", "open", "sys.std", "random.", "time.")
"""Prefixes of functions whose calls differ from no call: they print or read, or give another result each time."""
