"""Slow lines of the result, and the source that could continue from there."""

from __future__ import annotations

import shlex

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import CodeoptError
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.proposer import Proposer, Refusal
from codeopt.core.step_error import error_in_words
from codeopt.engine.judge import Judge
from codeopt.engine.open_model import RULES
from codeopt.proposers.rules import Rules
from codeopt.report.result import NextSteps
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
    target: str = "",
) -> NextSteps:  # fmt: skip
    """The lines where the best program, else the original, spends its time, or what it holds where memory is an aim.

    options: those of a RunPlan, which name the proposer. measure: a profile may be taken for it. asked: the proposer
    was asked for all that it knows.
    """
    timing, memory = task.needs_time, task.for_memory
    if not timing and not memory:
        return NextSteps()
    asks = _with_a_model(target, options) if options.model == RULES and asked else ""
    profile = (best or judge.workload.baseline).profile
    trouble: Diagnostic | None = None
    if profile is None and best is not None and measure and not options.no_profile:
        judge.notify("profiling the result")
        profile, trouble = _profiled(judge, best)
    held = profile.memory[:MAX_LINES] if memory and profile else ()
    return NextSteps(_hot_lines(profile) if timing else (), asks, trouble, held=held)


def _with_a_model(target: str, options: ImproveOptions) -> str:
    """The command that asks a model for the same."""
    words = [] if options.run and target == "." else [target]
    words += ["--run", options.run] if options.run else []
    words += ["--task", options.task] if options.task != ImproveOptions().task else []
    return shlex.join(["codeopt", "improve", *words, "--model", "NAME"])


def why_no_rule(proposer: Proposer, original: Candidate, accepted: Candidate | None) -> tuple[Refusal, ...] | None:
    """Return the reasons why rules, if they are the proposer, made no draft. None if a draft was accepted."""
    if accepted or not isinstance(proposer, Rules):
        return None
    return refusals(proposer.rules, original.revision, HotFiles.of(original.profile))


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
