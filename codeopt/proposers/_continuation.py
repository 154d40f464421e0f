"""Continuation of a reply that met the server's limit for one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codeopt.core.budget import Usage
from codeopt.core.errors import ModelError
from codeopt.core.model import Message, Model, Reply, estimate_tokens
from codeopt.core.run_clock import LimitReached
from codeopt.models._reply import to_draft, without_thoughts

MAX_CONTINUATIONS = 2
"""Most continuations of one reply; a model that needs more does not stop."""
GO_ON = """\
Your answer was cut off at its length limit. Go on exactly where it stops, from the very next character: no greeting, no
new fence, nothing said twice."""
ANSWER_NOW = """\
Your thoughts took all of the room for your answer. Do not think any further: give the answer itself now, in the form
that was asked for."""
MAX_OVERLAP_CHARS = 200
"""Most characters at the end of a reply that its continuation may repeat."""


@dataclass(frozen=True)
class WholeReply:
    """A reply with all its continuations."""

    reply: Reply
    usage: Usage


def whole(model: Model, messages: Sequence[Message], reply: Reply) -> WholeReply:
    """The whole reply and its usage, continued where it can be. When a continuation fails, the reply stays as it
    was."""
    usage = reply.usage
    for _ in range(MAX_CONTINUATIONS):
        asked = _question(messages, reply)
        size = sum(estimate_tokens(message.content) for message in asked)
        if not reply.can_go_on or 2 * estimate_tokens(reply.text) + size > model.context_tokens:
            break
        try:
            more = model.complete(asked)
        except (ModelError, LimitReached):  # the reply is paid for
            break
        usage += more.usage
        text = joined(reply.text, more.text) if without_thoughts(reply.text) else more.text
        reply = replace(more, text=text)
    return WholeReply(reply, usage)


def joined(first: str, second: str) -> str:
    """Two parts of one text, joined without repetitions and newly opened fences, in the way that gives a program."""
    ways = list(_ways(first, without_thoughts(second) if "</think>" in second else second))
    return next((text for text in ways if not to_draft(_said(text)).problem), ways[0])


def _ways(first: str, second: str) -> Iterator[str]:
    """Yield the possible joins: models repeat the end of the first part, open a new fence, or just continue."""
    head, _, rest = second.partition("\n")
    if head.strip().startswith("```") and "```" in rest:
        yield first + rest
        yield f"{first}\n{rest}"
    longest = min(MAX_OVERLAP_CHARS, len(first), len(second))
    # A few characters may be the same by chance: `1` after `x = 1`.
    said = next((size for size in range(longest, 9, -1) if first.endswith(second[:size])), 0)
    yield first + second[said:]
    yield f"{first}\n{second}"
    yield second  # it began again


def _said(text: str) -> Reply:
    return Reply(text, 0, 0, None, 0.0, "")


def _question(messages: Sequence[Message], reply: Reply) -> tuple[Message, ...]:
    if without_thoughts(reply.text):
        return (*messages, Message("assistant", reply.text), Message("user", GO_ON))
    last = messages[-1]
    return (*messages[:-1], replace(last, content=f"{last.content}\n\n{ANSWER_NOW}"))
