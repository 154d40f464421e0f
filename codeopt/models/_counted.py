"""A model that tells of each reply as soon as it is there: what was paid for counts, however the run around it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeopt.models import Message, Model, Reply


class Counted:
    """Another model, with a listener."""

    def __init__(self, model: Model, on_reply: Callable[[Reply], None]) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self._model = model
        self._on_reply = on_reply

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The model's answer, after it was told of."""
        reply = self._model.complete(messages, on_text=on_text)
        self._on_reply(reply)
        return reply
