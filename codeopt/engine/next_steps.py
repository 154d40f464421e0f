"""Slow lines of the result, and the source that could continue from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import CodeoptError
from codeopt.core.history import Candidate, History
from codeopt.core.next_step import same_command
from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer, Refusal
from codeopt.core.revision import Revision
from codeopt.core.step_error import error_in_words
from codeopt.engine.judge import Judge
from codeopt.engine.open_model import RULES
from codeopt.proposers.rules import Rules
from codeopt.report.result import NextSteps
from codeopt.report.verdict import candidate_in_words
from codeopt.rules import HotFiles, refusals
from codeopt.tasks import Task
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.profile import HotLine, Profile

MAX_LINES = 3
"""Largest number of hot lines that are named."""
MIN_SHARE = 0.05
"""Share of the time from which a line is named."""


def next_steps(
    judge: Judge, task: Task, best: Candidate | None, options: ImproveOptions, *, measure: bool, asked: bool = True,
    command: Sequence[str] = (),
) -> NextSteps:  # fmt: skip
    """The lines where the best program, else the original, spends its time, or what it holds where memory is an aim.

    options: those of a RunPlan, which name the proposer. measure: a profile may be taken for it. asked: the proposer
    was asked for all that it knows. command: words of the command that a model can be added to.
    """
    timing, memory = task.needs_time, task.for_memory
    if not timing and not memory:
        return NextSteps()
    asks = same_command(command, "--model", "NAME") if options.model == RULES and asked else ""
    profile = (best or judge.workload.baseline).profile
    trouble: Diagnostic | None = None
    if profile is None and best is not None and measure and not options.no_profile:
        judge.notify("profiling the result")
        profile, trouble = _profiled(judge, best)
    held = profile.memory[:MAX_LINES] if memory and profile else ()
    return NextSteps(_hot_lines(profile) if timing else (), asks, trouble, held=held)


def why_no_rule(proposer: Proposer, original: Candidate, accepted: Candidate | None) -> tuple[Refusal, ...] | None:
    """Return the reasons why rules, if they are the proposer, made no draft. None if a draft was accepted."""
    if accepted or not isinstance(proposer, Rules):
        return None
    return refusals(proposer.rules, original.revision, HotFiles.of(original.profile))


def tried(history: History) -> tuple[Refusal, ...]:
    """Return the verdict on each draft with the lines of the original that it changed and the rules that wrote it."""
    original, *drafts = history.candidates
    return tuple(
        Refusal(
            candidate_in_words(draft),
            tuple(_changed(original.revision, draft.revision)),
            tuple(change.partition(":")[0] for change in draft.changes),
        )
        for draft in drafts
    )


def _changed(old: Revision, new: Revision) -> Iterator[str]:
    """Yield the changed lines of the old texts: `12`, of a project `shop/store.py:12`."""
    for path, text in old.items() if new.keys() == old.keys() else ():  # a reply without a program changes none
        matcher = SequenceMatcher(None, text.splitlines(), new[path].splitlines(), autojunk=False)
        for kind, start, end, _, _ in matcher.get_opcodes():
            numbers = range(start + 1, end + 1) if kind != "equal" else ()
            yield from (f"{path}:{number}" if path else str(number) for number in numbers)


def _profiled(judge: Judge, best: Candidate) -> tuple[Profile | None, Diagnostic | None]:
    """Return the profile of the best program, or a diagnostic. A failure does not discard the confirmed result."""
    try:
        with judge.alone():
            return judge.workload.profile(best.revision), None
    except (CodeoptError, SandboxError) as error:
        return None, Diagnostic("the hot lines of the result are not known", error_in_words(error))


def _hot_lines(profile: Profile | None) -> tuple[HotLine, ...]:
    lines = profile.lines if profile else ()
    return tuple(line for line in lines if line.share >= MIN_SHARE and not line.is_import)[:MAX_LINES]
