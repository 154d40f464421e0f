"""Objects of classes that a module imports, inherits from, or has inside of other classes: a wrong version is refused
on objects that their hints allow, and every object is written as a call of its class."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeopt.workloads.contract.declared import declared_types
from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read
from tests.codeopt.workloads.function.bags import SLOW, WRONG, indented
from tests.support.files import make_repository
from tests.support.judges import ENOUGH_EXAMPLES, compared

PARTS = """\
from __future__ import annotations

from dataclasses import dataclass, field

Entries = "list[Entry]"

@dataclass
class Entry:
    key: str
    weight: int = 1

@dataclass
class Bag:
    entries: list[Entry] = field(default_factory=list)
    version: int = 0

class Holder:
    def __init__(self, entries: list[Entry], version: int = 0) -> None:
        self.entries, self.version = entries, version
"""
MODULES = {
    "imported": ("dedupe", "from shop.parts import Bag\n\ndef dedupe(bag: Bag) -> int:\n{free}"),
    "imported module": ("dedupe", "from . import parts as p\n\ndef dedupe(bag: p.Bag) -> int:\n{free}"),
    "inherited": (
        "Bag.dedupe",
        "from .parts import Holder\n\nclass Bag(Holder):\n    def dedupe(self) -> int:\n{method}",
    ),
    "inside": (
        "Shop.dedupe",
        "from __future__ import annotations\nfrom dataclasses import dataclass, field\n\nclass Shop:\n"
        "    @dataclass\n    class Entry:\n        key: str\n        weight: int = 1\n\n"
        "    @dataclass\n    class Bag:\n        entries: list[Shop.Entry] = field(default_factory=list)\n"
        "        version: int = 0\n\n    def dedupe(self, bag: Bag) -> int:\n{argument}",
    ),
    "inside, itself": (
        "Shop.Bag.dedupe",
        "from __future__ import annotations\nfrom dataclasses import dataclass, field\nfrom .parts import Entry\n\n"
        "class Shop:\n    @dataclass\n    class Bag:\n        entries: list[Entry] = field(default_factory=list)\n"
        "        version: int = 0\n\n        def dedupe(self) -> int:\n{inner}",
    ),
}
TESTS = {
    "imported": (
        "from shop import bags, parts\n\ndef made(entries):\n    return parts.Bag(entries)\n\ncall = bags.dedupe\n"
    ),
    "inherited": "from shop import bags, parts\n\nmade = bags.Bag\ncall = bags.Bag.dedupe\n",
    "inside": (
        "from shop import bags\n\ndef made(entries):\n"
        "    return bags.Shop.Bag([bags.Shop.Entry(each.key, each.weight) for each in entries])\n\n"
        "def call(bag):\n    return bags.Shop().dedupe(bag)\n"
    ),
    "inside, itself": "from shop import bags\n\nmade = bags.Shop.Bag\ncall = bags.Shop.Bag.dedupe\n",
}
TESTS["imported module"] = TESTS["imported"]
RUN = """

def test_dedupe():
    from shop.parts import Entry
    for keys in (["a", "b", "a"], ["a", "b"], [], [str(at) for at in range(60)] + ["7"]):
        assert call(made([Entry(key, at) for at, key in enumerate(keys)])) == len(keys) - len(set(keys))
"""


def module(kind: str, body: str) -> str:
    text = MODULES[kind][1]
    return text.format(
        free=indented(body, 1), method=indented(body, 2, "self"), argument=indented(body, 2),
        inner=indented(body, 3, "self"),
    )  # fmt: skip


def verdict(root: Path, kind: str, body: str, **options: Any) -> dict[str, Any]:
    texts = {
        "shop/__init__.py": "", "shop/parts.py": PARTS, "shop/bags.py": module(kind, SLOW),
        "shop/new.py": module(kind, body), "tests/test_bags.py": TESTS[kind] + RUN,
    }  # fmt: skip
    folder = make_repository(root / "p", texts)
    name = MODULES[kind][0]
    options = {"max_examples": ENOUGH_EXAMPLES, **options}
    return compared(f"{folder}/shop/bags.py::{name}", f"{folder}/shop/new.py::{name}", 8, **options)


@pytest.mark.full
@pytest.mark.parametrize("kind", MODULES)
def test_a_wrong_version_is_refused(tmp_path: Path, kind: str) -> None:
    found = verdict(tmp_path, kind, WRONG)
    assert found["verdict"] == "wrong", found
    assert "load(" not in json.dumps(found)


IN_PARTS = "load('shop.parts', '{}')"
BAG, ENTRY, HOLDER = (IN_PARTS.format(name) for name in ("Bag", "Entry", "Holder"))
OWN_BAG = "load('shop.bags', 'Bag')"
INNER_BAG, INNER_ENTRY = "load('shop.bags', 'Shop.Bag')", "load('shop.bags', 'Shop.Entry')"


@pytest.mark.parametrize(
    ("kind", "call", "inside"),
    [
        ("imported", f"f({BAG}([{ENTRY}('a', 2)]))", True),
        ("imported", f"f({BAG}([4]))", False),
        ("imported", f"f({HOLDER}([{ENTRY}('a')]))", False),
        ("imported module", f"f({BAG}(version=3))", True),
        ("imported module", f"f({BAG}(version='3'))", False),
        ("inherited", f"f({OWN_BAG}([{ENTRY}('a')], 2))", True),
        ("inherited", f"f({OWN_BAG}(['a'], 2))", False),
        ("inside", f"f(load('shop.bags', 'Shop')(), {INNER_BAG}([{INNER_ENTRY}('a')]))", True),
        ("inside", f"f(load('shop.bags', 'Shop')(), {INNER_BAG}([{ENTRY}('a')]))", False),
        ("inside, itself", f"f({INNER_BAG}([{ENTRY}('a')]))", True),
        ("inside, itself", f"f({INNER_BAG}([None]))", False),
    ],
)
def test_hints_of_classes_elsewhere_are_the_contract_of_their_objects(
    tmp_path: Path, kind: str, call: str, inside: bool
) -> None:
    (tmp_path / "shop").mkdir()
    for name, text in (("__init__", ""), ("parts", PARTS), ("bags", module(kind, SLOW))):
        (tmp_path / "shop" / f"{name}.py").write_text(text)
    function = read_function(tmp_path / "shop" / "bags.py", MODULES[kind][0])
    contract = contract_of(function, [read("f(unpickle('x'), unpickle('y'))")], declared_types(function))
    assert (not contract.beyond(read(call))) is inside
    assert "load(" not in contract.beyond(read(call))
