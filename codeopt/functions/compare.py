"""`codeopt compare OLD.py::f NEW.py::g`: two functions called with the same arguments, then timed on the larger of
them."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeopt.console import Console
from codeopt.errors import UsageError
from codeopt.functions.bench import Bench, make_target, open_tests, require_same_parameters
from codeopt.functions.evidence import Evidence, NotVerifiable
from codeopt.functions.flags import Chosen, chosen
from codeopt.functions.judge import FunctionJudge, make_new_cases, open_function_judge, with_timing
from codeopt.functions.learn import learn
from codeopt.functions.memo import remembered
from codeopt.functions.project import INSIDE, locate, open_view
from codeopt.functions.target import Function, read_function, split_target
from codeopt.history import Candidate
from sandbox import Sandbox
from sandbox.calls import harness
from sandbox.compare import Comparison, Decision, StoppingRule

_OVERRUN = r"^case timed: (TLE |.*the timed calls take longer than)"
_FAR_TOO_LONG = "got takes longer than"
FAR = 0.1
"""At most so fast is a function whose call was given up: it gets ten times what the slowest of the original's takes."""
MARK = "\n# (the new one of two)\n"
"""Tells two texts apart when both functions are in one file."""


@dataclass(frozen=True)
class Pair:
    """Two functions in one sandbox; what is asked is asked of the old one."""

    bench: Bench
    new_source: str
    """The new module, never the same text as the old one's."""


def compare_targets(
    arguments: argparse.Namespace, console: Console, open_from: Callable[..., Sandbox]
) -> dict[str, Any]:
    """The object that `codeopt compare --json` prints, from the command's flags. Raises UsageError and ProgramError.

    open_from: as in commands/_sandbox.py.
    """
    old, new = (read_function(*_named(text)) for text in (arguments.old, arguments.new))
    require_same_parameters(old, new)
    options = chosen(arguments)

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_from(arguments, own_code_only=True, notify=console.warn, mounts=mounts)

    rule = StoppingRule(max_pairs=arguments.max_pairs, clock=arguments.clock)
    return compare_functions(old, new, options, open_with, rule, console.progress, arguments.seed)


def _named(text: str) -> tuple[Path, str]:
    path, name = split_target(text)
    if not name:
        raise UsageError(f"{text} names no function; a function can only be compared with another (FILE::FUNCTION)")
    return path, name


def compare_functions(
    old: Function,
    new: Function,
    options: Chosen,
    open_with: Callable[[tuple[tuple[str, str], ...]], Sandbox],
    rule: StoppingRule,
    notify: Callable[[str], None] = lambda line: None,
    seed: int = 0,
) -> dict[str, Any]:
    """Verdict, reason and figures; "not verified" when too little is known of the old function."""
    with open_pair(old, new, open_with, options.tests) as pair:
        try:
            bench, evidence, judge = prepare(pair.bench, options, rule, notify, timing=False)
        except NotVerifiable as error:
            return _result("not verified", str(error), None, None, pair.bench)
        judge = replace(judge, runner=_runner(pair, bench, new))
        wrong = wrong_answer(judge, pair.new_source)
        if _FAR_TOO_LONG in wrong:  # once more: it may have been the machine
            wrong = wrong_answer(judge, pair.new_source)
        if _FAR_TOO_LONG in wrong:
            return _bounded(judge, wrong, FAR)
        if wrong:
            return _result("rejected", wrong, None, evidence, bench)
        try:
            judge = with_timing(judge)
        except NotVerifiable as error:
            return _result("not verified", str(error), None, evidence, bench)
        return _timed(judge, pair.new_source, seed)


def prepare(
    bench: Bench,
    options: Chosen,
    rule: StoppingRule,
    notify: Callable[[str], None],
    *,
    profiled: bool = False,
    timing: bool = True,
) -> tuple[Bench, Evidence, FunctionJudge]:
    """The evidence of all sources and a judge that goes by it. Raises ProgramError."""
    bench, evidence = learn(bench, options, notify)
    judge = open_function_judge(
        bench, evidence, rule=rule, tolerance=options.tolerance, profiled=profiled, timing=timing, notify=notify
    )
    return bench, evidence, judge


@contextlib.contextmanager
def open_pair(
    old: Function,
    new: Function,
    open_with: Callable[[tuple[tuple[str, str], ...]], Sandbox],
    tests: tuple[Path, ...] = (),
) -> Iterator[Pair]:
    """Both projects in one sandbox."""
    with contextlib.ExitStack() as stack:
        views = []
        for function, place in ((old, INSIDE), (new, f"{INSIDE}-new")):
            views.append(open_view(locate(function.path), place))
            stack.callback(views[-1].close)
        places, mounts = open_tests(stack, tests, views[0])
        sandbox = stack.enter_context(open_with((*views[0].mounts, *views[1].mounts, *mounts)))
        target = make_target(old, views[0], sandbox)
        bench = Bench(old, views[0], sandbox, target, places)
        new_source = new.source + MARK if new.source == old.source else new.source
        yield Pair(bench, new_source)


def _runner(pair: Pair, bench: Bench, new: Function) -> Any:
    """Runs either module with its own target."""
    view = replace(pair.bench.view, module=locate(new.path), shown_at=f"{INSIDE}-new")
    other = make_target(new, view, bench.sandbox, bench.target.calls_file, (bench.target.module,))
    other = replace(other, globals=bench.target.globals, classes=bench.target.classes)
    runner = bench.runner
    runner.render = lambda source: harness(other if source == pair.new_source else bench.target, source)
    return runner


def wrong_answer(judge: FunctionJudge, new_source: str) -> str:
    """The first call that the new function answers otherwise: a known one, or one that was never made before."""
    from codeopt import report

    candidate = Candidate(1, new_source, "the new one", judge.run_cases(new_source, judge.suite.cases, failures=1))
    if candidate.correct:
        candidate = replace(candidate, outcomes=judge.run_cases(new_source, make_new_cases(judge), failures=1))
    return report.why(candidate) if candidate.outcomes else ""


def _timed(judge: FunctionJudge, new_source: str, seed: int) -> dict[str, Any]:
    """The verdict on a function that is right."""
    if judge.timed is None or judge.plan is None:
        return _result("not verified", f"no call differs, but {judge.too_short}", None, judge.evidence, judge.bench)
    comparison = judge.compare(new_source, judge.plan, judge.rule, seed + 1)
    if comparison.decision is Decision.REJECTED and re.search(_OVERRUN, comparison.reason):
        timed = judge.timed
        return _bounded(judge, comparison.reason, timed.seconds * timed.batch.passes / timed.batch.pass_seconds)
    if comparison.decision is Decision.REJECTED:
        return _result("rejected", comparison.reason, None, judge.evidence, judge.bench, judge)
    comparison = judge.not_moved(new_source, judge.timed, comparison)
    decided = comparison.decision in (Decision.FASTER, Decision.SLOWER)
    verdict = str(comparison.decision) if decided else "same"
    notes = remembered(new_source, judge.bench.source, judge.timed)
    return _result(verdict, comparison.reason, comparison, judge.evidence, judge.bench, judge, notes)


def _bounded(judge: FunctionJudge, reason: str, bound: float) -> dict[str, Any]:
    """Slower, nobody knows how much: calls were given up after many times what they take the original."""
    found = _result("slower", reason, None, judge.evidence, judge.bench, judge)
    return {**found, "ratio": round(bound, 6), "ci_high": round(bound, 6), "clock": "wall"}


def _result(
    verdict: str,
    reason: str,
    comparison: Comparison | None,
    evidence: Evidence | None,
    bench: Bench,
    judge: FunctionJudge | None = None,
    notes: tuple[str, ...] = (),
) -> dict[str, Any]:
    from codeopt import report

    figures = report.speedup(comparison) if comparison else {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    return {
        "schema": "codeopt.compare/1",
        "verdict": verdict,
        "reason": reason,
        **figures,
        "evidence": describe(evidence) if evidence else None,
        "notes": list(notes),
        "timed": judge.timed.note if judge and judge.timed else None,
        "sandbox": bench.sandbox.backend,
        "runtime": bench.sandbox.description,
    }


def describe(evidence: Evidence) -> dict[str, Any]:
    """What is known, as figures."""
    return {
        "calls": len(evidence.known),
        "sources": evidence.counts,
        "line_coverage": round(evidence.coverage, 3),
        "left_out": evidence.left_out.figures(),
        "tests": len(evidence.tests),
    }
