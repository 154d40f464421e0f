"""The visible thinking that some servers leave in a reply, and the answer apart from it."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"
_OPENS = re.compile(rf"[<\[◁](?P<name>{_NAMES})[>\]▷]", re.IGNORECASE)
_CLOSES = re.compile(rf"[<\[◁]/(?P<name>{_NAMES})[>\]▷]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>final.*?<\|message\|>", re.DOTALL)
_ENDS = re.compile(r"<\|(?:end|return)\|>")


def answer_in(text: str) -> str:
    """Return the reply without thoughts. Empty if it ends in the middle of them."""
    channels = list(_CHANNEL.finditer(text))
    if channels:
        return _ENDS.split(text[channels[-1].end() :])[0]
    while (opening := _OPENS.search(text)) and "```" not in text[: opening.start()]:
        closing = _CLOSES.search(text, opening.end())
        if closing is None:
            return text[: opening.start()]
        text = text[: opening.start()] + text[closing.end() :]
    lone = _CLOSES.search(text)
    if lone and _fences(text[: lone.start()]) % 2 == 0:  # not in a program that speaks of such marks
        return text[lone.end() :]
    return text


def thoughts_in(text: str) -> str:
    """The text behind an opening mark that is never closed: a model that forgot to close it may have answered there."""
    opening = _OPENS.search(text)
    return text[opening.end() :] if opening else ""


def _fences(text: str) -> int:
    return sum(line.strip().startswith("```") for line in text.split("\n"))
