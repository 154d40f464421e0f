"""Small mistakes put into a right program, one at a time, and the trials of those that show on the fewest inputs."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from benchmarks.errors.arenas import WRONG, Settings, Trial, Truth

ASKED = 12
"""Mutants of a task that are run, of which those are taken that differ on the fewest calls or tests."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Div, ast.Div: ast.FloorDiv,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
"""Operators, each with the one that is written by mistake."""


@dataclass(frozen=True)
class Mutant:
    """A right program with one small mistake, which shows on some inputs."""

    text: str
    differ: int
    """Number of calls or tests on which it shows."""
    why: str
    """Name or number of the calls or tests on which it shows, for the report."""


def wrong_drafts(settings: Settings, right: Trial, run: Callable[[str], Mutant | None]) -> Iterator[Trial]:
    """Trials of the mutants of a right draft that differ on the fewest inputs.

    right: what the trials have but for their draft. run: finds out whether a mutant differs on any input.
    """
    names = [f"mutant {at}" for at in range(settings.wrong)]
    if settings.knows(right.task, names):
        yield from (replace(right, draft=name, truth=partial(Truth, WRONG)) for name in names)
        return
    found = filter(None, map(run, islice(mutants(right.new.path.read_text("utf-8")), ASKED)))
    for name, mutant in zip(names, sorted(found, key=lambda each: each.differ), strict=False):
        draft = settings.written(right.task, name.replace(" ", "_"), mutant.text)
        new, truth = replace(right.new, path=draft), partial(Truth, WRONG, mutant.why)
        yield replace(right, draft=name, new=new, truth=truth)


def mutants(source: str, seed: int = 1) -> Iterator[str]:
    """Programs with one mistake each, in an order by chance."""
    whole = ast.unparse(ast.parse(source))
    sites = list(range(sum(1 for _ in _changes(ast.parse(source)))))
    random.Random(seed).shuffle(sites)
    for site in sites:
        tree = ast.parse(source)
        next(islice(_changes(tree), site, None))()
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text != whole:
            yield text


def _changes(tree: ast.AST) -> Iterator[Callable[[], None]]:
    """Functions that make one small mistake each in a tree."""
    for node in ast.walk(tree):
        for name in ("op", "ops"):
            value = getattr(node, name, None)
            if isinstance(value, ast.AST) and type(value) in SWAPS:
                yield lambda node=node, value=value: setattr(node, "op", SWAPS[type(value)]())
            elif isinstance(value, list) and type(value[0]) in SWAPS:
                yield lambda node=node, value=value: setattr(node, "ops", [SWAPS[type(value[0])](), *value[1:]])
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield lambda node=node: setattr(node, "value", node.value + 1)
            yield lambda node=node: setattr(node, "value", node.value - 1)
        if isinstance(node, ast.Call) and len(node.args) > 1:
            yield lambda node=node: setattr(node, "args", node.args[:-1])
        if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1:
            yield lambda node=node: setattr(node, "body", [ast.Pass()])
