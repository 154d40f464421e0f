"""Calls that are made up from annotations: objects of the project's own classes, from what their definitions say."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.report.outcomes import why
from codeopt.workloads.function.calls.counterexample import find_names
from codeopt.workloads.function.corpus.sources import Ask
from codeopt.workloads.function.corpus.sources.hints import find
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import Call, read
from tests.support.judges import function_judge, open_with

pytestmark = pytest.mark.full

TYPES = """\
import enum
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, Generic, NamedTuple, NewType, Protocol, TypedDict, TypeVar

Sku = NewType("Sku", str)
Row = list[int]
T = TypeVar("T", bound="Kind")

class Kind(enum.Enum):
    RAW = "raw"
    MADE = "made"

@dataclass(frozen=True)
class Item:
    sku: Sku
    kind: "Kind"
    price: float = 0.0
    parts: tuple[str, ...] = field(default=())
    unit: ClassVar[str] = "kg"
    hidden: int = field(init=False, default=3)

@dataclass(frozen=True)
class Box(Item):
    _: KW_ONLY
    size: int = 1
    more: list[str] = field(default_factory=list)

class Point(NamedTuple):
    x: int
    y: int = 0

class Options(TypedDict):
    name: str
    deep: bool

@dataclass(frozen=True)
class Node:
    value: int
    left: "Node | None" = None
    right: "Node | None" = None
    rest: "list[Node]" = field(default_factory=list)

class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...

class Square(Shape):
    def __init__(self, side: float = 1.0) -> None:
        self.side = side

    def area(self) -> float:
        return self.side**2

class Cube(Square):
    def __init__(self, *, edge: float) -> None:
        super().__init__(edge)

class Unknown:
    def __init__(self, thing, other) -> None: ...
"""
MODULE = """\
from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from pkg import Point
from . import types
from .types import Box, Item, Node, Options, Row, Shape, T, Unknown
if TYPE_CHECKING:
    from .types import Kind

class Stock:
    class Shelf:
        def __init__(self, width: int) -> None:
            self.width = width

        def half(self) -> int:
            return self.width // 2

    def __init__(self, items: list[Item], *, name: str = "") -> None:
        self.items, self.counts = items, {}
        self._lock = threading.Lock()

    def add(self, sku: str, number: int = 1) -> None:
        self.counts[sku] = self.counts.get(sku, 0) + number

    def total(self, least: int) -> int:
        return sum(n for n in self.counts.values() if n > least)

    @property
    def value(self) -> float:
        return sum(item.price for item in self.items)

    @property
    def level(self) -> int:
        return self.counts.get("", 0)

    @level.setter
    def level(self, value: int) -> None:
        self.counts[""] = value

class Store(Stock):
    def add(self, sku: str, number: int = 1) -> None:
        super().add(sku, 2 * number)

def items(x: list[Item], kind: Kind):
    return 1

def boxes(x: types.Box):
    return 1

def points(x: Point, *, y: Optional[Point]):
    return 1

def options(x: Options):
    return 1

def nodes(x: Node):
    return 1

def rows(x: Row, y: T):
    return 1

def shapes(x: Shape):
    return 1

def unknown(x: Unknown):
    return 1

def unknown_or_none(x: Unknown | None):
    return 1

def days(x: date, y: datetime.timedelta, z: Decimal, p: Path):
    return 1

def mapped(f: Callable[[int], str], x: Iterator[Item]):
    return 1

def optional(x: int, y: Unknown = None, n=3):
    return 1

"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose classes stand in another module than the functions."""
    root = tmp_path_factory.mktemp("project")
    (root / "pkg").mkdir()
    for name, text in (("__init__", "from .types import Point\n"), ("types", TYPES), ("mod", MODULE)):
        (root / "pkg" / f"{name}.py").write_text(text)
    (root / "pyproject.toml").write_text("")
    subprocess.run(["git", "-C", str(root), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    return root / "pkg"


MADE = {
    "Stock.total": ("(Stock([Item(", "(Store([", "do.add('", "do.__setattr__('level', "),
    "Stock.value": ("(Stock([", "do.add('"),
    "Stock.Shelf.half": ("f(Stock.Shelf(",),
    "items": ("f([Item('", "Kind.RAW", "Kind.MADE", "parts=("),
    "boxes": ("f(Box('", "size=", "more=["),
    "points": ("f(Point(", "y=None", "y=Point("),
    "options": ("f({'name': '", "'deep': True"),
    "nodes": ("f(Node(", "left=Node(", "rest=[Node(", "right=None"),
    "rows": ("f([", "Kind.RAW"),
    "shapes": ("f(Square(side=", "f(Cube(edge="),
    "unknown_or_none": ("f(None)",),
    "days": ("f(datetime.date(", "datetime.timedelta(", "Decimal('", "pathlib.Path('"),
    "mapped": ("f(str, iter([", "f(len, ", "Item('"),
    "optional": ("f(", "n="),
}


def test_objects_are_made_of_what_their_classes_take(package: Path) -> None:
    """All functions in one sandbox: the original can be called with nearly everything that is made up."""
    assert "pkg" not in sys.modules
    first = read_function(package / "mod.py", "items")
    with open_harness(first, open_with) as harness:
        for name, parts in MADE.items():
            function = read_function(package / "mod.py", name)
            target = harness.target.replace(qualname=name)
            ((_, calls),) = find(Ask(replace(harness, function=function, target=target))).calls
            assert len(calls) > (0 if name == "unknown_or_none" else 20), name
            shown = find_names(calls, lambda calls: (), "pkg")
            text = "\n".join(map(shown.readable, calls))
            assert [part for part in parts if part not in text] == [], (name, calls[:5])
            assert [call for call in calls if not isinstance(made := read(call), Call) or made.text() != call] == []
            answers = replace(harness, target=target).ask(tuple(calls[:40]), seconds=1.0, lost=3).lines
            assert sum(line.startswith("returns ") for line in answers) > 0.9 * len(answers), (name, answers[:3])
        assert find(Ask(replace(harness, function=read_function(package / "mod.py", "unknown")))).calls == ()
    assert "pkg" not in sys.modules, "the module is read, not imported"


OLD = """\
from dataclasses import dataclass

@dataclass(frozen=True)
class Item:
    sku: str
    price: float = 1.0

class Depot:
    def __init__(self, items: list[Item]) -> None:
        self.items = items

    def twice(self) -> list[str]:
        seen, found = [], []
        for item in self.items:
            if item.sku in seen and item.sku not in found:
                found.append(item.sku)
            seen.append(item.sku)
        self.asked = True
        return found
"""
RIGHT = """\
        seen, found = set(), {}
        for item in self.items:
            if item.sku in seen:
                found[item.sku] = None
            seen.add(item.sku)
        self.asked = True
        return list(found)
"""


def test_a_method_is_judged_by_made_up_objects(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    head = OLD[: OLD.index("        seen, found")]
    with function_judge(Target(tmp_path / "old.py", "Depot.twice")) as judge:
        evidence = judge.workload.evidence()
        right = judge.check(Revision.of(head + RIGHT), "a person's")
        wrong = judge.check(Revision.of(head + RIGHT.replace("list(found)", "sorted(found)")), "a person's")
    assert evidence.checked.sources["type_hints"] > 50
    assert evidence.checked.line_coverage == 1.0
    assert "grown from the given ones" in evidence.timed
    assert right.correct, why(right)
    assert "Depot.twice(Depot([Item(" in why(wrong)
    assert "a call generated" in why(wrong)
    assert len(why(wrong)) < 450, why(wrong)
