"""A reply that met the server's limit for one answer -> the whole of it, by asking to go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeopt.budget import Usage
from codeopt.errors import ModelError
from codeopt.models import Message, Model, Reply, estimate_tokens
from codeopt.proposers._reply import without_thoughts

TIMES = 2
"""A reply is asked to go on so often; one that needs more does not stop."""
GO_ON = """\
Your answer was cut off at its length limit. Go on exactly where it stops, from the very next character: no greeting, no
new fence, nothing said twice."""
ANSWER_NOW = """\
Your thoughts took all of the room for your answer. Do not think any further: give the answer itself now, in the form
that was asked for."""
OVERLAP = 200
"""Characters at the end of a reply that its continuation may say once more."""


@dataclass(frozen=True)
class Answer:
    """A reply with all its continuations."""

    reply: Reply
    usage: Usage


def whole(
    model: Model, messages: Sequence[Message], reply: Reply, on_text: Callable[[str], None] | None = None
) -> Answer:
    """The reply, and what it took; asked to go on where it can be. A continuation that fails is done without."""
    usage = reply.usage
    for _ in range(TIMES):
        asked = _question(messages, reply)
        size = sum(estimate_tokens(message.content) for message in asked)
        if not reply.can_go_on or 2 * estimate_tokens(reply.text) + size > model.context_tokens:
            break
        try:
            more = model.complete(asked, on_text=on_text)
        except ModelError:
            break
        usage += more.usage
        text = joined(reply.text, more.text) if without_thoughts(reply.text) else more.text
        reply = replace(more, text=text)
    return Answer(reply, usage)


def joined(first: str, second: str) -> str:
    """Two parts of one text, whatever the second repeats of the first or opens anew."""
    second = without_thoughts(second) if "</think>" in second else second
    lines = second.split("\n")
    if (
        _inside_a_fence(first)
        and lines[0].strip().startswith("```")
        and len(lines) > 1
        and "```" in "\n".join(lines[1:])
    ):
        second = "\n".join(lines[1:])
    longest = min(OVERLAP, len(first), len(second))
    # A few characters may be the same by chance: `1` after `x = 1`.
    said = next((size for size in range(longest, 9, -1) if first.endswith(second[:size])), 0)
    return first + second[said:]


def _inside_a_fence(text: str) -> bool:
    return sum(line.strip().startswith("```") for line in text.split("\n")) % 2 == 1


def _question(messages: Sequence[Message], reply: Reply) -> tuple[Message, ...]:
    if without_thoughts(reply.text):
        return (*messages, Message("assistant", reply.text), Message("user", GO_ON))
    last = messages[-1]
    return (*messages[:-1], replace(last, content=f"{last.content}\n\n{ANSWER_NOW}"))
