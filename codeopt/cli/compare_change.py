"""`codeopt compare --base REF`: everything that a change alters, as it was against as it is."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeopt.cli import flags, review_flags
from codeopt.cli.compare_table import cells_of
from codeopt.cli.output import tell
from codeopt.core.cache import open_cache
from codeopt.core.columns import columns
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, NoSandbox, UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.sanitize import log_line
from codeopt.core.session import Session
from codeopt.core.step_error import error_in_words
from codeopt.core.target import Target
from codeopt.core.words import clock, counted
from codeopt.engine.compare import PairResult, answer, compare
from codeopt.report.brief import caveat_lines
from codeopt.report.outcomes import LIMITS, About
from codeopt.report.verdict import Verdict
from codeopt.review.base_checkout import open_base_checkout
from codeopt.review.change import Change
from codeopt.review.changed_functions import ReviewTarget, as_callers_see, find_targets
from codeopt.review.suggestion import ComparedFunction
from codeopt.review.surroundings import isolated
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.sequential_test import LimitAnswer

INTERRUPTED = 130  # status
WORST_FIRST = (
    (Decision.WRONG, None), (Decision.INCONCLUSIVE, About.RESULT), (Decision.SLOWER, None), (Decision.FASTER, None),
    (Decision.INCONCLUSIVE, About.SPEED), (Decision.SAME, None),
)  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Compare all; the exit status is the worst of them: 1 before 5 before 0."""
    paths = review_flags.below([Path(text) for text in arguments.targets])
    if arguments.cases or arguments.stdin or arguments.calls:
        raise UsageError("--cases, --stdin and --calls are for one program or function, and --base has many")
    with Console(quiet=arguments.quiet) as console:
        found = compare_change(arguments, flags.options_of(arguments), paths, console)
        if arguments.json:
            shown = change_answer(found.change.base, found.change.head, found.rows, found.stop_reason)
            print(json.dumps(shown), flush=True)
        else:
            tell(table(found.rows, found.change.base[:7] or "the diff's old version") + "\n")
        if found.stop_reason:
            console.warn(found.stop_reason)
        if found.left:
            console.print(review_flags.go_on_with(found.left))
    statuses = {row.found.exit_status for row in found.rows}
    return found.status or min(statuses - {0}, default=0)


@dataclass(frozen=True)
class ChangeComparison:
    """Everything that a change alters, compared, with what was not and why."""

    change: Change
    rows: tuple[ComparedFunction, ...]
    left: tuple[Path, ...]
    """Files of what was not compared, in the order of the change."""
    stop_reason: str
    """Reason why the others were not. Empty: all were."""
    status: int
    """Exit status for that reason."""


def compare_change(
    arguments: argparse.Namespace, options: ImproveOptions, paths: list[Path], console: Console
) -> ChangeComparison:
    """Compare all that a change alters below some paths. Raises UsageError, NoSandbox."""
    repository, change = review_flags.open_change(arguments)
    targets, skipped = find_targets(change, repository, paths, arguments.exclude)
    altered = as_callers_see([target for target in targets if target.old_path])
    compared = Compared()
    if altered:
        review_flags.require_settings(repository, change, options.check)
        options, session = review_flags.find_python(options, console, Path.cwd(), change.paths, arguments.asked)
        # the cache is that of the project: the checkout has another path each time
        session = replace(
            session, open_cache=lambda _, notify: open_cache(change.root, notify), extras=arguments.json
        )  # fmt: skip
        with open_base_checkout(repository, change) as before:
            compared = compare_all(altered, before, isolated(options), session, arguments.fail_if_slower)
    left = altered[len(compared.rows) :]
    unread = (ComparedFunction(each.path, each.function, PairResult.not_judged(each.reason)) for each in skipped)
    rows = (*compared.rows, *not_compared(left, compared.stop_reason), *unread)
    return ChangeComparison(change, rows, tuple(target.file for target in left), compared.stop_reason, compared.status)


def change_answer(base: str, head: str, rows: Sequence[ComparedFunction], stop_reason: str) -> dict[str, Any]:
    """The object that --json prints of several functions."""
    from codeopt.report.answers import CompareChangeJson

    verdict, about = worst(rows) if rows or stop_reason else (Decision.SAME, None)  # the change alters no function
    return CompareChangeJson(
        schema="codeopt.compare-change/1",
        base=base,
        head=head,
        functions=tuple(answer(row.found, row.path, row.function) for row in rows),
        failed=sum(row.verdict.breaks_limit for row in rows),
        stop_reason=stop_reason,
        verdict=verdict,
        inconclusive_about=about,
    ).to_json()


@dataclass
class Compared:
    """The comparisons so far; whole after each, so that it can be ended at any time."""

    rows: list[ComparedFunction] = field(default_factory=list)
    stop_reason: str = ""
    """Reason why the others were not made. Empty: all were."""
    status: int = 0
    """Exit status for that reason."""


def compare_all(
    targets: list[ReviewTarget], before: Path, options: ImproveOptions, session: Session, limit: float | None
) -> Compared:
    """Compare all targets in turn and print each verdict when it is known. Raises NoSandbox if none could be opened."""
    compared, console = Compared(), session.console
    news = [Target(target.file, target.function) for target in targets]
    try:
        for number, target in enumerate(targets, 1):
            console.step(number - 1, len(targets), target.name)
            old, new = Target(before / target.old_path, target.function), news[number - 1]
            others = [each for each in news if each != new]
            row = ComparedFunction(target.path, target.function, _one(old, new, options, session, limit, others))
            compared.rows.append(row)
            if len(targets) > 1:
                console.aside(f"{number} of {len(targets)}: {row.name}: {' '.join(cells_of(row.verdict, row.name))}")
            if row.found.interrupted:
                compared.stop_reason, compared.status = "interrupted", INTERRUPTED
                break
    except KeyboardInterrupt:
        compared.stop_reason, compared.status = "interrupted", INTERRUPTED
    except NoSandbox as error:
        if not compared.rows:
            raise
        compared.stop_reason, compared.status = error.words, error.exit_status
    return compared


def worst(rows: Sequence[ComparedFunction]) -> tuple[Decision, About | None]:
    """One verdict on all: the worst that there is."""
    found = {row.outcome for row in rows}
    return next((each for each in WORST_FIRST if each in found), (Decision.INCONCLUSIVE, About.RESULT))


def not_compared(targets: list[ReviewTarget], why: str) -> list[ComparedFunction]:
    """Rows of what was not compared, with the reason."""
    nothing = PairResult.not_judged(f"not compared: {why}")
    return [ComparedFunction(target.path, target.function, nothing) for target in targets]


def _one(
    old: Target, new: Target, options: ImproveOptions, session: Session, limit: float | None, others: Sequence[Target]
) -> PairResult:
    """One comparison; inconclusive where none can be made. Raises NoSandbox."""
    try:
        return compare(old, new, options, session, own_code_only=False, limit=limit, separately=others)
    except NoSandbox:
        raise
    except (CodeoptError, SandboxError) as error:
        return PairResult.not_judged(error_in_words(error))


def table(rows: Sequence[ComparedFunction], old: str) -> str:
    """Format the number of functions by verdict, a row for each, the worst first, and what could not be run.

    old: the version before the change, such as the name of a commit.
    """
    ordered = sorted(rows, key=_weight)
    rated = any(row.verdict.limit for row in rows)
    named = [*[""] * rated, ""]
    cells = [(row, [*[_rating(row)] * rated, log_line(row.name), *cells_of(row.verdict, row.name)]) for row in ordered]
    metrics = [row.verdict.speedup.metric for row, each in cells if row.verdict.speedup and len(each) == len(named) + 2]
    lines: list[Sequence[str] | str] = [[*named, clock(metrics[0]), "result (95% CI)"]] if metrics else []
    for row, each in cells:
        lines += [each, *_below(row.found)]
    gaps = dict.fromkeys(gap.words for row in rows if row.verdict.is_judged for gap in row.verdict.evidence.gaps)
    return "\n".join([_first_line(rows, old), *columns(lines, name=int(rated)), *map(log_line, gaps)])


def _weight(row: ComparedFunction) -> tuple[bool, bool, int]:
    wrong = row.verdict.outcome is Decision.WRONG
    return not wrong, not row.verdict.breaks_limit, WORST_FIRST.index(row.outcome)


def _first_line(rows: Sequence[ComparedFunction], old: str) -> str:
    count, slower = counted(len(rows), "changed function"), [r.verdict.limit for r in rows if r.verdict.breaks_limit]
    if slower and slower[0]:
        return f"FAIL: {len(slower)} of {count} over the limit of {slower[0].limit * 100:g}% more time than {old}"
    words = Counter(_word(row.verdict) for row in sorted(rows, key=_weight))
    return (
        f"{count} against {old}" + ": " * bool(rows) + ", ".join(f"{number} {word}" for word, number in words.items())
    )


def _word(verdict: Verdict) -> str:
    return f"{verdict.words} (with a caveat)" if verdict.caveats else verdict.words


def _rating(row: ComparedFunction) -> str:
    limit = row.verdict.limit
    return LIMITS[limit.answer].words if limit and limit.answer is not LimitAnswer.INCONCLUSIVE else "?"


def _below(pair_result: PairResult) -> Iterator[str]:
    """Return the lines below a row: the limit, if it did not simply pass, caveats, advice."""
    verdict = pair_result.verdict
    if verdict.limit and verdict.speedup and verdict.limit.answer is not LimitAnswer.PASS:
        yield verdict.limit.words
    yield from map(log_line, caveat_lines(verdict.caveats, (), verbose=False))
    yield from [log_line(pair_result.next_step)] * bool(pair_result.next_step)
