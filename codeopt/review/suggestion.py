"""Results of a review as plain data: all that a reporter may say; only verified suggestions are in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.run_store import digest
from codeopt.review.patch import patch
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.limit_test import LimitAnswer

if TYPE_CHECKING:
    from codeopt.report.answer_fields import PythonFields, SpeedupFields
    from codeopt.report.result import Result


def full_name(path: str, function: str) -> str:
    """Join `path::function`, or the path alone for a program; not escaped, so a reporter has to quote it."""
    return f"{path}::{function}" if function else path


@dataclass(frozen=True)
class Suggestion:
    """A faster version of one function or program, measured and verified."""

    path: str
    """Path below the repository's root, with `/`."""
    function: str
    """Qualified name. Empty for a program."""
    original: str
    """Text of the whole file as the change has it."""
    improved: str
    """Text of the whole file with this suggestion alone."""
    task: str
    speedup: SpeedupFields | None
    """The figures. None: better by its task's measure."""
    evidence: Mapping[str, Any]
    """Object of Evidence.figures: calls, sources, line_coverage, tests."""
    growth: str = ""
    """Growth of the cost with input size, `about n^2 -> about n`. Empty: not known."""
    changes: tuple[str, ...] = ()
    """Sentences that say what was changed and why."""
    caveats: tuple[Caveat, ...] = ()
    """Differences that only unusual inputs show."""
    together: int = 1
    """Number of suggestions of this file, this one included, that were verified with all of them applied."""
    share: float | None = None
    """Share of its tests' time, 0 to 1. None: not measured."""
    cached_from: str = ""
    """Time and place of an earlier run's verdict that was taken. Empty: it was judged now."""

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
        """The change as a patch."""
        return patch(self.path, self.original, self.improved)

    @property
    def told(self) -> tuple[str, ...]:
        """Sentences of the changes, then of the caveats; not escaped, so a reporter has to quote them."""
        before = [f"{self.cached_from}, unchanged since"] if self.cached_from else []
        return (*self.changes, *(f"caveat: {each.words}" for each in self.caveats), *before)


def evidence_of(result: Result) -> dict[str, Any]:
    """Evidence of a result, of a program too, in the form of Evidence.figures."""
    checked = result.evidence.checked
    return dict(vars(checked)) if checked else evidence_of_cases(len(result.history.original.outcomes))


def evidence_of_cases(cases: int) -> dict[str, Any]:
    """Evidence of a program that was judged by a number of cases."""
    return {"calls": 0, "sources": {"cases": cases}, "line_coverage": None, "left_out": {}, "tests": 0}


@dataclass(frozen=True)
class Skipped:
    """A function or file of the change that nothing is suggested for, with the reason."""

    path: str
    function: str
    reason: str
    unread: bool = False
    """True if the file cannot be read as Python, so that no part of it was examined."""
    untried: bool = False
    """The time was up before the file was read."""


@dataclass(frozen=True)
class TestedLimit:
    """A function or program that the change alters, as it was against as it is, and a limit on its slowdown."""

    path: str
    function: str
    answer: LimitAnswer
    """Inconclusive also where it is wrong, or could not be judged."""
    words: str
    """One line for people, which names it."""

    @property
    def holds(self) -> bool:
        """The limit holds, with confidence."""
        return self.answer is LimitAnswer.PASS

    @property
    def is_broken(self) -> bool:
        """The limit is broken, with confidence."""
        return self.answer is LimitAnswer.FAIL


@dataclass(frozen=True)
class Review:
    """Result of one review."""

    base: str
    """Commit that the change starts from. Empty for a diff file."""
    head: str
    diff: str
    """Unified diff of the change, with paths below the root; its lines may carry comments."""
    suggestions: tuple[Suggestion, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()
    """Sentences that say why the review is not whole: no model, no sandbox, budget spent."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests and other things that could not be run; unlike after a notice, no suggestion is missing for that."""
    limits: tuple[TestedLimit, ...] = ()
    """Effects of the change, compared with a limit. Empty if no limit was given."""
    not_checked_reason: str = ""
    """Reason why nothing could be looked at. Empty: something was."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    """Cost of the model, US dollars. None: a price is not known."""
    python: PythonFields | None = None
    """The interpreter. None: an image's own ran everything, or nothing was run."""

    @property
    def whole(self) -> bool:
        """Return whether everything was examined. Then an earlier suggestion that is missing no longer applies."""
        return not (self.notices or self.not_checked_reason)

    @property
    def said(self) -> tuple[str, ...]:
        """Return lines that a reader should know in addition to the suggestions. They are not escaped:
        reporters quote them.
        """
        return (
            *(each.words for each in self.limits if not each.holds),
            *self.notices,
            *(each.words for each in self.diagnostics),
            *filter(None, [self.not_checked_reason]),
        )
