"""The same is observed of the same calls: each kind of value, of effect and of question, in each environment and in
each way of playing several calls. `python -m tests.sandbox.test_same_answers` rewrites the table."""
# looks at sandbox/codeopt_sandbox/guest/calls, sandbox/codeopt_sandbox/guest/zygote, sandbox/codeopt_sandbox/guest/request, sandbox/codeopt_sandbox/guest/answer, sandbox/codeopt_sandbox/guest/libraries, sandbox/codeopt_sandbox/call

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.calls import scenarios
from codeopt_sandbox.guest.request import CONFIRMING, EMBEDDED, NEIGHBOUR, SHIFTED, USUAL, Environment, seeded
from tests.conftest import open_or_skip
from tests.support.recorded import Row, compared_with, write_down

TABLE = Path(__file__).with_name("same_answers.txt")
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the texts of values are those of Python 3.11")
MODULE = """\
import array, asyncio, collections, contextvars, dataclasses, datetime, decimal, enum, fractions, functools, gc, io
import itertools, logging, os, pathlib, random, re, signal, sys, threading, time, types, warnings

log = logging.getLogger(__name__)
TABLE, COUNT, ROWS, KEPT = list(range(5000)), [], {"a": [1]}, {}


class Box:
    kind = "box"

    def __init__(self, items=(), name="b"):
        self.items, self.name, self._cache = list(items), name, None

    def add(self, item):
        self.items.append(item)
        self._cache = len(self.items)
        return self

    def __len__(self):
        return len(self.items)

    @property
    def first(self):
        return self.items[0]


class Equal(Box):
    def __eq__(self, other):
        return type(other) is Equal and self.items == other.items

    def __hash__(self):
        return hash(tuple(self.items))

    def __lt__(self, other):
        return self.items < other.items


@dataclasses.dataclass(order=True)
class Point:
    x: int
    tags: list = dataclasses.field(default_factory=list)


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Colour(enum.Flag):
    RED = 1
    BLUE = 2


class Bad(ValueError):
    def __init__(self, at, *more):
        super().__init__(at, *more)
        self.at = at


Pair = collections.namedtuple("Pair", "one two")


def gen(n, late=None):
    for k in range(n):
        got = yield k
        if got:
            yield ("sent", got)
    if late:
        raise late
    return "end"


async def waits(n):
    await asyncio.sleep(0)
    return [n]


VALUES = {
    "plain": lambda: [0, -1, 2**70, 1.5, -0.0, float("nan"), float("inf"), 1j, True, None, "a", "\\\\u00e9\\\\ud800", b"\\\\x00"],
    "containers": lambda: [(1,), [1], {1, "a"}, frozenset({2}), {"k": 1, 2: ()}, bytearray(b"a"), collections.deque([1], 3)],
    "collections": lambda: [collections.Counter("aab"), collections.OrderedDict(a=1), collections.defaultdict(list, a=[1]),
                            collections.ChainMap({"a": 1}, {"b": 2}), types.SimpleNamespace(a=1), types.MappingProxyType({1: 2})],
    "standard": lambda: [decimal.Decimal("1.10"), fractions.Fraction(1, 3), datetime.datetime(2020, 1, 2, 3), pathlib.PurePath("a"),
                         re.compile("a+", re.I), range(1, 9, 2), slice(1, 2), array.array("d", [1.5]), memoryview(b"ab"), uuid()],
    "classes": lambda: [int, Box, Colour.RED | Colour.BLUE, Colour.RED, collections, len, gen, Box.add, NotImplemented, ...],
    "objects": lambda: [Box([1]), Equal([1]), Point(1, ["a"]), Slots(1), Pair(1, 2), Bad(3), Box([Box()]).add(2)],
    "iterators": lambda: [iter([1]), gen(3), map(str, [1]), zip("ab"), enumerate("a"), itertools.chain([1], [2]), reversed([1])],
    "shared": lambda: (lambda one: [one, one, [one], {"k": one}])([1]),
    "circle": lambda: (lambda one: one.append(one) or one)([1]),
    "deep": lambda: functools.reduce(lambda inner, _: [inner], range(400), []),
    "long": lambda: ["x" * 5000, list(range(3000)), {str(k): k / 7 for k in range(300)}, b"y" * 5000],
    "floats": lambda: [k / 7 for k in range(40)],
    "functions": lambda: [lambda: 0, functools.partial(len, [1]), functools.lru_cache(len), Box().add, staticmethod(len)],
    "standing": lambda: [itertools.count(3), itertools.repeat(1, 2), (lambda it: [next(it), it])(iter([1, 2, 3])), map(str, itertools.count())],
    "io": lambda: [io.StringIO("ab"), io.BytesIO(b"a"), open(os.devnull), threading.Lock()],
}


def uuid():
    import uuid as module
    return module.UUID(int=5)


def left(name):
    return {
        "state": lambda: COUNT.append(len(COUNT)), "table": lambda: TABLE.__setitem__(7, 0), "rows": lambda: ROWS["a"].append(2),
        "class": lambda: setattr(Box, "kind", "other"), "function": lambda: setattr(f, "calls", 1), "new": lambda: globals().update(NEW=1),
        "file": lambda: pathlib.Path("written.txt").write_text("x"), "process": lambda: os.system("true"),
    }[name]()


def said(name):
    return {
        "print": lambda: print("one"), "stderr": lambda: print("odd", file=sys.stderr), "write": lambda: os.write(1, b"two"),
        "below": lambda: os.write(2, b"three"), "warn": lambda: warnings.warn("old", DeprecationWarning), "log": lambda: log.warning("odd %s", 1),
        "debug": lambda: log.debug("small"), "binary": lambda: sys.stdout.buffer.write(b"\\\\xff"), "empty": lambda: print(end=""),
        "long": lambda: print("z" * 9000),
    }[name]()


def raised(name):
    raise {"value": ValueError("no"), "own": Bad(1, [2]), "key": KeyError("k"), "group": ExceptionGroup("g", [ValueError(1)]),
           "os": OSError(2, "no file", "a.txt"), "stop": StopIteration(3), "exit": SystemExit(4), "unicode": UnicodeDecodeError("utf-8", b"\\\\xff", 0, 1, "bad"),
           "base": KeyboardInterrupt(), "cause": RuntimeError("later"), "memory": MemoryError()}[name]


def kept(x):
    KEPT.setdefault(repr(x), x)
    return KEPT[repr(x)]


def changes(a, b=None):
    if isinstance(a, list):
        a.append(len(a))
    if isinstance(a, dict):
        a.pop(next(iter(a)), None)
    if isinstance(a, Box):
        a.add(1)
    return b if b is not None else a


def calls_back(xs, key):
    return [key(x) for x in xs]


def odd(n):
    if n > 3:
        return "many"
    if n < 0:
        raise ValueError(n)
    total = 0
    for k in range(n):
        total += k
    return total


def f(how, *args, **more):
    if how == "value":
        return VALUES[args[0]]()
    if how == "yield":
        return gen(*args)
    return globals()[how](*args, **more)
"""
CALLS_FILE = """\
from mod import Box, Point
CALLS = [("value", "plain"), (("kept", [1]), {}), (["changes", Box([3])], {"b": 2}), ("odd", 2)]
BIG = [(("odd", 3), {}), (("calls_back", [1, 2], abs), {})]
"""
VALUES = ("plain", "containers", "collections", "standard", "classes", "objects", "iterators", "shared", "circle", "deep",
          "long", "floats", "functions", "standing", "io")  # fmt: skip
LEFT = ("state", "table", "rows", "class", "function", "new", "file", "process")
SAID = ("print", "stderr", "write", "below", "warn", "log", "debug", "binary", "empty", "long")
RAISED = ("value", "own", "key", "group", "os", "stop", "exit", "unicode", "base", "cause", "memory")
BOX, POINT, EQUAL = (f"load('mod', '{name}')" for name in ("Box", "Point", "Equal"))
ARGUMENTS = (
    "f('changes', [1, 2])", "f('changes', {'a': 1})", f"f('changes', {BOX}([1]))", "f('changes', [[1], [1]], b=3)",
    f"f('kept', {POINT}(1, tags=['a']))", f"f('changes', used({BOX}([1]), do.add(2)))", "f('kept', deque([1], 2))",
    "f('changes', iter([1, 2]))", "f('kept', Decimal('1.5'))", f"f('kept', {EQUAL}([1, 2]))", "f('calls_back', [3, -1], abs)",
    "f('odd', 2)", "f('odd', -1)", "f('odd', 9)", "f('yield', 3)", "f('yield', 2, ValueError(1))", "f('nothing')", "f(",
    "f('kept', inf, nan)", "f('changes', (1, [2]))", "f('changes', [[[[[[1], 2], 3], 4], 5], 6], 7)", "f('kept', set([1]))", "CALLS[0]", "CALLS[2]", "BIG[1]", "CALLS[9]",
)  # fmt: skip
TOGETHER = ("f('kept', [1, 2])", "f('kept', [1, 2])", "f('changes', [3])", "f('yield', 3)")


def of(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"f({kind!r}, {name!r})" for name in names)


GUEST: list[Sandbox] = []
"""The sandbox that all rows share."""


def answers(
    calls: tuple[str, ...], environment: Environment = USUAL, ref: dict[str, object] | None = None, **batch: object
) -> Iterator[object]:
    """All that is observed of calls but what they take."""
    known = FunctionRef(
        "mod", "/nowhere/mod.py", "f", globals=("TABLE", "COUNT", "ROWS"), classes=("Box",), attributes=("f.calls",),
        calls_file=CALLS_FILE, first_line=MODULE[: MODULE.index("def f(")].count("\n") + 1,
    )  # fmt: skip
    runner = CallRunner(GUEST[0], known.replace(**ref or {}))
    run = runner.ask(MODULE, CallBatch(calls, **batch), environment)  # type: ignore[arg-type]
    if run.answer is None:
        yield run.failure, run.exit, run.stderr
        return
    for outcome in run.answer.outcomes:
        yield outcome.text
        yield from (outcome.replace(seconds=0.0, steps=()).fields(), outcome.observed())
        yield from (step.replace(seconds=0.0).fields() for step in outcome.steps)
    left = run.answer.left  # in which order the standard library imports itself changes from 3.11.2 to 3.11.7
    yield from (run.answer.texts, run.answer.state and run.answer.state.fields())
    yield left and left.replace(libraries=tuple(sorted(left.libraries)))
    yield run.answer.covered and (sorted(run.answer.covered[0]), *run.answer.covered[1:])
    yield len(run.answer.times.cpu), len(run.answer.times.exits), run.answer.memory is None


def played() -> dict[str, Row]:
    """Scenarios, of calls that fit them or do not."""
    steps = {name: value for name, value in vars(scenarios).items() if name.isupper() and isinstance(value, tuple)}
    steps |= {"same_twice": scenarios.same_twice(1, 2), "same_rows": scenarios.same_rows(1)}
    steps["with_setting"] = scenarios.with_setting("COUNT", 5)
    names, pairs = [*steps], (
        TOGETHER[:2], TOGETHER[1:3], ("f('yield', 3)", "f('yield', 4)"),
        ("f('calls_back', [1, 2], abs)", "f('calls_back', [3], abs)"), ("f('changes', [[1], [2]], [1])",) * 2,
        (f"f('changes', {BOX}([1]), 5)", f"f('changes', {BOX}([2]), 5)"),
    )  # fmt: skip
    found: dict[str, Row] = {}
    for at in range(0, len(names), 4):
        some = names[at : at + 4]
        calls = tuple(f"{scenarios.SCENARIO}({steps[name]!r}, {one}, {other})" for name in some for one, other in pairs)
        found[f"together: {some[0]}"] = partial(answers, calls, program="combine")
    return found


def rows() -> dict[str, Row]:
    raised, values = of("raised", RAISED), of("value", VALUES)
    found: dict[str, Row] = {
        "values": partial(answers, values), "said": partial(answers, of("said", SAID)), "raised": partial(answers, raised),
        "arguments": partial(answers, ARGUMENTS), "views": partial(answers, (*values, *ARGUMENTS), views=True),
        "results": partial(answers, values, results=True), "few items": partial(answers, values, items=2),
        "lines": partial(answers, ("f('odd', 2)", "f('value', 'plain')"), lines=True),
        "shown": partial(answers, ARGUMENTS, program="inspect", question="show"),
        "listed": partial(answers, (), program="inspect", question="list"),
        "objects": partial(answers, ARGUMENTS, program="inspect", question="objects"),
        "shapes": partial(answers, (*values, *ARGUMENTS), program="inspect", question="shape"),
        "libraries": partial(answers, ("json", "colorsys", "no_such"), program="inspect", question="libraries"),
        "timed": partial(answers, ("f('odd', 2)", "f('kept', [1])", "f('left', 'state')"), program="time", passes=3, warm=1),
        "timed whole": partial(answers, ("f('odd', 2)", "f('kept', [1])"), program="time", passes=2, whole=True),
        "timed shared": partial(answers, (ARGUMENTS[2],) * 3, program="time", passes=2, shared=True),
        "timed memory": partial(answers, ("f('value', 'long')",), program="time", memory=True),
        "timed groups": partial(answers, ("f('odd', 1)", "f('odd', 2)", "f('odd', 3)"), program="time", warm=1, groups=(1, 1)),
        "timed iterators": partial(answers, ("f('yield', 3)",), program="time", iterators="flat"),
        "a generator": partial(answers, ("f('yield', 3)",), ref={"generator": True, "receives": True}),
        "whole answers": partial(answers, values, ref={"whole_answers": True}),
        "little memory": partial(answers, ("f('kept', [0] * 10**8)", "f('odd', 1)"), ref={"memory_bytes": 200 << 20}),
        "a coroutine": partial(answers, ("f(3)",), ref={"qualname": "waits", "asynchronous": True}),
        "a method": partial(answers, (f"f({BOX}([1]), 2)",), ref={"qualname": "Box.add"}),
        "a property": partial(answers, (f"f({BOX}([1]))", f"f({BOX}())"), ref={"qualname": "Box.first"}),
        "none of that name": partial(answers, ("f()",), ref={"qualname": "nowhere"}),
        "no time": partial(answers, ("f('odd', 1)", "f('odd', 2)"), budget=1e-9),
    }  # fmt: skip
    found |= {f"ordered: {each}": partial(answers, of("value", VALUES[:9]), ordered=each) for each in ("lists", "none")}
    for environment in (SHIFTED, EMBEDDED, NEIGHBOUR, CONFIRMING, seeded(7), SHIFTED.plain):
        name = environment.name if environment is not SHIFTED.plain else "plain"
        name = f"{name} {environment.hash_seed} {environment.order}"
        found[f"observed: {name}"] = partial(answers, (*values, *raised, *of("said", SAID), *ARGUMENTS), environment)
    left = {f"left: {LEFT[at]}": partial(answers, of("left", LEFT[at : at + 6])) for at in range(0, len(LEFT), 6)}
    return {**found, **played(), **left}


ROWS = rows()


@pytest.fixture(scope="module", autouse=True)
def guest() -> Iterator[None]:
    with open_or_skip("bubblewrap") as opened:
        GUEST.append(opened)
        yield
        GUEST.clear()


test_the_same_is_observed, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    with open_or_skip("bubblewrap") as opened:
        GUEST.append(opened)
        write_down(TABLE, ROWS)
