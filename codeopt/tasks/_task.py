"""The base class of every task, with its prompts and the reasons and stop rule that tasks share."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from difflib import get_close_matches
from string import Template
from typing import Any, Literal, Self

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, History, TaskScore
from codeopt.core.program import Target
from codeopt.core.words import more_time
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict

Metric = Literal["time", "memory"]

ALIKE = 0.8
"""Similarity of a member to a known one, from 0 to 1, from which it counts as a misspelling of that."""
MAX_SLOWDOWN = 0.05
"""The share of time that a task whose aim is not speed may cost."""


_CRITIQUE = """\
Write a critique of the newest program above: at most three points, the one that brings most first.

- If it is $wrong, first which line causes it, and what that line must do instead.
- Else $look Nothing that was tried and did not help.
"""
_REFINE = """\
Write the next program: $goal, with the same behaviour as the original (round 0). Follow the newest critique, mend what
is $wrong first, and repeat nothing that failed or brought nothing.
$hints
$answer"""
_ASK = "$hints\n$answer"


@dataclass(frozen=True)
class Prompts:
    """The templates of one task. Values go in by `substitute`, so a program with `$` in it stays as it is."""

    system: Template
    """Who the model is and what counts: `$guidance`, `$rules`."""
    critique: Template
    """After the history: what a critique of the newest program must say: `$hints`, `$answer`."""
    refine: Template
    """After the history: what the next program must do: `$hints`, `$answer`."""
    first_critique: Template | None = None
    """In place of `critique` if there is no draft yet. None: `critique`."""

    @staticmethod
    def of(system: str, critique: str, refine: str) -> Prompts:
        """Make the prompts of three plain texts.

        Raises:
            ValueError: A variable is missing or unknown.
        """
        return Prompts(Template(system), Template(critique), Template(refine))

    @staticmethod
    def usual(system: str, goal: str, look: str, wrong: str = "wrong", rating: str = "") -> Prompts:
        """Make the prompts of a task of programs.

        Args:
            system: As in `of`.
            goal: What the next program must be, `as fast as you can make it`.
            look: What a critique of a right program says.
            wrong: What comes before that: `wrong or too slow`.
            rating: What a critique says last of a program other than the original.
        """
        say = Template(_CRITIQUE).safe_substitute(wrong=wrong, look=look)
        refine = Template(Template(_REFINE).safe_substitute(wrong=wrong, goal=goal))
        first, later = Template(say + _ASK), Template(say + rating + _ASK)
        return Prompts(Template(system), later, refine, first)

    def __post_init__(self) -> None:
        """Raise ValueError for a missing or unknown variable: when the task is loaded, not in the middle of a run."""
        for field in fields(self):
            wanted = {"guidance", "rules"} if field.name == "system" else {"hints", "answer"}
            template = getattr(self, field.name)
            found = set(template.get_identifiers()) if template is not None else wanted
            if found != wanted:
                raise ValueError(
                    f"the {field.name} template must use exactly {sorted(wanted)}, it uses {sorted(found)}"
                )


class Task(ABC):
    """The objective of an improvement.

    A subclass sets `name` and `prompts`, and defines `why_not` and `score`. Its other members replace the defaults
    below. It may be a frozen dataclass or a plain class.
    """

    name: str
    """The name at the command line."""
    prompts: Prompts
    """The templates for a language model."""
    guidance: str = ""
    """Hints for a model, those first that usually bring most."""

    metric: Metric = "time"
    """Metric that the judge compares first."""
    second_metric: Metric | None = None
    """Metric that the judge compares also. None: no second metric."""
    min_gain: float = 0.05
    """Least gain worth having: 0.05 is 5 % less time, or 0.05 on the task's own scale."""

    tolerated_slowdown: float | None = None
    """Share of time that a candidate may cost where speed is no aim: a comparison ends when it is shown to cost less.
    None: it ends when a gain is found or given up."""
    needs_model: bool = False
    """The built-in rules are of no use for the task."""
    needs_time: bool = True
    """A target that is too quick to time cannot be improved."""
    of_texts: bool = False
    """The result is a text: nothing is timed, and nothing is run unless the text is a program."""
    batch_results: str = ""
    """The module that shows a batch of the task, with `render(store, file)` and `as_json(store)`. Empty: the usual."""

    score_column: str = ""
    """Heading of the column with the task's own score (see `task_score`). Empty: the speedup is the measure."""
    nothing_accepted: str = "no candidate was right and better than the original"
    """Reason for keeping the original where no draft was acceptable."""

    judge_question: str = ""
    """Question to the judge model about the original and a candidate before acceptance. Empty: measures
    decide alone.
    """
    answers_input: bool = False
    """True if both texts answer the target's text, which the judge model then sees."""

    @abstractmethod
    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason in one line why `candidate` may not replace `original`. Empty if it may."""

    @abstractmethod
    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """Rank among acceptable candidates, the higher the better. None for one that is not acceptable."""

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """Return whether to stop.

        By default this is so if the critic finds nothing left to improve in a right draft.
        """
        return critic_is_done(critique, history)

    def measure(self, source: str) -> str:
        """Return the task's own measures of a program's text, for the feedback. Empty without measures."""
        return ""

    def measure_change(self, source: str, original: str) -> str:
        """Return the measures of a program's text, with the original's for comparison. By default `measure(source)`."""
        return self.measure(source)

    def task_score(self, candidate: Candidate, original: Candidate) -> TaskScore | None:
        """Return the task's own figures, which the table, JSON and the pages show under `score_column`.

        None for a task whose measure is the speedup.
        """
        return None

    def judge_view(self, original: str, changed: str) -> tuple[str, str]:
        """Return the parts of both texts that the judge model sees for `judge_question`. By default all of them."""
        return original, changed

    def for_target(self, target: Target) -> Self:
        """The task for one target, such as a function that is measured alone. By default unchanged."""
        return self

    def changed(self, **members: Any) -> Self:
        """A copy with other values of some members."""
        copied = copy.copy(self)
        for name, value in members.items():
            object.__setattr__(copied, name, value)  # most tasks are frozen
        return copied

    @property
    def measured_second(self) -> Literal["auto", "memory", ""]:
        """Metric of `second_metric`, as the judge names it. Empty: none."""
        if self.second_metric is None:
            return ""
        return "memory" if self.second_metric == "memory" else "auto"

    @property
    def for_memory(self) -> bool:
        """Return whether less memory is its aim, or one of its aims."""
        return "memory" in (self.metric, self.second_metric)


class Aim(Task):
    """A task that can be combined with another one: `--task runtime,readability`."""

    @abstractmethod
    def worse(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason in one line why a candidate is worse than the original by this aim. Empty if it is not."""


def common_rejection(candidate: Candidate) -> str:
    """Return the reason why every task rejects a candidate: rejected, wrong, or never compared.

    Empty if none applies.
    """
    if candidate.rejection:
        return candidate.rejection
    if not candidate.correct:
        wrong = next((outcome.verdict for outcome in candidate.outcomes if outcome.verdict is not CaseVerdict.AC), None)
        return f"it is not right on every case ({wrong})" if wrong else "it was not run"
    if candidate.comparison is None:
        return "it was not compared with the original"
    if candidate.comparison.decision is Decision.WRONG:
        return candidate.comparison.reason or "a timed run gave a wrong answer or failed"
    return ""


def too_slow(candidate: Candidate) -> str:
    """Return the reason if it is slow by the ratio itself, as a wide interval does not excuse it.

    Empty if it is not slow.
    """
    found = candidate.by("time")
    if found is None or found.decision in (Decision.FASTER, Decision.SAME) or found.ratio >= 1 / (1 + MAX_SLOWDOWN):
        return ""
    return f"it {more_time(found.ratio)} than the original; at most {MAX_SLOWDOWN:.0%} is allowed"


def critic_is_done(critique: Critique, history: History) -> bool:
    """The paper's stop rule, believed only of a draft that was measured and found right.

    On the original it is not believed: one draft costs less than the doubt, and reading is not measuring.
    """
    return critique.sufficient and len(history.candidates) > 1 and history.last.correct


def check_task(found: object, where: str) -> Task:
    """Return the task after checking it for members that would be silently ignored. Raises UsageError.

    where: the module that defines it, for the message.
    """
    if not isinstance(found, Task):
        hint = "give TASK an instance of a class derived from codeopt.tasks.Task (docs/extend/writing-a-plug-in.md)"
        raise UsageError(f"{where}: TASK is a {type(found).__name__}, which is no task", hint=hint)
    missing = [name for name in ("name", "prompts") if not hasattr(found, name)]
    if missing:
        raise UsageError(f"{where}: {type(found).__name__} does not say its {' and '.join(missing)}")
    if type(found).task_score is not Task.task_score and not found.score_column:
        raise UsageError(f"{where}: {type(found).__name__} has a task_score and no score_column, its heading")
    if hasattr(found, "examples"):
        raise UsageError(
            f"{where}: {type(found).__name__} defines examples, which no task has: write them into its prompts"
        )
    known = {name for home in type(found).__mro__ if _is_ours(home) for name in _members(home)}
    for name in sorted(
        {member for home in type(found).__mro__ if not _is_ours(home) for member in _members(home)} - known
    ):
        alike = [each for each in get_close_matches(name, known, cutoff=ALIKE) if name not in (f"{each}s", f"{each}d")]
        if said := (f"which no task has; {alike[0]} is meant, or _{name} for something of its own" if alike else ""):
            raise UsageError(f"{where}: {type(found).__name__} defines {name}, {said}")
    return found


def _members(home: type) -> set[str]:
    names = {*vars(home), *vars(home).get("__annotations__", {})}
    return {name for name in names if not name.startswith("_")}


def _is_ours(home: type) -> bool:
    return home.__module__.partition(".")[0] in ("codeopt", "builtins", "abc", "typing")
