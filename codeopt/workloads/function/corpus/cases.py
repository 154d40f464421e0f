"""Calls of a function as cases, and caveats about differences that do not make a candidate wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codeopt_sandbox.call_answer import CallAnswer, CallRun
from codeopt_sandbox.caveat import Caveat, CaveatKind, cut
from codeopt_sandbox.comparing import AnswerComparison, AnswerDifference, AnsweredCase
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.outcome import Case, Outcome

MOST_SMALLER = 3
"""Maximum number of calls of a case that are made smaller to find their reason: each takes some runs."""
MOST_INPUT = 300
"""Characters of a call in a caveat."""


@dataclass(frozen=True)
class CallCase(AnsweredCase):
    """Calls with some unusual ones, or calls that are made together."""

    beyond: tuple[str, ...] = ()
    """Reason of each call; empty in a case whose calls are all like known ones."""
    several: bool = False
    """Each of them is a scenario, no single call."""


@dataclass(frozen=True)
class WholeCase(AnsweredCase):
    """Timed calls, made as they are timed, and looked at as calls that are checked."""


def calls_of(case: Case) -> Sequence[str]:
    """The calls of a case as expressions."""
    return batch_of(case.stdin).calls


Paste = Callable[[str], str]
"""A call as a line for a shell."""


@dataclass(frozen=True)
class CaveatRules:
    """Rules that decide which difference is a caveat, and the text of a caveat."""

    comparison: AnswerComparison
    paste: Paste
    accepts: Callable[[AnswerDifference], bool] | None = None
    """Returns True if the user's checker accepts a difference."""
    name: str = "f"
    """Name of the function, which replaces the `f` of its calls."""
    reasons: Callable[[str], Mapping[str, bool]] = lambda call: {}
    """Everything by which a call differs from known ones, and whether that is a type."""
    smaller: Callable[[str], str] = lambda call: call
    """Returns the smallest call near one that shows a difference also."""


def without_unsteady(case: AnsweredCase, run: CallRun, again: CallRun) -> CallRun:
    """Return the candidate's run without effects of calls that vary.

    If the original's second run differs from the expected answer of a call, the candidate gets the expected answer
    there.
    """
    wanted, answer, original = case.answer, run.answer, again.answer
    if wanted is None or answer is None or original is None:
        return run
    every = wanted.outcomes, answer.outcomes, original.outcomes
    if len(set(map(len, every))) > 1:
        return run
    exact = AnswerComparison()
    kept = [was if exact.of_one(was, other) else now for was, now, other in zip(*every, strict=True)]
    state = answer.state if exact.same_state(wanted, original) else wanted.state
    return replace(run, answer=replace(answer, outcomes=tuple(kept), state=state))


def call_caveats(case: AnsweredCase, got: CallAnswer | None, rules: CaveatRules) -> tuple[Caveat, ...]:
    """The shortest call whose answer differs, for each reason."""
    if case.answer is None or got is None:
        return ()
    groups: dict[tuple[CaveatKind | None, str], list[AnswerDifference]] = {}
    lines = _Lines(case, calls_of(case), len(case.answer.outcomes))
    found = [
        each
        for each in rules.comparison.differences(case.answer, got)
        if not (rules.accepts and each.answers and not each.subject and rules.accepts(each))
    ]
    because, types = _true_reasons(lines, found, rules)
    for each in found:
        groups.setdefault((each.subject, each.because or because[each.at]), []).append(each)
    # other types last: few callers give them, and of several reasons a line names the first
    ordered = sorted(groups.items(), key=lambda group: group[0][1] in types)
    return tuple(_caveat(lines, each, why, rules) for (_, why), each in ordered)


def _true_reasons(
    lines: _Lines, found: Sequence[AnswerDifference], rules: CaveatRules
) -> tuple[dict[int, str], set[str]]:
    """Why each call differs, by its number, and which of the reasons are types.

    A call that differs from known ones in several ways does so by what alone makes the difference on another call, or
    on the smallest one near it.
    """
    because = {each.at: lines.why(each) for each in found}
    several: dict[int, Mapping[str, bool]] = {}
    alone: set[str] = set()
    tried = 0
    for each in sorted(found, key=lambda each: len(each.call)):
        at = lines.place(each)
        reasons = rules.reasons(lines.calls[at]) if at is not None and because[each.at] and not each.because else {}
        if because[each.at] in reasons:
            several[each.at] = reasons
            alone |= {*reasons} if len(reasons) == 1 else set()
    for each in found:
        at, reasons = lines.place(each), several.get(each.at, {})
        if at is None or len(reasons) < 2:
            continue
        if not alone.intersection(reasons) and tried < MOST_SMALLER:
            tried += 1
            smallest = rules.reasons(rules.smaller(lines.calls[at]))
            alone.add(next((why for why in smallest if why in reasons), because[each.at]))
        because[each.at] = next((why for why in reasons if why in alone), because[each.at])
    return because, {why for reasons in several.values() for why, is_type in reasons.items() if is_type}


LENIENT = "it is generated, and --mutated-inputs is lenient"


def beyond_caveats(case: CallCase, outcome: Outcome, rules: CaveatRules) -> tuple[Caveat, ...]:
    """Return the caveats of unusual calls, or one about the end of the whole run."""
    if outcome.run.exit == 0 and outcome.run.stop is None:
        found = call_caveats(case, outcome.run.answer if isinstance(outcome.run, CallRun) else None, rules)
        about = [each.kind is CaveatKind.INPUT and each.cause != LENIENT for each in found]
        return tuple(replace(each, domain=(each.cause,) * here) for each, here in zip(found, about, strict=True))
    calls = calls_of(case)
    short = min(calls, key=len)
    words = f"{len(calls)} calls, the shortest {_named(short, rules)}"
    because = case.beyond[calls.index(short)]
    return (
        Caveat(
            CaveatKind.INPUT, words, "each of them ends", outcome.detail, because, rules.paste(short), case.held_out
        ),
    )


@dataclass(frozen=True)
class _Lines:
    """The calls of a case, and how many of its expected lines are answers."""

    case: Case
    calls: Sequence[str]
    shown: int

    def place(self, each: AnswerDifference) -> int | None:
        """Place of a call in its case, of which the first may only warm up; None for what all calls leave behind."""
        return len(self.calls) - self.shown + each.at if each.at < self.shown else None

    def why(self, each: AnswerDifference) -> str:
        """Return the reason why the result of a call may differ."""
        at = self.place(each)
        known = self.case.beyond if isinstance(self.case, CallCase) else ()
        return known[at] if known and at is not None else "what such calls leave behind"


def _named(call: str, rules: CaveatRules) -> str:
    """A call by the function's name, cut."""
    return cut(f"{rules.name}{call[1:]}" if call.startswith("f(") else call, MOST_INPUT)


def _caveat(lines: _Lines, found: Sequence[AnswerDifference], because: str, rules: CaveatRules) -> Caveat:
    each = min(found, key=lambda each: len(each.call))
    at = lines.place(each)
    return Caveat(
        each.subject or CaveatKind.INPUT,
        _named(each.call or "all calls together", rules),
        each.expected,
        each.got,
        because,
        rules.paste(lines.calls[at]) if at is not None else "",
        lines.case.held_out,
        max_float_difference=max(each.apart for each in found),
        count=len(found),
    )
