"""Results of a review as plain data: all that a reporter may say; only verified suggestions are in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.cache import Machine
from codeopt.core.errors import Diagnostic
from codeopt.core.interpreter import Interpreter
from codeopt.core.revision import merged, patch
from codeopt.core.run_store import digest
from codeopt.core.words import Speedup
from codeopt.report.verdict import About, Verdict
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.sequential_test import LimitAnswer

if TYPE_CHECKING:
    from codeopt.engine.compare import PairResult
    from codeopt.report.answers import CheckedFunctionFields
    from codeopt.report.result import Result


def rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


@dataclass(frozen=True)
class FunctionPlace:
    """Place of a function or program in a repository."""

    path: str
    """Path below the root, with `/`."""
    function: str
    """Qualified name. Empty for a program."""

    @property
    def name(self) -> str:
        """`path::function`, or the path alone of a program; not escaped, so a reporter has to quote it."""
        return f"{self.path}::{self.function}" if self.function else self.path

    @property
    def at(self) -> tuple[str, str]:
        """Path and function."""
        return self.path, self.function


@dataclass(frozen=True)
class ReviewTarget(FunctionPlace):
    """One function or program that a command looks at."""

    file: Path
    old_path: str = ""
    """Path before the change. Empty: the target is new."""
    seconds: float = 0.0
    """Time under the tests of its file, seconds."""
    share: float | None = None
    """Share of the time of all these tests with all that it calls, 0 to 1. None: not measured."""
    own_share: float | None = None
    """Share of its own lines and the built-ins that they call, 0 to 1."""

    @property
    def rounded_share(self) -> float | None:
        """`share` as answers have it."""
        return rounded(self.share)


@dataclass(frozen=True)
class Suggestion(FunctionPlace):
    """A function or program with its verdict, and the faster version if one was accepted."""

    original: str
    """Text of the whole file as the change has it."""
    improved: str
    """Text of the whole file with this suggestion alone. Empty: nothing was accepted."""
    task: str
    verdict: Verdict
    changes: tuple[str, ...] = ()
    """Sentences that say what was changed and why."""
    together: int = 1
    """Number of suggestions of this file, this one included, that were verified with all of them applied."""
    share: float | None = None
    """Share of its tests' time, 0 to 1. None: not measured."""
    cached_from: str = ""
    """Time and place of an earlier run's verdict that was taken. Empty: it was judged now."""

    @classmethod
    def of(cls, path: str, function: str, result: Result, share: float | None = None) -> Suggestion:
        best = result.best
        (file,) = result.program.files.values()
        improved, sentences = (result.changes[0].text, best.sentences) if best else ("", ())
        return cls(path, function, file.text, improved, result.task, result.verdict, sentences, share=share)

    @property
    def sha256_before(self) -> str:
        """Digest of the file before the change."""
        return digest(self.original)

    @property
    def sha256_after(self) -> str:
        """Digest of the file with this suggestion."""
        return digest(self.improved)

    @property
    def diff(self) -> str:
        """The change as a patch. Empty if nothing was accepted."""
        return patch(self.path, self.original, self.improved) if self.improved else ""

    @property
    def speedup(self) -> Speedup | None:
        """The figures of a faster version. None: nothing was accepted, or it is better by its task's measure."""
        return self.verdict.speedup if self.improved and self.verdict.outcome is Decision.FASTER else None

    @property
    def gain(self) -> str:
        """`4.2x faster`, or `better by readability`; `not faster` if nothing was accepted."""
        if not self.improved:
            return "not faster" if self.task == "runtime" else "not better"
        return self.speedup.gain if self.speedup else f"better by {self.task}"

    @property
    def words(self) -> str:
        """`4.2x faster   45 ms -> 11 ms CPU time   (95% CI 3.9x to 4.5x)`, or the reason why nothing was accepted."""
        if not self.improved:
            return self.verdict.reason
        return self.speedup.words if self.speedup else self.gain

    @property
    def told(self) -> tuple[str, ...]:
        """Sentences of the changes, then of the caveats; not escaped, so a reporter has to quote them."""
        before = [f"{self.cached_from.partition(' by ')[0]}, unchanged since"] if self.cached_from else []
        return (*self.changes, *(f"caveat: {caveat.words}" for caveat in self.verdict.caveats), *before)


class RowState(Enum):
    """What was done with a function or program."""

    JUDGED = "judged"
    ENDED_EARLY = "judged, and a limit came before the end"
    KNOWN = "judged by an earlier command"
    NO_DRAFT = "read, and there is nothing to try"
    FAILED = "it cannot be read or judged"
    NOT_TRIED = "a limit came before it was tried"
    NOT_READ = "a limit came before its file was read"
    LEFT_OUT = "not wanted, or not worth it"


@dataclass(frozen=True)
class FunctionRow:
    """A function, a program or a whole file with what is known of it, as a table has it."""

    target: ReviewTarget
    reason: str = ""
    """Why nothing is suggested. Empty: something is."""
    suggestion: Suggestion | None = None
    state: RowState = RowState.FAILED
    cached_from: str = ""
    """Time and place of an earlier run's verdict that was taken. Empty: it was judged now, or not at all."""

    @property
    def path(self) -> str:
        return self.target.path

    @property
    def function(self) -> str:
        return self.target.function

    @property
    def judged(self) -> bool:
        """Return whether it was up for a verdict: others are only counted."""
        return self.state not in (RowState.NOT_READ, RowState.LEFT_OUT)

    @property
    def is_left(self) -> bool:
        """Return whether the same command finds more about it with a higher limit."""
        return self.state in (RowState.ENDED_EARLY, RowState.NOT_TRIED, RowState.NOT_READ)

    def answer(self) -> CheckedFunctionFields:
        """The row of `codeopt check --json`."""
        from codeopt.report.answers import CheckedFunctionFields, gather

        target, verdict = self.target, self.suggestion.verdict if self.suggestion else None
        return gather(
            CheckedFunctionFields,
            self,
            verdict,
            self.suggestion,
            verdict=verdict.outcome if verdict else None,
            share=target.rounded_share,
            own_share=rounded(target.own_share),
            seconds=round(target.seconds, 6),
        )


@dataclass(frozen=True)
class ComparedFunction(FunctionPlace):
    """A function or program that a change alters, as it was against as it is."""

    found: PairResult

    @property
    def verdict(self) -> Verdict:
        return self.found.verdict

    @property
    def outcome(self) -> tuple[Decision, About | None]:
        """Key of the table of outcomes."""
        return self.verdict.outcome, self.verdict.about

    @property
    def limit(self) -> LimitAnswer | None:
        """The answer about the limit. None: it was not tested, as the change is wrong or could not be judged."""
        verdict = self.verdict
        tested = verdict.limit is not None and verdict.outcome is not Decision.WRONG and verdict.is_judged
        return verdict.limit.answer if tested and verdict.limit else None

    @property
    def words(self) -> str:
        """One line on the limit for people."""
        verdict = self.verdict
        if self.limit is None or verdict.limit is None:
            return f"{self.name} is not timed, as {verdict.words}: {with_name(verdict.reason, self.name)}"
        return f"{self.name}: {verdict.limit.words}{f', {verdict.gain}' if verdict.speedup else ''}"


def with_name(reason: str, new: str) -> str:
    """A reason that begins with a call, `f(1): ...`, with the function's own name. new: `mod.py::double`."""
    name = new.rpartition("::")[2] if "::" in new else ""
    return f"{name}{reason[1:]}" if name and reason.startswith("f(") else reason


@dataclass(frozen=True)
class Review:
    """Result of one review."""

    base: str
    """Commit that the change starts from."""
    head: str
    diff: str
    """Unified diff of the change, with paths below the root. Its lines may carry comments."""
    suggestions: tuple[Suggestion, ...] = ()
    skipped: tuple[FunctionRow, ...] = ()
    notices: tuple[str, ...] = ()
    """Sentences that say why the review is not whole: no model, no sandbox, budget spent."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests and other things that could not be run. Unlike after a notice, no suggestion is missing for that."""
    limits: tuple[ComparedFunction, ...] = ()
    """Effects of the change, compared with a limit. Empty if no limit was given."""
    not_checked_reason: str = ""
    """Reason why nothing could be looked at. Empty: something was."""
    machine: Machine | None = None
    cost_usd: float | None = 0.0
    """Cost of the model, US dollars. None: a price is not known."""
    python: Interpreter | None = None
    """The interpreter. None: an image's own ran everything, or nothing was run."""
    asked: Sequence[str] = ("review",)
    """Words of the user's command after `codeopt`. A next step repeats them."""

    @property
    def said(self) -> tuple[str, ...]:
        """Return lines that a reader should know in addition to the suggestions. They are not escaped:
        reporters quote them.
        """
        return (
            *(each.words for each in self.limits if each.limit is not LimitAnswer.PASS),
            *self.notices,
            *(diagnostic.words for diagnostic in self.diagnostics),
            *filter(None, [self.not_checked_reason]),
        )


# Suggestions of one file together: each is right by itself, and the file must be right if all are applied.

FindError = Callable[[Suggestion, str], str]
"""Callable that says why a suggestion's function is not right in another text of its file. Empty: it is."""


Dropped = list[tuple[Suggestion, str]]
"""Suggestions that are left out, each with the reason."""


def combine(suggestions: Sequence[Suggestion], find_error: FindError) -> tuple[list[Suggestion], Dropped]:
    """Split suggestions into those that hold with all kept others of their file applied, and those that do not.

    If all of them do not fit together, the one with the largest gain is kept, and each further one that fits to it.
    """
    kept: list[Suggestion] = []
    dropped: Dropped = []
    for path in dict.fromkeys(each.path for each in suggestions):
        here = [each for each in suggestions if each.path == path]
        ordered = best_first(here)
        trouble = _trouble(ordered, find_error)
        fitting = ordered if not trouble else ordered[:1]
        for each in ordered[1:] if trouble else ():
            trouble = trouble if len(ordered) == 2 else _trouble([*fitting, each], find_error)
            if not trouble:
                fitting.append(each)
                continue
            names = ", ".join(one.function for one in fitting)
            reason = f"a faster version is right by itself, but not together with the suggestion for {names}: {trouble}"
            dropped.append((each, reason))
        kept += _counted([each for each in here if each in fitting])
    return kept, dropped


def best_first(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Sort suggestions by their speedup, the largest first."""
    return sorted(suggestions, key=lambda each: -((each.speedup and each.speedup.ratio) or 0.0))


def _trouble(suggestions: Sequence[Suggestion], find_error: FindError) -> str:
    """Name the first error with all suggestions applied except those that change another's lines. Empty
    without an error.
    """
    text, left_out = merged(suggestions[0].original, [each.improved for each in suggestions])
    applied = [each for number, each in enumerate(suggestions) if number not in left_out]
    if len(applied) < 2:
        return ""
    return next((f"{each.function}: {reason}" for each in applied if (reason := find_error(each, text))), "")


def _counted(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Set `together`, the number of suggestions that were verified at once."""
    if not suggestions:
        return suggestions
    ordered = best_first(suggestions)
    _, left_out = merged(suggestions[0].original, [each.improved for each in ordered])
    alone = [each.function for number, each in enumerate(ordered) if number in left_out]
    several = len(suggestions) - len(alone)
    return [replace(each, together=1 if each.function in alone else several) for each in suggestions]
