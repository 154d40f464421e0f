"""What "better" means: one objective a file, each defining `TASK`. `_` files hold worked examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from string import Template
from typing import Any, Literal, Protocol, cast

from codeopt.core import plugins
from codeopt.core.briefing import TimedCalls
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, History
from codeopt.core.target import Target
from codeopt.core.task_score import Standing
from codeopt.core.words import more_time
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Case

Metric = Literal["time", "memory"]


@dataclass(frozen=True)
class Prompts:
    """What a language model is told. Values go in by `substitute`, so a program with `$` in it stays as it is."""

    system: Template
    """Who the model is and what counts: `$guidance`, `$rules`."""
    critique: Template
    """After the history: what a critique of the newest program must say: `$hints`, `$answer`."""
    refine: Template
    """After the history: what the next program must do: `$hints`, `$answer`."""
    first_critique: Template | None = None
    """In place of `critique` where there is no draft yet; the same where that makes no difference."""

    @staticmethod
    def of(system: str, critique: str, refine: str) -> Prompts:
        """From plain texts."""
        return Prompts(Template(system), Template(critique), Template(refine))

    def __post_init__(self) -> None:
        """A missing or unknown variable is found when the task is loaded, not in the middle of a run."""
        for field in fields(self):
            wanted = {"guidance", "rules"} if field.name == "system" else {"hints", "answer"}
            template = getattr(self, field.name)
            found = set(template.get_identifiers()) if template is not None else wanted
            if found != wanted:
                raise ValueError(
                    f"the {field.name} template must use exactly {sorted(wanted)}, it uses {sorted(found)}"
                )


@dataclass(frozen=True)
class WorkedExample:
    """One improvement that was really run, to show a model what a good critique and a good draft look like.

    Rendered like the history at hand, so that `--feedback` takes the same parts away from both.
    """

    history: History
    """The original and its drafts, each with what was measured and, but for the newest, its critique."""
    cases: tuple[Case, ...]
    about: str = ""
    measured: str = ""
    timed: TimedCalls | None = None
    """As in a Briefing, where the example is a function."""


class Task(Protocol):
    """The objective of an improvement. Frozen dataclasses do well: `dataclasses.replace` then sets `min_gain`.

    `function_guidance` and `function_examples` go in place of `guidance` and `examples` where one function is improved,
    for a task that has them; without them such a target is shown no examples.

    A task whose measure is not the speedup also has `standing(candidate, original) -> Standing | None`: its own
    figures, which the table, the summary, JSON and the pages show.
    """

    @property
    def name(self) -> str:
        """As it is called at the command line."""
        ...

    @property
    def metric(self) -> Metric:
        """What the judge is to compare."""
        ...

    @property
    def min_gain(self) -> float:
        """The least gain worth having: 0.05 is 5 % less time, or 0.05 on the task's own scale."""
        ...

    @property
    def prompts(self) -> Prompts:
        """Templates for a language model."""
        ...

    @property
    def guidance(self) -> str:
        """What to look for, in the order of what it usually brings."""
        ...

    @property
    def examples(self) -> tuple[WorkedExample, ...]:
        """Few-shot examples."""
        ...

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Why `candidate` may not replace `original`, in one line; empty when it may."""
        ...

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """Rank among acceptable candidates, the higher the better; None for one that is not acceptable."""
        ...

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """Whether to stop."""
        ...

    def measure(self, source: str) -> str:
        """What the task itself measures in a program's text, for the feedback; empty when nothing."""
        ...


def open_task(name: str, min_gain: float | None = None) -> Task:
    """The task behind `name`: a file of this folder, an entry point, a dotted path, or a path that ends in .py; several
    between commas are aimed at together. Raises UsageError.

    min_gain: instead of the task's own.
    """
    if "," in name:
        from codeopt.tasks._several import together

        found: Any = together([open_task(each.strip()) for each in name.split(",") if each.strip()])
    else:
        module = plugins.load_file(Path(name)) if name.endswith(".py") else plugins.load(__name__, name)
        found = getattr(module, "TASK", None)
        if found is None:
            raise UsageError(f"{module.__name__} is not a task: it does not define TASK")
    return cast(Task, found if min_gain is None else replace(found, min_gain=min_gain))


def for_target(task: Task, target: Target) -> Task:
    """The task as it is for one target."""
    made = getattr(task, "for_target", None)
    return cast(Task, made(target)) if made else task


def standing(task: Task, candidate: Candidate, original: Candidate) -> Standing | None:
    """What the task itself measures of a candidate; None of a task whose measure is the speedup."""
    measured = getattr(task, "standing", None)
    return measured(candidate, original) if measured else None


def measured(task: Task, source: str, original: str) -> str:
    """What the task measures in a program's text, for the feedback; of a function, in what its change touches."""
    of_change = getattr(task, "measure_change", None)
    return str(of_change(source, original)) if of_change else task.measure(source)


def second_clock(task: Task) -> Literal["auto", "memory", ""]:
    """By which clock drafts are compared beside the task's own metric; empty: by none."""
    wanted = getattr(task, "second", None)
    return {"time": "auto", "memory": "memory"}.get(wanted, "") if wanted else ""  # type: ignore[return-value]


def reader_question(task: Task) -> str:
    """What a reader is asked of the original and a candidate; empty where measures decide alone."""
    return str(getattr(task, "reader_question", ""))


def reader_request(task: Task, given: str) -> str:
    """What both texts answer, which a reader has to know; empty where they are versions of what was given."""
    return given if getattr(task, "answers_input", False) else ""


def for_reader(task: Task) -> Callable[[str, str], tuple[str, str]]:
    """What a reader is shown of the original and of a candidate."""
    return getattr(task, "for_reader", lambda original, changed: (original, changed))


def none_better(task: Task) -> str:
    """Why the original stays, where no draft was acceptable."""
    return str(getattr(task, "none_better", "no draft was right and better than the original"))


def column(task: Task) -> str:
    """The heading of the task's own column; empty where the speedup is the measure."""
    return str(getattr(task, "scale", task.name)) if hasattr(task, "standing") else ""


def rules_first(task: Task) -> bool:
    """Whether the built-in rules serve the task: their draft comes first, and a model is told what they find."""
    return bool(getattr(task, "rules_first", False))


def needs_model(task: Task) -> bool:
    """Whether the built-in rules are of no use for the task."""
    return bool(getattr(task, "needs_model", False))


def needs_time(task: Task) -> bool:
    """Whether a target that is too quick to time cannot be improved."""
    return bool(getattr(task, "needs_time", True))


def is_of_texts(task: Task) -> bool:
    """Whether its result is a text: nothing is timed, and nothing is run unless the text is a program."""
    return bool(getattr(task, "of_texts", False))


def batch_results(task: Task) -> str:
    """The module that shows a batch of the task, with `render(store, file)` and `as_json(store)`; empty: as any
    other's."""
    return str(getattr(task, "batch_results", ""))


def for_memory(task: Task) -> bool:
    """Whether less memory is its aim, or one of them."""
    return "memory" in (task.metric, getattr(task, "second", None))


def suited(task: Task, functions: bool) -> Task:
    """The task as a language model is told of it: where one function is improved, with what such targets have need of,
    and examples of them."""
    if not functions:
        return task
    if made := getattr(task, "for_function", None):
        return cast(Task, made())
    examples = getattr(task, "function_examples", ())
    guidance = getattr(task, "function_guidance", task.guidance)
    return replace(task, examples=examples, guidance=guidance)  # type: ignore[type-var]


def fails(candidate: Candidate) -> str:
    """Why a candidate is out for every task: rejected, wrong, or never compared. Empty when none of these."""
    if candidate.rejection:
        return candidate.rejection
    if not candidate.correct:
        return "it is not right on every case" if candidate.outcomes else "it was not run"
    if candidate.comparison is None:
        return "it was not compared with the original"
    if candidate.comparison.decision is Decision.REJECTED:
        return candidate.comparison.reason or "a timed run gave a wrong answer or failed"
    return ""


MOST_SLOWDOWN = 0.05
"""That a task whose aim is not speed may bring with it."""


def too_slow(candidate: Candidate) -> str:
    """Why it is too slow, by the ratio itself: a wide interval is no excuse for a slow program."""
    found = candidate.by("time")
    if found is None or found.decision in (Decision.FASTER, Decision.SAME) or found.ratio >= 1 / (1 + MOST_SLOWDOWN):
        return ""
    return f"it {more_time(found.ratio)} than the original; at most {MOST_SLOWDOWN:.0%} is allowed"


def critic_is_done(critique: Critique, history: History) -> bool:
    """The paper's stop rule, believed only of a draft that was measured and found right.

    On the original it is not believed: one draft costs less than the doubt, and reading is not measuring.
    """
    return critique.sufficient and len(history.candidates) > 1 and history.last.correct
