"""Fields of an answer, made from trees."""

from __future__ import annotations

from ...answer import NOTHING, Field
from .floats import floats_apart
from .plain import digest
from .portable import portable
from .shown import LIMIT, shown_text
from .tree import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

FEW_BYTES = 4096
"""Bytes of an encoding whose floats are always reported."""
MAX_VALUE_BYTES = 4 << 20
"""Bytes of an encoding that a checker is handed."""


class FieldMaker:
    """Makes the fields of one answer. given: makes the tree of its arguments; wanted: digests of values whose floats
    are asked for; whole: values are reported whole, for a checker."""

    def __init__(self, given: Callable[[], Any] = tuple, wanted: Container[str] = (), whole: bool = False) -> None:
        self.given, self.wanted, self.whole = given, wanted, whole

    def field(self, tree: Any, floats: bool = False, **more: Any) -> Field:
        """The field of a tree; nothing for an empty one. floats: there may be some in it."""
        if type(tree) is tuple and not tree:
            return NOTHING
        data = written(tree)
        key = digest(data)
        told = floats_apart(tree, self.given()) if floats and (len(data) <= FEW_BYTES or key in self.wanted) else None
        return Field(key, shown_text(tree), len(data), floats, told, **more)

    def value(self, tree: Any, floats: bool = False) -> Field:
        """The same of a result, which a checker may read."""
        found = self.field(tree, floats)
        if self.whole and found.size <= MAX_VALUE_BYTES:
            return found.replace(value=portable(tree))
        return found


def text_field(text: str, shown: str = "", **more: Any) -> Field:
    """A field that is a text. shown: another text for people."""
    if not text:
        return NOTHING
    data = text.encode("utf-8", "surrogatepass")
    return Field(digest(data), shown or text[:LIMIT], len(data), **more)
