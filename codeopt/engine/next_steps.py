"""What is left to gain: the bound that ends a run, slow lines of the result, and the source that could continue."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from statistics import median

from codeopt.analysis.nodes import parse
from codeopt.core.errors import CodeoptError, Diagnostic
from codeopt.core.history import Candidate, History, Proposer, Refusal
from codeopt.core.next_step import same_command
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.core.step_error import error_in_words
from codeopt.engine.judge import Judge
from codeopt.engine.open_session import RULES
from codeopt.proposers.rules import Rules
from codeopt.report.result import NextSteps
from codeopt.report.verdict import candidate_in_words
from codeopt.rules import HotFiles, refusals
from codeopt.tasks import Task
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.profile import Profile

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
    hot = [line for line in profile.lines if line.share >= MIN_SHARE and not line.is_import] if profile else []
    return NextSteps(tuple(hot[:MAX_LINES]) if timing else (), asks, trouble, held=held)


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


ONE_CALL_SHARE = 0.95
"""Share of the time that one call must have: what is left is less than the least gain worth having."""

_READS = frozenset(
    {"read", "readline", "readlines", "input", "open", "split", "splitlines", "strip", "decode", "encode"}
)
_FRAMES = frozenset({"map", "int", "float", "str", "len", "list", "tuple", "print", "write", "join", "iter"})
_WORKS = frozenset({"sorted", "sort", "sum", "min", "max", "set", "frozenset", "Counter", "fromkeys", "translate"})
"""Each does its work in C in one go. Where a line holds two of them, one may be spared: then there is headroom."""
_PLAIN = (ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.expr_context, ast.Starred, ast.Tuple)


def no_headroom(judge: Judge, candidate: Candidate) -> str:
    """Return the reason why no faster candidate can reach the minimum gain. Empty if none is known."""
    cases = candidate.comparison.cases if candidate.comparison else ()
    # minimum run time, seconds: below it one disturbance decides the hot line (at load 19 we saw 99 % for 46 %)
    if not any(median(case.candidate) >= 0.05 for case in cases if case.candidate):
        return ""
    if found := _one_call(candidate):
        return f"nothing left to gain: {found}"
    share = judge.lower_bound_share(candidate)
    if share is not None and share >= ONE_CALL_SHARE:
        return f"nothing left to gain: {min(share, 1.0):.0%} of its time is that of reading the input and nothing else"
    return ""


def _one_call(candidate: Candidate) -> str:
    """The one call that has the time, as the profile saw it: `96% of the time is one call of sorted (line 4)`."""
    lines = candidate.profile.lines if candidate.profile else ()
    if not lines or lines[0].share < ONE_CALL_SHARE or lines[0].hits > min(line.hits for line in lines):
        return ""
    try:
        statements = list(_statements(parse(candidate.revision[lines[0].file])))
    except SyntaxError:
        return ""
    there = [each for each in statements if each.lineno <= lines[0].line <= (each.end_lineno or each.lineno)]
    name = _work(there[0]) if len(there) == 1 else ""
    return f"{lines[0].share:.0%} of the time is one call of {name} (line {lines[0].line})" if name else ""


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield statements that contain no further statements and are not in a loop."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            yield child
        elif not isinstance(child, (ast.For, ast.AsyncFor, ast.While)):
            yield from _statements(child)


def _work(statement: ast.stmt) -> str:
    """Return the name of the one call that does the work, if the rest is input and output. Empty otherwise."""
    value = getattr(statement, "value", None)
    if value is None:
        return ""
    nodes = list(ast.walk(value))
    for node in nodes:
        # A keyword that makes no call of C call Python is plain also.
        plain_keyword = isinstance(node, ast.keyword) and node.arg in ("reverse", "sep", "end")
        if not isinstance(node, _PLAIN) and not plain_keyword:
            return ""
    calls = [_name(node) for node in nodes if isinstance(node, ast.Call)]
    works = [name for name in calls if name in _WORKS]
    known = all(name in _READS | _FRAMES | _WORKS for name in calls)
    mapped = [node.args[:1] for node in nodes if isinstance(node, ast.Call) and _name(node) == "map"]
    builtin_maps = all(
        args and isinstance(args[0], ast.Name) and args[0].id in ("int", "float", "str", "len") for args in mapped
    )
    return works[0] if known and builtin_maps and len(works) == 1 else ""


def _name(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
