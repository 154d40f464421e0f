"""Detection that no further candidate can gain: reading the input, or one remaining call of C, takes all of
the time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from statistics import median

from codeopt.analysis.nodes import parse
from codeopt.core.history import Candidate
from codeopt.engine.judge import Judge

MIN_SHARE = 0.95
"""Share of the time that one call must have: what is left is less than the least gain worth having."""
MIN_RUN_S = 0.05
"""Minimum run time, seconds: below it one disturbance decides the hot line (at load 19 we saw 99 % for 46 %)."""

_READS = frozenset(
    {"read", "readline", "readlines", "input", "open", "split", "splitlines", "strip", "decode", "encode"}
)
_FRAMES = frozenset({"map", "int", "float", "str", "len", "list", "tuple", "print", "write", "join", "iter"})
_WORKS = frozenset({"sorted", "sort", "sum", "min", "max", "set", "frozenset", "Counter", "fromkeys", "translate"})
"""Each does its work in C in one go. Where a line holds two of them, one may be spared: then there is headroom."""
_PLAIN = (ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.expr_context, ast.Starred, ast.Tuple)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def no_headroom(judge: Judge, candidate: Candidate) -> str:
    """Return the reason why no faster candidate can reach the minimum gain. Empty if none is known."""
    if not _long_enough(candidate):
        return ""
    if found := _one_call(candidate):
        return f"nothing left to gain: {found}"
    share = judge.lower_bound_share(candidate)
    if share is not None and share >= MIN_SHARE:
        return f"nothing left to gain: {min(share, 1.0):.0%} of its time is that of reading the input and nothing else"
    return ""


def _long_enough(candidate: Candidate) -> bool:
    """Return whether its runs take long enough to show where their time is spent."""
    cases = candidate.comparison.cases if candidate.comparison else ()
    return any(median(case.candidate) >= MIN_RUN_S for case in cases if case.candidate)


def _one_call(candidate: Candidate) -> str:
    """The one call that has the time, as the profile saw it: `96% of the time is one call of sorted (line 4)`."""
    lines = candidate.profile.lines if candidate.profile else ()
    if not lines or lines[0].share < MIN_SHARE or lines[0].hits > min(line.hits for line in lines):
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
        elif not isinstance(child, _LOOPS):
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
