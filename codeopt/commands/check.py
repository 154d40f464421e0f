"""Say which functions are slow under their tests and what the built-in rules would do: a gate that asks no model.

Exit status 1 when there is something to gain, verified as by `codeopt improve`; 0 when there is not. In CI, where no
test runs any of them and none can be judged, 2.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.commands import _flags
from codeopt.commands._review import add_exclude_argument, add_work_arguments
from codeopt.model_choice import RULES

if TYPE_CHECKING:
    from codeopt.options import ImproveOptions
    from codeopt.review.changed_functions import ReviewTarget
    from codeopt.review.suggestion import Skipped, Suggestion
    from codeopt.review.work import ReviewBudget, ReviewRun
    from codeopt.session import Session
    from codeopt.shortfall import Shortfall

ORDER = 4.5
FIRST = ("--min-share", "--max-functions", "--select", "--python", "--json")
EXAMPLES = (
    "codeopt check src/",
    "codeopt check --min-share 10% --exit-zero",
)
VERDICTS = (1,)
"""Statuses of a negative verdict, which --exit-zero turns into 0."""
OTHERS_FILES = True
"""The current folder may hold what somebody else proposes: nothing is imported from there."""
SCHEMA = "codeopt.check/1"
GAIN = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders (default: this folder)")
    add_exclude_argument(parser.add_argument_group("files"))
    add_work_arguments(parser, functions=20)
    parser.add_argument(
        "--min-share",
        type=_flags.share,
        default=0.05,
        metavar="SHARE",
        help="of the tests' time worth a look (5%%)",
    )
    parser.add_argument("--select", type=_flags.name_list, metavar="RULES", help="only these rules, by commas")
    parser.add_argument(
        "--ignore", type=_flags.name_list, metavar="RULES", help="not these built-in rules; ruff: none of its fixes"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.add_argument("-v", "--verbose", action="store_true", help="say each step, with the time so far")


def run(arguments: argparse.Namespace) -> int:
    """Check everything below the paths. Raises UsageError, NoSandbox."""
    from codeopt.commands import _review
    from codeopt.commands._blind import report_blind, why_blind
    from codeopt.commands._deliver import deliver
    from codeopt.console import Console
    from codeopt.reporters.json import dump
    from codeopt.review.change import whole_files
    from codeopt.review.changed_functions import find_targets
    from codeopt.review.work import ReviewBudget
    from codeopt.shortfall import as_rows

    paths = _review.below(arguments.paths or [Path.cwd()])
    repository, everything = whole_files(paths)
    targets, skipped = find_targets(everything, repository, paths, arguments.exclude)
    rows: list[Row] = [Row(each.path, each.function, reason=each.reason) for each in skipped]
    interpreter = None
    shortfalls: list[Shortfall] = []
    blind = ""
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        if targets:
            options = _flags.options_of(arguments, model=RULES)
            options, session = _review.find_python(options, console, paths[0])
            options, interpreter = _review.isolated(options), session.interpreter
            ranking = _review.rank(options, targets, session)
            limits = ReviewBudget(arguments.max_functions, arguments.deadline)
            worth = [each for each in ranking.targets if _worth(each, arguments.min_share)]
            work = _improve(options, limits, worth, session)
            rows = [_row(each, work, arguments.min_share) for each in ranking.targets] + rows
            shortfalls = [*ranking.shortfalls, *work.shortfalls]
            blind = why_blind(ranking.targets, work.judged, shortfalls, (each.reason for each in work.skipped))
        gains = sum(row.suggestion is not None for row in rows)
        python = interpreter.to_json() if interpreter else None
        found = {"schema": SCHEMA, "python": python, "gains": gains, "functions": [row.to_json() for row in rows]}
        found |= {"shortfalls": as_rows(shortfalls), "blind": blind}
        deliver(dump(found) + "\n" if arguments.json else table(rows, shortfalls), None)
        if blind:
            return report_blind(blind, console)
    return GAIN if gains else 0


def _worth(target: ReviewTarget, least: float) -> bool:
    """A program has cases that were made to run it; a function its share of the time."""
    return not target.function or (target.share or 0.0) >= least


def _improve(options: ImproveOptions, limits: ReviewBudget, targets: list[ReviewTarget], session: Session) -> ReviewRun:
    from codeopt.commands._review import Improver
    from codeopt.review.work import ReviewRun

    with tempfile.TemporaryDirectory(prefix="codeopt-check-") as folder:
        work = ReviewRun(limits, session.console.print)
        work.run(targets, Improver(replace(options, run_dir=Path(folder)), session))
    return work


@dataclass(frozen=True)
class Row:
    """A function or program, and what is known of it."""

    path: str
    function: str
    share: float | None = None
    seconds: float = 0.0
    suggestion: Suggestion | None = None
    reason: str = ""
    """Why there is no suggestion."""
    judged: bool = True
    """Somebody looked whether it can be faster."""

    def to_json(self) -> dict[str, Any]:
        """For --json; fields may be added."""
        found = self.suggestion
        return {
            "path": self.path,
            "function": self.function,
            "share": None if self.share is None else round(self.share, 4),
            "seconds": round(self.seconds, 6),
            "speedup": dict(found.speedup) if found else None,
            "changes": list(found.changes) if found else [],
            "caveats": [each.to_json() for each in found.caveats] if found else [],
            "reason": self.reason,
        }


def _row(target: ReviewTarget, work: ReviewRun, least: float) -> Row:
    suggestion = next((each for each in work.suggestions if _same(each, target)), None)
    why = next((each.reason for each in work.skipped if _same(each, target)), "")
    judged = suggestion is not None or bool(why)
    if not judged:
        why = f"less than {least:.0%} of the time" if target.seconds else "no test runs it"
    return Row(target.path, target.function, target.share, target.seconds, suggestion, why, judged)


def _same(one: Suggestion | Skipped, target: ReviewTarget) -> bool:
    return (one.path, one.function) == (target.path, target.function)


def table(rows: list[Row], shortfalls: Sequence[Shortfall] = ()) -> str:
    """For a person: the slow ones with what the rules would do, the others in a line, what could not be run."""
    from codeopt.escaping import log_line
    from codeopt.review.suggestion import full_name

    lines = []
    for row in (row for row in rows if row.judged):
        name = log_line(full_name(row.path, row.function))
        part = f"{row.share:>4.0%} {row.seconds:>9.4f} s" if row.share is not None else " " * 16
        lines.append(f"{part}  {name}: {_gain(row.suggestion) if row.suggestion else log_line(row.reason)}")
        lines += [f"{'':18}  {log_line(change)}" for change in (row.suggestion.told if row.suggestion else ())]
    gains = sum(row.suggestion is not None for row in rows)
    summary = f"{len(rows)} functions and programs, {gains} can be faster by the built-in rules"
    missing = [log_line(each.words) for each in shortfalls]
    return "\n".join([*lines, *_others(rows), *missing, summary]) + "\n"


def _others(rows: list[Row]) -> list[str]:
    """What was not looked at, by reason; --json names them."""
    count = Counter(row.reason for row in rows if not row.judged)
    return [f"{'':18}{number} more: {reason}" for reason, number in count.items()]


def _gain(suggestion: Suggestion) -> str:
    figures = suggestion.speedup
    low = f", at least {figures['ci_low']:.2f}x with 95% confidence" if figures.get("ci_low") else ""
    return f"{figures['ratio']:.2f}x as fast{low}"
