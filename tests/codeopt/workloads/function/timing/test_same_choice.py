"""The same calls are chosen, checked and timed where they take as long and end as they did: by their source, their
seconds and what becomes of them elsewhere. The seconds are of a table, as no clock gives the same twice.
`python -m tests.codeopt.workloads.function.timing.test_same_choice` writes the table."""
# looks at codeopt/workloads/function/timing, codeopt/workloads/function/timed_again, codeopt/workloads/_sizes
# looks at codeopt/workloads/function/corpus/observe, codeopt/workloads/function/resized

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from codeopt.core.call import Call
from codeopt.core.errors import CodeoptError
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.workloads._runs import other_environments
from codeopt.workloads._sizes import by_size, find_part, finding_on_whole, part_words
from codeopt.workloads.contract.declared import DeclaredTypes
from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.function.corpus.corpus import CallCorpus, quick_calls
from codeopt.workloads.function.corpus.observe import (
    CallTimeLimit,
    Exclusion,
    ExclusionReason,
    Exclusions,
    KnownCall,
    as_recorded,
    objection,
    observe,
    observe_quick,
    unwritten,
)
from codeopt.workloads.function.resized import first_part
from codeopt.workloads.function.timed_again import function_by_size
from codeopt.workloads.function.timing import bearable, choose
from codeopt.workloads.generated.larger import size_of
from codeopt.workloads.generated.vocabulary import vocabulary
from codeopt.workloads.source.functions import Function, ModuleFunctions
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import CallAnswer, CallBatch, CallRun, CallTiming, Kind, State
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.guest.answer import EFFECTS, Answer
from codeopt_sandbox.guest.calls.outcome import RunTimes, not_made, text_field
from codeopt_sandbox.guest.request import USUAL, Environment, batch_of
from tests.support.candidates import comparison
from tests.support.recorded import Row, compared_with, digest, write_down

TABLE = Path(__file__).with_name("same_choice.txt")
SOURCE = "def f(items, most=3):\n    return items, 'red', 40, most\n"
FUNCTION = ModuleFunctions(Path("m.py"), SOURCE, ast.parse(SOURCE)).find("f")
OLD, NEW = Revision.of(SOURCE), Revision.of(SOURCE + "\n")
RETURNS = Answer(Kind.RETURNS, text_field("3"))


def linear(call: Call) -> float:
    return 2e-7 * size_of(call) + 2e-7


def by_number(call: Call) -> float:
    """The first number says how long, whatever the size."""
    first = call.values[0] if call.values else 0
    return 1e-4 * first if isinstance(first, int) and 0 <= first < 10**6 else 1e-7


COSTS: dict[str, Callable[[Call], float]] = {
    "by size": linear,
    "little": lambda call: 3e-7,
    "nothing": lambda call: 1e-9,
    "by its square": lambda call: 4e-9 * size_of(call) ** 2 + 1e-7,
    "by a number": by_number,
    "much": lambda call: 0.02 + 1e-5 * size_of(call),
    "seconds": lambda call: 0.01 * size_of(call),
}


def usual(call: Call, environment: Environment) -> Answer:
    return RETURNS


def of_all_kinds(call: Call, environment: Environment) -> Answer:
    """Ends by the size of its argument: some fail, some differ elsewhere, some are no evidence."""
    kind, elsewhere = int(size_of(call)) % 11, environment.name != USUAL.name
    raised = {"raised": text_field("ValueError"), "exception": "builtins.ValueError", "line": 2}
    found = {
        1: Answer(Kind.RAISES, **raised), 2: Answer(Kind.RAISES, raised=text_field("TypeError"), exception="TypeError"),
        3: RETURNS.replace(value=text_field(f"of {environment.hash_seed}")),
        4: RETURNS.replace(effects=(next(iter(EFFECTS)),)),
        5: Answer(Kind.NOT_COMPARABLE, opaque="socket"), 6: Answer(Kind.NO_ARGUMENTS, exception="no"),
        7: Answer(Kind.TIMEOUT) if elsewhere else RETURNS, 8: Answer(Kind.DIED) if elsewhere else RETURNS,
        9: Answer(Kind.YIELDS, text_field("1, 2"), iterators=1),
    }  # fmt: skip
    return found.get(kind, RETURNS)


@dataclass
class Steady:
    """A function whose calls take the seconds of a table. It writes down what it is asked."""

    cost: Callable[[Call], float]
    ends: Callable[[Call, Environment], Answer] = usual
    state: State | None = field(default_factory=State)
    asked: list[object] = field(default_factory=list)
    ordered: str = "all"
    function: Function = FUNCTION
    source: str = SOURCE
    revision: Revision = OLD
    declared: DeclaredTypes = field(default_factory=DeclaredTypes)
    target: Any = field(default_factory=lambda: SimpleNamespace(whole_answers=False))
    waits: bool = False

    def __post_init__(self) -> None:
        self.vocabulary = vocabulary(SOURCE, SOURCE)
        self.environments = (USUAL, *other_environments(SOURCE))
        self.runner = self.recording_runner = SimpleNamespace(run=self.run, ask=self.ask_in)

    def ask(self, calls: Iterable[Call], program: str = "check", **limits: Any) -> CallAnswer:
        self.asked.append((program, sorted(limits.items())))
        return self._answer([*calls], USUAL, limits.get("seconds", 1.0))

    def ask_in(self, source: object, batch: CallBatch, environment: Environment = USUAL) -> CallRun:
        self.asked.append((environment.name, environment.hash_seed, batch.ordered, batch.lost))
        return self._run(self._answer([*map(read, batch.calls)], environment, batch.seconds), 0.1)

    def run(self, source: object, stdin: bytes) -> CallRun:
        batch = batch_of(stdin)
        self.asked.append((batch.program, len(batch.calls), batch.passes, batch.warm, batch.pass_seconds))
        calls = [*map(read, batch.calls[batch.warm :])]
        groups, took, at = batch.groups or (len(calls),), [], 0
        for count in groups:
            took.append(sum(map(self.cost, calls[at : at + count])))
            at += count
        each = tuple(took * batch.passes)
        times = RunTimes(cpu=each, wall=tuple(3 * one for one in each), delay=tuple(one / 2 for one in each))
        return self._run(CallAnswer(times=times), sum(took))

    def _answer(self, calls: Sequence[Call], environment: Environment, limit: float) -> CallAnswer:
        self.asked.append((len(calls), digest(calls)))
        ended = [self.ends(call, environment).replace(seconds=self.cost(call)) for call in calls]
        return CallAnswer(tuple(each if each.seconds <= limit else not_made() for each in ended), state=self.state)

    def _run(self, answer: CallAnswer, seconds: float) -> CallRun:
        timing = CallTiming(0.03, 0.01, (seconds,), (seconds,), 0.001)
        cpu, wall = (seconds / 9, seconds) if self.waits else (seconds, seconds)
        return CallRun(0, None, wall, cpu, 2**20, b"", b"", answer=answer, call_timing=timing)


def known(harness: Steady, texts: Iterable[str], source: str, *, repeated: bool = True) -> list[KnownCall]:
    calls = [*map(read, texts)]
    return [KnownCall(call, RETURNS, source, harness.cost(call), repeated=repeated) for call in calls]


LISTS = [f"f({[at * 7 % 11 for at in range(n)]})" for n in (0, 1, 2, 5, 9, 40)]
KNOWN: dict[str, list[tuple[str, list[str]]]] = {
    "lists": [("tests", LISTS), ("generated", [f"f({[1, 2] * 9}, 2)", "f([3, 1])"])],
    "numbers": [("doctests", [f"f({n})" for n in (1, 3, 12, 60)])],
    "texts": [("tests", ["f('red,green')", "f('')", f"f({'word ' * 30!r})"])],
    "hints alone": [("type_hints", [f"f({[*range(n)]}, {n})" for n in (1, 4, 7)])],
    "recorded": [("recorded", [f"f({[*range(n)]})" for n in (900, 5000, 6000, 40)]), ("tests", LISTS)],
    "one object": [("tests", [f"f(load('m', 'Box')([1, 2, 3]), {n})" for n in (1, 2, 3, 4)])],
    "opaque": [("tests", ["f(unpickle('x'))", "f(unpickle('y'), 3)"])],
    "one call": [("calls_file", [f"f({[*range(700)]})"])],
}
BIG = {
    "one": [f"f({[*range(3000)]})"],
    "several": [f"f({[*range(n)]})" for n in (30, 400, 2500)],
    "short": ["f([1, 2, 3])", "f([4])"],
}


def chosen(name: str, big: Sequence[str] = ()) -> Iterator[object]:
    for cost in COSTS if name == "lists" and not big else ("by size",):
        for waits in sorted({False, cost == "much" or name == "numbers"}):
            seconds = COSTS[cost]
            harness, said = Steady(seconds, waits=waits), list[str]()
            given = [each for source, texts in KNOWN[name] for each in known(harness, texts, source, repeated=waits)]
            contract = contract_of(FUNCTION, [each.call for each in given if each.vouched])
            corpus = CallCorpus(tuple(given), tuple(map(read, big)))
            yield cost, waits
            try:
                found = choose(harness, corpus, contract, 1, said.append)  # type: ignore[arg-type]
            except CodeoptError as error:
                yield type(error), bool(error.hint)
                continue
            yield found.batch, found.seconds, found.around, found.sizes, found.asked, found.cut, found.largest
            yield found.passes(0.03, 20), found.passes(1.0, 500), found.note.count(","), len(said)
            yield found.case("time").stdin, found.case("memory").stdin
            yield from harness.asked
            figures = Speedup(2.0, 1.9, 2.1, 9, before=found.seconds, after=found.seconds / 2)
            for wall in ("cpu", "wall"):
                some = Speedup(**{**vars(figures), "metric": wall})
                runner: Any = harness.runner
                yield function_by_size(harness, runner, (OLD, NEW), given, list, found, some)  # type: ignore[arg-type]
            yield from harness.asked[-6:]


def checked(sources: Sequence[str], state: State | None, **limits: Any) -> Iterator[object]:
    for name, given in KNOWN.items():
        texts = [text for _, some in given for text in some] + [f"f({[*range(n)]})" for n in range(24)]
        calls = list(dict.fromkeys(map(read, texts)))
        origin = {call: sources[at % len(sources)] for at, call in enumerate(calls)}
        harness: Any = Steady(linear, of_all_kinds, state)
        found, dropped = observe(harness, calls, origin, CallTimeLimit(**limits))
        yield name, [(each.call, each.outcome, each.source, each.seconds, each.independent, each.repeated,
                      each.ordered, each.elsewhere, each.returns, each.vouched) for each in found]  # fmt: skip
        yield [(reason.why.name, reason.detail, count) for reason, count in dropped.items()]
        yield from harness.asked
        yield observe_quick(harness, calls, sources[0], CallTimeLimit(**limits))
        ends = {each.call.text: ["returned 3", "raised KeyError"][at % 2 :] for at, each in enumerate(found)}
        kept, lost = as_recorded(found, ends, "f")
        yield len(kept), sum(lost.values()), bearable(sorted(found, key=lambda each: -each.seconds))


REASONS = tuple(Exclusion(why, detail) for why in ExclusionReason for detail in ("", "the clock"))
CUT = ("f('abcdefghij', 7)", "f(1000, 3)", "f({1: 2, 3: 4, 5: 6, 7: 8})", "f((1, 'a', 2))", "f([1, 2])", "f(BIG[0])",
       "f([1, 2, 3, 4, 5, 6, 7, 8], 3, key=[1, 2, 3, 4])")  # fmt: skip


def left_out() -> Iterator[object]:
    """What is said of calls that are no evidence, and which of very quick ones stay."""
    for one in REASONS:
        for other in (REASONS[0], REASONS[-1]):
            for counts in ((0, 0), (1, 0), (2, 3), (1, 118)):
                given, made = dict(zip((one, other), counts, strict=True)), {other: counts[1]}
                found = Exclusions(given, made)
                yield found.words(), found.unsteady(), found.figures(), str(one)
                yield [objection(given, total, what) for total in (1, 2, 5, 120) for what in ("call", "generated call")]
    yield unwritten({"self._file: an open file": 1, "": 2}), objection({}, 0)
    quick = [
        KnownCall(read(f"f({at})"), RETURNS, "generated", seconds)
        for at, seconds in enumerate((0.03, 0.01, 0.05, 0.02))
    ]
    for most in (1.0, 0.07, 0.06, 0.03, 0.0):
        for least in (0, 2):
            yield [each.seconds for each in quick_calls(quick, most=most, least=least)]


def parts() -> Iterator[object]:
    """A part of a long input, by how its time grows, and of a call."""
    yield [first_part(read(text), share) for text in CUT for share in (0.01, 0.1, 0.3, 0.5, 0.9)]
    for power in (0.2, 0.5, 1.0, 2.0, 5.0):
        for whole in (2.5, 3.0, 20.0, 900.0, 1e6):
            for fixed in (0.0, 0.2, 2.0):
                tried = list[float]()

                def run(share: float, power: float = power, whole: float = whole, fixed: float = fixed) -> Any:
                    tried.append(share)  # noqa: B023
                    return (fixed + whole * share**power, share) if len(tried) < 9 else None  # noqa: B023

                yield find_part(whole, run), tried
    yield find_part(9.0, lambda share: None), part_words(0.05, "a.csv", 1.23, 61.04)
    for decision in (Decision.FASTER, Decision.INCONCLUSIVE):
        for ratio in (1.1, 4.0):
            for took in (0.0, 1.0, 5.0, 7.0, 10.0, 14.0, 20.0):
                for again in (4.0, 30.0):
                    gain: Any = SimpleNamespace(comparison=comparison(decision, ratio))
                    found = finding_on_whole(gain, "it", took, 10.0, lambda again=again: again)
                    yield found.consequence, found.slower


def sizes() -> Iterator[object]:
    for ratios in ((2.0, 2.0), (0.5, 2.0), (0.5, 0.7), (1.0, 1.0)):
        for figures in (Speedup(2.0, 1.9, 2.1, 9, before=0.2, after=0.1), Speedup(2.0, 1.9, 2.1, 9),
                        Speedup(2.0, 1.9, 2.1, 9, before=5.0, after=4.0, unit="bytes")):  # fmt: skip
            for fails in (0, 3, 6, 99):
                asked = list[object]()

                def seconds(side: Revision, inputs: Sequence[float], fails: int = fails, ratios: Any = ratios) -> Any:
                    asked.append((side == NEW, inputs))  # noqa: B023
                    took = [1e-3 * one * (1 + 1 / len(asked)) for one in inputs]  # noqa: B023
                    took = [one / ratio for one, ratio in zip(took, ratios, strict=True)] if side == NEW else took
                    return None if len(asked) == fails else took  # noqa: B023

                yield by_size("items", [(5, 5.0), (60, 60.0)], (900, figures), (OLD, NEW), seconds), asked
    yield by_size("n", [], (900, figures), (OLD, NEW), seconds)


ROWS: dict[str, Row] = {f"{name}, timed": partial(chosen, name) for name in KNOWN}
ROWS |= {f"BIG, {name}": partial(chosen, "lists", texts) for name, texts in BIG.items()}
ROWS |= {
    "checked": partial(checked, ("tests", "generated", "type_hints", "refused"), State()),
    "checked, of tests": partial(checked, ("tests",), State()),
    "checked, generated": partial(checked, ("generated",), State(), batch=7),
    "checked, with a state": partial(checked, ("generated", "recorded"), None, total=1e-5, batch=5, is_said=True),
    "left out": left_out,
    "parts": parts,
    "smaller sizes": sizes,
}
test_the_same_is_chosen, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
