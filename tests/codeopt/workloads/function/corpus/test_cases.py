"""Cases of calls: which come together, in which environment, how long they have; and the caveats of unusual ones."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.options import FuzzPolicy
from codeopt.core.revision import Revision
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.function.corpus.cases import (
    LENIENT,
    CallCase,
    CaseMaker,
    CaveatRules,
    beyond_caveats,
    call_caveats,
)
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.source.functions import ModuleFunctions, read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer, CallBatch, CallRun, Kind
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest.answer import Field
from codeopt_sandbox.guest.request import EMBEDDED, NEIGHBOUR, SHIFTED, USUAL, Environment, batch_of
from codeopt_sandbox.outcome import CaseVerdict, Outcome
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
    found = call_caveats(case, CallRun(0, None, 0.0, 0.0, 0, b"", b"", answer=told(*new)), rules)
    assert [(each.cause, each.count) for each in found] == wanted
    assert all(each.input.startswith("serve(") for each in found if each.input != "all calls together")


@pytest.mark.parametrize(("stop", "status", "whole"), [(None, 0, False), ("time", 0, True), (None, 1, True)])
def test_calls_that_end_their_run_are_one_caveat(stop: str | None, status: int, whole: bool) -> None:
    calls = ("f([1, 2, 3])", "f([0])", "f([0, 0])")
    beyond = ("long", LENIENT, "zero")
    known, new = (told(*(returning(number) for _ in calls)) for number in (1, 2))
    case = CallCase("c", b"", None, True, answer=known, probes=tuple(map(read, calls)), beyond=beyond)
    run = CallRun(status, None, 0.1, 0.1, 0, b"", b"", answer=new, stop=stop)  # type: ignore[arg-type]
    rules = CaveatRules(AnswerComparison(), lambda call: f"python {call}", name="serve")
    found = beyond_caveats(case, Outcome("c", CaseVerdict.RE, run, "killed"), rules)
    if whole:
        (told_of,) = found
        assert (told_of.input, told_of.cause) == ("3 calls, the shortest serve([0])", LENIENT)
        assert (told_of.expected, told_of.got) == ("each of them ends", "killed")
        assert (told_of.reproduce, told_of.held_out) == ("python f([0])", True)
    else:
        assert {each.cause: each.domain for each in found} == {"long": ("long",), LENIENT: (), "zero": ("zero",)}


def known(text: str, source: str = "tests", seconds: float = 0.1, value: int = 1, **more: Any) -> KnownCall:
    return KnownCall(read(text), more.pop("outcome", returning(value)), source, seconds, **more)


@dataclass
class Scripted:
    """A runner of the original: what each of its runs gives, in order."""

    gives: list[Sequence[Answer]] = field(default_factory=list)
    asked: list[tuple[tuple[str, ...], Environment]] = field(default_factory=list)
    calls: Any = field(default_factory=lambda: SimpleNamespace(name=str))

    def run(self, revision: Revision, stdin: bytes, *, mode: str, environment: Environment) -> CallRun:
        self.asked.append((tuple(batch_of(stdin).calls), environment))
        return CallRun(0, None, 0.1, 0.1, 0, b"", b"", answer=told(*self.gives.pop(0)))


MODULE = "def f(xs):\n    if not xs:\n        raise ValueError\n    return xs[0]\n"


def maker(runner: Scripted, how: FuzzPolicy = FuzzPolicy.AUTO, contract: Contract | None = None) -> CaseMaker:
    function = ModuleFunctions(Path("m.py"), MODULE, ast.parse(MODULE)).find("f")
    harness: Any = SimpleNamespace(
        function=function, revision=Revision.of(MODULE), environments=(USUAL, SHIFTED, EMBEDDED)
    )
    given: Any = runner
    return CaseMaker(harness, given, AnswerComparison(), contract or Contract(), InputPolicy(how))


def raising(line: int) -> Answer:
    return Answer(Kind.RAISES, raised=Field("d", "IndexError"), exception="IndexError", line=line)


ALIKE, UNLIKE = "f([5])", "f([-1])"
RAISES_ITSELF, RAISES = ({"text": f"f([{line}])", "source": "generated", "outcome": raising(line)} for line in (3, 4))
BELOW = "a number below zero among the items for `xs`"
NOT_OWN = "calls on which the original raises IndexError by no `raise` of its own"


@pytest.mark.parametrize(
    ("how", "call", "name", "reason"),
    [
        ("auto", {"text": UNLIKE}, "c.1", ""),
        ("auto", {"text": ALIKE, "source": "generated"}, "c.made.1", ""),
        ("auto", {"text": UNLIKE, "source": "generated"}, "beyond.c.1", BELOW),
        ("auto", {"text": UNLIKE, "source": "type_hints"}, "beyond.c.1", BELOW),
        ("auto", {"text": UNLIKE, "source": "refused"}, "c.made.1", ""),
        ("auto", RAISES_ITSELF, "c.made.1", ""),
        ("auto", RAISES, "beyond.c.1", NOT_OWN),
        ("auto", {"text": ALIKE, "source": "generated", "outcome": returning(1).replace(complains=True)}, "beyond.c.1",
         "calls on which the original logs an error"),
        ("strict", {"text": UNLIKE, "source": "generated"}, "c.made.1", ""),
        ("strict", RAISES, "c.made.1", ""),
        ("lenient", {"text": ALIKE, "source": "generated"}, "beyond.c.1", LENIENT),
        ("lenient", {"text": ALIKE, "source": "type_hints"}, "c.1", ""),
        ("lenient", {"text": ALIKE}, "c.1", ""),
        ("off", {"text": ALIKE, "source": "generated"}, "", ""),
        ("off", {"text": UNLIKE, "source": "type_hints"}, "beyond.c.1", BELOW),
    ],
)  # fmt: skip
def test_which_difference_rejects(how: str, call: dict[str, Any], name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODULE)
    contract = contract_of(read_function(tmp_path / "m.py", "f"), [read(f"f([{n}])") for n in range(1, 9)])
    each = known(**call, independent=True)
    found = maker(Scripted(), FuzzPolicy(how), contract).by_tier([each], "c", elsewhere=False)
    assert [case.name for case in found] == [name] * bool(name)
    for case in found:
        assert isinstance(case, CallCase)
        assert case.beyond == tuple(filter(None, [reason]))
        assert case.environment == (USUAL if name == "c.1" else NEIGHBOUR)


def test_known_calls_are_made_elsewhere_too() -> None:
    calls = [
        known("f([1])", elsewhere=(("shifted", returning(3)), ("embedded", returning(1))), independent=True),
        known("f([2])", elsewhere=(("embedded", returning(2)),), independent=True),
        known("f([3])", "generated", elsewhere=(("embedded", returning(2)),), independent=True),
    ]
    found = maker(Scripted()).by_tier(calls, "c")
    assert {case.name: [*batch_of(case.stdin).calls] for case in found} == {
        "c.1": ["f([1])", "f([2])"], "c.made.1": ["f([3])"], "c.shifted.1": ["f([1])"],
        "c.embedded.1": ["f([2])", "f([1])"],
    }  # fmt: skip
    (shifted,) = [case for case in found if case.name == "c.shifted.1"]
    assert isinstance(shifted, CallCase)
    assert shifted.answer is not None
    assert shifted.answer.outcomes == (returning(3),)


LARGE = returning(1).replace(value=returning(1).value.replace(size=3_000_000))


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        ([known("f([1])", seconds=0.001)] * 501, [500, 1]),
        ([known("f([1])", seconds=0.5)] * 5, [4, 1]),
        ([known("f([1])", seconds=3)] * 2, [1, 1]),
        ([known("f([1])", outcome=LARGE), known("f([1])"), known("f([1])", outcome=LARGE)], [2, 1]),
        ([known("f([1])", ordered="none"), known("f([1])"), known("f([1])", ordered="lists"), known("f([1])")],
         [2, 1, 1]),
    ],
)  # fmt: skip
def test_calls_that_come_together(given: list[KnownCall], sizes: list[int]) -> None:
    cases = maker(Scripted()).cases([replace(each, independent=True) for each in given], "c")
    assert [len(batch_of(case.stdin).calls) for case in cases] == sizes
    assert [case.name for case in cases] == [f"c.{number}" for number in range(1, len(sizes) + 1)]
    assert [case.title for case in cases] == [f"{size} calls of the function" for size in sizes]


@pytest.mark.parametrize(
    ("seconds", "one", "all_of_them"), [((0.01, 0.02), 2.0, 10.0), ((0.3, 0.9), 9.0, 12.0), ((5.0,), 20.0, 50.0)]
)
def test_calls_have_ten_times_as_long(seconds: tuple[float, ...], one: float, all_of_them: float) -> None:
    (case,) = maker(Scripted()).cases([known("f([1])", seconds=each, independent=True) for each in seconds], "c")
    batch = batch_of(case.stdin)
    assert (batch.seconds, batch.budget, batch.lost) == (one, pytest.approx(all_of_them), 0)


LATE = Answer(Kind.TIMEOUT)
RIGHT, OTHER = returning(1), returning(2)


@pytest.mark.parametrize(
    ("gives", "runs", "answer"),
    [
        ([RIGHT], 1, RIGHT),
        ([LATE, RIGHT], 2, RIGHT),  # somebody else had the machine
        ([Answer(Kind.NOT_MADE), RIGHT], 2, RIGHT),
        ([OTHER, OTHER], 2, OTHER),  # otherwise than when it was made alone, and always like that
    ],
)
def test_calls_that_may_depend_on_each_other_are_made_as_they_will_be(
    gives: list[Answer], runs: int, answer: Answer
) -> None:
    runner = Scripted([[each] for each in gives])
    (case,) = maker(runner).cases([known("f([1])")], "c")
    assert case.answer is not None
    assert (len(runner.asked), case.answer.outcomes) == (runs, (answer,))
    assert (runner.asked[-1][1] == USUAL) is (answer == RIGHT)  # by another hash seed, whether it is the same
