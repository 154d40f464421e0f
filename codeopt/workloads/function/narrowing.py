"""Calls inside of `--contract EXPRESSION`: the sandbox says which, all of a set in one run."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from codeopt.core.call import Call, texts_of
from codeopt.core.errors import Diagnostic, UsageError
from codeopt.core.sanitize import inline
from codeopt.core.words import counted, end_of_run
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.function.corpus.corpus import CallCorpus, contract_of_known
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.functions import Function
from codeopt_sandbox.calls import Answer, CallBatch, Kind
from codeopt_sandbox.guest.calls.outcome import FieldMaker

EVALUATED = "_codeopt_contract_"
"""Name of the function that a module gets for it."""
_GIVEN = ("__name__", "__file__", "__doc__", "__debug__")


@dataclass(frozen=True)
class ContractExpression:
    """The expression, and the module that evaluates it: the original, with one more function."""

    text: str
    """Text of the expression, as the user gave it."""
    source: str

    @property
    def reason(self) -> str:
        """Return the reason of calls outside of it."""
        return f"outside of --contract `{inline(self.text)}`"


def contract_expression(function: Function, text: str) -> ContractExpression:
    """The expression over a function's parameters. Raises UsageError for a name that nothing gives a value."""
    tree = ast.parse(function.source)
    # The parameters that a call gives, without hints; those of a class method begin after its class.
    parameters: ast.arguments = ast.parse(f"def f({ast.unparse(function.node.args)}): ...").body[0].args  # type: ignore[attr-defined]
    for each in _all(parameters):
        each.annotation = None
    if function.kind == "classmethod":
        del (parameters.posonlyargs or parameters.args)[:1]
    body = ast.unparse(ast.parse(text.strip(), mode="eval"))
    made = f"def {EVALUATED}({ast.unparse(parameters)}):\n    return bool({body})\n"
    known = {*symtable.symtable(function.source, "module", "exec").get_identifiers(), *vars(builtins), *_GIVEN}
    named = _globals(symtable.symtable(made, "contract", "exec"))
    unknown = next((name for name in named if name not in known), "")
    all_names = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree))
    if unknown and not all_names:
        names = ", ".join(each.arg for each in _all(parameters))
        raise UsageError(
            f"--contract: unknown name {unknown!r}",
            hint=f"use parameters of {function.qualname} ({names}), builtins, or names of its module",
        )
    return ContractExpression(text, f"{function.source}\n\n\n{made}")


def _all(parameters: ast.arguments) -> list[ast.arg]:
    named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    return [*named, *filter(None, (parameters.vararg, parameters.kwarg))]


def _globals(table: symtable.SymbolTable) -> list[str]:
    """Names that are looked up in the module, also within comprehensions and lambdas."""
    inner = [name for child in table.get_children() for name in _globals(child)]
    own = [each.get_name() for each in table.get_symbols() if each.is_global() and each.is_referenced()]
    return [*(own if table.get_type() == "function" else []), *inner]


INSIDE = FieldMaker().field(True).digest
"""Digest of what an expression says that is true."""


@dataclass
class Narrowing:
    """Evaluates the expression for calls, each once, in the sandbox that runs the function."""

    harness: FunctionHarness
    expression: ContractExpression
    known: dict[Call, str] = field(default_factory=dict)
    """Calls asked so far: why each is outside. The text is empty for calls inside."""

    def outside(self, calls: Sequence[Call]) -> Mapping[Call, str]:
        """Return `known` with these calls.

        Raises:
            UsageError: The expression cannot be evaluated.
        """
        if new := [call for call in dict.fromkeys(calls) if call not in self.known]:
            target = self.harness.target.replace(qualname=EVALUATED, generator=False, asynchronous=False)
            runner = replace(self.harness.runner, ref=target)
            # time limit of the expression for one call, seconds; one that takes longer is outside
            # time limit of the expression for a set of calls, seconds
            run = runner.ask(self.expression.source, CallBatch(texts_of(new), seconds=0.5, budget=20.0))
            if run.answer is None:
                raise UsageError(f"--contract cannot be evaluated: {end_of_run(run)}")
            reason = self.expression.reason
            pairs = zip(new, run.answer.outcomes, strict=True)
            self.known |= {call: "" if _holds(outcome) else reason for call, outcome in pairs}
        return self.known


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
        return corpus, contract_of_known(harness, corpus)
    narrowing = Narrowing(harness, contract_expression(harness.function, text))
    outside = narrowing.outside([*(each.call for each in corpus.known), *corpus.big])
    vouched = corpus.vouched
    inside = [call for call in vouched if not outside[call]]
    if vouched and not inside:
        raise UsageError(
            f"all {len(vouched)} known calls are {narrowing.expression.reason}", hint="give a wider contract"
        )
    gone = {call for call in [*(each.call for each in corpus.known if each.vouched), *corpus.big] if outside[call]}
    left_out = Diagnostic(f"{counted(len(gone), 'known call')} left out", narrowing.expression.reason)
    kept = replace(
        corpus,
        known=tuple(each for each in corpus.known if each.call not in gone),
        big=tuple(call for call in corpus.big if call not in gone),
        diagnostics=(*corpus.diagnostics, *([left_out] if gone else [])),
    )
    contract = contract_of(harness.function, inside, harness.declared, vouched=corpus.is_vouched)
    return kept, replace(contract, narrowed=narrowing.outside, narrowed_to=narrowing.expression.text)
