"""`codeopt compare OLD.py NEW.py` of two library modules: the functions that differ, and one verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.review.changed_functions import ReviewTarget, as_callers_see
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

OLD = """\
LEAST = 2


def double(values: list[int]) -> list[int]:
    return [value * 2 for value in values]


def count(values: list[int]) -> int:
    found = 0
    for value in values:
        if value >= LEAST:
            found += 1
    return found


def same(values: list[int]) -> int:
    return len(values)
"""
RIGHT = OLD.replace(
    OLD[OLD.index("    found = 0") : OLD.index("    return found")], "    found = sum(v >= LEAST for v in values)\n"
)
WRONG = RIGHT.replace("value * 2 for", "value * 3 for")
LAST_IS_WRONG = OLD.replace("value * 2 for", "value + value for").replace("value >= LEAST", "value > LEAST")
CLASS = """\
class Tagger:
    def __init__(self, rules: list[str]) -> None:
        self.rules = rules

    def tags(self, words: list[str]) -> list[bool]:
        return [any(word.startswith(rule) for rule in self.rules) for word in words]

    def count(self, words: list[str]) -> int:
        return len(words) + len(self.rules)
"""
FLAGS = ("--sandbox", "bubblewrap", "--mutated-inputs", "off", "--max-pairs", "12")


@pytest.mark.parametrize(
    ("new", "status", "verdict", "functions"),
    [
        (WRONG, 1, "wrong", {"count": "", "double": "wrong"}),
        (LAST_IS_WRONG, 1, "wrong", {"count": "wrong", "double": ""}),
        (OLD.replace("LEAST = 2", "LEAST = 3"), 5, "inconclusive", {"": "inconclusive"}),
        (OLD.replace("def same", "def other"), 5, "inconclusive", {"same": "inconclusive"}),
        (OLD.replace("LEAST = 2", "import math\n\nLEAST = 2  # two"), 5, "inconclusive", {}),
    ],
    ids=["one is wrong", "the last is wrong", "a constant", "one is gone", "nothing"],
)
def test_each_function_that_differs_is_judged(
    new: str, status: int, verdict: str, functions: dict[str, str], tmp_path: Path
) -> None:
    require_sandbox()
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(new)
    done = codeopt("compare", "old.py", "new.py", "--json", *FLAGS, cwd=tmp_path)
    assert done.status == status, done.err
    assert done.json["verdict"] == verdict
    found = {row["function"]: row["verdict"] for row in done.json["functions"]}
    assert found.keys() == functions.keys()
    assert all(found[name] == functions[name] for name in found if functions[name])
    right = {found[name] for name in found if not functions[name]}
    assert right <= {"faster", "slower", "same", "inconclusive"}


def test_calls_are_of_one_function(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(RIGHT)
    done = codeopt("compare", "old.py", "new.py", "--calls", "old.py", cwd=tmp_path)
    assert done.status == 2
    assert "--calls is for one function" in done.err


def test_a_constructor_is_judged_through_the_methods(tmp_path: Path) -> None:
    """Nobody calls it on an object that is built."""
    (tmp_path / "new.py").write_text(CLASS)
    changed = [ReviewTarget("new.py", f"Tagger.{name}", tmp_path / "new.py", "old.py") for name in ("__init__", "tags")]
    assert [target.function for target in as_callers_see(changed)] == ["Tagger.tags", "Tagger.count"]
    assert [target.function for target in as_callers_see(changed[1:])] == ["Tagger.tags"]
    (tmp_path / "new.py").write_text(CLASS[: CLASS.index("    def tags")])
    assert as_callers_see(changed[:1]) == changed[:1]
