"""What a recorder keeps of the calls of each kind of function: which, how many, and what they give is the same."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from types import ModuleType
from typing import Any

import pytest

from codeopt_sandbox.guest.tests import wrappers
from codeopt_sandbox.guest.tests.recorder import RECORDED, CallRecorder
from codeopt_sandbox.guest.tests.wrappers import Schedule

SHOP = """\
import functools

def plain(a, b=2):
    "Sum."
    return a + b

def deep(n):
    return 0 if n < 1 else 1 + deep(n - 1)

async def later(n):
    return n

def gen(n):
    yield n

def taken(items):
    return items.pop()

def total(items):
    return sum(items)

def doubled(items):
    for item in items:
        yield 2 * item

def begun(items):
    return next(items)

def all_of(items):
    return len([*items])

def ended(items, most):
    read = [item for _, item in zip(range(most), items)]
    items.close()
    return read

def same(items):
    return items

def failing(function, *given):
    try:
        function(*given)
    except IndexError:
        pass

class Box:
    def __init__(self, n=0):
        self.n = n

    def add(self, k):
        return self.n + k

    @staticmethod
    def made(n):
        return n * 2

    @classmethod
    def of(cls, n):
        return cls(n).n

    @property
    def first(self):
        return self.n

    @functools.cached_property
    def kept(self):
        return self.n + 1
"""


def recorded(name: str, use: str, most: int = 50) -> tuple[Any, list[str], CallRecorder, ModuleType]:
    """What the use gives, what is written down, and by what."""
    module = ModuleType("shop")
    exec(SHOP, module.__dict__)
    module.__dict__.update(asyncio=asyncio, threading=threading)
    found = list[str]()
    made = CallRecorder("shop", name, most, found.append)
    sys.modules["shop"] = module
    try:
        made.put_before(module)
        return eval(use, module.__dict__), found, made, module
    finally:
        del sys.modules["shop"]


@pytest.mark.parametrize(
    ("name", "use", "gives", "written"),
    [
        ("plain", "plain(1), plain(1), plain(2, b=5)", (3, 3, 7), ["f(1)", "f(2, b=5)"]),
        ("deep", "deep(3), deep(1), deep(120)", (3, 1, 120), ["f(3)", "f(1)", "f(120)"]),
        ("later", "asyncio.run(later(4))", 4, ["f(4)"]),
        ("gen", "[*gen(1)]", [1], ["f(1)"]),
        ("taken", "taken([1, 2])", 2, ["f([1, 2])"]),
        (
            "total",
            "total(n for n in (1, 2)), total(items=map(abs, [-3]))",
            (3, 3),
            ["f(iter([1, 2]))", "f(items=iter([3]))"],
        ),
        ("doubled", "[*doubled(map(abs, [-1, 2]))]", [2, 4], ["f(iter([1, 2]))"]),
        ("Box.made", "Box.made(3), Box().made(4)", (6, 8), ["f(3)", "f(4)"]),
        ("Box.of", "Box.of(3)", 3, ["f(3)"]),
        ("Box.add", "Box(1).add(2)", 3, ["f(unpickle("]),
        ("Box.first", "Box(5).first", 5, ["f(unpickle("]),
        ("Box.kept", "(box := Box(5)).kept + box.kept", 12, ["f(unpickle("]),
        ("gone", "plain(1)", 3, []),
    ],
)
def test_each_kind_of_function(name: str, use: str, gives: object, written: list[str]) -> None:
    found, lines, made, module = recorded(name, use)
    assert found == gives
    assert len(lines) == len(written)
    assert all(line.startswith(start) for line, start in zip(lines, written, strict=True))
    assert made.lost == {}
    assert made.of_class is (name == "Box.of")


@pytest.mark.parametrize(
    ("name", "use", "end"),
    [
        ("plain", "plain(1)", "returned 3"),
        ("plain", "plain([1], [2])", "returned [1, 2]"),
        ("plain", "plain([], [Box])", "returned"),
        ("same", "same([1])", "returned"),  # a part of the arguments, which a copy is not
        ("deep", "deep(3)", "returned 3"),
        ("later", "asyncio.run(later(4))", "returned 4"),
        ("gen", "[*gen(1)]", ""),
        ("Box.first", "Box('a').first", "returned 'a'"),
        ("taken", "failing(taken, [])", "raised IndexError"),
    ],
)
def test_what_a_call_gives_is_written_down_with_it(name: str, use: str, end: str) -> None:
    how, _, rest = recorded(name, use)[1][0].partition(RECORDED)[2].partition(" ")
    assert f"{how} {rest.partition(' ')[2] if how == 'returned' else rest}".strip() == end


def test_it_is_known_by_the_same_name() -> None:
    *_, module = recorded("plain", "0")
    assert (module.plain.__name__, module.plain.__doc__, module.plain.__module__) == ("plain", "Sum.", "shop")
    assert module.plain.__wrapped__ is not module.plain
    assert inspect.iscoroutinefunction(recorded("later", "0")[-1].later)


@pytest.mark.parametrize(
    ("name", "use", "most", "kept"),
    [
        ("plain", "[plain(n) for n in range(5)]", 5, 5),
        ("plain", "[plain(5 - n) for n in range(5)]", 3, 3),
        ("plain", "[plain(n) for n in range(5)]", 3, 5),  # each is the largest so far
        ("plain", "[plain('x' * n, '') for n in (900_000, 700_000)] + [plain(f'{n}', '') for n in range(30)]", 50, 12),
        ("taken", "[taken([n] * 9) for n in range(900)]", 500, 62),  # 15 of a shape, then 8 each time they double
        ("deep", "[threading.Thread(target=deep, args=(n,)).start() for n in range(3)]", 50, 3),
    ],
)
def test_a_bounded_sample_is_kept(name: str, use: str, most: int, kept: int) -> None:
    assert len(recorded(name, use, most)[1]) == kept


@pytest.mark.parametrize(("length", "lost"), [(999_999, 0), (1_000_000, 1)])
def test_a_call_that_is_too_long_is_counted(length: int, lost: int) -> None:
    _, lines, made, _ = recorded("plain", f"plain('x' * {length - 9}, '')")  # f('...', '')
    assert lines[0].startswith("# " if lost else "f('xxx")
    assert sum(made.lost.values()) == lost


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("taken", "[taken([k for k in ()] or [(k for k in ())]) for _ in range(3)]"),
        ("begun", "[begun(k for k in (1, 2)) for _ in range(3)]"),  # the second item is not known
        ("ended", "[ended((k for k in (1, 2)), 5) for _ in range(3)]"),  # a list has no close()
        ("all_of", "[all_of(Box for _ in 'a') for _ in range(3)]"),  # a class of a module that is gone
    ],
)  # fmt: skip
def test_calls_that_have_no_text_are_counted_by_their_reason(name: str, use: str) -> None:
    _, lines, made, _ = recorded(name, use)
    assert list(made.lost.values()) == [3]
    assert lines == [f"# {next(iter(made.lost))}"]


def test_a_function_closes_the_generator_that_it_is_given() -> None:
    assert recorded("ended", "[*ended((kept := (k for k in (1, 2, 3))), 1), *kept]")[0] == [1]


def test_the_first_calls_are_all_looked_at_and_then_fewer() -> None:
    schedule, looked = Schedule(), []
    for number in range(20_000):
        if schedule.is_due((0,), {}):
            looked.append(number)
            schedule.taken(lambda n: n, (0,), {})
    first = wrappers.MIN_SAMPLED_CALLS
    assert looked[:first] == list(range(first))
    assert 300 < len(looked) - first < 900
    assert max(b - a for a, b in zip(looked, looked[1:], strict=False)) > 50


def by_name(first: Any, *rest: Any, key: Any) -> None:
    """A parameter that no call gives by position."""


def by_position(first: Any, items: Any = ()) -> None:
    """A parameter that calls give both ways."""


@pytest.mark.parametrize(
    ("function", "learned", "large", "small"),
    [
        (by_name, ((1,), {"key": [1, 2]}), ((1, 2, 3), {"key": [0] * 999}), ((1, [0] * 99, 3), {"key": [1]})),
        (by_name, ((1, [1, 2]), {"key": 1}), ((1, [0] * 999), {"key": 1}), ((1, [1]), {"key": [0] * 999})),
        (by_position, ((1, [1, 2]), {}), ((1,), {"items": [0] * 999}), ((1, [1]), {})),
        (by_position, ((1, [1, 2]), {}), ((1, [0] * 999), {}), ((1,), {})),
    ],
)
def test_a_large_call_is_looked_at(function: Any, learned: Any, large: Any, small: Any) -> None:
    schedule = Schedule()
    schedule.taken(function, *learned)
    schedule.left = wrappers.MIN_SAMPLED_CALLS
    assert schedule.is_due(*large)
    assert not schedule.is_due(*small)
