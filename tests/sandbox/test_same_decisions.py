"""The same pairs are decided the same: by each rule and clock, after as many pairs, with the same interval; and the same
outputs have the same verdicts. `python -m tests.sandbox.test_same_decisions` rewrites the table."""
# looks at sandbox/codeopt_sandbox/compare, sandbox/codeopt_sandbox/comparing, sandbox/codeopt_sandbox/sequential_test, sandbox/codeopt_sandbox/outcome, sandbox/codeopt_sandbox/verdict, sandbox/codeopt_sandbox/clock

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from codeopt_sandbox.compare import PairWatch, Plan, Series, StoppingRule, compare, decide, make_plan
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest.answer import FIELDS
from codeopt_sandbox.guest.calls.outcome import State, text_field
from codeopt_sandbox.outcome import Case, Run, WrittenFile, choose_clock
from codeopt_sandbox.sequential_test import (
    LimitRule,
    begins_guest,
    between,
    fewest_pairs,
    hodges_lehmann,
    interval,
    is_far,
    log_e_value,
    looks,
    margin,
    pairs_needed,
    rejects_null,
)
from codeopt_sandbox.verdict import check_tokens, judge, last_bits, open_checker
from tests.sandbox.answered import returning, told
from tests.sandbox.test_comparing import RAISED, STATES, VALUES, raising
from tests.support.candidates import run
from tests.support.recorded import Row, compared_with, write_down
from tests.support.scripted import Asked, ScriptedRunner

TABLE = Path(__file__).with_name("same_decisions.txt")
CASES = tuple(Case(name, name.encode(), name.encode()) for name in ("one", "two", "three"))
RULES = {
    "usual": StoppingRule(), "screening": StoppingRule().screening(), "final": StoppingRule().final(),
    "half of the error": StoppingRule().final(0.5), "little time": StoppingRule(max_seconds=2.0),
    "no time": StoppingRule(max_seconds=0.0), "few pairs": StoppingRule(max_pairs=9), "many": StoppingRule(min_pairs=15),
    "wall": StoppingRule(metric="wall"), "memory": StoppingRule(metric="memory"), "tolerated": StoppingRule(tolerated=0.05),
    "limit": StoppingRule(limit=LimitRule(0.05)), "limit, final": StoppingRule(limit=LimitRule(0.1)).final(),
    "granted": StoppingRule(max_seconds=200.0, limit=LimitRule(0.05, max_seconds=200.0)),
    "worth much": StoppingRule(worth_having=1.5),
    "another confidence": StoppingRule(interval=0.99, alpha=0.05, futility=0.2),
}  # fmt: skip
RATIOS = (1.0, 1.02, 1.06, 1.2, 2.0, 40.0, 0.97, 0.9, 0.5)


def rounded(value: object) -> str:
    """A value whose floats have ten digits: machines differ in the last ones."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(rounded, value)) + "]"
    return str(value)


def scripted(ratio: float, waiting: float, seed: int) -> ScriptedRunner:
    """Runs of an original and of a draft whose times have noise; a share of the time is waiting."""
    chance = random.Random(seed)

    def gives(asked: Asked) -> Run:
        took = (0.3 if asked.program == "old" else 0.3 / ratio) * math.exp(chance.gauss(0, 0.03))
        return run(stdout=asked.stdin, cpu_s=took, wall_s=took + waiting * 0.2, peak_bytes=int(took * 10**8))

    return ScriptedRunner(gives)


def decided(rule: StoppingRule) -> Iterator[object]:
    yield rule.within, rule.fewest, rule.max_pairs, rounded(rule.alpha), rule.max_seconds
    for ratio in RATIOS:
        for waiting in (0.0, 1.0):
            metric = rule.metric if rule.metric != "auto" else "cpu"
            plan = Plan(CASES[:2], metric, 2, short=ratio < 1.1)
            told: list[int] = []
            found = compare(
                scripted(ratio, waiting, 3),
                "old",
                "new",
                plan,
                rule=replace(rule, seed=5),
                watch=PairWatch(told.append),
            )
            figures = (found.ratio, found.ci_low, found.ci_high, found.before, found.after, *found.wall_ratios[:5])
            yield found.decision, found.pairs, found.guests, found.metric, found.reason, rounded(figures), told[-1:]
            yield found.limit and rounded(list(vars(found.limit).values())), [each.case for each in found.cases]
            yield rounded([vars(found.without_gain("why", slower=slower))["decision"] for slower in (True, False)])


def planned() -> Iterator[object]:
    for took in (0.001, 0.01, 0.04, 0.2, 3.0, 30.0):
        for waiting in (0.0, 0.5, 0.95):
            for rule in (
                StoppingRule(),
                StoppingRule(timed_cases=1),
                StoppingRule(enough_seconds=1.0),
                StoppingRule(metric="memory"),
            ):

                def gives(asked: Asked, took: float = took, waiting: float = waiting) -> Run:
                    wall = took * {b"one": 1.0, b"two": 0.8, b"three": 0.1}[asked.stdin]
                    return run(stdout=asked.stdin, cpu_s=wall * (1 - waiting), wall_s=wall)

                plan = make_plan(ScriptedRunner(gives), "old", CASES, check_tokens, rule)
                yield [each.name for each in plan.cases], plan.metric, plan.repeats, plan.short, rounded(plan.longest_s)
                yield plan.runs(3), plan.runs(30), plan.longest.name


def of_pairs() -> Iterator[object]:
    chance = random.Random(7)
    for centre in (0.0, 0.02, 0.1, 0.7, -0.05):
        for noise in (0.001, 0.05, 0.4):
            for count in (1, 4, 8, 20, 60):
                pairs = [chance.gauss(centre, noise) for _ in range(count)]
                starts = [at for at in range(count) if begins_guest(at)]
                yield rounded(
                    [log_e_value(pairs, 0.0, 1), log_e_value(pairs, 0.05, -1, now=True), hodges_lehmann(pairs)]
                )
                yield [rejects_null(pairs, 0.0, side, 0.01, now=now) for side in (1, -1) for now in (True, False)]
                yield is_far(pairs, 0.0, 1), is_far(pairs, 0.0, -1), rounded(interval(pairs, 0.05)), starts
                yield rounded(margin(pairs, starts or [0], 0.01))
                yield rounded(between([pairs[::2], pairs[1::2]]) if count > 3 else 0)
                yield pairs_needed(pairs, LimitRule(0.05)), pairs_needed(pairs, LimitRule(0.2), 0.01)
                series = Series(
                    "cpu", differences=pairs, wall=[each / 2 for each in pairs], guests=starts if count > 8 else []
                )
                yield decide(series, StoppingRule()), decide(series.by_wall(), StoppingRule())
                yield series.answer(LimitRule(0.05)), rounded(series.margin(0.01))
                yield series.side_beyond_guests(StoppingRule())
    yield [fewest_pairs(alpha) for alpha in (0.2, 0.05, 0.01, 0.001)], [rounded(looks(count)) for count in range(6)]
    for cpu in (0.0, 0.1, 0.5, 0.69, 0.7, 0.71, 0.9, 1.0):
        found = run(cpu_s=cpu, wall_s=1.0)
        yield choose_clock(found, lambda found=found: found), rounded(found.active_s), rounded(found.waiting_share)


OUTPUTS = (b"", b"1\n", b"1", b"1 2\n", b"1\n2\n", b"1.0\n", b"1.0000001\n", b"0.30000000000000004\n", b"0.3\n", b"nan\n",
           b"a b\n", b"A b\n", b"1e3\n", b"1000\n", b"\xff\n", b"1 " * 300, b"1 \n\n", b"-0.0\n", b"0.0\n")  # fmt: skip
ENDS = (run(), run(exit=1), run(exit=0, stderr=b"Traceback (most recent call last):\n"), run(exit=None, signal=11),
        run(exit=None, stop="time", stop_detail="10 s"), run(exit=None, stop="memory"), run(exit=None, stop="output"),
        run(exit=1, stderr=b"MemoryError\n"), run(exit=None, signal=9), run(exit=3, stderr=b"x" * 999))  # fmt: skip


def judged() -> Iterator[object]:
    for name in ("tokens", "exact", "float:1e-6", "float:0.5"):
        check = open_checker(name)
        for expected in OUTPUTS:
            for got in OUTPUTS:
                yield check(expected, got)
    yield from (rounded(last_bits(expected, got)) for expected in OUTPUTS[5:9] for got in OUTPUTS[5:9])
    files = ((), (WrittenFile("a.txt", b"1"),), (WrittenFile("a.txt", b"2"),), (WrittenFile("b.txt", b"1"),))
    for case in (
        Case("c", b"", b"1\n"),
        Case("c", b"", None),
        Case("c", b"", b"1\n", exit=3),
        Case("c", b"", b"", written=files[1]),
    ):
        for end in ENDS:
            for stdout in (b"1\n", b"2\n"):
                for written in files:
                    found = judge(case, replace(end, stdout=stdout, written=written))
                    yield found.verdict, found.detail, found.words


def differing() -> Iterator[object]:
    """Each field of a difference, of each kind of answer, by each rule of comparison."""
    one = returning(1)
    pairs = [
        *((returning(was), returning(now)) for was, now, _ in VALUES),
        *((raising(was), raising(now)) for was, now, _ in RAISED),
    ]
    pairs += [(one, raising(ValueError("a"))), (one.replace(steps=(one, one)), one.replace(steps=(one, returning(2))))]
    texts = {name for name in FIELDS if isinstance(getattr(one, name, None), type(one.value))}
    pairs += [(one, one.replace(**{name: text_field("odd")})) for name in FIELDS if name in texts]
    pairs += [(now, was) for was, now in pairs]
    for comparison in (AnswerComparison(), AnswerComparison(exact=True), AnswerComparison(0.1)):
        batches = [(told(one, was), told(one, now)) for was, now in pairs]
        batches += [(told(one, state=was), told(one, state=now)) for was, now, _ in STATES]
        batches += [
            (told(one, one), told(one)),
            (told(one, state=State()), told(returning(2), state=State(text_field("x")))),
        ]
        for expected, got in batches:
            for each in comparison.differences(expected, got):
                yield each.field, each.at, each.call, each.expected, each.got, each.subject, rounded(each.apart)
                yield each.only
            yield bool(comparison.of_answers(expected, got)), comparison.same_state(expected, got)


ROWS: dict[str, Row] = {f"by the rule: {name}": partial(decided, rule) for name, rule in RULES.items()}
ROWS |= {"plans": planned, "tests of pairs": of_pairs, "verdicts": judged, "differences": differing}


test_the_same_is_decided, test_the_table_has_these_rows = compared_with(TABLE, ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
