"""`--contract EXPRESSION`: which names it may have, and which calls are left out, by scripted answers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.errors import Diagnostic, UsageError
from codeopt.workloads.contract.declared import DeclaredTypes
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.narrowing import EVALUATED, contract_expression, narrowed
from codeopt.workloads.source.functions import Function, ModuleFunctions
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer, CallAnswer, CallBatch, CallRun, FunctionRef
from codeopt_sandbox.guest.calls.outcome import FieldMaker

MODULE = "N, (M, K) = 1, (2, 3)\nT: int = 4\n\nasync def f(a, b=2, *c, d=1, **e):\n    yield a\n"


def function(text: str = MODULE) -> Function:
    return ModuleFunctions(Path("m.py"), text, ast.parse(text)).find("f")


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("a < len(c) + N and d", ""), ("e['k'] is T", ""), ("a < z", "'z'"), ("[k for k in c]", ""),
        ("[q for k in c]", "'q'"), ("(lambda w: w + v)(a)", "'v'"), ("__name__", ""),
    ],
)  # fmt: skip
def test_an_expression_has_names_that_are_known(expression: str, unknown: str) -> None:
    if unknown:
        with pytest.raises(UsageError, match=f"unknown name {unknown}") as caught:
            contract_expression(function(), expression)
        assert "(a, b, d, c, e)" in caught.value.hint
    else:
        made = contract_expression(function(), expression)
        assert (made.text, made.source.startswith(MODULE)) == (expression, True)
        assert f"return bool({expression})" in made.source


@dataclass
class Evaluates:
    """A runner: the expression is true of numbers above 2, raises of 0, and has no answer at all below that."""

    ref: FunctionRef
    asked: list[tuple[FunctionRef, CallBatch]] = field(default_factory=list)

    def ask(self, source: str, batch: CallBatch) -> CallRun:
        self.asked.append((self.ref, batch))
        numbers = [ast.literal_eval(text[2:-1]) for text in batch.calls]
        says = [Answer("returns", value=FieldMaker().field(n > 2)) if n else Answer("raises") for n in numbers]
        return CallRun(0, None, 0.1, 0.1, 0, b"", b"", answer=CallAnswer(tuple(says)) if min(numbers) >= 0 else None)


def harness(runner: Evaluates) -> Any:
    return SimpleNamespace(function=function(), target=runner.ref, runner=runner, declared=DeclaredTypes())


def corpus(made: dict[int, str], big: tuple[int, ...] = ()) -> CallCorpus:
    known = [KnownCall(read(f"f({n})"), Answer("returns"), source, 0.1) for n, source in made.items()]
    return CallCorpus(tuple(known), tuple(read(f"f({n})") for n in big), diagnostics=(Diagnostic("before", ""),))


@pytest.mark.parametrize(
    ("made", "big", "kept", "left_out"),
    [
        ({3: "tests", 4: "calls_file"}, (5,), [3, 4, 5], ""),
        ({3: "tests", 2: "tests", 0: "calls_file"}, (), [3], "2 known calls left out"),
        ({3: "tests", 2: "generated"}, (), [3, 2], ""),
        ({4: "tests"}, (1, 5), [4, 5], "1 known call left out"),
        ({2: "type_hints", 5: "type_hints"}, (), [2, 5], ""),
        ({2: "tests", 3: "type_hints"}, (0,), None, "all 2 known calls are outside of --contract `a > 2`"),
        ({-1: "tests"}, (), None, "--contract cannot be evaluated: "),
    ],
)
def test_calls_outside_are_left_out(
    made: dict[int, str], big: tuple[int, ...], kept: list[int] | None, left_out: str
) -> None:
    runner = Evaluates(FunctionRef("m", "/m.py", "f", generator=True, asynchronous=True))
    if kept is None:
        with pytest.raises(UsageError, match=left_out):
            narrowed(harness(runner), corpus(made, big), "a > 2")
        return
    found, contract = narrowed(harness(runner), corpus(made, big), "a > 2")
    assert [*(each.call.text for each in found.known), *(each.text for each in found.big)] == [f"f({n})" for n in kept]
    assert [each.message for each in found.diagnostics] == ["before", *filter(None, [left_out])]
    assert contract.narrowed_to == "a > 2"
    assert contract.beyond(read("f(3)")) == ""
    why = contract.ask([read("f(2)"), read("f(9)")])
    assert (why[read("f(2)")], why[read("f(9)")]) == ("outside of --contract `a > 2`", "")
    (ref, batch), (_, again) = runner.asked[0], runner.asked[-1]
    assert (ref.qualname, ref.generator, ref.asynchronous) == (EVALUATED, False, False)
    assert (batch.seconds, batch.budget) == (0.5, 20.0)
    assert again.calls == tuple(f"f({n})" for n in (2, 9) if n not in {**made, **dict.fromkeys(big)})
