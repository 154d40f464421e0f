"""Histories of objects: constructor arguments and method calls, recorded while a program uses them."""

from __future__ import annotations

import pickle
import types
from collections.abc import Callable
from typing import Any

import pytest

from codeopt_sandbox.guest.tests.wrappers import MAX_CALLS, MAX_STEPS, ClassHistory, classes_of

SOURCE = """\
import abc

class Shelf:
    def __init__(self, size=3):
        self.size, self.things = size, []
    def add(self, thing):
        self._put(thing)
        return self
    def _put(self, thing):
        self.things.append(thing)
    def find(self, thing):
        return thing in self.things
    def refill(self, things):
        self.__init__(len(things))
        for thing in things:
            self.add(thing)
    def each(self):
        yield self.things.pop()
    def depth(self, n):
        return n and self.depth(n - 1)
    def __setitem__(self, at, thing):
        self.things[at] = thing
    def __reduce__(self):
        self.find(1)
        return (Shelf, (), vars(self))

class Tall(Shelf):
    def __init__(self):
        super().__init__(9)

class Made:
    def __new__(cls):
        return object.__new__(cls)
    def __init__(self):
        pass

class Plain:
    pass

class Wrong(Exception):
    def __init__(self):
        super().__init__("wrong")
"""


@pytest.fixture
def module() -> Any:
    found = types.ModuleType("shelves")
    exec(SOURCE, vars(found))
    return found


@pytest.fixture
def history(module: Any) -> ClassHistory:
    made = ClassHistory(module.Shelf)
    made.watch()
    return made


def steps(history: ClassHistory, value: Any) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    return [pickle.loads(step) for step in history.of(value)]


FIRST = ("__init__", (), {})


def test_classes_that_make_their_objects_in_the_usual_way(module: Any) -> None:
    assert [kind.__name__ for kind in classes_of(module)] == ["Shelf", "Tall"]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (lambda s: s.add(1).add(thing=2), [FIRST, ("add", (1,), {}), ("add", (), {"thing": 2})]),
        (lambda s: [s.add(1), s.find(1), s.find(2), s.add(2)], [FIRST, ("add", (1,), {}), ("add", (2,), {})]),
        (lambda s: s.refill([5, 6]), [FIRST, ("refill", ([5, 6],), {})]),
        (lambda s: [s.add(1), s.__setitem__(0, 3)], [FIRST, ("add", (1,), {}), ("__setitem__", (0, 3), {})]),
        (lambda s: s.depth(3), [FIRST]),
        (lambda s: s.__init__(5), [("__init__", (5,), {})]),
    ],
)
def test_steps(module: Any, history: ClassHistory, use: Callable[[Any], Any], expected: Any) -> None:
    shelf = module.Shelf()
    use(shelf)
    assert steps(history, shelf) == expected


def test_arguments_are_as_they_were_before_the_call(module: Any, history: ClassHistory) -> None:
    shelf, thing = module.Shelf(), [1]
    shelf.add(thing)
    thing.append(2)
    assert steps(history, shelf)[1] == ("add", ([1],), {})


def test_what_cannot_be_written_down_or_is_too_long_has_no_history(module: Any, history: ClassHistory) -> None:
    one, other = module.Shelf(), module.Shelf()
    one.add(thing for thing in ())
    for at in range(MAX_STEPS):
        other.add(at)
    assert (history.of(one), history.of(other)) == ([], [])
    assert module.Shelf().add(1).things == [1]


def test_what_the_recorded_method_has_changed_has_no_history(module: Any) -> None:
    history = ClassHistory(module.Shelf, ("add",))
    history.watch()
    shelf = module.Shelf()
    shelf[0:0] = [1]
    assert steps(history, shelf) == [FIRST, ("__setitem__", (slice(0, 0), [1]), {})]
    shelf.add(2)
    assert history.of(shelf) == []


def test_objects_of_other_classes_have_none(module: Any, history: ClassHistory) -> None:
    assert not history.of(module.Tall().add(1))
    assert not history.of(7)


def test_it_is_given_up_after_many_calls_and_leaves_the_class_as_it_was(module: Any) -> None:
    before = dict(vars(module.Shelf))
    history = ClassHistory(module.Shelf)
    history.watch()
    shelf = module.Shelf()
    assert vars(module.Shelf) != before
    for _ in range(MAX_CALLS):
        shelf.find(1)
    assert dict(vars(module.Shelf)) == before
    assert history.of(shelf) == []


def test_inherited_methods_are_taken_away_again(module: Any) -> None:
    history = ClassHistory(module.Tall)
    history.watch()
    tall = module.Tall()
    tall.add(1)
    assert steps(history, tall) == [FIRST, ("add", (1,), {})]
    history.close()
    assert "add" not in vars(module.Tall)
