"""Tasks whose result is a text: no time is measured, a scored critique decides, as in the text tasks of Self-Refine.

The scores are those of Madaan et al. 2023: each aspect from 0 to 5, given by the language model with its reasons. Code
measures the checkable properties of a text, such as missing concepts or a program that fails. The model sees them. A
draft is scored when it is made, so the best of all rounds can be kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from codeopt.core.history import Candidate, Critique, History, TaskMeasure, TaskScore
from codeopt.tasks import Metric, Prompts, Task, critic_is_done

MOST = 5
"""Highest score of an aspect."""
CHECKED = "checked by code"
"""The name of the score that code gives."""

_PROMPTS = Prompts.of("$guidance $rules", "$hints $answer", "$hints $answer")


@dataclass(frozen=True)
class Aspect:
    """One aspect of the score of a text."""

    name: str
    question: str
    """Question for the full score."""


@dataclass(frozen=True)
class TextCheck:
    """Result of checking a text by code."""

    share: float
    """Passed share of the checks, from 0 to 1."""
    words: str
    """For the critic and the reader: `4 of 5 concepts: there is no "umbrella"`."""


@dataclass(frozen=True)
class TextTask(Task):
    """A task whose result is a text. `codeopt/selfrefine/text_workload.py` has the prompts."""

    name: str
    role: str
    """Role of the model and its task, in a sentence or two."""
    aspects: tuple[Aspect, ...]
    asked: str
    """Description of the input: `the title of a paper or a project`."""
    answer: str = "the text alone"
    """Required content of the answer."""
    advice: str = ""
    """Points to look for, a line each."""
    check: Callable[[str, str], TextCheck] | None = None
    """(input, text) -> what code finds. None if only a reader can judge."""
    solves: Callable[[str, str], bool] | None = None
    """(what is right, what the text comes to) -> whether it solves the problem. Only for sets with a key."""
    runs: bool = False
    """The text is a Python program. What it prints is what it comes to."""
    enough: float = 1.0
    """Share of the full score at which nothing is left to improve."""
    min_gain: float = 0.01
    """Least gain over the first draft, as a share of the full score."""
    metric: Metric = "time"
    prompts: Prompts = _PROMPTS
    of_texts: bool = True
    batch_results: str = "codeopt.selfrefine.batch_results"
    needs_model: bool = True
    needs_time: bool = False
    score_column: str = "score"
    answers_input: bool = True
    """A reader who compares two texts is shown the input."""
    judge_question: str = "Two answers to the same request. Which one serves the one who asked better?"
    nothing_accepted: str = "no draft scored higher than the first"

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Empty when its score is higher than the first draft's."""
        if candidate.rejection or not candidate.correct:
            return candidate.rejection or "it could not be run"
        new, old = self.total(candidate), self.total(original)
        if new is None:
            return "the critic gave it no scores"
        if old is not None and new < old + self.min_gain:
            return f"it is not better than the first draft ({new:.0%} against {old:.0%} of the full score)"
        return ""

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        return None if self.why_not(candidate, original) else self.total(candidate)

    def total(self, candidate: Candidate) -> float | None:
        """Mean of the aspects' shares, and of what code checks. None if an aspect has no score."""
        scores = dict(candidate.scores)
        if any(aspect.name not in scores for aspect in self.aspects):
            return None
        return sum(scores.values()) / len(scores)

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """Return whether the critic finds a later draft done, or the score of any draft suffices."""
        full = self.total(history.last)
        return critic_is_done(critique, history) or (full is not None and full >= self.enough and history.last.correct)

    def task_score(self, candidate: Candidate, original: Candidate) -> TaskScore | None:
        """Return each aspect's score with the first draft's."""
        before, after = self.total(original), self.total(candidate)
        if before is None or after is None:
            return None
        old = dict(original.scores)
        measures = tuple(TaskMeasure(name, old.get(name, 0.0), share, "%") for name, share in candidate.scores)
        verdict = "not better" if after < before + self.min_gain else "better"
        return TaskScore(self.score_column, before, after, verdict, measures)


def read_scores(critique: str, aspects: tuple[Aspect, ...]) -> tuple[tuple[str, float], ...]:
    """The last score of each aspect in a critique, as a share; those without one are missing."""
    found = []
    for aspect in aspects:
        named = re.compile(
            rf"^(?:\W|\d+[.)])*{re.escape(aspect.name)}\W+(\d+(?:\.\d+)?)\s*(?:/\s*{MOST})?\b", re.I | re.M
        )
        scores = [float(score) for score in named.findall(critique)]
        if scores and scores[-1] <= MOST:
            found.append((aspect.name, scores[-1] / MOST))
    return tuple(found)
