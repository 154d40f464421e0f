"""Compare two programs: which is faster, by how much, and how sure; or, with --base, all that a change touches.

Exit status 1 only with --fail-if-slower, when NEW is slower beyond it with confidence, or wrong. With --base a function
that does something else than before, or of which too little is known, is listed and fails nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.commands._review import add_change_arguments
from codeopt.commands._sandbox import add_case_arguments, add_sandbox_arguments, case_request, checker, count, open_from
from codeopt.commands._shares import share
from codeopt.errors import UsageError
from codeopt.functions.flags import add_function_arguments

if TYPE_CHECKING:
    from codeopt.history import Candidate
    from codeopt.measurement import Judge
    from sandbox import Sandbox

ORDER = 2
OTHERS_FILES = True
"""The current folder may hold what somebody else proposes: nothing is imported from there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="OLD NEW: programs, or FILE::FUNCTION; with --base: files, folders"
    )
    add_change_arguments(parser)
    add_case_arguments(parser)
    add_function_arguments(parser)
    judging = parser.add_argument_group("judging")
    judging.add_argument(
        "--clock", choices=["auto", "cpu", "wall", "memory"], default="auto", help="what decides (%(default)s)"
    )
    judging.add_argument("--max-pairs", type=count, default=60, metavar="N", help="timed pairs (%(default)d)")
    judging.add_argument("--seed", type=int, default=0, metavar="N", help="of the order within pairs (%(default)d)")
    judging.add_argument(
        "--fail-if-slower", type=share, metavar="SHARE", help="exit status 1 when slower by more, such as 5%%"
    )
    add_sandbox_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    """Compare; print a table or one JSON object."""
    from codeopt.screen import Screen

    if arguments.base or arguments.diff:
        from codeopt.commands._compare_change import run as compare_change

        return compare_change(arguments)
    if len(arguments.targets) != 2:
        raise UsageError("name OLD and NEW, or give --base REF to compare what a change touches")
    arguments.old, arguments.new = arguments.targets
    with Screen(quiet=arguments.quiet) as screen:
        if "::" in arguments.old or "::" in arguments.new:
            from codeopt.functions.compare import compare_targets

            found = compare_targets(arguments, screen, open_from)
        else:
            with open_from(arguments, own_code_only=True, notify=screen.warn) as sandbox:
                found = compare_programs(arguments, sandbox, screen.progress)
    print(json.dumps(found) if arguments.json else table(found))
    limit = arguments.fail_if_slower
    return int(limit is not None and (is_slower(found, limit) or found["verdict"] == "rejected"))


def is_slower(found: Mapping[str, Any], limit: float) -> bool:
    """Slower with confidence, and by more than `limit`."""
    return bool(found["verdict"] == "slower" and found["ratio"] < 1 / (1 + limit))


def compare_programs(arguments: argparse.Namespace, sandbox: Sandbox, notify: Any) -> dict[str, Any]:
    """The object that --json prints, of two programs that read standard input."""
    judge, candidate = _judged(arguments, sandbox, notify)
    return result(judge, candidate, sandbox)


def _judged(arguments: argparse.Namespace, sandbox: Sandbox, progress: Any) -> tuple[Judge, Candidate]:
    from codeopt.history import Draft, History
    from codeopt.opening import open_judge
    from codeopt.program import read_program
    from sandbox.compare import Rule

    old, new = read_program(Path(arguments.old)), read_program(Path(arguments.new))
    if arguments.fail_if_slower is not None and arguments.max_pairs < 7:
        raise UsageError("--max-pairs must be 7 at least: fewer pairs decide nothing")
    judge = open_judge(
        sandbox, old.source, case_request(arguments, old.path, sandbox), checker(arguments),
        rule=Rule(max_pairs=arguments.max_pairs, clock=arguments.clock), profiled=False,
        strictness=arguments.changed_inputs,
        notify=progress,
    )  # fmt: skip
    history = History((judge.original,))
    return judge, judge.measure(Draft(new.source, str(new.path)), history, gated=False, seed=arguments.seed)


def result(judge: Judge, candidate: Candidate, sandbox: Sandbox) -> dict[str, Any]:
    """The object that --json prints."""
    from codeopt import report
    from codeopt.gate import newly_touched
    from codeopt.machine import machine
    from sandbox.compare import Decision

    comparison = candidate.comparison
    wrong = report.why(candidate)
    decided = comparison is not None and comparison.decision in (Decision.FASTER, Decision.SLOWER)
    verdict = "rejected" if wrong else str(comparison.decision) if comparison and decided else "same"
    figures: dict[str, Any] = {"ratio": None, "ci_low": None, "ci_high": None, "pairs": 0}
    if comparison and not wrong:
        figures = report.speedup(comparison)
    growth = judge.growth(candidate.source) if not wrong else ("", "", "")
    return {
        "schema": "codeopt.compare/1",
        "verdict": verdict,
        "reason": wrong or (comparison.reason if comparison else ""),
        **figures,
        "growth": {"old": growth[0], "new": growth[1], "text": growth[2]},
        "tests": {"total": len(judge.suite.cases), "changed_inputs": len(judge.suite.challenge.cases)},
        "notes": [f"NEW newly uses {name}" for name in newly_touched(candidate.source, judge.original.source)],
        "sandbox": sandbox.backend,
        "runtime": sandbox.description,
        "machine": machine(),
    }


def table(found: dict[str, Any]) -> str:
    """The same for a person."""
    lines = [f"{found['verdict']}{': ' + found['reason'] if found['reason'] else ''}"]
    if found["ratio"] is not None:
        low, high = (f"{v:.3f}" if v is not None else "?" for v in (found["ci_low"], found["ci_high"]))
        lines.append(
            f"NEW is {found['ratio']:.3f}x as fast as OLD "
            f"(95% interval {low} - {high}, {found['pairs']} pairs, {found['clock']} time)"
        )
        lines += [f"  case {case['case']:<20} {case['ratio']:>8.3f}x" for case in found["cases"]]
    if found.get("growth", {}).get("text"):
        lines.append(f"growth: {found['growth']['text']}")
    if "changed_inputs" in found.get("tests", {}):
        lines.append(
            f"checked on {found['tests']['total']} cases and {found['tests']['changed_inputs']} changed inputs"
        )
    return "\n".join([*lines, *found.get("notes", [])])
