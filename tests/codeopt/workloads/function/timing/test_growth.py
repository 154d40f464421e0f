"""How cost grows is told from longer and longer calls; where calls cannot be made longer nothing is said."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from codeopt.workloads.contract.function.declared import DeclaredTypes
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.function.timing.growth import CLOCK_S, growth, growth_of
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Options, open_sandbox
from codeopt_sandbox.call_answer import CallAnswer, CallRun, Kind
from codeopt_sandbox.growth import GrowthPair
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.outcome import Run
from tests.conftest import require_sandbox
from tests.support.candidates import run
from tests.support.scripted import Asked, ScriptedRunner

QUADRATIC = "def f(xs):\n    return [x for x in xs if [y for y in xs if y == x][1:]]\n"
LINEAR = "def f(xs):\n    return [x for x in sorted(xs) for _ in range(40) if x]\n"


def of(folder: Path, call: str) -> GrowthPair | None:
    (folder / "m.py").write_text(QUADRATIC)
    known = KnownCall(call, Answer(Kind.RETURNS), "tests", 1e-5)
    with open_harness(
        read_function(folder / "m.py", "f"),
        lambda mounts: open_sandbox("bubblewrap", options=Options(mounts=mounts)),
    ) as harness:
        return growth(harness, CallCorpus((known,)), LINEAR)


def test_growth_is_told(tmp_path: Path) -> None:
    require_sandbox()
    found = of(tmp_path, f"f({list(range(12))})")
    if found is None:  # a busy machine, on which no class stands apart: nothing is said
        return
    assert found.old == "n^2"
    assert found.new in ("n", "n log n", "")
    assert found.text.startswith("about n^2 -> ")


def test_the_largest_call_that_is_quick_is_made_longer() -> None:
    seconds = {"f([1, 2, 3])": 1e-5, "f([1, 2, 3, 4, 5, 6])": 1e-5, "f([1, 2, 3, 4])": 1e-5, f"f({[0] * 40})": 0.1}
    known = [KnownCall(call, Answer(Kind.RETURNS), "tests", took) for call, took in seconds.items()]
    runner = ScriptedRunner(lambda asked: run(exit=1))
    harness: Any = SimpleNamespace(source="", runner=runner, declared=DeclaredTypes())
    assert growth_of(harness, CallCorpus(tuple(known))) == ""
    assert batch_of(runner.asked[0].stdin).calls[0] == "f([1, 2, 3, 4, 5, 6])"


def test_what_cannot_be_longer_tells_nothing(tmp_path: Path) -> None:
    require_sandbox()
    assert of(tmp_path, "f([1])") is None


def test_a_number_too_large_for_a_float_tells_nothing(tmp_path: Path) -> None:
    require_sandbox()
    assert of(tmp_path, f"f({1 << 4096})") is None


def test_each_length_that_is_told_is_the_calls_own() -> None:
    """A call too long to be read would count as one of size 1."""

    def quadratic(asked: Asked) -> Run:
        rows = [text.count("a long name of a row") for text in batch_of(asked.stdin).calls]
        answer = CallAnswer(cpu=tuple(CLOCK_S + 1e-8 * count**2 for count in rows) * 2)
        return CallRun(**vars(run()), answer=answer)

    call = f"f({[('a long name of a row', number) for number in range(100, 140)]})"
    harness: Any = SimpleNamespace(source="", runner=ScriptedRunner(quadratic), declared=DeclaredTypes())
    said = growth_of(harness, CallCorpus((KnownCall(call, Answer(Kind.RETURNS), "tests", 1e-5),)))
    lengths = [int(size.replace(",", "")) for size in re.findall(r"([\d,]+): ", said)]
    assert len(lengths) == 4, said
    assert lengths == sorted(lengths)
