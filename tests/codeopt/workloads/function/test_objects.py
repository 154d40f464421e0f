"""Objects of the project's classes: wrong methods are refused however tests make their objects, right ones are told
nothing of objects that their own hints forbid."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.workloads.function.bags import FAST, SLOW, WRONG, indented
from tests.conftest import require_sandbox
from tests.support.judges import ENOUGH_EXAMPLES, compared, write_project

pytestmark = pytest.mark.full

CLASSES = {
    "dataclass": """\
from dataclasses import dataclass, field

@dataclass
class Entry:
    key: str
    weight: int = 1

@dataclass
class Bag:
    entries: list[Entry] = field(default_factory=list)
    version: int = 0
""",
    "pydantic": """\
import pydantic

class Entry(pydantic.BaseModel):
    key: str
    weight: int = 1

class Bag(pydantic.BaseModel):
    entries: list[Entry] = []
    version: int = 0
""",
    "plain": """\
from typing import NamedTuple

class Entry(NamedTuple):
    key: str
    weight: int = 1

class Holder:
    def __init__(self, entries: list[Entry] | None = None, version: int = 0) -> None:
        self.entries, self.version = entries or [], version

class Bag(Holder):
    pass
""",
}
ADD = """
    def add(self, key: str, weight: int) -> None:
        self.entries.append(Entry(key=key, weight=weight))
        self.version += 1

    def dedupe(self) -> int:
"""
TESTS = """\
import bags

def filled(*keys):
    bag = bags.Bag()
    for at, key in enumerate(keys):
        bag.add(key, at)
    return bag

def test_dedupe():
    for keys in (["a", "b", "a"], ["a", "b"], [], [str(at) for at in range(60)] + ["7"]):
        assert bags.Bag.dedupe(filled(*keys)) == len(keys) - len(set(keys))
        assert bags.dedupe(filled(*keys)) == len(keys) - len(set(keys))
"""
BACKENDS = ("bubblewrap", pytest.param("docker", marks=pytest.mark.docker))
MADE = (
    ("dataclass", "Bag.dedupe"),
    ("pydantic", "Bag.dedupe"),
    ("plain", "dedupe"),
)


def module(kind: str, body: str) -> str:
    method, function = indented(body, 2, "self"), indented(body, 1)
    return f"{CLASSES[kind]}{ADD}{method}\n\ndef dedupe(bag: Bag) -> int:\n{function}"


def verdict(folder: Path, kind: str, body: str, name: str, **options: Any) -> dict[str, Any]:
    write_project(folder, "bags.py", module(kind, SLOW), TESTS)
    (folder / "new.py").write_text(module(kind, body))
    subprocess.run(["git", "-C", folder, "add", "."], check=True)
    options = {"max_examples": ENOUGH_EXAMPLES, **options}
    return compared(f"{folder}/bags.py::{name}", f"{folder}/new.py::{name}", 8, **options)


@pytest.mark.parametrize("sandbox", BACKENDS)
@pytest.mark.parametrize(("name", "no_tests"), [("Bag.dedupe", False), ("dedupe", False), ("Bag.dedupe", True)])
def test_a_wrong_version_is_refused(tmp_path: Path, sandbox: str, name: str, no_tests: bool) -> None:
    require_sandbox(sandbox)
    found = verdict(tmp_path / "p", "dataclass", WRONG, name, sandbox=sandbox, no_tests=no_tests)
    assert found["verdict"] == "wrong", found
    assert "load(" not in found["reason"]


@pytest.mark.parametrize(("kind", "name"), MADE)
def test_a_right_version_has_no_caveat_of_an_object_that_its_hints_forbid(tmp_path: Path, kind: str, name: str) -> None:
    found = verdict(tmp_path / "p", kind, FAST, name, strict=True, max_examples=None)
    assert found["verdict"] in ("faster", "same", "inconclusive"), found
    assert not [each for each in found["caveats"] if "raises" in each["got"]]
