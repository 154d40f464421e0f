"""ENAMEL (Qiu et al. 2024): HumanEval's solutions, experts' faster ones, the experts' generators as calls.

An expert's version is right. A wrong draft is that version with one small mistake that shows on the generators' inputs,
as few of them as possible; of these the judge is given only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.errors.arenas import CHANGES, RIGHT, Ran, Settings, Trial, Truth, files
from benchmarks.errors.arenas.mutants import Mutant, wrong_drafts
from codeopt.core.program import Target
from codeopt_sandbox.comparing import Observable


def trials(settings: Settings) -> Iterator[Trial]:
    """The expert's version of each task, then the wrong ones."""
    for folder in settings.folders("expert.py"):
        yield from _task(settings, folder)


def _task(settings: Settings, folder: Path) -> Iterator[Trial]:
    names = re.findall(r"(?m)^def (\w+)", (folder / "slow.py").read_text("utf-8"))
    name = next((each for each in names if each == folder.name.partition("_")[2]), names[-1])
    old, new = (Target(folder / file, name) for file in ("slow.py", "expert.py"))
    options = replace(settings.options(), calls=folder / "calls.py")
    expert = Trial(folder.name, "expert", old, new, options, partial(_right, settings, folder, name))
    yield expert
    calls = (folder / "calls.py").read_text("utf-8")
    shown = settings.written(folder.name, "calls", f"{calls}\nCALLS = CALLS[:{settings.shown}]\nBIG = BIG[:1]\n")
    options = replace(options, calls=shown, ignore_difference=(Observable.ARGUMENTS,))  # as the expert may
    yield from wrong_drafts(settings, replace(expert, options=options), partial(_mutant, settings, folder, name))


def _right(settings: Settings, folder: Path, name: str) -> Truth:
    expert = (folder / "expert.py").read_text("utf-8")
    ran = settings.runner.run(files(folder, expert, expert), name)
    if isinstance(ran, Truth):
        return Truth(RIGHT, f"not run: {ran.why}")
    return Truth(CHANGES, f"{ran.changes} of {ran.number} calls") if ran.changes else Truth(RIGHT, ran.first)


def _mutant(settings: Settings, folder: Path, name: str, text: str) -> Mutant | None:
    """A mutant that differs on some calls; None for one that does not, or does not end."""
    expert = (folder / "expert.py").read_text("utf-8")
    ran = settings.quick_runner.run(files(folder, expert, text), name)
    if isinstance(ran, Ran) and ran.loads and ran.differ:
        return Mutant(text, ran.differ, f"{ran.differ} of {ran.number} calls; {ran.first}")
    return None
