"""`codeopt compare OLD.py NEW.py` of two library modules: each function that differs, and one verdict in all."""

from __future__ import annotations

import argparse
import ast
import json
from dataclasses import replace
from pathlib import Path

from codeopt.cli import flags
from codeopt.cli.compare_change import Compared, change_answer, compare_all, not_compared, table
from codeopt.cli.output import tell
from codeopt.core.console import Console
from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.program import read_program
from codeopt.core.target import Target
from codeopt.engine.compare import PairResult
from codeopt.engine.open_session import open_session
from codeopt.review.changed_functions import ReviewTarget, as_callers_see, shapes
from codeopt.review.suggestion import ComparedFunction
from codeopt.workloads.source.edits import keeps_statements

NOTHING = "no function differs but in comments and layout"
OUTSIDE = (
    "statements outside of functions are changed or gone: what they do in functions that do not differ is not judged"
)


def run(arguments: argparse.Namespace, old: Target, new: Target) -> int:
    """Compare all that differ; the status is the worst. Raises UsageError, NoSandbox."""
    if arguments.calls:
        raise UsageError("--calls is for one function, and two modules have several", hint="name one: FILE::FUNCTION")
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        targets, others = _differing(old.path, new.path)
        options, session = flags.options_of(arguments), replace(open_session(console), extras=arguments.json)
        done = compare_all(targets, Path(), options, session, arguments.fail_if_slower) if targets else Compared()
        rows = [*done.rows, *not_compared(targets[len(done.rows) :], done.stop_reason), *others]
        if arguments.json:
            stop_reason = done.stop_reason or NOTHING * (not rows)
            print(json.dumps(change_answer(str(old), str(new), rows, stop_reason)), flush=True)
        else:
            tell((table(rows, str(old)) if rows else f"inconclusive: {NOTHING}") + "\n")
        if done.stop_reason:
            console.warn(done.stop_reason)
    statuses = {row.found.exit_status for row in rows} or {ProgramError.exit_status}
    return done.status or min(statuses - {0}, default=0)


def _differing(old: Path, new: Path) -> tuple[list[ReviewTarget], list[ComparedFunction]]:
    """The functions of both modules that differ, and what cannot be compared."""
    before, now = (read_program(path).source for path in (old, new))
    was, named = shapes(before), str(new)
    have = shapes(now)
    targets = [
        ReviewTarget(named, name, new, str(old)) for name, shape in have.items() if name in was and was[name] != shape
    ]
    gone = [_unjudged(named, name, "NEW does not have it") for name in was if name not in have]
    kept = keeps_statements(ast.parse(before).body, ast.parse(now).body)
    return as_callers_see(targets), gone if kept else [*gone, _unjudged(named, "", OUTSIDE)]


def _unjudged(path: str, name: str, why: str) -> ComparedFunction:
    return ComparedFunction(path, name, PairResult.not_judged(why))
