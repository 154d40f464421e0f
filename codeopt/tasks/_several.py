"""Several aims at once: acceptable is what is worse by none of them and better by one, the first of them or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, History
from codeopt.core.target import Target
from codeopt.core.task_score import Standing, TaskMeasure
from codeopt.tasks import (
    Metric,
    Prompts,
    Task,
    WorkedExample,
    critic_is_done,
    fails,
    for_reader,
    for_target,
    measured,
    reader_question,
    suited,
)


class Aim(Task, Protocol):
    """A task that can stand beside another: it also says when a candidate is worse than the original by it."""

    def worse(self, candidate: Candidate, original: Candidate) -> str:
        """Why; empty when it is not."""
        ...


@dataclass(frozen=True)
class Several:
    """`--task runtime,readability`: the first aim leads, the others may not suffer."""

    aims: tuple[Aim, ...]
    min_gain: float
    """The first aim's."""
    prompts: Prompts
    """The first aim's; the guidance tells of the others."""
    scale: str = "gain"

    @property
    def name(self) -> str:
        """As it is given."""
        return ",".join(aim.name for aim in self.aims)

    @property
    def metric(self) -> Metric:
        """What is compared first."""
        return self.aims[0].metric

    @property
    def second(self) -> Metric | None:
        """What is compared, too."""
        wanted = {aim.metric for aim in self.aims} | {getattr(aim, "second", self.metric) for aim in self.aims}
        return next(iter(wanted - {self.metric}), None)

    def for_target(self, target: Target) -> Several:
        """Each aim for it."""
        return replace(self, aims=tuple(cast(Aim, for_target(aim, target)) for aim in self.aims))

    @property
    def reader_question(self) -> str:
        """Of the first aim that has one."""
        return next(filter(None, map(reader_question, self.aims)), "")

    def for_reader(self, original: str, changed: str) -> tuple[str, str]:
        """As the aim shows it whose question is asked."""
        asking = next((aim for aim in self.aims if reader_question(aim)), self.aims[0])
        return for_reader(asking)(original, changed)

    def for_function(self) -> Several:
        """Each aim as it is told where one function is improved."""
        return replace(self, aims=tuple(cast(Aim, suited(aim, functions=True)) for aim in self.aims))

    @property
    def guidance(self) -> str:
        """Of all aims."""
        others = "\n\n".join(f"And no worse, better if you can, by {a.name}:\n{a.guidance}" for a in self.aims[1:])
        return f"{self.aims[0].guidance}\n\n{others}"

    @property
    def examples(self) -> tuple[WorkedExample, ...]:
        """The first aim's."""
        return self.aims[0].examples

    @property
    def needs_model(self) -> bool:
        """Where the first aim does."""
        return bool(getattr(self.aims[0], "needs_model", False))

    @property
    def needs_time(self) -> bool:
        """Where any aim does."""
        return any(getattr(aim, "needs_time", True) for aim in self.aims)

    @property
    def rules_first(self) -> bool:
        """Where the first aim does."""
        return bool(getattr(self.aims[0], "rules_first", False))

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Empty when it is worse by no aim, and better by one."""
        if reason := fails(candidate):
            return reason
        for aim in self.aims:
            if reason := aim.worse(candidate, original):
                return f"{aim.name}: {reason}"
        reasons = [aim.why_not(candidate, original) for aim in self.aims]
        return "" if "" in reasons else "; ".join(f"{a.name}: {r}" for a, r in zip(self.aims, reasons, strict=True))

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """The sum of what each aim gains, ratios by their logarithm."""
        if self.why_not(candidate, original):
            return None
        scores = [(aim.name, aim.score(candidate, original)) for aim in self.aims]
        gains = [score if name == "readability" else math.log(max(score, 1.0)) for name, score in scores if score]
        return math.exp(sum(gains))

    def standing(self, candidate: Candidate, original: Candidate) -> Standing | None:
        """All aims' measures; the score is that of `score`, 1 where nothing is gained."""
        if not candidate.correct:
            return None
        measures: list[TaskMeasure] = []
        time = candidate.by("time")
        if time and time.pairs:
            measures.append(TaskMeasure("time", 1.0, 1 / time.ratio, "%"))
        for aim in self.aims:
            found = aim.standing(candidate, original) if hasattr(aim, "standing") else None
            measures += found.measures if found else ()
        refused = self.why_not(candidate, original)
        after = self.score(candidate, original) or 1.0
        return Standing(self.scale, 1.0, after, "not accepted" if refused else "better", tuple(measures), refused)

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """The critic finds nothing left to improve in a draft that is worse by no aim."""
        worse = (aim.worse(history.last, history.original) for aim in self.aims)
        return critic_is_done(critique, history) and not any(worse)

    def measure(self, source: str) -> str:
        """What each aim measures in the text."""
        return self.measure_change(source, source)

    def measure_change(self, source: str, original: str) -> str:
        """The same beside the original."""
        return "\n".join(text for aim in self.aims if (text := measured(aim, source, original)))


def together(tasks: Sequence[Task]) -> Task:
    """One task of several. Raises UsageError for one that cannot stand beside others, and for one given twice."""
    for task in tasks:
        if not hasattr(task, "worse"):
            raise UsageError(f"the task {task.name} cannot stand beside others: it does not say what is worse")
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        raise UsageError(f"--task {','.join(names)} names one aim twice")
    return cast(Task, Several(tuple(cast(Aim, task) for task in tasks), tasks[0].min_gain, tasks[0].prompts))
