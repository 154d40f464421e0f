"""Several suggestions of one file, all applied: each was right by itself, and a reader may take any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.review.patch import merged
from codeopt.review.suggestion import Skipped, Suggestion

Wrong = Callable[[Suggestion, str], str]
"""Why the function of a suggestion is not right in another text of its file; empty when it is."""


def combine(found: Sequence[Suggestion], wrong: Wrong) -> tuple[list[Suggestion], list[Skipped]]:
    """The suggestions that hold with all others of their file applied, and those that do not.

    Where all of them do not go together, the one that gains most is kept, and each other that goes with what is kept.
    """
    kept: list[Suggestion] = []
    dropped: list[Skipped] = []
    for path in dict.fromkeys(each.path for each in found):
        here = [each for each in found if each.path == path]
        fitting, rest = _of_one_file(here, wrong)
        kept += fitting
        dropped += rest
    return kept, dropped


def best_first(found: Sequence[Suggestion]) -> list[Suggestion]:
    """By how much faster they are."""
    return sorted(found, key=lambda each: -(each.speedup.get("ratio") or 0.0))


def _of_one_file(here: list[Suggestion], wrong: Wrong) -> tuple[list[Suggestion], list[Skipped]]:
    ordered = best_first(here)
    trouble = _trouble(ordered, wrong)
    if not trouble:
        return _counted(here), []
    kept, dropped = ordered[:1], []
    for each in ordered[1:]:
        trouble = trouble if len(ordered) == 2 else _trouble([*kept, each], wrong)
        if not trouble:
            kept.append(each)
            continue
        names = ", ".join(one.function for one in kept)
        reason = f"a faster version is right by itself, but not together with the suggestion for {names}: {trouble}"
        dropped.append(Skipped(each.path, each.function, reason))
    return _counted([each for each in here if each in kept]), dropped


def _trouble(found: Sequence[Suggestion], wrong: Wrong) -> str:
    """What goes wrong with all of them applied; what changes the lines of another is no part of it."""
    text, left_out = merged(found[0].original, [each.improved for each in found])
    applied = [each for number, each in enumerate(found) if number not in left_out]
    if len(applied) < 2:
        return ""
    return next((f"{each.function}: {reason}" for each in applied if (reason := wrong(each, text))), "")


def _counted(found: list[Suggestion]) -> list[Suggestion]:
    """With the number of suggestions that were applied at once."""
    if not found:
        return found
    ordered = best_first(found)
    _, left_out = merged(found[0].original, [each.improved for each in ordered])
    alone = [each.function for number, each in enumerate(ordered) if number in left_out]
    several = len(found) - len(alone)
    return [replace(each, together=1 if each.function in alone else several) for each in found]
