"""Known calls as the cases of a suite: those inside of the contract together, the unusual ones apart.

Calls that somebody makes are cases of each environment. What is made from them is run once, with another hash seed, in
another order and with separate objects than the original's.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from codeopt.core.errors import NotVerifiable
from codeopt.workloads._environments import in_order
from codeopt.workloads._policy import USUAL_POLICY, InputPolicy
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.calls.wrong_types import refusals
from codeopt.workloads.function.corpus.cases import LENIENT, CallCase, calls_of
from codeopt.workloads.function.corpus.corpus import never_the_same
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.special_check import undecided
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import CallAnswer, CallRun, Kind, State
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.caveat import Tier
from codeopt_sandbox.guest.calls.batch import ORDERED
from codeopt_sandbox.guest.calls.repr.plain import MAX_ITEMS
from codeopt_sandbox.guest.environment import NEIGHBOUR, USUAL, Environment
from codeopt_sandbox.outcome import Case, CaseVerdict
from codeopt_sandbox.verdict import Checker, judge

IN_A_CASE = 500
"""Maximum number of calls that are made in one run."""
LONG_S = 2.0
"""Time limit of the original on them, seconds; one call at least is made."""
LARGE = 4_000_000
"""Maximum size of what they return, encoded, bytes; one call at least is made."""
READ_ON = 3
"""Number of calls whose iterators are read on."""
READ_ON_S = 0.5
"""Time limit of the original for one of them, seconds."""
MOST_ITEMS = 300_000
"""Maximum number of items that are read of each."""
COMPLAINS = "calls on which the original logs an error"
NOTHING_LEFT = State()
"""State of a process whose calls are independent of each other."""


def cases_by_tier(
    harness: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, contract: Contract,
    *, held_out: bool = False, policy: InputPolicy = USUAL_POLICY, made_in: Environment = NEIGHBOUR,
    elsewhere: bool = True,
) -> list[Case]:  # fmt: skip
    """Calls as cases, the unusual ones apart: what they do to their process is theirs alone.

    policy: what a difference on a call that is made of known ones does. made_in: the environment of those. elsewhere:
    the others are cases of each environment, not of the usual one alone.
    """
    known = [each for each in known if policy.generates or not each.made_of_others]
    raises = refusals(harness.function)
    contract.ask([each.text for each in known])
    beyond = {each.text: _by_policy(each, contract, raises, policy) for each in known}
    beyond |= undecided(check, [each for each in known if not beyond[each.text]])
    alike = [each for each in known if not beyond[each.text]]
    given = [each for each in alike if not each.made_of_others]
    made = [each for each in alike if each.made_of_others]
    rest = [each for each in known if beyond[each.text]]
    cases: list[Case] = [*make_cases(harness, runner, given, name, check, held_out=held_out)]
    cases += make_cases(harness, runner, made, f"{name}.made", check, held_out=held_out, environment=made_in)
    for case in make_cases(harness, runner, rest, f"beyond.{name}", check, held_out=held_out, environment=made_in):
        cases.append(replace(case, beyond=tuple(beyond[text] for text in calls_of(case))))
    for environment in harness.environments[1:] if elsewhere else ():
        there = [each for each in given if each.under(environment)]
        named = f"{name}.{environment.name}"
        cases += make_cases(harness, runner, there, named, check, held_out=held_out, environment=environment)
    return cases


def _by_policy(known: KnownCall, contract: Contract, raises: Container[int], policy: InputPolicy) -> str:
    """Reason as of `why_beyond`; with `strict` of no generated call, with `lenient` of all of them."""
    if policy.rejects(Tier.UNUSUAL):
        return contract.outside(known.text)
    told = LENIENT * (known.made_of_others and not policy.rejects(Tier.SIMILAR))
    return why_beyond(known, contract, raises) or told


def why_beyond(known: KnownCall, contract: Contract, raises: Container[int]) -> str:
    """Reason for which a difference on a call is a caveat at most; empty where it rejects.

    raises: lines of the function's own `raise` statements: what it refuses itself is part of what it does.
    """
    if outside := contract.outside(known.text):
        return outside
    if known.source not in MADE_UP:
        return ""
    if known.outcome.kind is not Kind.RAISES:
        return contract.beyond(known.text) or COMPLAINS * known.outcome.complains
    if known.outcome.line in raises:
        return ""
    return (
        contract.beyond(known.text)
        or f"calls on which the original raises {known.outcome.exception} by no `raise` of its own"
    )


def read_on_cases(
    harness: FunctionHarness, runner: TimedRuns, known: list[KnownCall], check: Checker
) -> list[CallCase]:
    """Calls whose iterators have more items than are read of each, read far beyond: as far as the original takes
    READ_ON_S."""
    longer = [each for each in known if each.outcome.cut_short][:READ_ON]
    if not longer:
        return []
    pace = max(each.seconds for each in longer) / MAX_ITEMS
    items = min(MOST_ITEMS, int(READ_ON_S / max(pace, 1e-7)))
    try:
        return make_cases(harness, runner, longer, "read on", check, items=items) if items > MAX_ITEMS else []
    except NotVerifiable:  # behaviour that no call showed before is free
        return []


def shown_and_held(given: list[KnownCall], derived: list[KnownCall]) -> tuple[list[KnownCall], list[KnownCall]]:
    """A third of all calls is never shown, of the given ones only where there are many."""
    few = len(given) < 9
    shown = [known for at, known in enumerate(given) if few or at % 3] + [k for at, k in enumerate(derived) if at % 3]
    names = {known.text for known in shown}
    return shown, [known for known in (*given, *derived) if known.text not in names]


def make_cases(
    harness: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, *,
    held_out: bool = False, items: int = MAX_ITEMS, environment: Environment = USUAL,
) -> list[CallCase]:  # fmt: skip
    """Calls as cases of an environment, with what the original answers there. Raises NotVerifiable when that depends on
    which calls come together."""
    cases: list[CallCase] = []
    for number, given in enumerate(_parts(known), 1):
        part = in_order(environment, given)
        outcomes = [there for each in part if (there := each.under(environment))]
        far = items / MAX_ITEMS
        seconds = min(20.0, max(2.0, 10 * far * max(k.seconds for k in part)))
        total = max(10.0, 10 * far * sum(k.seconds for k in part))
        calls = tuple(k.text for k in part)
        ordered = part[0].ordered
        stdin = CallBatch(calls, seconds=seconds, lost=0, budget=total, items=items, ordered=ordered).stdin()
        title = f"{len(part)} calls of the function"
        case = CallCase(f"{name}.{number}", stdin, None, held_out, title, environment=environment)
        if items == MAX_ITEMS and all(k.independent for k in part):  # another run would say the same again
            names = tuple(map(runner.calls.name, calls))
            answer = CallAnswer(tuple(outcomes), names, state=NOTHING_LEFT)
            cases.append(replace(case, expected=answer.text.encode("utf-8", "surrogatepass"), answer=answer))
            continue
        run = runner.run(harness.revision, stdin, mode="exec", environment=environment)
        if disturbed(run):
            run = runner.run(harness.revision, stdin, mode="exec", environment=environment)
        case = replace(case, expected=run.stdout, answer=run.answer)
        if not _as_known(run, outcomes):
            other = environment.replace(hash_seed=1 if environment.hash_seed != 1 else 2)
            again = runner.run(harness.revision, stdin, mode="exec", environment=other)
            outcome = judge(case, again, check)
            if run.exit != 0 or outcome.verdict is not CaseVerdict.AC:
                raise never_the_same(harness, outcome.detail or run.stop_detail)
        cases.append(case)
    return cases


def _parts(known: list[KnownCall]) -> Iterator[list[KnownCall]]:
    """The calls of each case, in order; those together of which the same order counts."""
    part: list[KnownCall] = []
    seconds, size = 0.0, 0
    for one in sorted(known, key=lambda each: ORDERED.index(each.ordered)):
        seconds, size = seconds + one.seconds, size + one.outcome.value.size
        other = bool(part) and part[0].ordered != one.ordered
        if part and (other or len(part) == IN_A_CASE or seconds > LONG_S or size > LARGE):
            yield part
            part, seconds, size = [], one.seconds, one.outcome.value.size
        part.append(one)
    if part:
        yield part


def disturbed(run: CallRun) -> bool:
    """A call, or all of them, took ten times as long as when they were made before: somebody else had the machine."""
    late = (Kind.TIMEOUT, Kind.NOT_MADE)
    return run.answer is not None and any(each.kind in late for each in run.answer.outcomes)


def _as_known(run: CallRun, known: list[Answer]) -> bool:
    """Whether the calls do here what they did when they were made in other orders, and leave nothing behind."""
    if run.answer is None or run.answer.state != NOTHING_LEFT:
        return False
    pairs = zip(run.answer.outcomes, known, strict=True)
    return all(outcome.observed() == each.observed() for outcome, each in pairs)
