"""Comparing more than one function: a change, two modules, two versions of a file."""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeopt.cli import command_flags, flags
from codeopt.cli.comparison_table import cells_of
from codeopt.cli.output import tell
from codeopt.core.cache import open_cache
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, NoSandbox, ProgramError, UsageError
from codeopt.core.isolation import isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.sanitize import log_line
from codeopt.core.screen import columns
from codeopt.core.session import Session
from codeopt.core.step_error import error_in_words
from codeopt.core.words import clock, counted
from codeopt.engine.compare import PairResult, answer, compare
from codeopt.engine.open_session import open_session
from codeopt.report.brief import caveat_lines
from codeopt.report.verdict import LIMITS, About
from codeopt.review.base_checkout import compare_with_base, open_base_checkout
from codeopt.review.change import Change
from codeopt.review.changed_functions import as_callers_see, find_targets, shapes
from codeopt.review.suggestion import ComparedFunction, ReviewTarget
from codeopt.review.work import FunctionLoop, ReviewBudget
from codeopt.workloads.source.edits import keeps_statements
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.sequential_test import LimitAnswer

WORST_FIRST = (
    (Decision.WRONG, None), (Decision.INCONCLUSIVE, About.RESULT), (Decision.SLOWER, None), (Decision.FASTER, None),
    (Decision.INCONCLUSIVE, About.SPEED), (Decision.SAME, None),
)  # fmt: skip


def run_change(arguments: argparse.Namespace) -> int:
    """Compare all; the exit status is the worst of them: 1 before 5 before 0."""
    paths = command_flags.below([Path(text) for text in arguments.targets])
    if arguments.cases or arguments.stdin or arguments.calls:
        raise UsageError("--cases, --stdin and --calls are for one program or function, and --base has many")
    with Console(quiet=arguments.quiet) as console:
        change, found = compare_change(arguments, flags.options_of(arguments), paths, console)
        if arguments.json:
            print(json.dumps(change_answer(change.base, change.head, found)), flush=True)
        else:
            tell(change_table(found.rows, change.base[:7]) + "\n")
        if found.stop_reason:
            console.warn(found.stop_reason)
        if found.left:
            console.print(command_flags.go_on_with(found.left))
    return found.exit_status


@dataclass(frozen=True)
class Compared:
    """All functions of a command, compared, with what was not and why."""

    rows: tuple[ComparedFunction, ...] = ()
    stop_reason: str = ""
    """Reason why the others were not. Empty: all were."""
    status: int = 0
    """Exit status for that reason."""
    left: tuple[Path, ...] = ()
    """Files of what was not compared, in the order of the targets."""

    @property
    def exit_status(self) -> int:
        """The worst of all."""
        return self.status or min({row.found.exit_status for row in self.rows} - {0}, default=0)


def compare_change(
    arguments: argparse.Namespace, options: ImproveOptions, paths: list[Path], console: Console
) -> tuple[Change, Compared]:
    """Compare all that a change alters below some paths. Raises UsageError, NoSandbox."""
    repository, change = command_flags.open_change(arguments)
    targets, skipped = find_targets(change, repository, paths, arguments.exclude)
    altered = as_callers_see([target for target in targets if target.old_path])
    compared = Compared()
    if altered:
        command_flags.require_settings(repository, change, options.check)
        options, session = command_flags.find_python(options, console, Path.cwd(), change.paths, arguments.asked)
        # the cache is that of the project: the checkout has another path each time
        session = replace(
            session, open_cache=lambda _, notify: open_cache(change.root, notify), extras=arguments.json
        )  # fmt: skip
        with open_base_checkout(repository, change) as before:
            compared = compare_all(altered, before, isolated(options), session, arguments.fail_if_slower)
    unread = (_unjudged(each.path, each.function, each.reason) for each in skipped)
    return change, replace(compared, rows=(*compared.rows, *unread))


def change_answer(base: str, head: str, compared: Compared) -> dict[str, Any]:
    """The object that --json prints of several functions, with the worst of the verdicts as that on all."""
    from codeopt.report.answers import CompareChangeJson

    rows, stop_reason = compared.rows, compared.stop_reason
    of_none = (Decision.INCONCLUSIVE, About.RESULT) if stop_reason else (Decision.SAME, None)  # it alters no function
    verdict, about = min((row.outcome for row in rows), key=WORST_FIRST.index, default=of_none)
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


def compare_all(
    targets: Sequence[ReviewTarget], before: Path, options: ImproveOptions, session: Session, limit: float | None
) -> Compared:
    """Compare all targets in turn and print each verdict when it is known. Raises NoSandbox if none could be opened."""
    work = FunctionLoop(ReviewBudget(), targets, session.console)
    rows: list[ComparedFunction] = []
    news = [Target(target.file, target.function) for target in targets]
    with work.limited():
        for number, target in work.each():
            old, new = Target(before / target.old_path, target.function), Target(target.file, target.function)
            others = [each for each in news if each != new]
            try:
                found = compare(old, new, options, session, limit=limit, separately=others)
            except NoSandbox as error:
                if not rows:
                    raise
                work.stop(error.words, error.exit_status)
                break
            except (CodeoptError, SandboxError) as error:
                found = PairResult.not_judged(error_in_words(error))
            row = ComparedFunction(target.path, target.function, found)
            rows.append(row)
            if len(targets) > 1:
                session.console.aside(f"{number}: {row.name}: {' '.join(cells_of(row.verdict, row.name))}")
            if found.interrupted:
                raise KeyboardInterrupt
    why, left = "; ".join(work.notices), targets[len(rows) :]
    rows += [_unjudged(each.path, each.function, f"not compared: {why}") for each in left]
    return Compared(tuple(rows), why, work.failure, tuple(each.file for each in left))


def _unjudged(path: str, name: str, why: str) -> ComparedFunction:
    return ComparedFunction(path, name, PairResult.not_judged(why))


def change_table(rows: Sequence[ComparedFunction], old: str) -> str:
    """Format the number of functions by verdict, a row for each, the worst first, and what could not be run.

    old: the version before the change, such as the name of a commit.
    """
    ordered = sorted(rows, key=_weight)
    rated = any(row.verdict.limit for row in rows)
    named = [*[""] * rated, ""]
    metrics = []
    lines: list[Sequence[str] | str] = []
    for row in ordered:
        limit, cells = row.verdict.limit, cells_of(row.verdict, row.name)
        if row.verdict.speedup and len(cells) == 2:
            metrics.append(row.verdict.speedup.metric)
        rating = LIMITS[limit.answer].words if limit and limit.answer is not LimitAnswer.INCONCLUSIVE else "?"
        lines += [[*[rating] * rated, log_line(row.name), *cells], *_below(row.found)]
    if metrics:
        lines.insert(0, [*named, clock(metrics[0]), "result (95% CI)"])
    gaps = dict.fromkeys(gap.words for row in rows if row.verdict.is_judged for gap in row.verdict.evidence.gaps)
    return "\n".join([_summary(ordered, old), *columns(lines, name=int(rated)), *map(log_line, gaps)])


def _weight(row: ComparedFunction) -> tuple[bool, bool, int]:
    wrong = row.verdict.outcome is Decision.WRONG
    return not wrong, not row.verdict.breaks_limit, WORST_FIRST.index(row.outcome)


def _summary(rows: Sequence[ComparedFunction], old: str) -> str:
    count, slower = counted(len(rows), "changed function"), [r.verdict.limit for r in rows if r.verdict.breaks_limit]
    if slower and slower[0]:
        return f"FAIL: {len(slower)} of {count} over the limit of {slower[0].limit * 100:g}% more time than {old}"
    words = Counter(row.verdict.words + " (with a caveat)" * bool(row.verdict.caveats) for row in rows)
    said = ", ".join(f"{number} {word}" for word, number in words.items())
    return f"{count} against {old}: {said}" if said else f"{count} against {old}"


def _below(pair_result: PairResult) -> Iterator[str]:
    """Return the lines below a row: the limit, if it did not simply pass, caveats, advice."""
    verdict = pair_result.verdict
    if verdict.limit and verdict.speedup and verdict.limit.answer is not LimitAnswer.PASS:
        yield verdict.limit.words
    yield from map(log_line, caveat_lines(verdict.caveats, (), verbose=False))
    yield from [log_line(pair_result.next_step)] * bool(pair_result.next_step)


# `codeopt compare OLD.py NEW.py` of two library modules: each function that differs, and one verdict in all.

NOTHING = "no function differs but in comments and layout"
OUTSIDE = (
    "statements outside of functions are changed or gone: what they do in functions that do not differ is not judged"
)


def run_modules(arguments: argparse.Namespace, old: Target, new: Target) -> int:
    """Compare all that differ; the status is the worst. Raises UsageError, NoSandbox."""
    if arguments.calls:
        raise UsageError("--calls is for one function, and two modules have several", hint="name one: FILE::FUNCTION")
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        targets, others = _differing(old.path, new.path)
        options, session = flags.options_of(arguments), replace(open_session(console), extras=arguments.json)
        done = Compared()
        if targets:
            done = compare_all(targets, Path(), options, session, arguments.fail_if_slower)
        done = replace(done, rows=(*done.rows, *others))
        if arguments.json:
            said = done if done.rows else replace(done, stop_reason=NOTHING)
            print(json.dumps(change_answer(str(old), str(new), said)), flush=True)
        else:
            tell((change_table(done.rows, str(old)) if done.rows else f"inconclusive: {NOTHING}") + "\n")
        if done.stop_reason:
            console.warn(done.stop_reason)
    return done.exit_status if done.rows else ProgramError.exit_status


def _differing(old: Path, new: Path) -> tuple[list[ReviewTarget], list[ComparedFunction]]:
    """The functions of both modules that differ, and what cannot be compared."""
    before, now = (read_program(path).source for path in (old, new))
    was, named = shapes(before), str(new)
    have = shapes(now)
    differ = [name for name, shape in have.items() if name in was and was[name] != shape]
    targets = [ReviewTarget(named, name, new, str(old)) for name in differ]
    gone = [_unjudged(named, name, "NEW does not have it") for name in was if name not in have]
    kept = keeps_statements(ast.parse(before).body, ast.parse(now).body)
    return as_callers_see(targets), gone if kept else [*gone, _unjudged(named, "", OUTSIDE)]


# `codeopt compare --run COMMAND`: two versions of a project, judged by a command of its user's.

OF_ONE = ("cases", "stdin", "calls", "contract", "module")
"""Flags of one program or function."""


def compare_versions(arguments: argparse.Namespace) -> PairResult:
    """Compare two folders, or one with what it was in a commit. Raises UsageError, NoSandbox."""
    _check(arguments)
    folders = [Path(text) for text in arguments.targets]
    limit = arguments.fail_if_slower
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options = flags.options_of(arguments)
        session = open_session(console)
        if options.args:
            raise UsageError("arguments after -- are for one program", hint="with --run they are part of the command")
        if len(folders) == 2:
            old, new = map(Target, folders)
            return compare(old, new, options, session, limit=limit)
        # a folder as it was in a commit, against as it is
        folder = folders[0] if folders else Path()
        repository, change = command_flags.open_change(arguments, folder.absolute())
        command_flags.require_settings(repository, change, arguments.check)
        options, session = command_flags.find_python(options, console, folder, change.paths)
        return compare_with_base(repository, change.base, folder, isolated(options), session, limit)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with --run. Raises UsageError."""
    given = next((name for name in OF_ONE if getattr(arguments, name, None)), "")
    if given:
        flag = "-m" if given == "module" else f"--{given}"
        raise UsageError(f"{flag} is not for --run", hint="leave it out")
    for text in arguments.targets:
        if not Path(text).is_dir():
            raise UsageError(f"compare --run takes folders of a project, but {text} is not one")
    if len(arguments.targets) > 2 or (len(arguments.targets) == 2 and arguments.base):
        hint = "name OLD and NEW, or give --base REF and at most one folder"
        raise UsageError("--run compares two folders", hint=hint)
