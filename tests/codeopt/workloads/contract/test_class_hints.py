"""Objects of a module's classes: which are made of what their hints say, and what more evidence changes of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.contract.declared import class_hints, declared_types
from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.source.functions import Function, read_function
from codeopt.workloads.source.literals import read

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = """\
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Optional, Union
import attrs

@attrs.define
class Entry:
    key: str
    weight: float = 1.0

class Heavy(Entry):
    pass

class Other(NamedTuple):
    at: int

@dataclass
class Bag:
    MOST: ClassVar[int] = 3
    entries: list[Entry] = field(default_factory=list)
    version: "int | None" = 0
    by_key: dict[str, Optional[Entry]] = field(default_factory=dict)
    odd: Union[Entry, int] = 0

    def add(self, entry: Entry):
        self.entries.append(entry)

    def f(self):
        return len(self.entries)

class Loose:
    def __init__(self, things):
        self.things = things
"""
BAG, ENTRY, HEAVY, OTHER = (f"load('pkg.bags', '{name}')" for name in ("Bag", "Entry", "Heavy", "Other"))
KEPT = [
    f"f({BAG}())",
    f"f({BAG}([{ENTRY}('a', 2)]))",
    f"f({BAG}(entries=[{HEAVY}('a', 2.5)], version=None))",
    f"f({BAG}(by_key={{'a': None, 'b': {ENTRY}('b')}}, odd=3))",
    f"f(used({BAG}(), do.add({ENTRY}('a'))))",
]
FORBIDDEN = [
    f"f({BAG}(entries=[4]))",
    f"f({BAG}([None]))",
    f"f({BAG}([{OTHER}(1)]))",
    f"f({BAG}(version=''))",
    f"f({BAG}(by_key={{'a': 0}}))",
    f"f({BAG}(odd='a'))",
    f"f({BAG}([{ENTRY}(4)]))",
    f"f(used({BAG}(), do.add(None)))",
]
OPAQUE = "f(unpickle('gASV'))"


@pytest.fixture(scope="module")
def function(tmp_path_factory: pytest.TempPathFactory) -> Function:
    path = tmp_path_factory.mktemp("hinted") / "bags.py"
    path.write_text(TEXT)
    return read_function(path, "Bag.f")


@pytest.mark.parametrize("text", KEPT)
def test_an_object_that_its_hints_allow_is_inside(function: Function, text: str) -> None:
    assert class_hints(function).keeps(read(text))
    assert contract_of(function, [read(OPAQUE)]).beyond(read(text)) == ""


@pytest.mark.parametrize("text", FORBIDDEN)
def test_an_object_that_its_hints_forbid_is_beyond(function: Function, text: str) -> None:
    assert not class_hints(function).keeps(read(text))
    assert contract_of(function, [read(OPAQUE)]).beyond(read(text))


@pytest.mark.parametrize(
    "text", [f"f({BAG}(unpickle('x')))", "f(load('pkg.bags', 'Loose')(4))", "f(load('m', 'Bag')(4))"]
)
def test_nothing_is_claimed_of_what_is_not_known(function: Function, text: str) -> None:
    assert class_hints(function).keeps(read(text))


def test_a_hint_that_a_known_call_does_not_keep_forbids_nothing(function: Function) -> None:
    hints = class_hints(function).allowing([read(FORBIDDEN[0])])
    assert hints.keeps(read(FORBIDDEN[1]))
    assert not hints.keeps(read(FORBIDDEN[3]))


def test_no_object_is_made_that_its_hints_forbid(function: Function) -> None:
    made = declared_types(function).allowed(derive([*map(read, KEPT)], 1000, 1))
    assert len(made) > 200
    assert all(class_hints(function).keeps(call) for call in made)


numbers = st.integers(-5, 5)
entries = st.lists(st.tuples(st.sampled_from(["", "a", "B1"]), numbers), min_size=0, max_size=3)


def bag(items: Sequence[tuple[str, int]], version: int) -> str:
    made = ", ".join(f"{ENTRY}({key!r}, {weight})" for key, weight in items)
    return f"f({BAG}([{made}], {version}))"


bags = st.builds(bag, entries, numbers) | st.sampled_from([*KEPT, OPAQUE])
known = st.lists(st.builds(bag, st.lists(st.just(("a", 1)), min_size=3, max_size=3), numbers), min_size=3, max_size=5)


@given(known, st.lists(bags, max_size=5), bags)
def test_more_evidence_takes_no_object_out_of_the_contract(
    function: Function, evidence: list[str], more: list[str], asked: str
) -> None:
    """A difference that rejects with few known calls rejects with more: from FEW known values of a place on, further
    ones only widen it."""
    fewer, all_of_it = (contract_of(function, [*map(read, each)]) for each in (evidence, [*evidence, *more]))
    assert fewer.beyond(read(asked)) or not all_of_it.beyond(read(asked))
