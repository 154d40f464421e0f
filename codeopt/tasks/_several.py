"""Several aims at once: acceptable is what is worse by none of them and better by one, the first of them or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, History, TaskMeasure, TaskScore
from codeopt.core.program import Target
from codeopt.tasks import Aim, Metric, Prompts, Task, common_rejection, critic_is_done


@dataclass(frozen=True)
class Several(Task):
    """`--task runtime,readability`: the first aim leads, the others may not suffer."""

    aims: tuple[Aim, ...]
    name: str
    """The names of the aims, with commas."""
    prompts: Prompts
    """The first aim's; the guidance tells of the others."""
    guidance: str
    metric: Metric
    """The first aim's."""
    second_metric: Metric | None
    """The first other metric that an aim goes by."""
    min_gain: float
    """The first aim's."""
    needs_model: bool
    """True if the first aim needs a model."""
    needs_time: bool
    """True if any aim needs time."""
    judge_question: str
    """The first question that an aim has."""
    score_column: str = "gain"

    @classmethod
    def of(cls, aims: Sequence[Aim], min_gain: float) -> Self:
        first = aims[0]
        wanted = {aim.metric for aim in aims} | {aim.second_metric for aim in aims} - {None}
        others = [f"And no worse, better if you can, by {aim.name}:\n{aim.guidance}" for aim in aims[1:]]
        return cls(
            aims=tuple(aims),
            name=",".join(aim.name for aim in aims),
            prompts=first.prompts,
            guidance="\n\n".join([first.guidance, *others]),
            metric=first.metric,
            second_metric=next(iter(wanted - {first.metric}), None),
            min_gain=min_gain,
            needs_model=first.needs_model,
            needs_time=any(aim.needs_time for aim in aims),
            judge_question=next(filter(None, (aim.judge_question for aim in aims)), ""),
        )

    def for_target(self, target: Target) -> Self:
        return self.of([aim.for_target(target) for aim in self.aims], self.min_gain)

    def judge_view(self, original: str, changed: str) -> tuple[str, str]:
        """Return both texts as shown by the aim that asks its question."""
        asking = next((aim for aim in self.aims if aim.judge_question), self.aims[0])
        return asking.judge_view(original, changed)

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Empty when it is worse by no aim, and better by one."""
        if reason := common_rejection(candidate):
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

    def task_score(self, candidate: Candidate, original: Candidate) -> TaskScore | None:
        """All aims' measures; the score is that of `score`, 1 where nothing is gained."""
        if not candidate.correct:
            return None
        measures: list[TaskMeasure] = []
        time = candidate.by("time")
        if time and time.pairs:
            measures.append(TaskMeasure("time", 1.0, 1 / time.ratio, "%"))
        for aim in self.aims:
            found = aim.task_score(candidate, original)
            measures += found.measures if found else ()
        refused = self.why_not(candidate, original)
        after = self.score(candidate, original) or 1.0
        verdict = "not accepted" if refused else "better"
        return TaskScore(self.score_column, 1.0, after, verdict, tuple(measures), refused)

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """The critic finds nothing left to improve in a draft that is worse by no aim."""
        worse = (aim.worse(history.last, history.original) for aim in self.aims)
        return critic_is_done(critique, history) and not any(worse)

    def measure(self, source: str) -> str:
        """Measures that the aims take of the text, a line each."""
        return self.measure_change(source, source)

    def measure_change(self, source: str, original: str) -> str:
        """Return the aims' measures of the text, with those of the original, a line each."""
        return "\n".join(text for aim in self.aims if (text := aim.measure_change(source, original)))


def together(tasks: Sequence[Task]) -> Task:
    """Return one task of several. Raises UsageError for one that cannot be combined, and for one given twice."""
    aims = [task for task in tasks if isinstance(task, Aim)]
    for task in tasks:
        if task not in aims:
            raise UsageError(f"the task {task.name} cannot be combined: it does not define what is worse")
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        raise UsageError(f"--task {','.join(names)} names one aim twice")
    return Several.of(aims, aims[0].min_gain)
