"""A caveat names the part of the arguments that makes the difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.function.corpus.cases import CallCase, CaveatRules, call_caveats
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.comparing import AnswerComparison
from tests.sandbox.answered import returning, told

KNOWN = ["f([1, 2, 3, 4], [2])", "f([2], [0])", "f([5], [0, 0])"]
PEOPLE, LEAVE = (f"a number below zero among the items for `{name}`" for name in ("people", "leave"))


@pytest.mark.parametrize(
    ("calls", "smaller", "wanted"),
    [
        (["f([-1], [-2])", "f([1, 22222], [-1])"], {}, [(LEAVE, 2)]),
        (["f([-1], [-2])"], {"f([-1], [-2])": "f([0], [-1])"}, [(LEAVE, 1)]),
        (["f([-1], [-2])"], {}, [(PEOPLE, 1)]),
        (["f([-1], [2])", "f([1], [-2])"], {}, [(PEOPLE, 1), (LEAVE, 1)]),
    ],
)
def test_the_reason_of_a_call_that_is_unusual_in_several_ways(
    tmp_path: Path, calls: Sequence[str], smaller: dict[str, str], wanted: list[tuple[str, int]]
) -> None:
    (tmp_path / "mod.py").write_text("def f(people, leave):\n    return people, leave\n")
    contract = contract_of(read_function(tmp_path / "mod.py", "f"), [*map(read, KNOWN)])
    old, new = ([returning(number) for _ in calls] for number in (1, 2))
    probes = tuple(map(read, calls))
    beyond = tuple(map(contract.beyond, probes))
    case = CallCase("c", CallBatch(tuple(calls)).stdin(), None, answer=told(*old), probes=probes, beyond=beyond)
    smallest = {read(call): read(less) for call, less in smaller.items()}
    rules = CaveatRules(
        AnswerComparison(), lambda call: "", None, "serve", contract.reasons, lambda call: smallest.get(call, call)
    )
    found = call_caveats(case, told(*new), rules)
    assert [(each.cause, each.count) for each in found] == wanted
    assert all(each.input.startswith("serve(") for each in found if each.input != "all calls together")
