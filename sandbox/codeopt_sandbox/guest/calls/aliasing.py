"""Aliasing between calls: changes that later calls make to the arguments or results of earlier ones."""

from __future__ import annotations

from .repr.canonical import CanonicalRepr
from .repr.plain import NOT_COMPARABLE, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Call

MAX_CALL_CHARS = 20_000
"""Most characters that are kept of one call."""
MAX_TOTAL_CHARS = 1_000_000
"""Most characters that are kept of all calls."""
MAX_TEXT_CHARS = 200


class FinishedCall:
    """A call with its result, and what both were like when the caller had done with them."""

    def __init__(self, number: int, call: Call, result: Any, text: str) -> None:
        self.number, self.call, self.result, self.text = number, call, result, text


class Aliasing:
    """Keeps every second call: of the others memory is used again, which finds out who knows a value by its place."""

    def __init__(self, target: str) -> None:
        self.target, self.kept, self.size = target, list[FinishedCall]() if TYPE_CHECKING else [], 0

    def keep(self, number: int, call: Call, result: Any) -> None:
        """A call that is over, with its result as its caller leaves it."""
        if number % 2 or self.size > MAX_TOTAL_CHARS:
            return
        text = self.show(call, result)
        if len(text) <= MAX_CALL_CHARS and NOT_COMPARABLE not in text:
            self.size += len(text)
            self.kept.append(FinishedCall(number, call, result, text))

    def show(self, call: Call, result: Any) -> str:
        """Texts of arguments and result as they are now; iterators are left alone."""
        shown = CanonicalRepr(self.target)
        shown.reads = False
        return f"its arguments {shown.show(call[0])} {shown.show(call[1])} and its result {shown.show(result)}"

    def changed(self) -> list[str]:
        """The first call of which something is another now, in words."""
        for kept in self.kept:
            now = self.show(kept.call, kept.result)
            if now != kept.text:
                words = cut(now)[:MAX_TEXT_CHARS]
                return [f"later calls change what call {kept.number + 1} was given or gave, {words}"]
        return []
