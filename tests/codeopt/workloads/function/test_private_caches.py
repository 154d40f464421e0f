"""A cache that an object keeps for itself may hold other things, as long as nothing that it shows hangs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.codeopt.workloads.function.conftest import Compare

SLOTS = '    __slots__ = ("_cache", "_text")\n'
CLASS = """\
class Place:
{slots}
    def __init__(self, text):
        self._text, self._cache = text, {{}}

    @property
    def host(self):
        if "host" not in self._cache:
            self._cache["host"] = self._text.partition("/")[0]
        return self._cache["host"]

    @property
    def path(self):
        if "path" not in self._cache:
            self._cache["path"] = self._text.partition("/")[2]
        return self._cache["path"]

def f(text, name):
    made = Place(text + "/" + name)
{body}
    return {result}
"""
SLOW = "    assert sum(len(made.host) for _ in range(300)) >= 0"
OTHER = "    made.path"
"""Keeps another property."""
POISONED = '    made._cache["path"] = name if len(name) < 9 else name[1:]'
"""Keeps a value that the property never has, of long names alone."""
CALLS = "CALLS = [((f'h{i}.org/a' * (i % 5 + 1), f'n{i}' * (i % 7)), {}) for i in range(70)]\n"
SHAPES = {
    "a dict": ("", "made"),
    "slots, in a list": (SLOTS, "[made]"),
}


def module(shape: str, body: str) -> str:
    slots, result = SHAPES[shape]
    return CLASS.format(slots=slots, body=body, result=result)


@pytest.mark.parametrize("shape", ["a dict", "slots, in a list"])
def test_other_things_in_it_are_a_caveat(compare: Compare, shape: str) -> None:
    found = compare(module(shape, SLOW), module(shape, OTHER), CALLS, sandbox="bubblewrap")
    assert found["verdict"] in ("faster", "same"), found
    assert [each["because"] for each in found["caveats"]] == ["attributes that only the object itself looks at"]


@pytest.mark.parametrize("shape", ["a dict", "slots, in a list"])
def test_things_that_it_then_shows_are_a_mistake(compare: Compare, shape: str) -> None:
    found = compare(module(shape, SLOW), module(shape, POISONED), CALLS, sandbox="bubblewrap")
    assert found["verdict"] == "rejected", found
