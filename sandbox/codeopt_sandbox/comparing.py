"""Comparison of answers field by field: equal, different with a caveat, or different."""

from __future__ import annotations

import math
import sys
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest
from struct import unpack
from typing import Protocol, runtime_checkable

from codeopt_sandbox.calls import CallAnswer, CallRun, State
from codeopt_sandbox.guest.answer import KEPT_UNCHANGED, NO_VIEW, NOTHING, WORDS, Answer, Field, Floats, Kind
from codeopt_sandbox.outcome import Case, CaveatKind, Run
from codeopt_sandbox.verdict import RunChecker, float_excess

LAST_BITS = 1e-12
"""Relative: floats no further apart differ in how a sum of a few terms was associated."""
EPSILON = 2.0**-52
"""Relative difference that each further term of a sum may add: twice the unit roundoff, since both orders err.

See Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 4.2.
"""
_SHOWN = 160


class Observable(StrEnum):
    """A part of an answer that a user may leave out of the comparison."""

    ARGUMENTS = "arguments"
    """State of the arguments after the call."""
    OUTPUT = "output"
    """Everything that is printed, warned of or logged."""
    STATE = "state"
    """State of modules and of the process after the calls."""


@dataclass(frozen=True)
class FieldRule:
    """Rule for what a difference of one field is."""

    subject: CaveatKind | None = None
    """Subject of the caveat that it is; None: the draft is rejected."""
    because: str = ""
    """Reason that the caveat gives."""
    of: Observable | None = None
    """Part of the answer that the field belongs to, if a user may ignore it."""
    both: bool = False
    """True if a side without the field is not a difference: it was not asked, or has no private state."""


REJECTS = FieldRule()
FIELD_RULES: Mapping[str, FieldRule] = {
    "value": REJECTS,
    "raised": REJECTS,
    "output": FieldRule(of=Observable.OUTPUT),
    "arguments": FieldRule(of=Observable.ARGUMENTS),
    "sharing": REJECTS,
    "again": REJECTS,
    "other_run": REJECTS,
    "operations": REJECTS,
    "interface": FieldRule(
        CaveatKind.INTERFACE, "what callers find beside the values: close, send and throw, or ==, hash and <"
    ),
    "views": FieldRule(both=True),
    "views_of_arguments": FieldRule(of=Observable.ARGUMENTS, both=True),
    "private": FieldRule(CaveatKind.PRIVATE, "attributes that only the object itself looks at"),
    "private_arguments": FieldRule(
        CaveatKind.PRIVATE, "attributes that only the object itself looks at", of=Observable.ARGUMENTS
    ),
}
"""Consequence of a difference in each field of an answer, in the order of reporting. Texts of exceptions may differ."""
STATE_RULES: Mapping[str, FieldRule] = {
    "changed": FieldRule(of=Observable.STATE),
    "printed": FieldRule(of=Observable.OUTPUT),
    "counted": FieldRule(
        CaveatKind.PRIVATE, "what other modules of the project count for themselves", of=Observable.STATE
    ),
}
"""Consequence of a difference in each field of the state after the calls."""
_VIEWS = ("views", "views_of_arguments")
_KEPT = FieldRule(CaveatKind.PRIVATE, "the object that it gives out is one that it keeps")
RAISED_EARLIER = "objects whose constructor raises what the original raises in a call"
"""Reason for which a call may differ: the change makes its objects by other steps."""
_LIMITED = FieldRule(CaveatKind.INPUT, "calls that the original has neither the stack nor the memory for")
_KEEPS_PRIVATE = FieldRule(CaveatKind.PRIVATE, "its objects keep more than a caller may change in them")


@dataclass(frozen=True)
class AnswerDifference:
    """A call whose answers are not the same."""

    field: str
    at: int = 0
    """Number of the call in its batch; the state that all calls leave has the next one."""
    call: str = ""
    expected: str = ""
    got: str = ""
    """Answer of the second side in words, as `expected` is that of the first."""
    subject: CaveatKind | None = None
    """Subject of a caveat that excuses the difference; None where nothing excuses it."""
    because: str = ""
    apart: float = 0.0
    """Largest difference between floats."""
    only: Observable | None = None
    """Part of the answers that alone differs, if a user may ignore it."""
    answers: tuple[Answer, Answer] | None = None

    @property
    def words(self) -> str:
        """`f(1): expected returns 2, got returns 3`."""
        old, new = self.expected, self.got
        if old == new:
            new = f"{new} (the same in what is shown; they differ after that)"
        by_a_flag = f"; the results are equal: --ignore-difference {self.only} accepts it" if self.only else ""
        return f"{_short(self.call) + ': ' if self.call else ''}expected {old}, got {new}{by_a_flag}"


@runtime_checkable
class AnswerChecker(RunChecker, Protocol):
    """Compares the answers of calls with the expected ones."""

    def of_answers(self, expected: CallAnswer, got: CallAnswer) -> str:
        """Describe the first difference of two answers that is not excused."""


@dataclass(frozen=True)
class AnswerComparison:
    tolerance: float = 0.0
    """Allowed difference of floats, absolute or relative."""
    exact: bool = False
    """True if caveats excuse no difference."""
    ignored: frozenset[Observable] = frozenset()
    """Parts of answers that are not compared."""

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Outputs of programs are not compared here; only what is the same to the byte is the same."""
        return "" if expected == got else "another output"

    def of_run(self, case: Case, run: Run) -> str:
        """Describe the first call of a run whose answer differs without an excuse. Empty without one."""
        wanted = case.answer if isinstance(case, AnsweredCase) else None
        got = run.answer if isinstance(run, CallRun) else None
        if wanted is None or got is None:
            return "" if wanted is got else "the calls gave no answer"
        return self.of_answers(wanted, got)

    def of_answers(self, expected: CallAnswer, got: CallAnswer) -> str:
        """Describe the first difference of two answers that is not excused. Empty without one."""
        found = (each for each in self.differences(expected, got) if self.exact or each.subject is None)
        first = next(found, None)
        return first.words if first else ""

    def of_case(self, case: AnsweredCase, run: Run) -> list[AnswerDifference]:
        """The differences of a run from the answers that a case expects; empty where either has none."""
        got = run.answer if isinstance(run, CallRun) else None
        return [*self.differences(case.answer, got)] if case.answer and got else []

    def differences(self, expected: CallAnswer, got: CallAnswer) -> Iterator[AnswerDifference]:
        """Every call with another answer, in order."""
        pairs = zip_longest(expected.outcomes, got.outcomes)
        for at, (was, now) in enumerate(pairs):
            call = next((each.calls[at] for each in (expected, got) if at < len(each.calls)), "")
            if was is None or now is None:
                old, new = (each.text if each else "returns nothing more" for each in (was, now))
                yield AnswerDifference("value", at, call, old, new)
            elif found := self.of_one(was, now):
                yield replace(found, at=at, call=call)
        if left := self._of_state(expected.state or State(), got.state or State()):
            yield replace(left, at=len(expected.outcomes))

    def same_state(self, expected: CallAnswer, got: CallAnswer) -> bool:
        """Return True if the calls leave the same state."""
        return self._of_state(expected.state or State(), got.state or State()) is None

    def _of_state(self, was: State, now: State) -> AnswerDifference | None:
        """A difference in the state that calls leave."""
        found = self._of_fields(vars(was), vars(now), STATE_RULES)
        return replace(found, expected=was.text, got=now.text) if found else None

    def of_one(self, was: Answer, now: Answer) -> AnswerDifference | None:
        """Return the first difference between two answers to one call that nothing excuses, or else an excused one;
        None where nothing differs."""
        if was.observed() == now.observed():
            return None
        if (
            Observable.ARGUMENTS in self.ignored and now.kind == Kind.UNFIT
        ):  # it made of the arguments what the caller was to make
            return None
        found: AnswerDifference | None = None
        name = was.exception.rpartition(".")[2]
        if was.kind != now.kind:
            rule = _KEEPS_PRIVATE if now.kind == Kind.CLOSED else REJECTS
            if was.kind == Kind.RAISES and now.kind == Kind.NO_ARGUMENTS and now.exception == name:
                rule = FieldRule(CaveatKind.INPUT, RAISED_EARLIER)
            limited = was.kind == Kind.RAISES and name in ("RecursionError", "MemoryError")
            if limited and now.kind in (Kind.RETURNS, Kind.YIELDS):
                rule = _LIMITED
            found = AnswerDifference("kind", subject=rule.subject, because=rule.because)
        elif len(was.steps) != len(now.steps):
            found = AnswerDifference("steps")
        elif was.steps:
            pairs = zip(was.steps, now.steps, strict=True)
            found = _worst([each for pair in pairs if (each := self.of_one(*pair))])
        if found is None:
            found = self._of_fields(vars(was), vars(now), FIELD_RULES)
        if found is None and was.effects != now.effects:
            found = AnswerDifference("effects")
        return _in_words(found, was, now) if found else None

    def seen_by_callers(self, was: Answer, now: Answer, *, timed: bool = False) -> AnswerDifference | None:
        """Return the visible part of a difference in private state, for answers with views. None if nothing is visible.

        Views that even the original's objects do not give are no evidence.
        `timed` marks timed calls, whose objects may be too large for views.
        """
        if was.kind != now.kind == Kind.TIMEOUT:
            return _in_words(AnswerDifference("kind"), was, now)
        if was.operations.digest != now.operations.digest:
            return _in_words(AnswerDifference("operations"), was, now)
        was = was.replace(**{name: NOTHING for name in _VIEWS if getattr(was, name).value == NO_VIEW})
        for name in _VIEWS:
            old, new = getattr(was, name), getattr(now, name)
            if old and new and old.digest != new.digest and FIELD_RULES[name].of not in self.ignored:
                return _in_words(AnswerDifference(name), was, now)
        names = not timed and was.private.value == now.private.value  # else one only keeps what the other does not
        if was.private.digest != now.private.digest and names and not (was.views and now.views):
            return _in_words(AnswerDifference("private"), was, now)
        return None

    def _of_fields(
        self, was: Mapping[str, Field], now: Mapping[str, Field], rules: Mapping[str, FieldRule]
    ) -> AnswerDifference | None:
        """A difference in the fields of two answers."""
        found = []
        for name, rule in rules.items():
            if was[name].digest == now[name].digest or rule.of in self.ignored:
                continue
            if rule.both and not (was[name] and now[name]):
                continue
            each = self._of_field(name, was[name], now[name], rule)
            found += [each] if each else []
        worst = _worst(found)
        rejecting = {rules[each.field].of for each in found if each.subject is None}
        return replace(worst, only=next(iter(rejecting)) if len(rejecting) == 1 else None) if worst else None

    def _of_field(self, name: str, was: Field, now: Field, rule: FieldRule) -> AnswerDifference | None:
        """A difference in one field; None where floats are near enough by the user's tolerance."""
        if name == "sharing" and not was and now.shown == KEPT_UNCHANGED:
            rule = _KEPT
        found = AnswerDifference(name, subject=rule.subject, because=rule.because)
        if rule.subject is not None or was.floats is None or now.floats is None or was.floats.rest != now.floats.rest:
            return found
        numbers = FloatPairs(was.floats, now.floats)
        if not numbers.pairs:
            return None
        if self.tolerance and numbers.within(self.tolerance):
            return None
        apart = numbers.last_bits()
        if apart is None:
            return found
        return replace(found, subject=CaveatKind.FLOATS, because="the last bits of floats", apart=apart)


def _in_words(found: AnswerDifference, was: Answer, now: Answer) -> AnswerDifference:
    """The difference with what both answers say in its field; also with how they end where one says nothing in it."""
    old, new = was.part(found.field), now.part(found.field)
    if old and new and found.field in _VIEWS:
        old, new = _apart(old, new)
    if not old and not new:
        old, new = was.end, now.end
    elif not old or not new:
        old, new = (f"{part}{' and ' * bool(part)}{_short(each.end)}" for part, each in ((old, was), (new, now)))
    return replace(found, expected=old, got=new, answers=(was, now))


def _apart(old: str, new: str) -> tuple[str, str]:
    """What objects show, without what both show before and behind it."""
    head = WORDS["views"] if old.startswith(WORDS["views"]) else WORDS["views_of_arguments"]
    one, other = (text.removeprefix(head).split("; ") for text in (old, new))
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (f"{head}{'; '.join(one)}", f"{head}{'; '.join(other)}") if one and other else (old, new)


def _worst(found: Sequence[AnswerDifference]) -> AnswerDifference | None:
    """The first difference that nothing excuses, else the first."""
    return next((each for each in found if each.subject is None), next(iter(found), None))


@dataclass(frozen=True)
class FloatPairs:
    """Floats of two encodings that are equal except for their floats."""

    was: Floats
    now: Floats

    @cached_property
    def pairs(self) -> list[tuple[float, float]]:
        """Floats that differ, in their order."""
        old, new = (_unpacked(each.packed) for each in (self.was, self.now))
        pairs = zip(old, new, strict=True)
        return [(x, y) for x, y in pairs if not _is_same(x, y)]

    def within(self, tolerance: float) -> bool:
        """Return True if all pairs are within the tolerance, absolute or relative."""
        return all(x == y or float_excess(x, y, tolerance) <= 1 for x, y in self.pairs)

    def last_bits(self) -> float | None:
        """Largest difference, a finite number; None where a float is far off.

        Limits go by the floats of a call and its answer: each of them may be a term of a sum.
        """
        # Allowed difference in units in the last place of the largest float of the call, where terms cancel
        # each other
        floats, terms = self.was, max(16, self.was.terms)
        relative = terms * floats.spacing if floats.spacing else max(LAST_BITS, EPSILON * floats.terms)
        absolute = relative * floats.largest if floats.spacing else terms * math.ulp(floats.largest)
        for x, y in self.pairs:  # NaN, infinity and the sign of a zero are exact
            finite = math.isfinite(x) and math.isfinite(y)
            if not finite or x == y or not math.isclose(x, y, rel_tol=relative, abs_tol=absolute):
                return None
        return max((min(abs(x - y), sys.float_info.max) for x, y in self.pairs), default=0.0)


def _unpacked(packed: str) -> tuple[float, ...]:
    data = b64decode(packed)
    return unpack(f"<{len(data) // 8}d", data)


def _is_same(x: float, y: float) -> bool:
    if x != x and y != y:
        return True
    return x == y and math.copysign(1.0, x) == math.copysign(1.0, y)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 20]}... ({len(text)} characters)"


@dataclass(frozen=True)
class AnsweredCase(Case):
    """Calls with the answers that are expected of them."""

    answer: CallAnswer | None = None

    @property
    def is_answered(self) -> bool:
        return self.answer is not None

    def expecting(self, run: Run) -> AnsweredCase:
        """The case with what a run of the original answered."""
        return replace(self, answer=run.answer if isinstance(run, CallRun) else None)
