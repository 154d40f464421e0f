"""The answer of a call, made from its result, its exception and its arguments afterwards."""

from __future__ import annotations

import types

from ..answer import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, Answer, Field
from .copies import own_answers
from .public_view import PublicViews
from .repr.exceptions import exception_trees
from .repr.fields import FieldMaker, text_field
from .repr.tree import Encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Call
    from .batch import CallBatch
    from .function_ref import FunctionRef
    from .plain_arguments import ArgumentsBefore

MAX_TEXT_CHARS = 200
"""Characters of an exception's text."""


class Answering:
    def __init__(self, ref: FunctionRef, batch: CallBatch) -> None:
        self.ref, self.batch, self.views = ref, batch, PublicViews(ref.module)

    def encoded(self, encoder: Encoder, result: Any) -> tuple[Any, Any]:
        """Trees of what all see of a result, and of what only it sees itself; iterators are read."""
        tree = encoder.tree(result)
        if self.ref.receives and type(result) is types.GeneratorType:
            tree = "receiver", tree
        return tree, encoder.private_tree()

    def answer(
        self, encoder: Encoder, call: Call, was: ArgumentsBefore, looked_at: Call | None = None
    ) -> CallAnswering:
        """An answer that is to be made. was: the arguments before the call, those of `looked_at`."""
        return CallAnswering(self, encoder, call, was, looked_at or call)


class CallAnswering:
    """Makes one answer, a part after the other."""

    def __init__(self, run: Answering, encoder: Encoder, call: Call, was: ArgumentsBefore, looked_at: Call) -> None:
        self.run, self.encoder, self.call = run, encoder, call
        self.make = FieldMaker(was.given, run.batch.values, run.ref.whole_answers or run.batch.results)
        changed = was.changed(looked_at)
        self.parts: dict[str, Any] = {}
        self.opaque = ""
        if changed is not None:
            self.opaque = changed.encoder.opaque
            self.parts["arguments"] = self.make.field(changed.tree, changed.encoder.floats)
            self.parts["private_arguments"] = self.private(changed.private, changed.encoder)
        if run.batch.views:
            self.parts["views_of_arguments"] = run.views.of_arguments(call)

    def private(self, tree: Any, encoder: Encoder) -> Field:
        """Field of private attributes, with their names."""
        return self.make.field(tree, value=sorted(encoder.names))  # its floats decide nothing

    def returned(self, tree: Any, private: Any, result: Any) -> None:
        """Record what the call returns."""
        self.parts["value"] = self.make.value(tree, self.encoder.floats)
        self.parts["private"] = self.private(private, self.encoder)
        generator = type(result) is types.GeneratorType and self.run.ref.generator and not self.run.ref.receives
        self.parts["interface"] = text_field("generator " * generator)
        if self.run.batch.views:
            self.parts["views"] = self.run.views.of_results([result], self.call)

    def raised(self, error: BaseException) -> None:
        """Record what the call raises."""
        tree, texts = exception_trees(self.encoder, error)
        self.parts["raised"] = self.make.field(tree, self.encoder.floats)
        line = raised_at(error, self.run.ref.file)
        own = self.make.field(texts).digest if line else ""
        self.parts.update(message=Field(own, text_of(error)), line=line, exception=tree[1][1])

    def operations(self, lazy: bool, result: Any) -> None:
        """Record whether it read its arguments to the end before its first item; whether its result is a container of
        its own, and, if that is asked, what this answers."""
        self.parts["overrides"] = bool(own_answers(result, self.run.ref.module))
        found = self.run.views.as_container(result) if self.run.batch.views and self.parts["overrides"] else []
        if found or lazy:
            shown = [f"{name} {text}" for name, _, text in found]
            words = ", ".join(["reads its argument to the end before its first item"] * lazy + shown)
            self.parts["operations"] = text_field(repr((lazy, [each[:2] for each in found])), shown=words)

    def end(self, **more: Any) -> Answer:
        raises, encoder = "raised" in self.parts, self.encoder
        opaque = encoder.opaque or self.opaque
        kind = NOT_COMPARABLE if opaque else RAISES if raises else YIELDS if encoder.iterators else RETURNS
        given = {"exception": encoder.broken_by, **self.parts, **more}
        return Answer(kind, opaque=opaque, iterators=encoder.iterators, cut_short=encoder.cut_short, **given)


def of_answer(answer: Answer) -> Field:
    return text_field(repr(answer.seen()), shown=answer.text)


def text_of(error: BaseException) -> str:
    """An exception's own text on one line, cut; it is data of the code under test."""
    try:
        return " ".join(str(error).split())[:MAX_TEXT_CHARS]
    except Exception:
        return ""


def raised_at(error: BaseException, file: str) -> int:
    """The last line of a file that an exception passed through; 0 where it is of other files alone."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return line
