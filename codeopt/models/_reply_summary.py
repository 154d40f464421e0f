"""The title of a draft: the words of a reply that say what it changes, otherwise what its diff shows."""

from __future__ import annotations

import difflib
import re
import textwrap

from codeopt.core.sanitize import inline
from codeopt.models._reply_repair import parses

NONE = "no summary given"
FIRST_WORDS = 70
"""Characters of the first words of a reply."""

_MARKED = re.compile(r"^\W*SUMMARY\W+(.+)$", re.IGNORECASE | re.MULTILINE)
_WHY = r"(?![^.!?:]*\b(?:because|since|by|instead|using|uses?|with|rather|now)\b)"
_CHAT = re.compile(
    r"^\W*(?:"
    r"(?:sure|certainly|absolutely|of course|ok(?:ay)?|yes|great|hi|hello|thanks|thank you|understood|got it|alright)"
    r"(?: thing| there)?\s*(?:[,.!:\u2014]+\s*|$)"
    r"|(?:please )?note that\s+"
    r"|(?:"
    r"(?:here|below|above)(?:['\u2019]s|\s+(?:is|are|you))\b|the following\b|as requested\b"
    r"|(?:let me|let us|let['\u2019]s|feel free|please|if you|happy to|glad to|i hope)\b"
    r"|i(?:['\u2019](?:d|ll)| would| will| can| could) (?:be|need|love|like|have)\b"
    rf"|i(?:['\u2019]ve| have)? (?:optimi[sz]ed|improved|rewrote|rewritten|refactored|made)\b{_WHY}"
    r"|(?:this|the|my|your)(?: \w+){0,3}? (?:code|program|version|solution|script|function|implementation)"
    rf"(?: (?:is|runs|should|will|works|follows|below)\b|\W*$|:){_WHY}"
    r")[^.!?:,]*(?:[.!?:,]+(?:\s+|$)|$)"
    r")",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])")


def title(said: str, prose: str, original: str, source: str) -> str:
    """The first words that say what changes: of the summary that was asked for, of the prose, of the diff.

    said: a summary by its own name in a structured reply. original, source: the program before and after.
    """
    marked = _MARKED.search(prose)
    asked = [said] if said else [marked[1].strip(" *_")] if marked else []
    lines = [line.strip(" \t#*_-") for line in prose.split("\n")]
    sentences = [sentence for line in lines for sentence in _SENTENCE.split(line)]
    found = next(filter(None, map(_without_chat, [*asked, *sentences])), "")
    return inline(found) or described(original, source)


def described(original: str, source: str) -> str:
    """The first line that a diff adds, and the number of lines; `no summary given` of what is no program."""
    if not (original and source.strip() and parses(original) and parses(source)):
        return NONE
    diff = list(difflib.unified_diff(original.splitlines(), source.splitlines(), n=0, lineterm=""))[2:]
    new = [line[1:].strip() for line in diff if line[:1] == "+"]
    old = [line[1:].strip() for line in diff if line[:1] == "-"]
    first = next(filter(None, new), "") or next((f"without {line}" for line in old if line), "")
    return f"{inline(first, 60)} (+{len(new)} -{len(old)} lines)" if first else NONE


def first_words(reply: str) -> str:
    """The first words of a reply, on one line."""
    return inline(textwrap.shorten(reply, FIRST_WORDS, placeholder=" ..."))


def _without_chat(text: str) -> str:
    """Return the rest of a text behind its talk to the reader. Empty if that is no statement."""
    while (shorter := _CHAT.sub("", text)) != text:
        text = shorter
    text = text.strip()
    return "" if text.endswith((":", "?")) or not any(char.isalnum() for char in text) else text
