"""Suggestions of one file together: each is right by itself, and the file must be right if all are applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.core.merging import merged
from codeopt.review.suggestion import Skipped, Suggestion

FindError = Callable[[Suggestion, str], str]
"""Callable that says why a suggestion's function is not right in another text of its file. Empty: it is."""


def combine(suggestions: Sequence[Suggestion], find_error: FindError) -> tuple[list[Suggestion], list[Skipped]]:
    """Split suggestions into those that hold with all kept others of their file applied, and those that do not.

    If all of them do not fit together, the one with the largest gain is kept, and each further one that fits to it.
    """
    kept: list[Suggestion] = []
    dropped: list[Skipped] = []
    for path in dict.fromkeys(each.path for each in suggestions):
        here = [each for each in suggestions if each.path == path]
        fitting, rest = _of_one_file(here, find_error)
        kept += fitting
        dropped += rest
    return kept, dropped


def best_first(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Sort suggestions by their speedup, the largest first."""
    return sorted(suggestions, key=lambda each: -((each.speedup and each.speedup.ratio) or 0.0))


def _of_one_file(here: list[Suggestion], find_error: FindError) -> tuple[list[Suggestion], list[Skipped]]:
    ordered = best_first(here)
    trouble = _trouble(ordered, find_error)
    if not trouble:
        return _counted(here), []
    kept, dropped = ordered[:1], []
    for each in ordered[1:]:
        trouble = trouble if len(ordered) == 2 else _trouble([*kept, each], find_error)
        if not trouble:
            kept.append(each)
            continue
        names = ", ".join(one.function for one in kept)
        reason = f"a faster version is right by itself, but not together with the suggestion for {names}: {trouble}"
        dropped.append(Skipped(each.path, each.function, reason))
    return _counted([each for each in here if each in kept]), dropped


def _trouble(suggestions: Sequence[Suggestion], find_error: FindError) -> str:
    """Name the first error with all suggestions applied except those that change another's lines. Empty
    without an error.
    """
    text, left_out = merged(suggestions[0].original, [each.improved for each in suggestions])
    applied = [each for number, each in enumerate(suggestions) if number not in left_out]
    if len(applied) < 2:
        return ""
    return next((f"{each.function}: {reason}" for each in applied if (reason := find_error(each, text))), "")


def _counted(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Set `together`, the number of suggestions that were verified at once."""
    if not suggestions:
        return suggestions
    ordered = best_first(suggestions)
    _, left_out = merged(suggestions[0].original, [each.improved for each in ordered])
    alone = [each.function for number, each in enumerate(ordered) if number in left_out]
    several = len(suggestions) - len(alone)
    return [replace(each, together=1 if each.function in alone else several) for each in suggestions]
