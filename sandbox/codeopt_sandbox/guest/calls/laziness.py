"""Laziness of iterators: how far a call has read its arguments when its first item is there.

A call that yields while it reads can be given an endless input; one that reads all first cannot. Reading ahead by some
hundred items does no harm.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Call

LIST_ITERATOR: type[Any] = type(iter([]))
LONG_ITEMS = 2000
"""Items of an iterator that is watched."""


class Laziness:
    """Watches the iterators over long lists among a call's arguments."""

    def __init__(self, call: Call) -> None:
        values: list[Any] = [*call[0], *call[1].values()]
        self.watched: list[Any] = [
            value for value in values if type(value) is LIST_ITERATOR and value.__length_hint__() >= LONG_ITEMS
        ]
        self.reads_all = False
        """An argument was read to its end when the first item was there."""

    def look(self) -> None:
        """The first item is there."""
        if any(value.__length_hint__() == 0 for value in self.watched):
            self.reads_all = True
