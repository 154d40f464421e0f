"""Objects made by the constructor of the version that runs, and encodings that do not depend on a set's order."""

from __future__ import annotations

from typing import Any

from codeopt_sandbox.guest.calls.arguments import Reconstructor
from codeopt_sandbox.guest.calls.repr.source import call_in_words, in_words
from codeopt_sandbox.guest.calls.repr.tree import Encoder


class Shelf:
    def __init__(self, things: list[Any], size: int = 3) -> None:
        self.things, self._size = things, size
        self._places = {name: at for at, name in enumerate(things)}


class Closed:
    def __init__(self, path: str) -> None:
        self.file = [path]


class Parts:
    def __init__(self, *parts: object) -> None:
        self.parts = parts


class Slotted:
    __slots__ = ("_hidden", "shown")

    def __init__(self) -> None:
        self.shown, self._hidden = 1, [2]


def restored(kind: Any, **state: Any) -> Any:
    found = kind.__new__(kind)
    found.__dict__.update(state)
    return found


def test_what_a_constructor_sets_is_there_where_it_gives_all_that_was_recorded() -> None:
    made = Reconstructor(__name__).make([restored(Shelf, things=["a", "b"], _size=2)])[0]
    assert (made.things, made._size, made._places) == (["a", "b"], 2, {"a": 0, "b": 1})


def test_an_object_stays_as_it_was_recorded_where_a_constructor_does_not_give_it() -> None:
    for found in (restored(Shelf, things=["a"], more=1), restored(Closed, file=["x"]), restored(Shelf, _size=2)):
        state = dict(vars(found))
        assert vars(Reconstructor(__name__).make(found)) == state
        assert Reconstructor("another_module").make(found) is found


def test_shared_parts_of_a_set_have_the_same_numbers_in_any_order() -> None:
    shared = [1]
    items = [Parts(shared, 1), Parts(shared, 2), Parts((3,), [4]), "text", frozenset({Parts(5)})]
    texts = {Encoder("m").whole([set(order), shared]) for order in (items, items[::-1], items[2:] + items[:2])}
    again = {Encoder("m").whole([dict.fromkeys(order).keys() and set(order), shared]) for order in [items] * 3}
    assert texts == again
    assert len(texts) == 1


def test_what_objects_keep_private_stands_apart() -> None:
    shared = [1]
    one, other = restored(Shelf, things=[shared, shared]), restored(Shelf, things=[shared, shared], _places=[[], []])
    encoders = [Encoder("m"), Encoder("m")]
    trees = [encoder.tree([found, shared]) for encoder, found in zip(encoders, (one, other), strict=True)]
    assert trees[0] == trees[1]
    private = [encoder.private_tree() for encoder in encoders]
    assert private[0] != private[1]
    assert [encoder.names for encoder in encoders] == [set(), {"_places"}]
    slotted = Encoder("m")
    assert "_hidden" not in repr(slotted.tree(Slotted()))
    assert "('=', [2])" in repr(slotted.private_tree())


class Integer(int):
    def __repr__(self) -> str:
        return int.__repr__(self)


def test_a_type_is_named_where_a_repr_does_not_tell_it() -> None:
    assert in_words([Integer(4), 4]) == "[Integer(4), 4]"
    assert in_words({"a": (Integer(-4),)}) == "{'a': (Integer(-4),)}"


def test_calls_in_words() -> None:
    """An object's own repr, or its attributes; on one line, and never an address."""
    reprs: tuple[Any, ...] = (object.__repr__, lambda self: "Named\n2", lambda self: {}[1])
    box, named, broken = (type("Box", (), {"__repr__": each})() for each in reprs)
    box.n = broken.n = [2]
    assert call_in_words([box, named, broken], {"k": 1}) == "f(<Box n=[2]>, <Box Named 2>, <Box n=[2]>, k=1)"
    assert "... (302 characters)" in call_in_words(["a" * 300], {})
