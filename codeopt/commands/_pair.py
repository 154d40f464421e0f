"""OLD against NEW, programs that read standard input: the comparison, and how it is shown."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeopt import report
from codeopt.commands._sandbox import case_request, checker
from codeopt.errors import UsageError
from codeopt.history import Candidate, Draft, History
from codeopt.machine import machine
from codeopt.measurement import CONFIRM_MIN_S, Judge
from codeopt.opening import open_judge
from codeopt.program import read_program
from codeopt.static_checks import newly_touched
from sandbox import Sandbox
from sandbox.compare import Decision, StoppingRule
from sandbox.outcome import Verdict


def is_slower(found: Mapping[str, Any], limit: float) -> bool:
    """Slower with confidence, and by more than `limit`."""
    return bool(found["verdict"] == "slower" and found["ratio"] < 1 / (1 + limit))


def compare_programs(arguments: argparse.Namespace, sandbox: Sandbox, notify: Any) -> dict[str, Any]:
    """The object that --json prints, of two programs that read standard input."""
    judge, candidate = _judged(arguments, sandbox, notify)
    return result(judge, candidate, sandbox)


def _judged(arguments: argparse.Namespace, sandbox: Sandbox, progress: Any) -> tuple[Judge, Candidate]:
    old, new = read_program(Path(arguments.old)), read_program(Path(arguments.new))
    if arguments.fail_if_slower is not None and arguments.max_pairs < 7:
        raise UsageError("--max-pairs must be 7 at least: fewer pairs decide nothing")
    judge = open_judge(
        sandbox, old.source, case_request(arguments, old.path, sandbox), checker(arguments),
        rule=StoppingRule(max_pairs=arguments.max_pairs, clock=arguments.clock, enough_seconds=CONFIRM_MIN_S),
        profiled=False,
        strictness=arguments.changed_inputs,
        notify=progress,
    )  # fmt: skip
    history = History((judge.original,))
    return judge, judge.measure(Draft(new.source, str(new.path)), history, gated=False, seed=arguments.seed)


def result(judge: Judge, candidate: Candidate, sandbox: Sandbox) -> dict[str, Any]:
    """The object that --json prints."""
    comparison = candidate.comparison
    wrong = report.why(candidate)
    decided = comparison is not None and comparison.decision in (Decision.FASTER, Decision.SLOWER)
    bound = _bound(judge, candidate, sandbox.limits.seconds)
    verdict = "rejected" if wrong else str(comparison.decision) if comparison and decided else "same"
    verdict = "slower" if bound else verdict
    figures: dict[str, Any] = {"ratio": bound, "ci_low": None, "ci_high": bound, "pairs": 0, "clock": "wall"}
    if comparison and not wrong:
        figures = report.speedup(comparison)
    growth = judge.growth(candidate.source) if not wrong else ("", "", "")
    return {
        "schema": "codeopt.compare/1",
        "verdict": verdict,
        "reason": wrong or (comparison.reason if comparison else ""),
        **figures,
        "growth": {"old": growth[0], "new": growth[1], "text": growth[2]},
        "tests": {"total": len(judge.suite.cases), "changed_inputs": len(judge.suite.challenge.made)},
        "notes": [f"NEW newly uses {name}" for name in newly_touched(candidate.source, judge.original.source)],
        "sandbox": sandbox.backend,
        "runtime": sandbox.description,
        "machine": machine(),
    }


def _bound(judge: Judge, candidate: Candidate, limit: float) -> float | None:
    """How fast NEW is at most where it needs more time than a run may take, and OLD less; None where it does not."""
    late = next((o for o in candidate.outcomes if o.verdict is not Verdict.AC), None)
    if late is None or late.verdict is not Verdict.TLE:
        return None
    old = next((o.run.wall_s for o in judge.original.outcomes if o.case == late.case), limit)
    return round(old / limit, 6) if old < limit else None


def in_words(verdict: str) -> str:
    """A verdict for a person; JSON says `same` of what differs by less than is worth having, or not surely."""
    return report.NO_DIFFERENCE if verdict == "same" else verdict


def takes(found: Mapping[str, Any]) -> str:
    """`1.25x as fast`, or `8.00x as long` of what is slower; of what was given up only a bound is known."""
    if found["ratio"] >= 1:
        return f"{found['ratio']:.2f}x as fast"
    return f"{'' if found['pairs'] else 'at least '}{1 / found['ratio']:.2f}x as long"


def certain(found: Mapping[str, Any]) -> str:
    """How sure that is, in brackets; nothing of a bound."""
    if not found["pairs"]:
        return ""
    ends = [found["ci_low"], found["ci_high"]]
    if found["ratio"] < 1:
        ends = [end and 1 / end for end in reversed(ends)]
    low, high = (f"{end:.2f}" if end is not None else "?" for end in ends)
    return f" (95% interval {low} - {high}, {found['pairs']} pairs, {found['clock']} time)"


def table(found: dict[str, Any]) -> str:
    """The same for a person."""
    lines = [f"{in_words(found['verdict'])}{': ' + found['reason'] if found['reason'] else ''}"]
    if found["ratio"] is not None:
        verb = "is" if found["ratio"] >= 1 else "takes"
        lines.append(f"NEW {verb} {takes(found)} as OLD{certain(found)}")
        lines += [f"  case {case['case']:<20} {case['ratio']:>8.3f}x" for case in found.get("cases", ())]
    if found.get("growth", {}).get("text"):
        lines.append(f"growth: {found['growth']['text']}")
    if "changed_inputs" in found.get("tests", {}):
        lines.append(
            f"checked on {found['tests']['total']} cases and {found['tests']['changed_inputs']} changed inputs"
        )
    return "\n".join([*lines, *found.get("notes", [])])
