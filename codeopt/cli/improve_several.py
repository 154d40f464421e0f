"""`codeopt improve MODULE.py` and `codeopt improve FOLDER`: the functions of a library, one after the other."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from codeopt.cli import command_flags, flags
from codeopt.cli.comparison_table import function_lines
from codeopt.cli.output import require_writable, show_diff
from codeopt.core.console import Console
from codeopt.core.errors import BUDGET_SPENT, ProgramError, UsageError
from codeopt.core.json_codec import write_recorded
from codeopt.core.next_step import same_command
from codeopt.core.program import Target, write_whole
from codeopt.core.run_index import APPLY, apply_command, named_run
from codeopt.core.run_store import SeveralRun, new_several, resumed_several
from codeopt.core.sanitize import log_line
from codeopt.review.findings.known import open_findings
from codeopt.review.several import ImprovedSeveral, find_several, improve_several
from codeopt.review.suggestion import FunctionRow
from codeopt.review.work import FunctionLoop, ReviewBudget

NOT_ACCEPTED = 1
OF_ONE = ("cases", "stdin", "calls", "contract", "html", "record", "workload", "args", "quick")


def run(arguments: argparse.Namespace, target: Target) -> int:
    """Improve all; the patch goes to standard output, or one JSON object. Raises UsageError, NoSandbox."""
    options = flags.options_of(arguments)
    _refuse(arguments, target)
    resumed = named_run(options.resume, options.run_dir)
    saved = resumed_several(resumed, target.path)
    earlier_s = saved.ledger.earlier_s if saved else 0.0
    limits = ReviewBudget.of(options, arguments.max_functions, arguments.began, earlier_s)
    targets, left_alone = find_several(target.path, limits)
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options, session = command_flags.find_python(options, console, target.path)
        recheck = command_flags.Rechecker(options, session, Path())
        known = open_findings(options, session.interpreter, session.open_cache, "improve", console)

        def begin() -> SeveralRun:
            return new_several(options.run_dir, target.path, arguments.asked, resumed)

        work = FunctionLoop(limits, targets, console)
        result = improve_several(work, options, session, recheck, known, saved, begin)
        result = replace(result, rows=(*result.rows, *left_alone))
        if result.run:
            result.run.finish(result.changes, result.answer(str(target)).to_json())
        console.print_all(summary(result.rows, result))
        try:
            _deliver(arguments, target, result, console)
        finally:
            console.print_all(_next(result, target.path, arguments.asked, written=arguments.write))
        return _status(result, console)


def summary(rows: Sequence[FunctionRow], improved_several: ImprovedSeveral) -> list[str]:
    """The outcome, the table of the functions, and what could not be run."""
    lines = [improved_several.reason, *function_lines(rows)]
    lines += [log_line(diagnostic.words) for diagnostic in improved_several.diagnostics]
    return lines + [f"Stopped: {improved_several.stop_reason}."] * bool(improved_several.stop_reason)


def _next(improved_several: ImprovedSeveral, target: Path, asked: Sequence[str], *, written: bool) -> list[str]:
    """Name the next step: apply the result, or resume a run that was ended."""
    if improved_several.run is None:
        return []
    lines = []
    if improved_several.improved and not written:
        one = next(name for name, result in improved_several.results.items() if result["accepted"])
        command = apply_command(target, improved_several.run.path)
        lines = [f"Apply: {command}", *[f"       {command} {one}   only this function"] * (command == APPLY)]
    if improved_several.left:
        return [*lines, f"Next: codeopt improve --resume {improved_several.run.path}"]
    return lines if improved_several.improved else [f"Next: {same_command(asked, '--model', 'NAME')}"]


def _status(improved_several: ImprovedSeveral, console: Console) -> int:
    if improved_several.failure and improved_several.failure != BUDGET_SPENT:
        return improved_several.failure
    if improved_several.improved:
        return 0
    if improved_several.not_checked_reason:
        return command_flags.report_blind(improved_several.not_checked_reason, console)
    if improved_several.is_refused:
        return ProgramError.exit_status
    return improved_several.failure or NOT_ACCEPTED


def _refuse(arguments: argparse.Namespace, target: Target) -> None:
    """Raise UsageError for flags of one program or function, and for what could not be written."""
    given = next((name for name in OF_ONE if getattr(arguments, name, None)), "")
    if given:
        flag = "what follows --" if given == "args" else f"--{given}"
        hint = "name one: FILE::FUNCTION"
        raise UsageError(f"{flag} is for one program or function, and {target} has several", hint=hint)
    if arguments.output and str(arguments.output) != "-":
        require_writable(arguments.output)


def _deliver(
    arguments: argparse.Namespace, target: Target, improved_several: ImprovedSeveral, console: Console
) -> None:
    """Write the patch or the object to the requested place. --write applies the files."""
    if arguments.write and improved_several.run:
        for each in write_recorded(improved_several.run.path, improved_several.changes):
            console.print(each.words)
    to_file = arguments.output and str(arguments.output) != "-"
    if improved_several.changes and to_file:
        text = improved_several.diff if target.path.is_dir() else improved_several.changes[0].text
        write_whole(arguments.output, text)
        console.print(f"wrote {arguments.output}")
    if arguments.json:
        print(json.dumps(improved_several.answer(str(target)).to_json()), flush=True)
    elif improved_several.changes and not to_file:
        show_diff(improved_several.diff, improved_several.reason, console)
