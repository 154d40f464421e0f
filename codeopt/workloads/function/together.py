"""Several calls made together as a case: what the original does then, where each call answers as it does alone; what a
draft does otherwise is refused, or told where callers go beyond what is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from codeopt.core.revision import Revision
from codeopt.workloads import OTHER_HASH_SEED
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.calls import witness
from codeopt.workloads.function.calls.scenario import Scenario, read_scenario
from codeopt.workloads.function.calls.shrink import smaller_calls
from codeopt.workloads.function.corpus.cases import CallCase, CaveatRules, call_caveats, calls_of
from codeopt.workloads.function.corpus.corpus import iterables
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.corpus.scenarios import scenarios
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.answers import around
from codeopt_sandbox.call_answer import CallOutcome, CallRun, Kind
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.outcome import not_made
from codeopt_sandbox.guest.calls.scenarios import AGAIN, THREADS
from codeopt_sandbox.outcome import Case, Outcome, Verdict
from codeopt_sandbox.verdict import Checker, judge

LEAST_S = 2.0
"""Time that a draft has for one scenario at least, seconds; ten times what the original takes, if that is more."""
LEAST_TOTAL_S = 10.0
"""Time that a draft has for all scenarios at least, seconds; ten times what the original takes, if that is more."""
NOT_MADE = not_made().text.encode()
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
        """Only those that go beyond what is known, or only the others."""
        chosen = [at for at, why in enumerate(self.beyond) if bool(why) is beyond]
        stdin = CallBatch(tuple(calls_of(self)[at] for at in chosen), "scenario").stdin()
        return CallCase(
            self.name, stdin, _lines(self.expected or b"", chosen), self.held_out, self.title,
            beyond=tuple(self.beyond[at] for at in chosen) if beyond else (),
        )  # fmt: skip

    def stdout(self, run: CallRun, *, beyond: bool) -> bytes:
        """A run's answers to these scenarios, as text to be compared."""
        return _lines(run.stdout, [at for at, why in enumerate(self.beyond) if bool(why) is beyond])


def _lines(text: bytes, chosen: Sequence[int]) -> bytes:
    """Some lines of a text."""
    lines = text.split(b"\n")
    return b"".join(lines[at] + b"\n" for at in chosen if at < len(lines))


def scenario_cases(
    bench: FunctionHarness, runner: TimedRuns, known: Sequence[KnownCall], contract: Contract, *,
    may_change: bool = False,
) -> list[Case]:  # fmt: skip
    """One case of the scenarios that the original keeps to, whatever order sets have; none where it keeps to none.
    may_change: no call is given the objects of an earlier one, which that may have changed."""
    wanted = scenarios(known, contract, iterables(bench), bench.function.asynchronous)
    wanted = [each for each in wanted if not (may_change and each.kind == AGAIN)]
    first = _kept(bench, runner, wanted, OTHER_HASH_SEED) if wanted else {}
    ordered = sorted(first, key=lambda each: bool(each.because))
    batch = _batch([each.text for each in ordered], [each.seconds for each in first.values()])
    run = runner.run(bench.revision, batch.stdin(), mode="exec") if ordered else None
    if run is None or run.answer is None:
        return []
    outcomes = zip(ordered, run.answer.outcomes, strict=True)
    chosen = [at for at, (each, outcome) in enumerate(outcomes) if outcome.text == first[each].text]
    stdin = batch.replace(calls=tuple(ordered[at].text for at in chosen)).stdin()
    because = tuple(ordered[at].because for at in chosen)
    title = f"{len(chosen)} scenarios of several calls"
    return (
        [ScenarioCase("together", stdin, _lines(run.stdout, chosen), title=title, beyond=because, several=True)]
        if chosen
        else []
    )


def _batch(texts: Sequence[str], seconds: Sequence[float] = ()) -> CallBatch:
    """seconds: that the original takes."""
    longest = max(LEAST_S, 10 * max(seconds, default=0.0))
    return CallBatch(tuple(texts), "scenario", seconds=longest, lost=0, budget=max(LEAST_TOTAL_S, 10 * sum(seconds)))


def _kept(
    bench: FunctionHarness, runner: TimedRuns, wanted: Sequence[Scenario], hash_seed: int = 0
) -> dict[Scenario, CallOutcome]:
    """Scenarios in which each call of the original answers as it does alone, with what they answer."""
    calls = list(dict.fromkeys(call for each in wanted for call in each.calls))
    batch = _batch([*calls, *(each.text for each in wanted)])
    answer = runner.run(bench.revision, batch.stdin(), mode="exec", hash_seed=hash_seed).answer
    if answer is None:
        return {}
    alone = {call: outcome.text for call, outcome in zip(calls, answer.outcomes, strict=False)}
    pairs = zip(wanted, answer.outcomes[len(calls) :], strict=True)
    return {
        each: outcome for each, outcome in pairs if outcome.kind == Kind.RETURNS and each.holds(outcome.text, alone)
    }


def judged(case: ScenarioCase, run: CallRun, check: Checker, rules: CaveatRules) -> Outcome:
    """A difference that any caller may see is a wrong answer; the others are caveats."""
    usual = replace(run, stdout=case.stdout(run, beyond=False))
    outcome = replace(judge(case.part(beyond=False), usual, check), run=run)
    if outcome.verdict is not Verdict.AC:
        return outcome
    parts = [call_caveats(case.part(beyond=far), case.stdout(run, beyond=far), rules) for far in (False, True)]
    return replace(outcome, caveats=tuple(chain.from_iterable(parts)))


def _plainness(scenario: Scenario) -> tuple[bool, int]:
    """Anything is read more easily than two threads."""
    return scenario.kind == THREADS, len(scenario.text)


@dataclass(frozen=True)
class Witness:
    """A scenario that tells a draft from the original."""

    scenario: Scenario
    expected: str
    got: str

    @property
    def words(self) -> str:
        """Statements, with what comes of them on both sides."""
        text = witness.threads(self.scenario, self.got) or witness.as_python(self.scenario.text)
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
        return f"{shown}: expected {around(self.expected, self.got)}, got {around(self.got, self.expected)}"


@dataclass(frozen=True)
class Witnesses:
    """Looks for the smallest scenario that shows what a larger one does."""

    bench: FunctionHarness
    runner: TimedRuns
    draft: Revision
    inside: Callable[[Sequence[str]], Sequence[str]]
    """Filters calls: those that do not go beyond the contract stay."""

    def smallest(self, case: ScenarioCase, run: CallRun, check: Checker) -> Witness | None:
        """The smallest scenario of a case that a draft has failed; None where it was not by a scenario."""
        part = case.part(beyond=False)
        texts, wanted = calls_of(part), (part.expected or b"").split(b"\n")
        lines = zip(texts, wanted, case.stdout(run, beyond=False).split(b"\n"), strict=False)
        failing = [read_scenario(text) for text, was, now in lines if check(was, now) and NOT_MADE not in now]
        found = min((each for each in failing if each), key=_plainness, default=None)
        best = next(iter(self._failing([found])), None) if found else None
        until = time.monotonic() + SHRINK_S
        while best is not None and time.monotonic() < until:
            smaller = next(iter(self._failing(self._smaller(best.scenario))), None)
            if smaller is None:
                break
            best = smaller
        return best

    def _failing(self, wanted: Sequence[Scenario]) -> list[Witness]:
        """Scenarios that the original keeps to and the draft does not, the smallest first."""
        kept = _kept(self.bench, self.runner, wanted) if wanted else {}
        batch = _batch([each.text for each in kept], [each.seconds for each in kept.values()])
        answer = self.runner.run(self.draft, batch.stdin(), mode="exec").answer if kept else None
        pairs = zip(kept.items(), answer.outcomes if answer else (), strict=False)
        return [Witness(each, was.text, now.text) for (each, was), now in pairs if was.text != now.text]

    def _smaller(self, scenario: Scenario) -> list[Scenario]:
        """With one of its calls smaller, or with all that are the same."""
        found: dict[str, Scenario] = {}
        for call in dict.fromkeys(scenario.calls):
            for less in self.inside([less for less in smaller_calls(call) if len(less) < len(call)]):
                calls = tuple(less if each == call else each for each in scenario.calls)
                found[less] = Scenario(scenario.kind, calls)
        return sorted(found.values(), key=lambda each: len(each.text))[: FEW if scenario.kind == THREADS else MANY]
