"""Constrained generation: one natural sentence or two with every concept of a list, checked by code.

The metric is concept coverage, as of CommonGen-Hard in Self-Refine (20 to 30 concepts). A concept counts in any of its
usual forms (`run`: runs, running). An irregular form such as `ran` does not count.
"""

from __future__ import annotations

import re

from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask

_ENDINGS = ("", "s", "es", "d", "ed", "ing", "er", "ers", "ly", "'s")


def concepts(text: str) -> list[str]:
    """Return the concepts of an input, which commas or line ends separate."""
    parts = (part.strip(" \t-*.").lower() for part in re.split(r"[,;\n]", text))
    return list(dict.fromkeys(part for part in parts if part))


def is_there(concept: str, text: str) -> bool:
    """Return whether a concept, or a usual form of it, is a word of the text."""
    stems = {concept, concept.removesuffix("e"), concept.removesuffix("y") + "i", concept + concept[-1]}
    forms = "|".join(re.escape(stem + ending) for stem in stems for ending in _ENDINGS if stem + ending)
    return re.search(rf"(?<!\w)(?:{forms})(?!\w)", text.lower()) is not None


def coverage(asked: str, text: str) -> TextCheck:
    """The share of the concepts that are in the text, and which are not."""
    wanted = concepts(asked)
    missing = [concept for concept in wanted if not is_there(concept, text)]
    share = 1 - len(missing) / max(1, len(wanted))
    words = f"{len(wanted) - len(missing)} of {len(wanted)} concepts are there"
    return TextCheck(share, f"{words}; missing: {', '.join(missing)}" if missing else words)


TASK = TextTask(
    name="constrained_generation",
    role="You write short English texts in which every concept of a list is used, each as a word of its own, so that "
    "the whole makes sense and reads as if nobody had asked for the words.",
    asked="the concepts, between commas",
    answer="one to three sentences with all of the concepts",
    aspects=(
        Aspect("common sense", "what is told could happen, and each concept is used for what it means"),
        Aspect("fluency", "the sentences are grammatical and do not read like a list"),
    ),
    check=coverage,
)
