"""Private attributes of objects, whose names begin with an underscore, told apart from the public view; shared with the
host."""

from __future__ import annotations

from .plain import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

ARGUMENTS = " | arguments become "
PRIVATE_ARGUMENTS = " | private attributes of arguments become "
GENERATOR = "generator "
"""Mark of a result that callers may close."""
RECEIVER = "generator to send to "
"""Mark of a result that takes what callers send to it."""
KEPT = " | called again, it gives out the same object"
KEPT_UNCHANGED = " | called again, it gives out an object that it keeps"
"""Mark of a kept object whose changes do not show in later results."""
COUNTED = " | other modules keep for themselves: "
"""Mark in a state of values that other modules keep for themselves."""
SHOWS = " | of its objects show "
NOT_ASKED = " | its objects are not asked"
"""Mark of a call beyond those whose objects are asked for their public view."""
EQUAL = " | with equal arguments that are other objects: "
_QUOTED = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\""""


def pattern() -> Pattern[str]:
    """Quoted texts, brackets, what separates parts, and where a private attribute begins. `re` is loaded only where
    it is needed: it takes longer than most of a run."""
    import re

    return re.compile(_QUOTED + r"|[\[({]|[\])}]|, | \| |(?<=[{ ])_\w*=")


def without_private(text: str) -> str:
    """A text of `CanonicalRepr` without private attributes."""
    if "_" not in text:
        return text
    kept = []
    start = depth = 0
    hidden = -1  # the depth at which an attribute began that is left out
    for match in pattern().finditer(text):
        part = match[0]
        if part in "[({":
            depth += 1
        elif part in "])}":
            if hidden == depth:
                start, hidden = match.start(), -1
            depth -= 1
        elif hidden == depth and part == ", ":
            start, hidden = match.end(), -1
        elif hidden < 0 and part[0] == "_":
            kept.append(text[start : match.start()])
            hidden = depth
    if hidden < 0:
        kept.append(text[start:])
    return "".join(kept).replace(", }", "}").replace(" {}", "")


def has_private(text: str) -> bool:
    """Whether private attributes stand in a text of `CanonicalRepr`."""
    return "_" in text and without_private(text) != text


def segments(text: str) -> list[str]:
    """Segments of an outcome, each beginning with ` | ` but the first."""
    found, start, depth = [], 0, 0
    for match in pattern().finditer(text):
        part = match[0]
        depth += (part in "[({") - (part in "])}")
        if part == " | " and not depth:
            found.append(text[start : match.start()])
            start = match.start()
    return [*found, text[start:]]


def asked_alike(one: str, other: str) -> tuple[str, str]:
    """Two outcomes, both without what objects show where those of one are not asked: that hangs on how many calls its
    run has made before."""
    if NOT_ASKED not in one and NOT_ASKED not in other:
        return one, other
    parts = segments(one), segments(other)
    if not any(part.startswith(NOT_ASKED) for each in parts for part in each):  # it stands in a quoted text
        return one, other
    return _unasked(parts[0]), _unasked(parts[1])


def _unasked(parts: list[str]) -> str:
    """An outcome as that of a call whose objects are not asked: whether others see their change is not known."""
    kept = (part for part in parts if not part.startswith((SHOWS, NOT_ASKED)))
    return "".join(
        PRIVATE_ARGUMENTS + part.removeprefix(ARGUMENTS) if part.startswith(ARGUMENTS) else part for part in kept
    )


def became(before: str, after: str) -> str:
    """Text of a change of the arguments; told apart where only the objects themselves see it."""
    if before == after:
        return ""
    private = "_" in after + before and without_private(before) == without_private(after)
    return (PRIVATE_ARGUMENTS if private else ARGUMENTS) + cut(after)
