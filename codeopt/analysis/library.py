"""Results of builtins, methods and standard modules, and their effects on the containers that they are given."""

from __future__ import annotations

from codeopt.analysis.values import ANY, BOOL, BYTES, FLOAT, INT, NONE, STR, Values

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
