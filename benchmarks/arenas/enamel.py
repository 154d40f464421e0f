"""ENAMEL (Qiu et al. 2024): HumanEval's solutions, experts' faster ones, the experts' generators as calls.

An expert's version is right. A wrong draft is that version with one small mistake that shows on the generators' inputs,
as few of them as possible; of these the judge is given only the first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.arenas import CHANGES, RIGHT, WRONG, Trial, Truth
from benchmarks.arenas.mutants import mutants
from benchmarks.arenas.settings import Settings
from benchmarks.arenas.truth import Ran, files
from codeopt.core.target import Target

ASKED = 12
"""Mutants of a task that are run, of which those are taken that differ on the fewest calls."""


def trials(settings: Settings) -> Iterator[Trial]:
    """The expert's version of each task, then the wrong ones."""
    for folder in sorted(path.parent for path in settings.data.glob("*/expert.py")):
        if settings.wants(folder.name):
            yield from _task(settings, folder)


def _task(settings: Settings, folder: Path) -> Iterator[Trial]:
    name = function_of(folder / "slow.py", folder.name.partition("_")[2])
    options = settings.options()
    old, expert = Target(folder / "slow.py", name), folder / "expert.py"
    given = replace(options, calls=folder / "calls.py")
    yield Trial(folder.name, "expert", old, Target(expert, name), given, partial(_right, settings, folder, name))
    if known := settings.judged(folder.name, [f"mutant {at}" for at in range(settings.wrong)]):
        yield from (Trial(folder.name, draft, old, old, options, partial(Truth, WRONG)) for draft in known)
        return
    calls = (folder / "calls.py").read_text("utf-8")
    options = replace(options, may_change_arguments=True)  # the expert may change them, too
    shown = settings.written(folder.name, "calls", f"{calls}\nCALLS = CALLS[:{settings.shown}]\nBIG = BIG[:1]\n")
    for at, (text, ran) in enumerate(_subtlest(settings, folder, name)):
        draft = settings.written(folder.name, f"mutant_{at}", text)
        truth = partial(Truth, WRONG, f"{ran.differ} of {ran.number} calls; {ran.first}")
        yield Trial(folder.name, f"mutant {at}", old, Target(draft, name), replace(options, calls=shown), truth)


def _right(settings: Settings, folder: Path, name: str) -> Truth:
    expert = (folder / "expert.py").read_text("utf-8")
    ran = settings.runner.run(files(folder, expert, expert), name)
    if isinstance(ran, Truth):
        return Truth(RIGHT, f"not run: {ran.why}")
    return Truth(CHANGES, f"{ran.changes} of {ran.number} calls") if ran.changes else Truth(RIGHT, ran.first)


def _subtlest(settings: Settings, folder: Path, name: str) -> list[tuple[str, Ran]]:
    """Mutants that differ on some calls, those on the fewest first."""
    found: list[tuple[str, Ran]] = []
    expert = (folder / "expert.py").read_text("utf-8")
    for text, _ in zip(mutants(expert), range(ASKED), strict=False):
        ran = settings.quick_runner.run(files(folder, expert, text), name)
        if isinstance(ran, Ran) and ran.loads and ran.differ:
            found.append((text, ran))
    return sorted(found, key=lambda each: each[1].differ)[: settings.wrong]


def function_of(path: Path, name: str) -> str:
    """Name of a task's function: the folder's, where the module has it, else the last that it defines."""
    defined = [node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
    return name if name in defined else defined[-1]
