"""AlgoTune (Press et al. 2025): the reference's `is_solution` decides, drafts are what models left as their solvers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.errors.arenas import CHANGES, COMPILED, RIGHT, UNKNOWN, WRONG, Settings, Trial, Truth, files
from codeopt.core.program import Target

COMPILERS = {"numba", "cython", "Cython", "pyximport", "pythran", "jax", "torch", "cupy", "ctypes", "cffi"}
"""Packages by which a draft becomes machine code."""
_BIG = re.compile(r"(?m)^(BIG = .*generate_problem\()(\d+)")

ACCEPT = """

def accept(arguments, expected, got):
    return bool(_TASK.is_solution(arguments["problem"], got))
"""
"""Function by which the task's own `is_solution` decides."""


def trials(settings: Settings) -> Iterator[Trial]:
    """Every draft of each task."""
    for folder in settings.folders("drafts"):
        accept, calls = made_files(settings, folder)
        options = replace(settings.options(), calls=calls, check=f"{accept}::accept")
        for draft in sorted((folder / "drafts").glob("*.py")):
            truth = partial(_truth, settings, folder, draft, calls)
            old, new = Target(folder / "slow.py", "solve"), Target(draft, "solve")
            yield Trial(folder.name, draft.stem, old, new, options, truth)


def made_files(settings: Settings, folder: Path) -> tuple[Path, Path]:
    """The checker and the calls of a task, whose timed problem is no larger than asked: each answer is checked."""
    slow, calls = ((folder / name).read_text("utf-8") for name in ("slow.py", "calls.py"))
    accept = settings.written(folder.name, "accept", slow + ACCEPT)
    small = _BIG.sub(lambda match: f"{match[1]}{min(int(match[2]), settings.size)}", calls)
    return accept, settings.written(folder.name, "calls", small)


def is_compiled(text: str) -> bool:
    """Return whether a draft imports a compiler."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return bool(found & COMPILERS)


def _truth(settings: Settings, folder: Path, draft: Path, calls: Path) -> Truth:
    text, slow = draft.read_text("utf-8"), (folder / "slow.py").read_text("utf-8")
    ran = settings.runner.run(files(folder, slow, text, calls.read_text("utf-8")), "solve", accepts=True)
    if isinstance(ran, Truth):
        return ran
    if not ran.loads:
        return Truth(UNKNOWN, f"it cannot be loaded here: {ran.first}")
    if ran.differ:
        return Truth(WRONG, f"{ran.differ} of {ran.number} calls by is_solution; {ran.first}")
    if ran.changes:
        return Truth(CHANGES, f"{ran.changes} of {ran.number} calls")
    return Truth(COMPILED if is_compiled(text) else RIGHT)
