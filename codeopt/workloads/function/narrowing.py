"""Calls inside of `--contract EXPRESSION`: the sandbox says which, all of a set in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import UsageError
from codeopt.core.words import counted
from codeopt.workloads._ending import why
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.contract.function.expression import EVALUATED, ContractExpression, contract_expression
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.harness import FunctionHarness
from codeopt_sandbox.call_answer import CallOutcome, Kind
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.repr.private import segments

INSIDE = "returns True"
CALL_S = 0.5
"""Time limit of the expression for one call, seconds; one that takes longer is outside."""
TOTAL_S = 20.0
"""Time limit of the expression for a set of calls, seconds."""


@dataclass(frozen=True)
class Narrowing:
    """Evaluates the expression for calls, in the sandbox that runs the function."""

    bench: FunctionHarness
    expression: ContractExpression

    def outside(self, calls: Sequence[str]) -> Mapping[str, str]:
        """Why calls are outside, by call; empty for those inside. Raises UsageError where none can be asked."""
        target = self.bench.target.replace(qualname=EVALUATED, generator=False, asynchronous=False)
        runner = replace(self.bench.runner, ref=target)
        run = runner.ask(self.expression.source, CallBatch(tuple(calls), seconds=CALL_S, budget=TOTAL_S))
        if run.answer is None:
            raise UsageError(f"--contract cannot be evaluated: {why(run)}")
        reason = self.expression.reason
        pairs = zip(calls, run.answer.outcomes, strict=True)
        return {call: "" if _holds(outcome) else reason for call, outcome in pairs}


def _holds(outcome: CallOutcome) -> bool:
    """Whether the expression is true, even if it used an iterator up: that is told behind what is returned."""
    return outcome.kind == Kind.RETURNS and segments(outcome.text)[0] == INSIDE


def narrowed(bench: FunctionHarness, evidence: CallCorpus, text: str) -> tuple[CallCorpus, Contract]:
    """The evidence without given calls that the expression excludes, and the contract of the rest.

    text: the expression; empty where there is none. Raises UsageError.
    """
    if not text:
        return evidence, contract_of(bench.function, evidence.vouched, bench.class_hints, vouched=evidence.is_vouched)
    narrowing = Narrowing(bench, contract_expression(bench.function, text))
    known = [each.text for each in evidence.known]
    outside = narrowing.outside(list(dict.fromkeys([*known, *evidence.big])))
    vouched = evidence.vouched
    inside = [call for call in vouched if not outside[call]]
    if vouched and not inside:
        raise UsageError(f"all {len(vouched)} known calls are {narrowing.expression.reason}; name a wider one")
    given = [each for each in evidence.known if each.vouched]
    gone = {call for call in [*(each.text for each in given), *evidence.big] if outside[call]}
    kept = replace(
        evidence,
        known=tuple(each for each in evidence.known if each.text not in gone),
        big=tuple(call for call in evidence.big if call not in gone),
        shortfalls=(*evidence.shortfalls, *_left_out(len(gone), narrowing.expression)),
    )
    contract = contract_of(bench.function, inside, bench.class_hints, vouched=evidence.is_vouched)
    contract = replace(contract, narrowed=narrowing.outside, narrowed_to=narrowing.expression.text)
    contract.told.update(outside)
    return kept, contract


def _left_out(count: int, expression: ContractExpression) -> list[Diagnostic]:
    what = f"{counted(count, 'known call')} left out"
    return [Diagnostic(what, expression.reason)] if count else []
