"""Suggest faster code for the functions that a change touches.

The report goes to standard output or -o FILE, everything else to standard error; no file of the project changes.
What keeps a review from being whole (no key, no sandbox, budget spent) is a notice and exit status 0, unless --strict.
Where nothing at all could be looked at, for want of tests, calls or a sandbox, it is 5; --exit-zero makes 1 and 5 0.
With --fail-if-slower everything that the change alters is also compared with what it was: 1 where the limit is broken,
5 if that is unknown.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core import plugins
from codeopt.core.errors import BUDGET_SPENT, INTERRUPTED, ModelError, NoSandbox, ProgramError, UsageError
from codeopt_sandbox.owner import temporary_folder

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.options import ImproveOptions
    from codeopt.core.session import Session
    from codeopt.review.suggestion import Review
    from codeopt.review.work import FunctionLoop

FOUND = 1  # status where suggestions are a failure (--fail-level any)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="only what is below [default: everything]")
    flags.add_flags(parser, "review")
    formats = ", ".join(plugins.names("codeopt.reporters"))
    out = flags.group_of(parser, "Result")
    out.add_argument("--output-format", default="terminal", metavar="NAME", help=f"{formats} [default: %(default)s]")


@command(
    examples=("codeopt review --base main", "codeopt review --base main --model gpt-5 --output-format markdown src/"),
    first=("--base", "--model", "--output-format", "--max-functions"),
    often=("--json", "--output", "--max-seconds", "--max-cost", "--fail-level", "--fail-if-slower"),
    verdicts=(1, ProgramError.exit_status),
    others_files=True,
    compares_settings=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Review a change. Heavy imports happen here, so that --help is quick."""
    from codeopt.cli.command_flags import report_blind
    from codeopt.cli.output import deliver
    from codeopt.cli.settings import require_own_word, set_aside
    from codeopt.core.console import Console
    from codeopt.review.reporters import open_reporter
    from codeopt_sandbox.sequential_test import LimitAnswer

    require_own_word(arguments, "output_format")  # it is loaded before the change is read
    arguments.refused = set_aside(arguments)
    name = "json" if arguments.json else arguments.output_format
    reporter = open_reporter(name)
    _refuse(arguments)
    with Console(quiet=arguments.quiet) as console:
        review, failure = make_review(arguments, console)
        if arguments.fail_if_slower is not None and failure != INTERRUPTED:
            review, failure = _with_limits(arguments, review, failure, console)
        deliver(reporter(review), arguments.output)
        shown = name == "terminal" and not arguments.output  # the report has them
        for notice in () if shown else (*review.notices, *(diagnostic.words for diagnostic in review.diagnostics)):
            console.warn(notice)
        blind = report_blind(review.not_checked_reason, console) if review.not_checked_reason else 0
    if failure == INTERRUPTED or (arguments.strict and failure):
        return failure
    if any(each.limit is LimitAnswer.FAIL for each in review.limits):
        return FOUND
    if blind:
        return blind
    if any(each.limit is not LimitAnswer.PASS for each in review.limits):
        return ProgramError.exit_status
    return FOUND if arguments.fail_level == "any" and review.suggestions else 0


def _with_limits(arguments: argparse.Namespace, review: Review, failure: int, console: Console) -> tuple[Review, int]:
    """Compare the changed code with its original and add the limits. A failure becomes a notice."""
    from codeopt.cli import command_flags
    from codeopt.cli.compare_several import compare_change

    paths = command_flags.below(arguments.paths)
    options = flags.options_of(arguments)
    try:
        _, found = compare_change(arguments, options, paths, console)
    except (NoSandbox, command_flags.Untrusted) as error:
        return replace(review, notices=(*review.notices, f"the limit was not tested: {error.words}")), error.exit_status
    notices = (*review.notices, *filter(None, [found.stop_reason]))
    return replace(review, limits=found.rows, notices=notices), failure or found.status


def make_review(arguments: argparse.Namespace, console: Console) -> tuple[Review, int]:
    """The review, and the exit status of what kept it from being whole. Raises UsageError for a wrong request."""
    from codeopt.cli import command_flags
    from codeopt.core.cache import machine
    from codeopt.core.words import counted
    from codeopt.engine.open_session import open_session
    from codeopt.review.changed_functions import find_targets
    from codeopt.review.check import why_unread
    from codeopt.review.findings.known import open_findings
    from codeopt.review.suggestion import Review
    from codeopt.review.work import FunctionLoop, ReviewBudget

    paths = command_flags.below(arguments.paths)
    repository, change = command_flags.open_change(arguments)
    limits = ReviewBudget.of(flags.options_of(arguments), arguments.max_functions, arguments.began)
    targets, skipped = find_targets(change, repository, paths, arguments.exclude, limits.clock)
    console.aside(f"{counted(len(targets), 'changed function')}, {len(skipped)} skipped")
    session, work = open_session(console), FunctionLoop(limits, targets, console)
    with temporary_folder("review") as folder:
        options = flags.options_of(arguments, run_dir=arguments.run_dir or folder)
        try:
            if targets:
                command_flags.require_settings(repository, change, options.check)
                if arguments.refused:
                    raise arguments.refused
                options, session = command_flags.find_python(options, console, Path.cwd(), change.paths)
                session = command_flags.with_cache(session, arguments.trust_store)
                work.known = open_findings(options, session.interpreter, session.open_cache, "review", console)
                _try_in_turn(work, options, session, repository.root)
        except command_flags.Untrusted as error:
            work.stop(error.words, error.exit_status)
    if any(each.is_left for each in skipped) and not work.failure:
        work.stop(limits.out_of_time, BUDGET_SPENT)
    tried = work.tried(session.interpreter)
    gave_up = work.failure not in (0, NoSandbox.exit_status)  # for want of a model, money or time, which it says
    review = Review(
        base=change.base,
        head=change.head,
        diff=change.diff,
        suggestions=tried.suggestions,
        skipped=(*skipped, *(row for row in tried.rows if not row.suggestion)),
        notices=tried.notices,
        diagnostics=tried.diagnostics,
        not_checked_reason="" if gave_up else tried.not_checked_reason or why_unread(targets, skipped),
        machine=machine(),
        cost_usd=None if tried.cost_usd is None else round(tried.cost_usd, 6),
        python=tried.interpreter,
        asked=arguments.asked,
    )
    return review, work.failure


def _try_in_turn(work: FunctionLoop, options: ImproveOptions, session: Session, root: Path) -> None:
    """Rank the targets and try them, in a sandbox that isolates; an error is a notice, and what was found is kept."""
    from codeopt.cli.command_flags import Rechecker
    from codeopt.core.isolation import isolated
    from codeopt.core.step_error import error_in_words, exit_status_of
    from codeopt.engine.run_plan import make_plan
    from codeopt.review.ranking import rank, ranked_before
    from codeopt.review.work import Improver
    from codeopt_sandbox.errors import SandboxError

    with work.limited():
        make_plan(options)
        try:
            work.budget.clock.check()
            options = isolated(options)
            ranking = ranked_before(work.targets, work.known)
            work.choose(ranking or rank(options, work.targets, session, work.budget.clock))
            work.run(Improver(options, replace(session, traces=work.ranking.traces)))
        except (ModelError, NoSandbox, SandboxError) as error:
            work.stop(error_in_words(error), exit_status_of(error))
        work.join(Rechecker(options, session, root))


def _refuse(arguments: argparse.Namespace) -> None:
    """Raise UsageError for flags that make no sense for several functions, or that would run files of the change."""
    if "." in arguments.task:
        raise UsageError(f"--task {arguments.task}: a review takes built-in and installed tasks only")
    if arguments.output and not arguments.output.resolve().parent.is_dir():
        raise UsageError(f"cannot write {arguments.output}: there is no directory {arguments.output.parent}")
