"""Recorded objects that are made by what they were made with and asked since, so that each version makes its own of it:
an index that a draft keeps beside a list is there, which no recording of the original has."""

from __future__ import annotations

import re
from dataclasses import replace

from codeopt.workloads.function.corpus.sources import Found
from codeopt.workloads.function.harness import FunctionHarness
from codeopt_sandbox.guest.calls.batch import AS_RECORDED

_WITH_HISTORY = re.compile(r"unpickle\(('[^']*'), '[^']*'\)")


def with_confirmed_histories(bench: FunctionHarness, found: Found) -> Found:
    """The histories that make of the original's class what was recorded; the other objects keep their parts alone.

    A history is not whole where code outside the class changed an object, and not to be repeated where it depends on
    something else.
    """
    asked = tuple(text for _, calls in found.calls for text in calls if _WITH_HISTORY.search(text))
    if not asked:
        return found
    lines = bench.ask(asked, "replay", seconds=1.0, lost=3, budget=5.0).lines
    confirmed = {text for text, line in zip(asked, lines, strict=True) if line == AS_RECORDED}
    new = {text: text if text in confirmed else _WITH_HISTORY.sub(r"unpickle(\1)", text) for text in asked}
    calls = ((name, tuple(dict.fromkeys(new.get(text, text) for text in texts))) for name, texts in found.calls)
    places = {new.get(text, text): place for text, place in found.places.items()}
    return replace(found, calls=tuple(calls), big=tuple(new.get(text, text) for text in found.big), places=places)
