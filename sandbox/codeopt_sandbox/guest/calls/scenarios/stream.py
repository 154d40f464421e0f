"""Stream of a call's result: an iterator is read step by step."""

from __future__ import annotations

from ...answer import NOT_COMPARABLE, RAISES, RETURNS, Answer
from ..repr.exceptions import exception_trees
from ..repr.plain import is_iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..repr.fields import FieldMaker
    from ..repr.tree import Encoder

MAX_ITEMS = 1000
"""Most items that are read of an iterator."""


class Stream:
    """A call in progress: its result, exception or items."""

    def __init__(self, encoder: Encoder, make: Callable[[], Any], fields: FieldMaker) -> None:
        self.fields, self.encoder = fields, encoder
        self.encoder.live = True
        self.items: list[Any] = []
        self.end: Any = None
        self.tree: Any = ()
        self.begun = self.is_open = False
        """Whether there is an iterator, and whether it may have more items."""
        self.raised: BaseException | None = None
        self.result: Any = None
        try:
            self.result = make()
            self.begun = self.is_open = is_iterator(self.result)
            if not self.is_open:
                self.tree = self.encoder.tree(self.result)
        except BaseException as error:
            self.raised = error

    def step(self, take: Callable[[Any], Any] = next) -> bool:
        """Take an item; True while there may be more."""
        if self.is_open:
            try:
                self.items.append(self.encoder.tree(take(self.result)))
                if len(self.items) >= MAX_ITEMS:
                    self.close(("more",))
            except StopIteration as stop:
                self.close(("returns", self.encoder.tree(stop.value)) if stop.value is not None else None)
            except BaseException as error:
                self.close(exception_trees(self.encoder, error)[0])
        return self.is_open

    def throw(self) -> None:
        """Throw an exception into the iterator. One that takes none ends as a generator does that catches none."""

        def thrown(result: Any) -> Any:
            error = ValueError("thrown")
            if not hasattr(result, "throw"):
                raise error
            return result.throw(error)

        self.step(thrown)

    def end_early(self) -> None:
        """Close the iterator, if it can be."""
        getattr(self.result, "close", int)()

    def close(self, end: Any) -> None:
        """Stop reading."""
        self.is_open, self.end = False, end

    def finish(self) -> Answer:
        """Read to the end; the answer."""
        while self.step():
            pass
        return self.answer

    @property
    def answer(self) -> Answer:
        """Everything until now."""
        make, encoder = self.fields, self.encoder
        if self.raised is not None:
            tree, _ = exception_trees(encoder, self.raised)
            return Answer(RAISES, raised=make.field(tree, encoder.floats), exception=tree[1][1])
        tree = ("iterator", self.items, self.end) if self.begun else self.tree
        value = make.field(tree, encoder.floats)
        private = make.field(encoder.private_tree(), value=sorted(encoder.names))
        kind = NOT_COMPARABLE if encoder.opaque else RETURNS
        return Answer(kind, value, private=private, opaque=encoder.opaque)
