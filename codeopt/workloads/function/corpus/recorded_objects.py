"""Recorded objects as constructor calls, which can be read, changed and shrunk.

Otherwise an object is built by its recorded history, so that each version builds its own. For example, it has an index
that a candidate keeps with a list. A recording of the original's object lacks it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.sanitize import inline
from codeopt.workloads.function.corpus.sources import Found
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.literals import Opaque, read, write
from codeopt_sandbox.guest.calls.batch import AS_RECORDED, IN_PARTS

_RECORDED = re.compile(r"unpickle\(('[^']*')(?:, '[^']*')?\)")
NAMED = 3
"""Classes that are named in a line."""


def with_constructed_objects(harness: FunctionHarness, found: Found) -> Found:
    """Write each recorded object in the first form that reproduces its state with the original's classes.

    The forms are constructor calls, its history, its parts. A history is incomplete if code outside of the class
    changed the object. It cannot be repeated if it depends on something else.
    """
    texts = (*(text for _, calls in found.calls for text in calls), *found.big)
    asked = tuple(dict.fromkeys(match[0] for text in texts for match in _RECORDED.finditer(text)))
    if not asked:
        return found
    calls = tuple(f"f({each})" for each in asked)
    lines = harness.ask(calls, "inspect", question="objects", seconds=1.0, lost=3, budget=5.0).lines
    written = {each: _written(each, line) for each, line in zip(asked, lines, strict=True)}

    def new(text: str) -> str:
        return _RECORDED.sub(lambda match: written[match[0]], text)

    return replace(
        found,
        calls=tuple((name, tuple(dict.fromkeys(map(new, calls)))) for name, calls in found.calls),
        big=tuple(map(new, found.big)),
        places={new(text): place for text, place in found.places.items()},
        diagnostics=(*found.diagnostics, *_not_varied(lines)),
    )


def _written(recorded: str, answer: str) -> str:
    """The expression that an answer names. It comes from where the module runs, and is taken where it is one."""
    if answer == AS_RECORDED:
        return recorded
    call = read(f"f({answer})") if answer and not answer.startswith(IN_PARTS) else None
    if call is None or len(call.args) != 1 or call.kwargs or isinstance(call.args[0], Opaque):
        return _RECORDED.sub(r"unpickle(\1)", recorded)
    return write(call.args[0])


def _not_varied(answers: Sequence[str]) -> list[Diagnostic]:
    """The classes of objects that are used as they were recorded alone."""
    names = (each.removeprefix(IN_PARTS) for each in answers if each.startswith(IN_PARTS))
    classes = [inline(name, 60) for name in dict.fromkeys(names) if name]
    if not classes:
        return []
    more = f" and {len(classes) - NAMED} more" if len(classes) > NAMED else ""
    what = f"recorded objects of {', '.join(classes[:NAMED])}{more} are not varied"
    return [Diagnostic(what, "no call of their constructors makes what was recorded")]
