"""Several calls that are made together as a case.

A scenario counts if the original answers it the same twice, and each call that nothing should change as on its own.
Another answer of a candidate rejects it, or is a caveat if the scenario is unusual.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from codeopt.core.revision import Revision
from codeopt.workloads._policy import USUAL_POLICY, InputPolicy
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.calls import counterexample
from codeopt.workloads.function.calls.scenario import Scenario, read_scenario
from codeopt.workloads.function.calls.shrink import smaller_calls
from codeopt.workloads.function.corpus.cases import CallCase, CaveatRules, call_caveats, calls_of
from codeopt.workloads.function.corpus.corpus import iterables
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.corpus.scenarios import scenarios
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import CallAnswer, CallRun, Kind
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.comparing import AnswerChecker
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.guest.calls.scenarios import AGAIN, THREADS
from codeopt_sandbox.guest.environment import USUAL, Environment, seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome
from codeopt_sandbox.verdict import judge

LEAST_S = 15.0
"""Time that a draft has for one scenario at least, seconds; ten times what the original takes, if that is more.

It protects from a deadlock alone: with 2 s a right draft was wrong on two cores with a load of 30.
"""
LEAST_TOTAL_S = 30.0
"""Time that a draft has for all scenarios at least, seconds; ten times what the original takes, if that is more."""
LONGEST = 400
"""Characters of statements that are shown in full."""
SHRINK_S = 5.0
"""Time limit of the search for a smaller scenario, seconds."""
FEW = 8
"""Number of scenarios with threads that are tried at once: each is played many times."""
MANY = 40
"""Number of other scenarios that are tried at once."""


@dataclass(frozen=True)
class ScenarioCase(CallCase):
    """Scenarios, those first that any caller may play; of each why it goes beyond that, empty for those."""

    def part(self, *, beyond: bool) -> CallCase:
        """Return the case with only the unusual calls, or with only the others."""
        chosen = [at for at, why in enumerate(self.beyond) if bool(why) is beyond]
        stdin = batch_of(self.stdin).replace(calls=tuple(calls_of(self)[at] for at in chosen)).stdin()
        answer = _chosen(self.answer, chosen)
        return CallCase(
            self.name, stdin, answer.text.encode("utf-8", "surrogatepass"), self.held_out, self.title, answer=answer,
            beyond=tuple(self.beyond[at] for at in chosen) if beyond else (),
        )  # fmt: skip

    def part_of(self, run: CallRun, *, beyond: bool) -> CallRun:
        """A run's answers to these scenarios."""
        chosen = [at for at, why in enumerate(self.beyond) if bool(why) is beyond]
        return replace(run, answer=_chosen(run.answer, chosen) if run.answer else None)


def _chosen(answer: CallAnswer | None, chosen: Sequence[int]) -> CallAnswer:
    found = answer or CallAnswer()
    kept = [at for at in chosen if at < len(found.outcomes)]
    return CallAnswer(tuple(found.outcomes[at] for at in kept), tuple(found.calls[at] for at in kept))


def scenario_cases(
    harness: FunctionHarness, runner: TimedRuns, known: Sequence[KnownCall], contract: Contract, *,
    may_change: bool = False, policy: InputPolicy = USUAL_POLICY,
) -> list[Case]:  # fmt: skip
    """Return a case of the scenarios in which the original is consistent for any order of sets.

    `may_change` excludes scenarios that give a call the objects of an earlier one, which may have changed them. The
    list is empty if no scenario remains.
    """
    wanted = scenarios(known, contract, iterables(harness), harness.function, policy)
    wanted = [each for each in wanted if not (may_change and each.steps == AGAIN)]
    first = _kept(harness, runner, wanted, seeded(1)) if wanted else {}
    ordered = sorted(first, key=lambda each: bool(each.because))
    batch = _batch(harness, [each.text for each in ordered], [each.seconds for each in first.values()])
    run = runner.run(harness.revision, batch.stdin(), mode="exec") if ordered else None
    if run is None or run.answer is None:
        return []
    outcomes = zip(ordered, run.answer.outcomes, strict=True)
    chosen = [at for at, (each, outcome) in enumerate(outcomes) if outcome.observed() == first[each].observed()]
    stdin = batch.replace(calls=tuple(ordered[at].text for at in chosen)).stdin()
    because = tuple(ordered[at].because for at in chosen)
    title = f"{len(chosen)} scenarios of several calls"
    answer = _chosen(run.answer, chosen)
    return (
        [
            ScenarioCase(
                "together", stdin, answer.text.encode("utf-8", "surrogatepass"), title=title, answer=answer,
                beyond=because, several=True,
            )
        ]
        if chosen
        else []
    )  # fmt: skip


def _batch(harness: FunctionHarness, texts: Sequence[str], seconds: Sequence[float] = ()) -> CallBatch:
    """seconds: that the original takes."""
    longest = max(LEAST_S, 10 * max(seconds, default=0.0))
    budget = max(LEAST_TOTAL_S, 10 * sum(seconds))
    return CallBatch(tuple(texts), "combine", seconds=longest, lost=0, budget=budget, ordered=harness.ordered)


def _kept(
    harness: FunctionHarness, runner: TimedRuns, wanted: Sequence[Scenario], environment: Environment = USUAL
) -> dict[Scenario, Answer]:
    """Scenarios that hold for the original, with what it answers."""
    calls = list(dict.fromkeys(call for each in wanted for call in each.as_alone))
    batch = _batch(harness, [*calls, *(each.text for each in wanted)])
    answer = runner.run(harness.revision, batch.stdin(), mode="exec", environment=environment).answer
    if answer is None:
        return {}
    alone = dict(zip(calls, answer.outcomes, strict=False))
    pairs = zip(wanted, answer.outcomes[len(calls) :], strict=True)
    return {each: outcome for each, outcome in pairs if outcome.kind == Kind.RETURNS and each.holds(outcome, alone)}


def judged(case: ScenarioCase, run: CallRun, check: AnswerChecker, rules: CaveatRules) -> Outcome:
    """A difference that any caller may see is a wrong answer; the others are caveats."""
    usual = case.part_of(run, beyond=False)
    outcome = replace(judge(case.part(beyond=False), usual, check), run=run)
    if outcome.verdict is not CaseVerdict.AC:
        return outcome
    parts = [call_caveats(case.part(beyond=far), case.part_of(run, beyond=far).answer, rules) for far in (False, True)]
    return replace(outcome, caveats=tuple(chain.from_iterable(parts)))


def _plainness(scenario: Scenario) -> tuple[bool, int]:
    """Anything is read more easily than two threads."""
    return scenario.steps == THREADS, len(scenario.text)


@dataclass(frozen=True)
class FailingScenario:
    """A scenario that tells a draft from the original."""

    scenario: Scenario
    expected: Answer
    got: Answer

    @property
    def words(self) -> str:
        """Statements, with what comes of them on both sides."""
        text = counterexample.threads(self.scenario, self.got.stopped) or counterexample.as_python(self.scenario.text)
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
        return f"{shown}: expected {self.expected.text}, got {self.got.text}"


@dataclass(frozen=True)
class ScenarioShrinker:
    """Looks for the smallest scenario that shows what a larger one does."""

    harness: FunctionHarness
    runner: TimedRuns
    draft: Revision
    inside: Callable[[Sequence[str]], Sequence[str]]
    """Filters calls: those that do not go beyond the contract stay."""

    def smallest(self, case: ScenarioCase, run: CallRun, check: AnswerChecker) -> FailingScenario | None:
        """The smallest scenario of a case that a draft has failed; None where it was not by a scenario."""
        part = case.part(beyond=False)
        wanted, got = part.answer or CallAnswer(), case.part_of(run, beyond=False).answer or CallAnswer()
        pairs = zip(calls_of(part), wanted.outcomes, got.outcomes, strict=False)
        failing = [
            read_scenario(text)
            for text, was, now in pairs
            if now.kind != Kind.NOT_MADE and check.of_answers(CallAnswer((was,), (text,)), CallAnswer((now,), (text,)))
        ]
        found = min((each for each in failing if each), key=_plainness, default=None)
        best = next(iter(self._failing([found])), None) if found else None
        until = time.monotonic() + SHRINK_S
        while best is not None and time.monotonic() < until:
            smaller = next(iter(self._failing(self._smaller(best.scenario))), None)
            if smaller is None:
                break
            best = smaller
        return best

    def _failing(self, wanted: Sequence[Scenario]) -> list[FailingScenario]:
        """Scenarios that the original keeps to and the draft does not, the smallest first."""
        kept = _kept(self.harness, self.runner, wanted) if wanted else {}
        batch = _batch(self.harness, [each.text for each in kept], [each.seconds for each in kept.values()])
        answer = self.runner.run(self.draft, batch.stdin(), mode="exec").answer if kept else None
        pairs = zip(kept.items(), answer.outcomes if answer else (), strict=False)
        return [FailingScenario(each, was, now) for (each, was), now in pairs if was.observed() != now.observed()]

    def _smaller(self, scenario: Scenario) -> list[Scenario]:
        """Return the scenario with one of its calls smaller, or with all equal ones smaller."""
        found: dict[str, Scenario] = {}
        for call in dict.fromkeys(scenario.calls):
            for less in self.inside([less for less in smaller_calls(call) if len(less) < len(call)]):
                calls = tuple(less if each == call else each for each in scenario.calls)
                found[less] = replace(scenario, calls=calls)
        return sorted(found.values(), key=lambda each: len(each.text))[: FEW if scenario.steps == THREADS else MANY]
