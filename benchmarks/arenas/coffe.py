"""Programs of CodeContests by COFFE (Peng et al. 2025): a slow human solution, the best one, the contest's tests.

The best one is right. A wrong draft is that one with one small mistake that shows on the tests, as few as possible; of
these the judge is given only the first.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.arenas import RIGHT, WRONG, Trial, Truth
from benchmarks.arenas.mutants import mutants
from benchmarks.arenas.settings import Settings
from codeopt.core.target import Target
from codeopt_sandbox import Case, RunLimits, open_sandbox
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.host import Options
from codeopt_sandbox.outcome import Verdict
from codeopt_sandbox.verdict import judge, open_checker

ASKED = 12
"""Mutants of a task that are run, of which those are taken that differ on the fewest tests."""


def trials(settings: Settings) -> Iterator[Trial]:
    """The best program of each task, then the wrong ones."""
    for folder in sorted(path.parent for path in settings.data.glob("*/fast.py")):
        if settings.wants(folder.name):
            yield from _task(settings, folder)


def _task(settings: Settings, folder: Path) -> Iterator[Trial]:
    old, options = Target(folder / "slow.py"), replace(settings.options(), cases=folder / "cases")
    yield Trial(folder.name, "best", old, Target(folder / "fast.py"), options, partial(Truth, RIGHT))
    if known := settings.judged(folder.name, [f"mutant {at}" for at in range(settings.wrong)]):
        yield from (Trial(folder.name, draft, old, old, options, partial(Truth, WRONG)) for draft in known)
        return
    shown = settings.work / folder.name / "cases"
    shutil.rmtree(shown, ignore_errors=True)
    shown.mkdir(parents=True)
    for at in range(settings.shown):
        for path in (folder / "cases").glob(f"*put.{at}.txt"):
            shutil.copy(path, shown)
    for at, (text, wrong) in enumerate(_subtlest(settings, folder)):
        draft = settings.written(folder.name, f"mutant_{at}", text)
        few = replace(options, cases=shown)
        truth = partial(Truth, WRONG, f"tests {', '.join(wrong)}")
        yield Trial(folder.name, f"mutant {at}", old, Target(draft), few, truth)


def _subtlest(settings: Settings, folder: Path) -> list[tuple[str, list[str]]]:
    """Mutants that fail some test, those that fail the fewest first, and the names of these tests."""
    cases, found = read_cases(folder / "cases"), []
    for text, _ in zip(mutants((folder / "fast.py").read_text("utf-8")), range(ASKED), strict=False):
        if wrong := _wrong(settings, text, cases):
            found.append((text, wrong))
    return sorted(found, key=lambda each: len(each[1]))[: settings.wrong]


def _wrong(settings: Settings, text: str, cases: list[Case]) -> list[str]:
    check, options = open_checker("tokens"), Options(python=settings.python)
    with open_sandbox(settings.sandbox, limits=RunLimits(seconds=10), options=options) as sandbox:
        runs = [(case, sandbox.run(text, case.stdin, mode="exec")) for case in cases]
    return [case.name for case, run in runs if judge(case, run, check).verdict is not Verdict.AC]
