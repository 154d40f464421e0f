"""The smallest call near a failing one that fails as well, and where its answer first differs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from codeopt.core.call import Call, Opaque, texts_of
from codeopt.core.revision import Revision
from codeopt.workloads._judging import HANGS
from codeopt.workloads.function.counterexample import Probe, as_python
from codeopt.workloads.function.harness import TimedRuns
from codeopt.workloads.generated.larger import simpler
from codeopt_sandbox.calls import Answer, CallAnswer, CallBatch, CallRun, Kind
from codeopt_sandbox.comparing import AnswerChecker, AnsweredCase
from codeopt_sandbox.guest.accept import value
from codeopt_sandbox.guest.request import USUAL, Environment, batch_of

if TYPE_CHECKING:
    from codeopt_sandbox.guest.request import Ordered


ROUNDS = 10
AT_ONCE = 240
"""Maximum number of calls of a round, the shortest first: of 60 none had an item of a list of 41 made simpler."""
SENSIBLE = (Kind.RETURNS, Kind.YIELDS, Kind.RAISES, Kind.NOT_COMPARABLE)
CALL_S = 0.5
"""Time limit of one call, seconds: a draft may not return from small calls."""
MOST_BEFORE = 3
"""Number of calls that are shown before one that fails only after them."""


P = TypeVar("P", bound=Probe)


@dataclass(frozen=True)
class Failing(Generic[P]):
    """A call or scenario whose outcome is another."""

    call: P
    detail: str
    """`f([0]): expected ..., got ...`; empty when the failure does not show in a call by itself."""
    late: bool
    """Whether the run was ended because it took too long, and the original takes long as well."""
    kinds: tuple[str, ...] = ()
    """Ends of the original and of the draft; empty where only one of them was run."""
    alike: bool = False
    """Whether both results are the same in what is shown of them."""
    by_identity: bool = False
    """Whether the call fails only where equal constants of the arguments are separate objects."""


def failing(case: AnsweredCase, calls: Sequence[P], run: CallRun, check: AnswerChecker) -> Iterator[Failing[P]]:
    """The calls of a case whose outcomes are others; nothing when only what the calls leave behind is."""
    if case.answer is None or run.answer is None:
        return
    names = zip(calls, case.answer.calls, strict=False)
    for (call, name), was, now in zip(names, case.answer.outcomes, run.answer.outcomes, strict=False):
        if detail := check.of_answers(CallAnswer((was,), (name,)), CallAnswer((now,), (name,))):
            late = _late(was, now, batch_of(case.stdin).seconds)
            yield Failing(call, detail + _said(None, now), late, (was.kind, now.kind))


def _late(was: Answer, now: Answer, limit: float) -> bool:
    """Whether a call was stopped that may be slow. One that has had HANGS times as long as the original never ends."""
    return now.kind == Kind.TIMEOUT and was.seconds * HANGS > limit


class Shrinker(Generic[P]):
    """Looks for the smallest call, or scenario, on which a draft differs from the original."""

    def failing(self, probes: list[P], *, results: bool = False) -> list[Failing[P]]:
        """Those whose outcomes differ, and the difference. results: its place in long results too."""
        raise NotImplementedError

    def smaller(self, probe: P) -> Sequence[P]:
        """Some that are smaller, the smallest first."""
        raise NotImplementedError

    def shrunk(self, first: P, before: Sequence[P] = ()) -> tuple[Failing[P], Sequence[P]]:
        """The smallest one near `first` that fails as that does: a smaller one that raises another error would tell of
        something else. Also what was made before it, in the same process; before: the same of the first one."""
        best = Failing(first, "", False)
        # time limit of all rounds, seconds
        until = time.monotonic() + 10.0

        for _ in range(ROUNDS):
            if best.detail and time.monotonic() > until:
                break
            again = [] if best.detail else [best.call]
            batch = [*self.smaller(best.call), *again]
            failing = self.failing(batch)
            kinds = best.kinds or next((each.kinds for each in failing if each.call == best.call), ())
            found = next((each for each in failing if not kinds or each.kinds == kinds), None)
            if found is None:
                break
            ended, best, before = found.call == best.call, found, batch[: batch.index(found.call)]
            if ended:
                break
        return best, before


@dataclass(frozen=True)
class CallShrinker(Shrinker[Call]):
    """Looks for the smallest call on which a draft differs from the original."""

    runner: TimedRuns
    original: Revision
    draft: Revision
    check: AnswerChecker
    environment: Environment = USUAL
    ordered: Ordered = "all"
    """As of the batch in which a call failed."""
    inside: Callable[[Sequence[Call]], Sequence[Call]] = lambda calls: calls
    """Filters calls: those that do not go beyond the contract stay."""

    def smallest(self, first: Call, before: Sequence[Call] = ()) -> Failing[Call]:
        """The smallest call near `first`, and whether it fails by itself. before: calls that were made before the first
        one, in the same process."""
        best, before = self.shrunk(first, before)
        if best.detail and self.environment.distinct:
            usual = replace(self, environment=self.environment.replace(distinct=False))
            best = replace(best, by_identity=not usual.failing([best.call]))
        alone = [] if best.late else self.failing([best.call], results=best.alike)
        if alone or best.late:
            return replace(best, detail=alone[0].detail) if alone and best.detail else best
        return self._after_others(best, list(before))

    def smaller(self, probe: Call) -> Sequence[Call]:
        near = {each for each in smaller_calls(probe) if _order(each) < _order(probe)}
        return self.inside(sorted(near, key=_order)[:AT_ONCE])

    def _after_others(self, best: Failing[Call], before: list[Call]) -> Failing[Call]:
        """A call that fails only after others, with the few of these that it needs."""

        def fails(calls: list[Call]) -> Failing[Call] | None:
            return next((each for each in self.failing([*calls, best.call]) if each.call == best.call), None)

        found = fails(before)
        while found and len(before) > 1:
            half = len(before) // 2
            parts = ((part, fails(part)) for part in (before[half:], before[:half]))
            before, less = next(((part, failing) for part, failing in parts if failing), (before, None))
            if less is None:
                break
            found = less
        if found is None:
            return best
        others = ", ".join(as_python(call) for call in before[:MOST_BEFORE])
        more = f" and {len(before) - MOST_BEFORE} more" if len(before) > MOST_BEFORE else ""
        return replace(found, detail=f"{found.detail}, after {others}{more}")

    def failing(self, probes: list[Call], *, results: bool = False) -> list[Failing[Call]]:
        if not probes:
            return []
        # time limit of the calls of a round, seconds
        batch = CallBatch(texts_of(probes), seconds=CALL_S, lost=0, budget=2.0, ordered=self.ordered, results=results)
        sides, stdin = (self.original, self.draft), batch.stdin()
        old, new = (self.runner.run(side, stdin, mode="exec", environment=self.environment) for side in sides)
        if old.answer is None or new.answer is None:
            return []
        found = []
        answers = zip(old.answer.outcomes, new.answer.outcomes, old.answer.calls, strict=False)
        for call, (was, now, name) in zip(probes, answers, strict=False):
            one, other = CallAnswer((was,), (name,)), CallAnswer((now,), (name,))
            sensible = was.kind in SENSIBLE and not (was.kind == Kind.RAISES and was.exception == "TypeError")
            if sensible and now.kind != Kind.NOT_MADE and (detail := self.check.of_answers(one, other)):
                place = first_difference(was.value.value, now.value.value) if results else ""
                said = f"{name}: {place}" if place else detail + _said(was, now)
                found.append(Failing(call, said, _late(was, now, CALL_S), (was.kind, now.kind), was.text == now.text))
        return found


def _said(was: Answer | None, now: Answer) -> str:
    """Messages of exceptions, and the place of the draft's; if a text differs it is that of another error."""
    said, before = now.message.shown, was.message.shown if was else ""
    parts = [f"the original's says {before!r}"] if before and before != said else []
    parts += [f"it says {said!r}"] if said else []
    parts += [f"raised in line {now.line}"] if now.line else []
    return "".join(f", {part}" for part in parts)


def _order(call: Call) -> tuple[int, str]:
    """What is smaller: the shorter text, of texts of one length that with the smaller digits."""
    return len(call.text), call.text


def smaller_calls(call: Call) -> Iterator[Call]:
    """Yield calls near one, with something in it that is simpler."""
    for at, argument in enumerate(call.values):
        if not isinstance(argument, Opaque):
            yield from (call.with_value(at, less) for less in simpler(argument))


# The place of the first difference in two results that are too long to be shown, with both values there.

AROUND = 20
"""Characters of a text that are shown before the first one that differs, and behind it."""
LONGEST = 100
"""Characters of a value that are shown."""


def first_difference(old: Any, new: Any) -> str:
    """`item 1290 of 1292: expected 2148353100, got -2146614196`, of values as portable.py writes them. Empty if they
    are equal, or None: they are more than literals."""
    return "" if old == new or old is None or new is None else _place(old, new)


def _place(old: Any, new: Any) -> str:
    if isinstance(old, str) and isinstance(new, str):
        at = len(commonprefix((old, new)))
        expected, got = (repr(text[max(0, at - AROUND) : at + AROUND]) for text in (old, new))
        return f"at character {at + 1}: expected {expected}, got {got}"
    if not (isinstance(old, list) and isinstance(new, list)) or old[0] != new[0]:
        return f"expected {_shown(old)}, got {_shown(new)}"
    kind, items, others = old[0], old[1:], new[1:]
    if kind not in ("list", "tuple", "dict"):
        return f"expected {_shown(old)}, got {_shown(new)}"
    for at, (one, other) in enumerate(zip(items, others, strict=False)):
        if one == other:
            continue
        if kind != "dict":
            return f"item {at} of {len(items)}: {_place(one, other)}"
        if one[0] == other[0]:
            return f"key {_shown(one[0])}: {_place(one[1], other[1])}"
        return f"key {at} of {len(items)}: {_place(one[0], other[0])}"
    return f"expected {len(items)} items, got {len(others)}"


def _shown(found: Any) -> str:
    text = repr(value(found))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
