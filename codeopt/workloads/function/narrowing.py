"""Calls inside of `--contract EXPRESSION`: the sandbox says which, all of a set in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import UsageError
from codeopt.core.words import counted, end_of_run
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.contract.function.expression import EVALUATED, ContractExpression, contract_expression
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.harness import FunctionHarness
from codeopt_sandbox.call_answer import Kind
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.guest.calls.repr.fields import FieldMaker

INSIDE = FieldMaker().field(True).digest
"""Digest of what an expression says that is true."""
CALL_S = 0.5
"""Time limit of the expression for one call, seconds; one that takes longer is outside."""
TOTAL_S = 20.0
"""Time limit of the expression for a set of calls, seconds."""


@dataclass
class Narrowing:
    """Evaluates the expression for calls, each once, in the sandbox that runs the function."""

    harness: FunctionHarness
    expression: ContractExpression
    known: dict[str, str] = field(default_factory=dict)
    """Calls asked so far: why each is outside. The text is empty for calls inside."""

    def outside(self, calls: Sequence[str]) -> Mapping[str, str]:
        """Return `known` with these calls.

        Raises:
            UsageError: The expression cannot be evaluated.
        """
        if new := [call for call in dict.fromkeys(calls) if call not in self.known]:
            self.known |= self._evaluated(new)
        return self.known

    def _evaluated(self, calls: Sequence[str]) -> Mapping[str, str]:
        target = self.harness.target.replace(qualname=EVALUATED, generator=False, asynchronous=False)
        runner = replace(self.harness.runner, ref=target)
        run = runner.ask(self.expression.source, CallBatch(tuple(calls), seconds=CALL_S, budget=TOTAL_S))
        if run.answer is None:
            raise UsageError(f"--contract cannot be evaluated: {end_of_run(run)}")
        reason = self.expression.reason
        pairs = zip(calls, run.answer.outcomes, strict=True)
        return {call: "" if _holds(outcome) else reason for call, outcome in pairs}


def _holds(outcome: Answer) -> bool:
    """Return True if the expression is true, also if it used up an iterator."""
    return outcome.kind == Kind.RETURNS and outcome.value.digest == INSIDE


def narrowed(harness: FunctionHarness, corpus: CallCorpus, text: str) -> tuple[CallCorpus, Contract]:
    """Return the corpus without calls that the expression excludes, and the contract of the rest.

    Args:
        harness: Harness of the function.
        corpus: All known calls.
        text: The expression, or empty.

    Raises:
        UsageError: The expression cannot be evaluated, or excludes all known calls.
    """
    if not text:
        return corpus, contract_of(harness.function, corpus.vouched, harness.declared, vouched=corpus.is_vouched)
    narrowing = Narrowing(harness, contract_expression(harness.function, text))
    known = [each.text for each in corpus.known]
    outside = narrowing.outside([*known, *corpus.big])
    vouched = corpus.vouched
    inside = [call for call in vouched if not outside[call]]
    if vouched and not inside:
        raise UsageError(
            f"all {len(vouched)} known calls are {narrowing.expression.reason}", hint="give a wider contract"
        )
    given = [each for each in corpus.known if each.vouched]
    gone = {call for call in [*(each.text for each in given), *corpus.big] if outside[call]}
    kept = replace(
        corpus,
        known=tuple(each for each in corpus.known if each.text not in gone),
        big=tuple(call for call in corpus.big if call not in gone),
        diagnostics=(*corpus.diagnostics, *_left_out(len(gone), narrowing.expression)),
    )
    contract = contract_of(harness.function, inside, harness.declared, vouched=corpus.is_vouched)
    return kept, replace(contract, narrowed=narrowing.outside, narrowed_to=narrowing.expression.text)


def _left_out(count: int, expression: ContractExpression) -> list[Diagnostic]:
    what = f"{counted(count, 'known call')} left out"
    return [Diagnostic(what, expression.reason)] if count else []
