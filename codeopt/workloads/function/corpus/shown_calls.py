"""A few of the calls that may be shown, one for each kind of answer, cut between arguments and never inside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from codeopt.core.sanitize import fenced, inline
from codeopt.workloads.function.corpus.cases import CallCase
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.literals import Constructed, Opaque, read
from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.guest.calls.repr.shape import shape_of
from codeopt_sandbox.guest.environment import NEIGHBOUR, USUAL
from codeopt_sandbox.outcome import Case

MOST = 6
"""Maximum number of calls that are shown."""
LONGEST_PART = 80
"""Maximum length of an argument, characters. A longer one is replaced by its kind and size."""
LONGEST_RESULT = 160
"""Maximum length of an outcome, characters. A longer one is replaced by its kind and size."""
LONGEST_CALL = 400
"""Length of a call beyond which another of its kind is looked for, characters."""
SMALLEST = 12
"""Size of a result that is empty, or next to it, encoded, bytes."""
SHAPE_S = 5.0
ShownCall = tuple[str, Answer]
"""A call, and what comes of it."""


def example_calls(harness: FunctionHarness, cases: Sequence[Case]) -> str:
    """A block of lines; empty where no call may be shown."""
    rows = [_row(harness, call, outcome) for call, outcome in _diverse(list(_shown(cases)))]
    return "Some of the calls, and what comes of them (data):\n" + fenced("\n".join(rows)) if rows else ""


def _shown(cases: Sequence[Case]) -> Iterator[ShownCall]:
    """Yield calls with their outcomes, given ones first, without unusual ones."""
    for case in cases:
        elsewhere = case.environment.name not in (USUAL.name, NEIGHBOUR.name)
        if not case.held_out and not elsewhere and not (isinstance(case, CallCase) and (case.beyond or case.several)):
            answer = case.answer if isinstance(case, AnsweredCase) else None
            for call, outcome in zip(batch_of(case.stdin).calls, answer.outcomes if answer else (), strict=False):
                if outcome.kind not in (Kind.NOT_MADE, Kind.NO_ARGUMENTS):
                    yield call, outcome


def _diverse(calls: Sequence[ShownCall]) -> list[ShownCall]:
    """Return one call of each kind of answer, the most frequent kind first. If kinds are few, longer calls follow."""
    kinds: dict[tuple[object, ...], list[ShownCall]] = {}
    for call in calls:
        kinds.setdefault(_kind(call[1]), []).append(call)
    groups = sorted(kinds.values(), key=len, reverse=True)
    chosen = [min(group, key=_beyond) for group in groups[:MOST]]
    more = [max(group, key=lambda call: (-_beyond(call), len(call[0]))) for group in groups]
    return list({call: (call, outcome) for call, outcome in [*chosen, *more]}.values())[:MOST]


def _beyond(call: ShownCall) -> int:
    """Number of characters beyond the maximum."""
    return max(0, len(call[0]) - LONGEST_CALL) + max(0, call[1].value.size - LONGEST_RESULT)


def _kind(outcome: Answer) -> tuple[object, ...]:
    """Tell how a call ends: what its result begins with, whether there is anything in it, and what else is observed."""
    begin = outcome.value.shown[:1]
    first = "0" if begin.isdigit() or begin == "-" else begin
    small = outcome.value.shown if outcome.value.size <= SMALLEST else ""
    return outcome.kind, outcome.raised.digest, first, small, bool(outcome.arguments), outcome.output.digest


def _row(harness: FunctionHarness, call: str, outcome: Answer) -> str:
    parts = _parts(call)
    if parts is None:
        return _by_shape(harness, call, outcome)
    words = [f"{name}{_part(value)}" for name, value in parts]
    result = given_by_shape(harness, call)[1] if _is_long(outcome) else ""
    return f"{harness.names.method or 'f'}({', '.join(words)}) -> {_outcome(outcome, result)}"


def _parts(call: str) -> list[tuple[str, ast.expr]] | None:
    """Arguments with `name=` where they have one; None for a call that is no list of plain values."""
    try:
        node = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "f":
        return None
    if any(isinstance(inner, ast.Call) for value in [*node.args, *node.keywords] for inner in ast.walk(value)):
        return None
    return [("", value) for value in node.args] + [(f"{word.arg}=", word.value) for word in node.keywords]


def _part(node: ast.expr) -> str:
    text = ast.unparse(node)
    return inline(text, 2 * LONGEST_PART) if len(text) <= LONGEST_PART else _like(text)


def _like(text: str) -> str:
    """Kind and size of a literal, in place of it."""
    try:
        return f"<{shape_of([ast.literal_eval(text)])}>"
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return f"{text[:LONGEST_PART]}... ({len(text):,} characters)"


def _is_long(outcome: Answer) -> bool:
    return len(outcome.value.shown) > LONGEST_RESULT


def _outcome(outcome: Answer, result: str = "") -> str:
    """Outcome of a call in words; long parts by their kind. result: what it returns, by kind and size."""
    if _is_long(outcome):
        shown = f"<{result}>" if result else f"{outcome.value.shown[:LONGEST_PART]}..."
        outcome = outcome.replace(value=outcome.value.replace(shown=shown))
    if len(outcome.arguments.shown) > LONGEST_RESULT:
        outcome = outcome.replace(arguments=outcome.arguments.replace(shown="others"))
    return inline(outcome.text, 3 * LONGEST_RESULT)


def _by_shape(harness: FunctionHarness, call: str, outcome: Answer) -> str:
    """A call with objects in it: as constructor calls, else all of its arguments by kind and size, with their names."""
    given, result = given_by_shape(harness, call)
    if not has_objects(call) and len(harness.names.shown(call)) <= LONGEST_CALL:
        given = ""
    shown = f"{harness.names.method or 'f'}({given})" if given else inline(harness.names.shown(call), LONGEST_CALL)
    return f"{shown} -> {_outcome(outcome, result)}"


def has_objects(call: str) -> bool:
    """Return True if a part is not a literal, a name or a constructor call."""
    found = read(call)
    return found is None or any(map(_is_hidden, found.values))


def _is_hidden(value: Any) -> bool:
    if isinstance(value, Opaque):
        return not value.text.startswith("load(")
    if isinstance(value, dict):
        return any(map(_is_hidden, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_is_hidden, value))
    return isinstance(value, Constructed) and any(map(_is_hidden, value.values))


def given_by_shape(harness: FunctionHarness, call: str) -> tuple[str, str]:
    """The arguments of a call, and its result, by kind and size."""
    answer = harness.runner.ask(harness.source, CallBatch((call,), "inspect", "shape", seconds=SHAPE_S)).answer
    words = dict(line.split("\t", 1) for line in answer.lines) if answer else {}
    result = words.pop("->", "")
    names = harness.function.parameters
    given = [
        f"{names[int(name)] if name.isdigit() and int(name) < len(names) else name}=<{inline(text, 200)}>"
        for name, text in words.items()
    ]
    return ", ".join(given), result
