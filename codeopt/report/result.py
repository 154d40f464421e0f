"""The result of a run: rows for people, one JSON object for programs, and a unified diff."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.cache import machine
from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import CallEvidence, PatchEvidence, WorkloadEvidence
from codeopt.core.history import Candidate, History, Refusal
from codeopt.core.interpreter import Interpreter
from codeopt.core.model import Effort, Ledger
from codeopt.core.program import FileChange, TargetFiles, changes_of
from codeopt.core.revision import Revision, unified
from codeopt.core.sanitize import inline, printable
from codeopt.core.screen import COLUMNS, columns
from codeopt.core.step_error import StepError
from codeopt.core.version import __version__
from codeopt.core.words import memory as memory_of
from codeopt.core.words import share
from codeopt.report.verdict import Verdict, candidate_in_words, so_far, why
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Comparison
from codeopt_sandbox.profile import HotLine, MemoryLine, Profile

if TYPE_CHECKING:
    from codeopt.report.answers import ImproveJson


STEPS = ("opening", "baseline", "model", "cases", "timing", "tests", "profile", "confirmation", "result", "other")
"""Steps of `seconds_by_step`, in order. Their sum is the time of the run."""


class End(Enum):
    """The reason why the rounds ended."""

    SUFFICIENT = auto()  # the proposer finds nothing left to improve
    BUDGET = auto()
    INTERRUPTED = auto()
    UNREADABLE = auto()  # the model's last replies
    FAILED = auto()  # a step; what was measured before it is kept


@dataclass(frozen=True)
class NextSteps:
    """The slow lines of the result, and a source that could continue from there."""

    hot: tuple[HotLine, ...] = ()
    """Hottest first; of the best program, else of the original."""
    next_step: str = ""
    """The next thing to try. Empty if a language model has had its say."""
    shortfall: Diagnostic | None = None
    """The reason why the hot lines are not known. None if they are, or if it was not asked."""
    refusals: tuple[Refusal, ...] | None = None
    """The reasons why built-in rules made no draft. None if one was accepted, or none was asked."""
    tried: tuple[Refusal, ...] = ()
    """The drafts: the verdict, the lines of the original that each changed, and the rules that wrote it."""
    held: tuple[MemoryLine, ...] = ()
    """Lines that take most memory, if memory is an aim."""

    def no_rule(self, name: Callable[[int], str] = "line {}".format) -> list[str]:
        """A row for each slow line, or else each skipped rule, with the reason why no built-in rule changed it.

        Empty if a change was accepted or no rule was asked. name: names a line of a program of one file.
        """
        skipped = self.refusals or ()
        reasons = {line: _reason(each) for each in reversed((*self.tried, *skipped)) for line in each.lines}
        rows = []
        for line in self.hot:
            reason = reasons.get(line.place or str(line.line), "no rule matches")
            rows.append((line.place or name(line.line), share(line.share), reason))
        # reasons why no rule applied shown to people at most; JSON has all
        others = [(", ".join(each.lines) or "all lines", "", _reason(each)) for each in skipped[:2]]
        return columns(rows or others, {1}) if self.refusals is not None else []


def _reason(refusal: Refusal) -> str:
    """`list_membership_to_set: its type is not known`."""
    return f"{', '.join(refusal.rules)}: {refusal.reason}".removeprefix(": ")


@dataclass(frozen=True)
class Result:
    """The end of one improvement."""

    program: TargetFiles
    task: str
    proposer: str
    backend: str
    history: History
    best: Candidate | None
    """The accepted draft with its confirmed figures. None if nothing was accepted."""
    verdict: Verdict
    """The verdict on `best`, or on the original if nothing was accepted."""
    stop_reason: str
    """The reason why no further round was run."""
    end: End
    ledger: Ledger
    seconds: float
    """Wall time, earlier sessions included."""
    confirmation_s: float
    """The part of `seconds` that the confirmation took."""
    saved: Path
    reference: Candidate | None = None
    """A program that a person wrote, judged in the same way. None if none was given."""
    refused: tuple[Candidate, ...] = ()
    """The drafts that a reader did not prefer."""
    interpreter: Interpreter | None = None
    """The interpreter that ran the programs. None if that was an image's own."""
    raised_limit: str = ""
    """Flag that doubles the limit which ended the run. Empty for any other end."""
    outlook: NextSteps = NextSteps()
    target: str = ""
    """The target as the user wrote it: `mod.py::f`."""
    isolation: str = ""
    """The sandbox's own description, with the user whose rights its runs have."""
    failure: StepError | None = None
    """The error of a step that ended the run before anything was accepted."""

    def require_ended(self) -> Result:
        """Return the result, for callers that handle errors themselves. Raises `failure`."""
        if self.failure is not None:
            raise self.failure
        return self

    def require_drafts(self) -> Result:
        """Return the result. Raises `failure` if it ended the run before its first draft: there is nothing to show."""
        return self if self.history.candidates[1:] else self.require_ended()

    @property
    def reason(self) -> str:
        """The reason why `best` was accepted, or why nothing was."""
        return self.verdict.reason

    @property
    def goes_on(self) -> bool:
        """Nothing was accepted before the run was ended early, so that a later session can continue it."""
        return self.best is None and self.end is not End.SUFFICIENT

    @property
    def patch(self) -> PatchEvidence | None:
        """Return the gains of the edits of a project's patch. None for a result of one file."""
        command = self.verdict.evidence.command
        return command if isinstance(command, PatchEvidence) else None

    @property
    def accepted(self) -> bool:
        """There is a program that is right and, twice, better with statistical confidence."""
        return self.best is not None

    @property
    def revision(self) -> Revision:
        """The best program, or the original if nothing was accepted."""
        return (self.best or self.history.original).revision

    @property
    def source(self) -> str:
        """Text of the best program with one file.

        Raises:
            ValueError: It is a project.
        """
        return self.revision.text

    @property
    def comparison(self) -> Comparison | None:
        """The confirmed figures of the best program against the original."""
        return self.best.comparison if self.best else None

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files that it changes, as they are to be written."""
        return changes_of(self.program, self.revision)

    @property
    def diff(self) -> str:
        """Unified, from the file as it is. Empty if nothing was accepted."""
        return diff_of(self.changes) if self.best else ""

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt improve --json` prints."""
        return answer(self).to_json()


def opening(target: str, task: str, proposer: str, interpreter: Interpreter | None, sandbox: Sandbox) -> list[str]:
    """The first lines: what is improved, by whom, run by which Python, and in which sandbox."""
    return [
        f"{target}   task {task}   proposer: {proposer}",
        *([python_line(interpreter)] if sandbox.backend != "none" else []),  # nothing is run
        sandbox_line(sandbox.backend, sandbox.description),
    ]


def sandbox_line(backend: str, description: str) -> str:
    """The line that names the sandbox, which may have been found, not chosen."""
    return f"sandbox    {backend}: {description}"


def contract_lines(evidence: WorkloadEvidence) -> list[str]:
    """Return the contract of a function's arguments, cut to a few lines of a terminal. Empty without a contract."""
    words = evidence.checked.contract if isinstance(evidence.checked, CallEvidence) else ""
    # lines of the contract shown to people at most; JSON has all
    return textwrap.wrap(
        printable(words), COLUMNS, initial_indent="contract   ", subsequent_indent=" " * 11, max_lines=2,
        placeholder=" ...", break_on_hyphens=False,
    )  # fmt: skip


def python_line(interpreter: Interpreter | None) -> str:
    """Name the Python that runs the programs."""
    return interpreter.line if interpreter else "python     the image's own"


def rows_of(candidate: Candidate) -> list[str]:
    """`round 1    1.2x faster      a set   1,250 tokens`; below it why it was rejected, or what the task measured."""
    task_score = candidate.task_score
    word = task_score.verdict if task_score and candidate.correct else candidate_in_words(candidate)
    tokens = candidate.effort.tokens_in + candidate.effort.tokens_out
    cost = f"   {tokens:,} tokens" * bool(tokens)
    head = f"round {candidate.round:<3}  {word:<15} "
    line = head + inline(candidate.summary or "-", COLUMNS - len(head) - len(cost) - len("...")) + cost
    below = why(candidate) or (task_score.words if task_score else "")
    if candidate.step is not None:
        below = so_far(candidate)
    return [line, *[f"{'':>11}{inline(below, 400)}"] * bool(below)]


def hot(profile: Profile | None, *, memory: bool = False) -> str:
    """The hottest lines in a few words; those that take most memory where that is the aim and known."""
    if profile is None or not profile.lines:
        return ""
    if memory and profile.memory:
        held = (f"line {line.line} {memory_of(line.peak_mib)}" for line in profile.memory[:3])
        return f"   most memory: {', '.join(held)}"
    # least share of the time of a line that is named as hot
    lines = [line for line in profile.lines if not line.is_import and line.share >= 0.005][:3]
    imports = sum(line.share for line in profile.lines if line.is_import)
    parts = [f"{line.named} {share(line.share)}" for line in lines]
    # smallest share of the time of imports that is shown, 0 to 1
    told = ", ".join([*parts, *[f"imports {share(imports)}"] * (imports >= 0.05)])
    return f"   slow: {told}" if told else ""


def seconds_by_step(result: Result) -> dict[str, float]:
    """Wall-clock seconds of the whole run by step; their sum is its time."""
    drafts = sum((candidate.effort for candidate in result.history.candidates), Effort())
    judged_by_model = sum(candidate.usage.seconds for candidate in result.history.candidates)
    known = {
        **result.ledger.steps,
        "model": result.ledger.usage.seconds,
        "cases": max(0.0, drafts.cases_s - judged_by_model),
        "timing": drafts.timing_s,
        "profile": drafts.profile_s,
    }
    known["other"] = max(0.0, result.seconds - sum(known.values()))
    return {name: round(known.get(name, 0.0), 3) for name in STEPS}


def diff(program: TargetFiles, new: Revision) -> str:
    """A unified diff that `git apply` and `patch -p1` take, in each file's own kind of line ends."""
    return diff_of(changes_of(program, new))


def diff_of(changes: Iterable[FileChange]) -> str:
    """Format the diff of files that are to be written."""
    parts = []
    for change in changes:
        path = Path(change.program.place or os.path.relpath(change.program.path))
        name = path.name if ".." in path.parts else path.as_posix()
        name = f"{name.removesuffix('.ipynb')}.py" if name.endswith(".ipynb") else name  # its cells as a file
        parts.append(unified(name, change.program.text, change.text))
    return "".join(parts)


def open_draft(history: History, title: str) -> list[str]:
    """The diff of the draft that a later session continues with, in lines. Empty without one.

    It is the newest that was not judged to its end, else the best one, which was not confirmed. title: name of a target
    that is one file.
    """
    unfinished = (each for each in reversed(history.candidates[1:]) if each.step is not None)
    found, old = next(unfinished, history.best or history.undecided), history.original.revision
    if found is None:
        return []
    new = found.revision
    return "".join(unified(path or title, old[path], new[path]) for path in new.changed_files(old)).splitlines()


def answer(found: Result) -> ImproveJson:
    """The object that `codeopt improve --json` prints, and `result.json` of a saved run."""
    from codeopt.report.answers import ImproveJson, RoundFields, gather_judged

    best, usage = found.best, found.ledger.usage
    # What the last critique took, which no draft answers, is in `tokens` alone.
    spent = sum((candidate.effort for candidate in found.history.candidates), Effort())
    before = Revision({path: file.text for path, file in found.program.files.items()})
    after = Revision({**before, **{each.path: each.text for each in found.changes}})
    return gather_judged(
        ImproveJson,
        found.verdict,
        found,
        found.outlook,
        schema="codeopt.improve/2",
        codeopt_version=__version__,
        file=str(found.program.path),
        folder=str(Path.cwd()),
        model=found.proposer,
        sandbox=found.backend,
        python=found.interpreter,
        task_score=best.task_score if best else None,
        best_round=best.round if best else None,
        sha256_before=before.digest,
        sha256_after=after.digest if best else None,
        remaining_hot_spots=found.outlook.hot,
        remaining_memory_spots=found.outlook.held,
        rules_skipped=found.outlook.refusals,
        rounds=tuple(
            RoundFields.of(each, diff(found.program, each.revision) if each.revision.keys() == before.keys() else "")
            for each in found.history.candidates[1:]  # a reply that has no program has no diff
        ),
        tokens={
            "in": usage.tokens_in,
            "out": usage.tokens_out,
            "cached": usage.tokens_cached,
            "estimated": usage.estimated,
        },
        effort={**spent.to_json(), "confirmation_s": round(found.confirmation_s, 3)},
        cost_usd=usage.cost_usd,
        seconds=round(found.seconds, 3),
        seconds_by_step=seconds_by_step(found),
        machine=machine(),
        run=str(found.saved),
    )
