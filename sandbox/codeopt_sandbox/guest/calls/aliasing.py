"""Aliasing between calls: changes that later calls make to the arguments or results of earlier ones."""

from __future__ import annotations

from .repr.plain import digest
from .repr.shown import shown_text
from .repr.tree import Encoder, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Call

MAX_CALL_BYTES = 20_000
"""Most bytes of an encoding that are kept of one call."""
MAX_TOTAL_BYTES = 1_000_000
"""Most bytes that are kept of all calls."""
MAX_TEXT_CHARS = 200


class FinishedCall:
    """A call with its result, and the encoding of both when the caller had done with them."""

    def __init__(self, number: int, call: Call, result: Any, encoding: bytes) -> None:
        self.number, self.call, self.result, self.encoding = number, call, result, encoding


class Aliasing:
    """Keeps every second call: of the others memory is used again, which finds out who knows a value by its place."""

    def __init__(self, target: str) -> None:
        self.target, self.kept, self.size = target, list[FinishedCall]() if TYPE_CHECKING else [], 0

    def keep(self, number: int, call: Call, result: Any) -> None:
        """A call that is over, with its result as its caller leaves it."""
        if number % 2 or self.size > MAX_TOTAL_BYTES:
            return
        trees, opaque = self.look(call, result)
        encoding = written(trees)
        if len(encoding) <= MAX_CALL_BYTES and not opaque:
            self.size += len(encoding)
            self.kept.append(FinishedCall(number, call, result, encoding))

    def look(self, call: Call, result: Any) -> tuple[list[Any], str]:
        """Trees of arguments and result as they are now, with what they keep private; iterators are left alone. The
        type of what cannot be encoded."""
        encoder = Encoder(self.target)
        encoder.reads = False
        trees = [encoder.tree(call[0]), encoder.tree(call[1]), encoder.tree(result)]
        return [*trees, encoder.private_tree()], encoder.opaque

    def changed(self) -> list[tuple[str, str, str]]:
        """The first call of which something is another now: name, digest, words."""
        for kept in self.kept:
            trees, _ = self.look(kept.call, kept.result)
            now = written(trees)
            if now != kept.encoding:
                args, kwargs, value = map(shown_text, trees[:3])
                words = f"its arguments {args} {kwargs} and its result {value}"
                name = f"later calls change what call {kept.number + 1} was given or gave"
                return [(name, digest(now), f"{name}, {words[:MAX_TEXT_CHARS]}")]
        return []
