"""Stream of a call's result: an iterator is read step by step, and the text of it grows."""

from __future__ import annotations

from ..repr.canonical import CanonicalRepr
from ..repr.exceptions import held_by
from ..repr.plain import cut, is_iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_ITEMS = 1000
"""Most items that are read of an iterator."""


class Stream:
    """A call in progress: its result, exception or items."""

    def __init__(self, target: str, make: Callable[[], Any]) -> None:
        self.target, self.shown = target, CanonicalRepr(target)
        self.items: list[str] = []
        self.end = self.whole = ""
        self.is_open = self.raised = False
        self.result: Any = None
        try:
            self.result = make()
            self.is_open = is_iterator(self.result)
            if not self.is_open:
                self.whole = "returns " + self.shown.show(self.result)
        except BaseException as error:
            self.raised = True
            self.whole = self.named(error)

    def named(self, error: BaseException) -> str:
        """Text of an exception: `raises ValueError`."""
        return "raises " + self.shown.name_of(type(error))[1:-1] + held_by(self.target, error)

    def step(self) -> bool:
        """Read an item; True while there may be more."""
        if self.is_open:
            try:
                self.items.append(self.shown.show(next(self.result)))
                if len(self.items) >= MAX_ITEMS:
                    self.close(" and more")
            except StopIteration as stop:
                self.close(" then returns " + self.shown.show(stop.value) if stop.value is not None else "")
            except BaseException as error:
                self.close(" then " + self.named(error))
        return self.is_open

    def close(self, end: str) -> None:
        """Stop reading."""
        self.is_open, self.end = False, end

    def finish(self) -> str:
        """Read to the end; the text."""
        while self.step():
            pass
        return self.text

    @property
    def text(self) -> str:
        """Text of everything until now, on one line."""
        items = f"returns <iterator of {', '.join(self.items)}{self.end}>"
        return cut(self.whole or items).replace("\n", "\\n")
