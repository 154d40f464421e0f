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

from benchmarks.errors.arenas import RIGHT, Settings, Trial, Truth
from benchmarks.errors.arenas.mutants import Mutant, wrong_drafts
from codeopt.core.program import Target
from codeopt_sandbox import Case, RunLimits, open_sandbox
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.host import Options
from codeopt_sandbox.outcome import CaseVerdict
from codeopt_sandbox.verdict import judge, open_checker


def trials(settings: Settings) -> Iterator[Trial]:
    """The best program of each task, then the wrong ones."""
    for folder in settings.folders("fast.py"):
        yield from _task(settings, folder)


def _task(settings: Settings, folder: Path) -> Iterator[Trial]:
    old, options = Target(folder / "slow.py"), replace(settings.options(), cases=folder / "cases")
    best = Trial(folder.name, "best", old, Target(folder / "fast.py"), options, partial(Truth, RIGHT))
    yield best
    shown = settings.work / folder.name / "cases"
    shutil.rmtree(shown, ignore_errors=True)
    shown.mkdir(parents=True)
    for at in range(settings.shown):
        for path in (folder / "cases").glob(f"*put.{at}.txt"):
            shutil.copy(path, shown)
    run = partial(_mutant, settings, read_cases(folder / "cases"))
    yield from wrong_drafts(settings, replace(best, options=replace(options, cases=shown)), run)


def _mutant(settings: Settings, cases: list[Case], text: str) -> Mutant | None:
    """A mutant that fails some test, with the names of these tests; None for one that fails none."""
    check, options = open_checker("tokens"), Options(python=settings.python)
    with open_sandbox(settings.sandbox, limits=RunLimits(seconds=10), options=options) as sandbox:
        runs = [(case, sandbox.run(text, case.stdin, mode="exec")) for case in cases]
    wrong = [case.name for case, run in runs if judge(case, run, check).verdict is not CaseVerdict.AC]
    return Mutant(text, len(wrong), f"tests {', '.join(wrong)}") if wrong else None
