"""Acronym generation: a short name for a title, pronounceable, spelt from its letters, and on its subject."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask


def spelling(asked: str, text: str) -> TextCheck:
    """The share of the acronym's letters that are capitals of the title, in their order."""
    name, _, title = text.strip().partition(next(iter(re.findall(r"[\s:(]", text.strip())), "\n"))
    letters, capitals = ("".join(filter(str.isalpha, part)) for part in (name.upper(), re.sub(r"[^A-Z]", "", title)))
    share = SequenceMatcher(None, letters, capitals, autojunk=False).ratio() if letters else 0.0
    words = f"the letters {letters or '(none)'}, the capitals of the title {capitals or '(none)'}"
    if re.findall(r"\w+", title.lower()) != re.findall(r"\w+", asked.lower()):
        words += "; the title is not written as it was given"
    return TextCheck(share, words)


TASK = TextTask(
    name="acronym",
    role="You find acronyms for titles of papers and projects: one short name that people can say, remember and "
    "look up.",
    asked="the title",
    answer="one acronym, then the title written so that the letters it is made of stand in capitals",
    aspects=(
        Aspect("pronunciation", "it can be said as a word, by a stranger, at first sight"),
        Aspect("spelling", "its letters come from the title, in their order, and it is easy to spell when it is heard"),
        Aspect("relation", "what it is or sounds like has to do with what the title is about"),
        Aspect("connotation", "what comes to mind is good, or at least does no harm, in the languages that you know"),
        Aspect("recognition", "it is a word, or near to one, and no known product or project has it"),
    ),
    advice="Prefer five to eight letters. Leave out small words of the title; take more than one letter of a word "
    "where that makes a better name.",
    check=spelling,
)
