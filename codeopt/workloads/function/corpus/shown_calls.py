"""A few of the calls that may be shown, one for each kind of answer, cut between arguments and never inside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from codeopt.core.sanitize import fenced, inline
from codeopt.workloads.function.corpus.cases import CallCase
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.literals import Constructed, Opaque, read
from codeopt_sandbox.answers import ARROW
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.guest.calls.repr.shape import shape_of
from codeopt_sandbox.outcome import Case

MOST = 6
"""Maximum number of calls that are shown."""
LONGEST_PART = 80
"""Maximum length of an argument, characters; kind and size stand for a longer one."""
LONGEST_RESULT = 160
"""Maximum length of an outcome, characters; kind and size stand for a longer one."""
LONGEST_CALL = 400
"""Length of a call beyond which another of its kind is looked for, characters."""
SHAPE_S = 5.0


def example_calls(bench: FunctionHarness, cases: Sequence[Case]) -> str:
    """A block of lines; empty where no call may be shown."""
    rows = [_row(bench, call, outcome) for call, outcome in _diverse(list(_shown(cases)))]
    return "Some of the calls, and what comes of them (data):\n" + fenced("\n".join(rows)) if rows else ""


def _shown(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Calls with their outcomes, those that were given first; none that goes beyond what is known."""
    for case in cases:
        if not case.held_out and not (isinstance(case, CallCase) and (case.beyond or case.several)):
            lines = (case.expected or b"").decode("utf-8", "replace").split("\n")
            for call, line in zip(batch_of(case.stdin).calls, lines, strict=False):
                found = re.search(f"{ARROW}(?=returns |raises |takes |ends )", line)
                if found:
                    yield call, line[found.end() :]


def _diverse(calls: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """One of each kind of answer, those of most calls first; then longer ones, where there are few kinds."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for call in calls:
        kinds.setdefault(_kind(call[1]), []).append(call)
    groups = sorted(kinds.values(), key=len, reverse=True)
    chosen = [min(group, key=_beyond) for group in groups[:MOST]]
    more = [max(group, key=lambda call: (-_beyond(call), len(call[0]))) for group in groups]
    return list(dict.fromkeys([*chosen, *more]))[:MOST]


def _beyond(call: tuple[str, str]) -> int:
    """Number of characters beyond the maximum."""
    return max(0, len(call[0]) - LONGEST_CALL) + max(0, len(call[1]) - LONGEST_RESULT)


def _kind(outcome: str) -> str:
    """`raises ValueError`, `returns [`, `returns []`, `returns 0`: what begins alike is of one kind."""
    said, _, rest = outcome.partition(" | ")
    if not said.startswith("returns "):
        return said[:60] + rest[:9]
    value = said.removeprefix("returns ")
    empty = value in ("[]", "()", "{}", "''", "0", "None", "set{}", "<iterator of >")
    first = "0" if value[:1].isdigit() or value[:1] == "-" else value[: value.find(">") + 1] or value[:1]
    return f"{value if empty else first[:60]} {rest[:9]}"


def _row(bench: FunctionHarness, call: str, outcome: str) -> str:
    parts = _parts(call)
    if parts is None:
        return _by_shape(bench, call, outcome)
    words = [f"{name}{_part(value)}" for name, value in parts]
    return f"{bench.names.method or 'f'}({', '.join(words)}){ARROW}{_outcome(outcome)}"


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


def _outcome(outcome: str, result: str = "") -> str:
    """Outcome of a call in words; long parts by their kind. result: what it returns, for a value without literal."""
    said, *rest = outcome.split(" | ")
    if len(said) > LONGEST_RESULT:
        said = f"returns {f'<{result}>' if result else _like(said.removeprefix('returns '))}"
    kept = [part if len(part) <= LONGEST_RESULT else "arguments are changed" for part in rest if part != "yields"]
    return inline(" | ".join([said, *kept]), 3 * LONGEST_RESULT)


def _by_shape(bench: FunctionHarness, call: str, outcome: str) -> str:
    """A call with objects in it: as constructor calls, else all of its arguments by kind and size, with their names."""
    given, result = given_by_shape(bench, call)
    if not has_objects(call) and len(bench.names.shown(call)) <= LONGEST_CALL:
        given = ""
    shown = f"{bench.names.method or 'f'}({given})" if given else inline(bench.names.shown(call), LONGEST_CALL)
    return f"{shown}{ARROW}{_outcome(outcome, result)}"


def has_objects(call: str) -> bool:
    """Whether something in it has neither a literal, nor a name, nor a class's call."""
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


def given_by_shape(bench: FunctionHarness, call: str) -> tuple[str, str]:
    """The arguments of a call, and its result, by kind and size."""
    answer = bench.runner.ask(bench.source, CallBatch((call,), "shape", seconds=SHAPE_S)).answer
    words = dict(line.split("\t", 1) for line in answer.lines) if answer else {}
    result = words.pop("->", "")
    names = bench.function.parameters
    given = [
        f"{names[int(name)] if name.isdigit() and int(name) < len(names) else name}=<{inline(text, 200)}>"
        for name, text in words.items()
    ]
    return ", ".join(given), result
