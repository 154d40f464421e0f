"""Known calls as the cases of a suite: those inside of the contract together, those beyond it apart."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from codeopt.core.options import FuzzPolicy
from codeopt.workloads import OTHER_HASH_SEED
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.calls.wrong_types import refusals
from codeopt.workloads.function.corpus.cases import (
    CallCase,
    calls_of,
)
from codeopt.workloads.function.corpus.corpus import (
    NotVerifiable,
)
from codeopt.workloads.function.corpus.observe import MADE_UP, KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.special_check import undecided
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import CallAnswer, Kind, State
from codeopt_sandbox.calls import CallBatch, CallRun
from codeopt_sandbox.guest.calls.outcome import UNCHANGED
from codeopt_sandbox.guest.calls.repr.plain import MAX_ITEMS
from codeopt_sandbox.guest.calls.repr.private import segments
from codeopt_sandbox.outcome import Case, Verdict
from codeopt_sandbox.verdict import Checker, judge

IN_A_CASE = 500
"""Maximum number of calls that are made in one run."""
LONG_S = 2.0
"""Time limit of the original on them, seconds; one call at least is made."""
LARGE = 2_000_000
"""Maximum length of their outcomes, characters; one call at least is made."""
READ_ON = 3
"""Number of calls whose iterators are read on."""
READ_ON_S = 0.5
"""Time limit of the original for one of them, seconds."""
MOST_ITEMS = 300_000
"""Maximum number of items that are read of each."""
LENIENT = "it is made up, and --changed-inputs is lenient"
LOGS = " | logs "
"""Beginning of what an outcome says of log records."""
ERRORS = ("ERROR", "CRITICAL")
NOTHING_LEFT = State(UNCHANGED, changed=False)
"""State of a process whose calls are independent of each other."""


def tiered(
    bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, contract: Contract,
    *, held_out: bool = False, policy: FuzzPolicy = FuzzPolicy.AUTO,
) -> list[Case]:  # fmt: skip
    """Calls as cases, those apart that go beyond the known ones: what they do to their process is theirs alone.

    policy: what a difference on a call that is made of known ones does.
    """
    known = [each for each in known if policy is not FuzzPolicy.OFF or not each.made_of_others]
    raises = refusals(bench.function)
    contract.ask([each.text for each in known])
    beyond = {each.text: _by_policy(each, contract, raises, policy) for each in known}
    beyond |= undecided(check, [each for each in known if not beyond[each.text]])
    alike = [each for each in known if not beyond[each.text]]
    rest = [each for each in known if beyond[each.text]]
    cases: list[Case] = [*make_cases(bench, runner, alike, name, check, held_out=held_out)]
    for case in make_cases(bench, runner, rest, f"beyond.{name}", check, held_out=held_out):
        cases.append(replace(case, beyond=tuple(beyond[text] for text in calls_of(case))))
    return cases


def _by_policy(known: KnownCall, contract: Contract, raises: Container[int], policy: FuzzPolicy) -> str:
    """Reason as of `why_beyond`; with `strict` of no made-up call, with `lenient` of all of them."""
    if policy is FuzzPolicy.STRICT:
        return contract.outside(known.text)
    lenient = LENIENT * (policy is FuzzPolicy.LENIENT and known.made_of_others)
    return why_beyond(known, contract, raises) or lenient


def why_beyond(known: KnownCall, contract: Contract, raises: Container[int]) -> str:
    """Reason for which a difference on a call is a caveat at most; empty where it rejects.

    raises: lines of the function's own `raise` statements: what it refuses itself is part of what it does.
    """
    if outside := contract.outside(known.text):
        return outside
    if known.source not in MADE_UP:
        return ""
    if known.outcome.kind is not Kind.RAISES:
        return contract.beyond(known.text) or _complaint(known)
    if known.outcome.line in raises:
        return ""
    return contract.beyond(known.text) or f"{known.outcome.exception} there is by no `raise` of the function's own"


def _complaint(known: KnownCall) -> str:
    """Reason where the original logs an error, and answers nevertheless; empty where it does not."""
    logged = next((part for part in segments(known.outcome.text) if part.startswith(LOGS)), "")
    return "the original logs an error there" if any(level in logged for level in ERRORS) else ""


def read_on_cases(bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], check: Checker) -> list[CallCase]:
    """Calls whose iterators have more items than are read of each, read far beyond: as far as the original takes
    READ_ON_S."""
    longer = [each for each in known if each.outcome.cut_short][:READ_ON]
    if not longer:
        return []
    pace = max(each.seconds for each in longer) / MAX_ITEMS
    items = min(MOST_ITEMS, int(READ_ON_S / max(pace, 1e-7)))
    try:
        return make_cases(bench, runner, longer, "read on", check, items=items) if items > MAX_ITEMS else []
    except NotVerifiable:  # where nobody looked before it may do as it likes
        return []


def shown_and_held(given: list[KnownCall], derived: list[KnownCall]) -> tuple[list[KnownCall], list[KnownCall]]:
    """A third of all calls is never shown, of the given ones only where there are many."""
    few = len(given) < 9
    shown = [known for at, known in enumerate(given) if few or at % 3] + [k for at, k in enumerate(derived) if at % 3]
    names = {known.text for known in shown}
    return shown, [known for known in (*given, *derived) if known.text not in names]


def make_cases(
    bench: FunctionHarness, runner: TimedRuns, known: list[KnownCall], name: str, check: Checker, *,
    held_out: bool = False, items: int = MAX_ITEMS,
) -> list[CallCase]:  # fmt: skip
    """Calls as cases, with what the original answers. Raises NotVerifiable when that depends on which calls come
    together."""
    cases: list[CallCase] = []
    for number, part in enumerate(_parts(known), 1):
        far = items / MAX_ITEMS
        seconds = min(20.0, max(2.0, 10 * far * max(k.seconds for k in part)))
        total = max(10.0, 10 * far * sum(k.seconds for k in part))
        calls = tuple(k.text for k in part)
        stdin = CallBatch(calls, seconds=seconds, lost=0, budget=total, items=items).stdin()
        title = f"{len(part)} calls of the function"
        once = not all(k.repeated for k in part)
        if items == MAX_ITEMS and all(k.independent for k in part):  # another run would say the same again
            expected = runner.calls.as_printed(calls, CallAnswer(tuple(k.outcome for k in part), state=NOTHING_LEFT))
            answers = expected.encode("utf-8", "surrogatepass")
            cases.append(CallCase(f"{name}.{number}", stdin, answers, held_out, title, asked_once=once))
            continue
        run = runner.run(bench.revision, stdin, mode="exec")
        if disturbed(run):
            run = runner.run(bench.revision, stdin, mode="exec")
        case = CallCase(f"{name}.{number}", stdin, run.stdout, held_out, title, asked_once=once)
        if not _as_known(run, part):
            again = runner.run(bench.revision, stdin, mode="exec", hash_seed=OTHER_HASH_SEED)
            outcome = judge(case, again, check)
            if run.exit != 0 or outcome.verdict is not Verdict.AC:
                raise NotVerifiable(
                    f"{bench.function.qualname} does not do the same twice: {outcome.detail or run.stop_detail}"
                )
        cases.append(case)
    return cases


def _parts(known: list[KnownCall]) -> Iterator[list[KnownCall]]:
    """The calls of each case, in order."""
    part: list[KnownCall] = []
    seconds, size = 0.0, 0
    for one in known:
        seconds, size = seconds + one.seconds, size + len(one.outcome.text)
        if part and (len(part) == IN_A_CASE or seconds > LONG_S or size > LARGE):
            yield part
            part, seconds, size = [], one.seconds, len(one.outcome.text)
        part.append(one)
    if part:
        yield part


def disturbed(run: CallRun) -> bool:
    """A call, or all of them, took ten times as long as when they were made before: somebody else had the machine."""
    late = (Kind.TIMEOUT, Kind.NOT_MADE)
    return run.answer is not None and any(each.kind in late for each in run.answer.outcomes)


def _as_known(run: CallRun, part: list[KnownCall]) -> bool:
    """Whether the calls do here what they did when they were made twice, in other orders, and leave nothing behind."""
    if run.answer is None or run.answer.state is None or run.answer.state.changed:
        return False
    return [outcome.text for outcome in run.answer.outcomes] == [known.outcome.text for known in part]
