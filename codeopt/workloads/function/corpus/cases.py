"""Known calls as the cases that drafts are judged by, caveats about differences that do not make a draft wrong, and the
user's own checker."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codeopt.core.call import Call, texts_of
from codeopt.core.errors import NotVerifiable, UsageError
from codeopt.core.options import ImproveOptions
from codeopt.workloads._judging import USUAL_POLICY, CheckerAnswers, InputPolicy, answers_of
from codeopt.workloads._runs import in_order
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.corpus.corpus import never_the_same
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall
from codeopt.workloads.function.counterexample import Probe
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.unusual import refusals
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer, CallAnswer, CallBatch, CallRun, Kind, State
from codeopt_sandbox.comparing import AnswerComparison, AnswerDifference, AnsweredCase
from codeopt_sandbox.guest.answer import NOTHING
from codeopt_sandbox.guest.calls.outcome import MAX_VALUE_BYTES
from codeopt_sandbox.guest.calls.repr.structure import MAX_ITEMS
from codeopt_sandbox.guest.request import NEIGHBOUR, NO_LITERAL, ORDERED, USUAL, Environment, batch_of
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Outcome, Run, Tier, cut
from codeopt_sandbox.verdict import Checker, judge

READ_ON_S = 0.5
"""Time limit of the original for a call whose iterator is read on, seconds."""
MOST_ITEMS = 300_000
"""Maximum number of items that are read of an iterator."""
NOTHING_LEFT = State()
"""State of a process whose calls are independent of each other."""


@dataclass(frozen=True)
class CaseMaker:
    """Makes cases of known calls, with what the original answers."""

    harness: FunctionHarness
    runner: TimedRuns
    check: Checker
    contract: Contract = Contract()
    policy: InputPolicy = USUAL_POLICY
    """What a difference on a call that is made of known ones does."""
    held_out: bool = False

    def by_tier(
        self, known: list[KnownCall], name: str, *, made_in: Environment = NEIGHBOUR, elsewhere: bool = True
    ) -> list[Case]:
        """Calls as cases, the unusual ones apart: what they do to their process is theirs alone.

        made_in: the environment of those that are made of known ones. elsewhere: the others are cases of each
        environment, not of the usual one alone.
        """
        known = [each for each in known if self.policy.generates or not each.made_of_others]
        raises = refusals(self.harness.function)
        self.contract.ask([each.call for each in known])
        beyond = {each.call: self._why_beyond(each, raises) for each in known}
        beyond |= undecided(self.check, [each for each in known if not beyond[each.call]])
        alike = [each for each in known if not beyond[each.call]]
        given = [each for each in alike if not each.made_of_others]
        made = [each for each in alike if each.made_of_others]
        rest = [each for each in known if beyond[each.call]]
        cases: list[Case] = [*self.cases(given, name), *self.cases(made, f"{name}.made", environment=made_in)]
        for case in self.cases(rest, f"beyond.{name}", environment=made_in):
            cases.append(replace(case, beyond=tuple(beyond[each] for each in calls_of(case) if isinstance(each, Call))))
        for environment in self.harness.environments[1:] if elsewhere else ():
            there = [each for each in given if each.under(environment)]
            cases += self.cases(there, f"{name}.{environment.name}", environment=environment)
        return cases

    def _why_beyond(self, known: KnownCall, raises: Container[int]) -> str:
        """Reason for which a difference on a call is a caveat at most; empty where it rejects.

        raises: lines of the function's own `raise` statements: what it refuses itself is part of what it does.
        """
        outside = self.contract.outside(known.call)
        if outside or self.policy.rejects(Tier.UNUSUAL):  # with `strict` the user's expression alone
            return outside
        # with `lenient` no generated call rejects
        told = LENIENT * (known.made_of_others and not self.policy.rejects(Tier.SIMILAR))
        if known.source not in MADE_UP or (known.outcome.kind == Kind.RAISES and known.outcome.line in raises):
            return told
        why = "calls on which the original logs an error" * known.outcome.complains
        if known.outcome.kind == Kind.RAISES:
            why = f"calls on which the original raises {known.outcome.exception} by no `raise` of its own"
        return self.contract.beyond(known.call) or why or told

    def read_on(self, known: list[KnownCall]) -> list[CallCase]:
        """Calls whose iterators have more items than are read of each, read far beyond: as far as the original takes
        READ_ON_S."""
        # number of calls whose iterators are read on
        longer = [each for each in known if each.outcome.cut_short][:3]
        if not longer:
            return []
        pace = max(each.seconds for each in longer) / MAX_ITEMS
        items = min(MOST_ITEMS, int(READ_ON_S / max(pace, 1e-7)))
        try:
            return self.cases(longer, "read on", items=items) if items > MAX_ITEMS else []
        except NotVerifiable:  # behaviour that no call showed before is free
            return []

    def cases(
        self, known: list[KnownCall], name: str, *, items: int = MAX_ITEMS, environment: Environment = USUAL
    ) -> list[CallCase]:
        """Calls as cases of an environment, with what the original answers there. Raises NotVerifiable when that
        depends on which calls come together."""
        runner, revision = self.runner, self.harness.revision
        cases: list[CallCase] = []
        for number, given in enumerate(_parts(known), 1):
            part = in_order(environment, given)
            outcomes = [there for each in part if (there := each.under(environment))]
            far = items / MAX_ITEMS
            seconds = min(20.0, max(2.0, 10 * far * max(k.seconds for k in part)))
            total = max(10.0, 10 * far * sum(k.seconds for k in part))
            calls = tuple(k.call for k in part)
            texts = texts_of(calls)
            batch = CallBatch(texts, seconds=seconds, lost=0, budget=total, items=items, ordered=part[0].ordered)
            stdin, what = batch.stdin(), f"{len(part)} calls of the function"
            case = CallCase(f"{name}.{number}", stdin, None, self.held_out, what, environment=environment, probes=calls)
            if items == MAX_ITEMS and all(k.independent for k in part):  # another run would say the same again
                names = tuple(map(runner.calls.name, texts))
                answer = CallAnswer(tuple(outcomes), names, state=NOTHING_LEFT)
                cases.append(replace(case, answer=answer))
                continue
            run = runner.run(revision, stdin, mode="exec", environment=environment)
            if disturbed(run):
                run = runner.run(revision, stdin, mode="exec", environment=environment)
            case = replace(case, answer=run.answer)
            # whether the calls do here what they did when they were made in other orders, and leave nothing behind
            here = run.answer if run.answer and run.answer.state == NOTHING_LEFT else None
            if here is None or any(a.observed() != b.observed() for a, b in zip(here.outcomes, outcomes, strict=True)):
                other = environment.replace(hash_seed=1 if environment.hash_seed != 1 else 2)
                again = runner.run(revision, stdin, mode="exec", environment=other)
                outcome = judge(case, again, self.check)
                if run.exit != 0 or outcome.verdict is not CaseVerdict.AC:
                    raise never_the_same(self.harness, outcome.detail or run.stop_detail)
            cases.append(case)
        return cases


def _parts(known: list[KnownCall]) -> Iterator[list[KnownCall]]:
    """The calls of each case, in order; those together of which the same order counts."""
    part: list[KnownCall] = []
    seconds, size = 0.0, 0
    for one in sorted(known, key=lambda each: ORDERED.index(each.ordered)):
        seconds, size = seconds + one.seconds, size + one.outcome.value.size
        other = bool(part) and part[0].ordered != one.ordered
        # maximum number of calls that are made in one run
        # time limit of the original on them, seconds; one call at least is made
        # maximum size of what they return, encoded, bytes; one call at least is made
        if part and (other or len(part) == 500 or seconds > 2.0 or size > 4_000_000):
            yield part
            part, seconds, size = [], one.seconds, one.outcome.value.size
        part.append(one)
    if part:
        yield part


def shown_and_held(given: list[KnownCall], derived: list[KnownCall]) -> tuple[list[KnownCall], list[KnownCall]]:
    """A third of all calls is never shown, of the given ones only where there are many."""
    few = len(given) < 9
    shown = [known for at, known in enumerate(given) if few or at % 3] + [k for at, k in enumerate(derived) if at % 3]
    names = {known.call for known in shown}
    return shown, [known for known in (*given, *derived) if known.call not in names]


def disturbed(run: CallRun) -> bool:
    """A call, or all of them, took ten times as long as when they were made before: somebody else had the machine."""
    late = (Kind.TIMEOUT, Kind.NOT_MADE)
    return run.answer is not None and any(each.kind in late for each in run.answer.outcomes)


@dataclass(frozen=True)
class CallCase(AnsweredCase):
    """Calls with some unusual ones, or calls that are made together."""

    probes: tuple[Probe, ...] = ()
    """The calls."""
    beyond: tuple[str, ...] = ()
    """Reason of each call; empty in a case whose calls are all like known ones."""
    several: bool = False
    """Each of them is a scenario, no single call. Those that any caller may play have no reason."""


@dataclass(frozen=True)
class WholeCase(AnsweredCase):
    """Timed calls, made as they are timed, and looked at as calls that are checked."""


def calls_of(case: Case) -> Sequence[Probe]:
    """The calls of a case, or the scenarios."""
    return case.probes if isinstance(case, CallCase) else [*map(read, batch_of(case.stdin).calls)]


@dataclass(frozen=True)
class CaveatRules:
    """Rules that decide which difference is a caveat, and the text of a caveat."""

    comparison: AnswerComparison
    paste: Callable[[Probe], str]
    """Returns a call as a line for a shell."""
    accepts: Callable[[AnswerDifference], bool] | None = None
    """Returns True if the user's checker accepts a difference."""
    name: str = "f"
    """Name of the function, which replaces the `f` of its calls."""
    reasons: Callable[[Call], Mapping[str, bool]] = lambda call: {}
    """Everything by which a call differs from known ones, and whether that is a type."""
    smaller: Callable[[Call], Call] = lambda call: call
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


def usual_part(case: Case, run: CallRun) -> CallRun:
    """A run of usual and unusual calls with what is expected of the unusual ones."""
    if not isinstance(case, CallCase) or all(case.beyond) or not (case.answer and run.answer):
        return run
    every = zip(case.answer.outcomes, run.answer.outcomes, case.beyond, strict=False)
    return replace(run, answer=replace(run.answer, outcomes=tuple(was if why else now for was, now, why in every)))


def call_caveats(case: AnsweredCase, run: Run, rules: CaveatRules) -> tuple[Caveat, ...]:
    """The shortest call whose answer differs, for each reason."""
    if case.answer is None:
        return ()
    groups: dict[tuple[CaveatKind | None, str], list[AnswerDifference]] = {}
    probes = calls_of(case)
    # those that are answered, as the first may only warm up; what all calls leave behind has a number without a call
    answered = dict(enumerate(probes[len(probes) - len(case.answer.outcomes) :]))
    beyond = dict(enumerate(case.beyond if isinstance(case, CallCase) else ()))
    found = [
        each
        for each in rules.comparison.of_case(case, run)
        if not (rules.accepts and each.answers and not each.subject and rules.accepts(each))
    ]
    because = {each.at: beyond.get(each.at, "what such calls leave behind") for each in found}
    because, types = _true_reasons(answered, because, found, rules)
    for each in found:
        groups.setdefault((each.subject, each.because or because[each.at]), []).append(each)
    # other types last: few callers give them, and of several reasons a line names the first
    ordered = sorted(groups.items(), key=lambda group: group[0][1] in types)
    told = (_caveat(answered, each, why, rules) for (_, why), each in ordered)
    return tuple(replace(each, held_out=case.held_out) for each in told)


def _true_reasons(
    probes: Mapping[int, Probe], because: dict[int, str], found: Sequence[AnswerDifference], rules: CaveatRules
) -> tuple[dict[int, str], set[str]]:
    """Why each call differs, by its number, and which of the reasons are types.

    A call that differs from known ones in several ways does so by what alone makes the difference on another call, or
    on the smallest one near it.
    """
    several: dict[int, Mapping[str, bool]] = {}
    alone: set[str] = set()
    tried = 0
    for each in sorted(found, key=lambda each: len(each.call)):
        call = probes.get(each.at) if because[each.at] and not each.because else None
        reasons = rules.reasons(call) if isinstance(call, Call) else {}
        if because[each.at] in reasons:
            several[each.at] = reasons
            alone |= {*reasons} if len(reasons) == 1 else set()
    for each in found:
        call, reasons = probes.get(each.at), several.get(each.at, {})
        if not isinstance(call, Call) or len(reasons) < 2:
            continue
        # maximum number of calls of a case that are made smaller to find their reason: each takes some runs
        if not alone.intersection(reasons) and tried < 3:
            tried += 1
            smallest = rules.reasons(rules.smaller(call))
            alone.add(next((why for why in smallest if why in reasons), because[each.at]))
        because[each.at] = next((why for why in reasons if why in alone), because[each.at])
    return because, {why for reasons in several.values() for why, is_type in reasons.items() if is_type}


LENIENT = "it is generated, and --mutated-inputs is lenient"


def beyond_caveats(case: CallCase, outcome: Outcome, rules: CaveatRules) -> tuple[Caveat, ...]:
    """Return the caveats of unusual calls, or one about the end of the whole run."""
    if outcome.run.exit == 0 and outcome.run.stop is None:
        found = call_caveats(case, outcome.run, rules)
        about = [each.kind is CaveatKind.INPUT and each.cause != LENIENT for each in found]
        return tuple(replace(each, domain=(each.cause,) * here) for each, here in zip(found, about, strict=True))
    calls = calls_of(case)
    short = min(calls, key=lambda call: len(call.text))
    words = f"{len(calls)} calls, the shortest {_named(short.text, rules)}"
    because = case.beyond[calls.index(short)]
    return (
        Caveat(
            CaveatKind.INPUT, words, "each of them ends", outcome.detail, because, rules.paste(short), case.held_out
        ),
    )


def _named(call: str, rules: CaveatRules) -> str:
    """A call by the function's name, cut."""
    # characters of a call in a caveat
    return cut(f"{rules.name}{call[1:]}" if call.startswith("f(") else call, 300)


def _caveat(probes: Mapping[int, Probe], found: Sequence[AnswerDifference], because: str, rules: CaveatRules) -> Caveat:
    each = min(found, key=lambda each: len(each.call))
    probe = probes.get(each.at)
    return Caveat(
        each.subject or CaveatKind.INPUT,
        _named(each.call or "all calls together", rules),
        each.expected,
        each.got,
        because,
        rules.paste(probe) if probe else "",
        max_float_difference=max(each.apart for each in found),
        count=len(found),
    )


# The user's own checker, which decides what other answers of a call are also right.
#
# Calls are made again in its process. Answers are literals and arrays, read from JSON.


TOO_LONG = "the original's own answer is too long to be handed to the checker"
Question = tuple[str, Any, Any]
"""A call, what it returns, and what else is returned, as JSON of values."""


@dataclass(frozen=True)
class Refused:
    """Answer of the original's own that the user's checker does not accept."""

    answer: Answer
    reason: str

    @property
    def is_judged(self) -> bool:
        """The checker itself refuses it: it was handed the answer."""
        return self.reason != NO_LITERAL


@dataclass(frozen=True)
class SpecialChecker:
    """Compares answers as other checkers do, and asks the user's function about those that differ."""

    harness: FunctionHarness
    answers: CheckerAnswers[Question]
    comparison: AnswerComparison

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Outputs of programs are another checker's."""
        return self.comparison(expected, got)

    def of_run(self, case: Case, run: Run) -> str:
        """Describe the first answer that is not accepted. Empty if all are accepted."""
        wanted = case.answer if isinstance(case, AnsweredCase) else None
        got = run.answer if isinstance(run, CallRun) else None
        return self.of_answers(wanted, got) if wanted and got else self.comparison.of_run(case, run)

    def of_answers(self, expected: CallAnswer, got: CallAnswer) -> str:
        """Describe the first difference of two answers that is not accepted. Empty if all are accepted."""
        told = self.comparison.differences(expected, got)
        found = [each for each in told if self.comparison.exact or each.subject is None]
        questions = {at: asked for at, each in enumerate(found) if (asked := self._question(each))}
        reasons = dict(zip(questions, self.answers.reasons(list(questions.values())), strict=True))
        for at, each in enumerate(found):
            if reason := reasons.get(at, "it is not another returned value"):
                return f"{each.words}: {reason}"
        return ""

    def accepts(self, found: AnswerDifference) -> bool:
        """Return True if the different answer is also right."""
        asked = self._question(found)
        return asked is not None and not self.answers.reasons([asked])[0]

    def refused_of_original(self, known: Sequence[KnownCall]) -> dict[Call, Refused]:
        """Answers of the original's own that the checker does not accept, by call."""
        own = {each.call: each.outcome for each in known if each.outcome.value}
        values = ((call.text, answer.value.value) for call, answer in own.items())
        reasons = self.answers.reasons([(call, value, value) for call, value in values])
        return {
            call: Refused(answer, reason) for (call, answer), reason in zip(own.items(), reasons, strict=True) if reason
        }

    def _question(self, found: AnswerDifference) -> Question | None:
        """Question about a difference; None where more differs than the value returned."""
        if found.answers is None:
            return None
        old, new = found.answers
        same = {"value": NOTHING, "private": NOTHING, "private_arguments": NOTHING, "kind": old.kind}
        alone = old.replace(**same).observed() == new.replace(**same).observed()
        if not (old.value and new.value and alone):
            return None
        return self.harness.names.written(found.call), old.value.value, new.value.value


def special_checker(
    harness: FunctionHarness, options: ImproveOptions, known: Sequence[KnownCall]
) -> SpecialChecker | None:
    """The checker that is asked for, if any. Raises UsageError where it does not accept the original's own answers to
    calls that somebody vouches for."""
    answers = answers_of(options, harness.sandbox, harness.target, harness.function.parameters)
    if answers is None:
        return None
    comparison = AnswerComparison(exact=options.strict, ignored=frozenset(options.ignore_difference))
    found = SpecialChecker(harness, answers, comparison)
    # most answers of the original, to calls that somebody vouches for, that the checker must accept
    vouched = [each for each in known if each.vouched][:200]
    told = found.refused_of_original(vouched).items()
    refused = next(((call, each) for call, each in told if each.is_judged), None)
    if refused is not None:
        said = f"{refused[0].text[:160]} {refused[1].answer.text[:168]}: {refused[1].reason}"
        raise UsageError(f"--check {options.check} does not accept the original's own answer: {said}")
    return found


def undecided(check: Checker, known: Sequence[KnownCall]) -> dict[Call, str]:
    """Return by call why a difference on a call without a guarantee by the user is no evidence.

    The user's checker rejects the original's own answer there, or cannot receive it.
    """
    if not isinstance(check, SpecialChecker):
        return {}
    refused = check.refused_of_original([each for each in known if not each.vouched])
    unaccepted = {call: f"the checker does not accept the original's own answer: {each.reason}"
                  for call, each in refused.items() if each.is_judged}  # fmt: skip
    handed = {call: each for call, each in refused.items() if not each.is_judged}
    return unaccepted | {c: TOO_LONG for c, each in handed.items() if each.answer.value.size > MAX_VALUE_BYTES}
