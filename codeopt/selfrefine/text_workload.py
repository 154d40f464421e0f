"""A text that answers an input: nothing is timed, and nothing is run unless the text is a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.errors import ModelError, UsageError
from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Program
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.proposers.feedback import FeedbackMode
from codeopt.selfrefine.text_proposer import TextProposer
from codeopt.selfrefine.text_task import CHECKED, TextTask, read_scores
from codeopt.tasks import open_task
from codeopt.workloads import Checked, Defaults, Stage, Suite, TimedRegion, WorkloadRequest
from codeopt.workloads._one_file import OneFile
from codeopt.workloads._protocol import workload
from codeopt_sandbox import RunLimits, Sandbox
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.outcome import Case, CaseVerdict, Outcome, Run
from codeopt_sandbox.plain_files import read_text
from codeopt_sandbox.runner import Runner
from codeopt_sandbox.verdict import check_tokens

LONGEST = 100_000
"""Characters of an input."""


def matches(target: Target, options: ImproveOptions) -> bool:
    """Return whether the task is one of texts. The target does not matter."""
    return open_task(options.task).of_texts


def read(target: Target) -> Program:
    """The input, from a file. Raises UsageError."""
    try:
        text = read_text(target.path)
    except OSError as error:
        raise UsageError(f"cannot read {target.path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{target.path} is not UTF-8 text") from error
    return as_input(text, target)


def as_input(text: str, target: Target) -> Program:
    """The input itself. Raises UsageError for none, and for one that no model would read to its end."""
    if not text.strip():
        raise UsageError("the input is empty")
    if len(text) > LONGEST:
        raise UsageError(f"the input has {len(text):,} characters, and at most {LONGEST:,} are allowed")
    return Program(target.path, text.strip(), text)


@dataclass(frozen=True)
class Nothing:
    """Stands where a sandbox would: nothing is run."""

    backend: str = "none"
    description: str = "nothing is run"
    limits: RunLimits = RunLimits()


@dataclass(frozen=True)
class TextWorkload(Defaults):
    """One input, and the drafts that answer it."""

    writer: TextProposer
    sandbox: Sandbox | None
    baseline: Candidate
    suite: Suite
    usage: Usage = NOTHING_USED
    rule: StoppingRule = field(default_factory=StoppingRule)
    plan: None = None

    region = TimedRegion.NOTHING

    @property
    def runner(self) -> Runner[Revision]:
        """Return the runner of a task whose texts are programs."""
        return OneFile(cast(Sandbox, self.sandbox))

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Run a text that is a program; any other is as it is."""
        if self.sandbox is None:
            return Outcome(case.name, CaseVerdict.AC, Run(0, None, 0.0, 0.0, 0, draft.text.encode(), b""))
        run = self.sandbox.run(draft.text, mode="exec")
        reason = _failure(run)
        verdict = CaseVerdict.TLE if run.stop == "time" else CaseVerdict.RE if reason else CaseVerdict.AC
        return Outcome(case.name, verdict, run, reason)

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Score it, with what code can say of it; a confirmation needs no second opinion."""
        if stage is not Stage.ROUND:
            return Checked()
        task, facts, comes_to = self.writer.task, [], draft.text
        scores: tuple[tuple[str, float], ...] = ()
        if self.sandbox is not None:
            run = self.sandbox.run(draft.text, mode="exec")
            comes_to = run.stdout.decode("utf-8", "replace").strip()
            reason = _failure(run)
            facts.append(f"it fails: {reason}" if reason else f"it prints: {comes_to}")
        if task.check:
            found = task.check(self.writer.input, comes_to)
            facts.append(found.words)
            scores = ((CHECKED, found.share),)
        critique = self.writer.feedback(draft.text, "\n".join(facts))
        read_of = read_scores(critique.text, task.aspects)
        return Checked(critique=critique.text, scores=(*read_of, *scores), usage=critique.usage)

    def adapt(self, proposer: Proposer) -> Proposer:
        return self.writer

    @property
    def headline(self) -> str:
        return " ".join(self.baseline.source.split())[:90]

    def evidence(self) -> WorkloadEvidence:
        """Return no evidence: a text has no cases."""
        return WorkloadEvidence()


def _failure(run: Run) -> str:
    """Return the reason in one line why a program gave no answer. Empty if it ended well."""
    if run.exit == 0 and not run.stop:
        return ""
    last = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return last or str(run.stop or f"exit status {run.exit}")


@dataclass(frozen=True)
class OpenedText:
    """An input whose first draft is not written yet."""

    request: WorkloadRequest
    task: TextTask
    run_in: Sandbox | None
    other: Revision | None = None

    @property
    def sandbox(self) -> Sandbox:
        """Return the sandbox of programs. Other texts have no sandbox."""
        return self.run_in or cast(Sandbox, Nothing())

    @property
    def title(self) -> str:
        """The input, cut to a line."""
        return " ".join(self.request.program.source.split())[:60]

    @property
    def name(self) -> str:
        """The task's."""
        return self.task.name

    def measure(self) -> TextWorkload:
        """Write the first draft, unless an earlier session did, and score it. Raises ModelError."""
        request, options = self.request, self.request.options
        model = request.session.open_model(options, request.session.console.warn)
        writer = TextProposer(self.task, model, request.program.source, FeedbackMode(options.feedback))
        suite = Suite((Case("text", request.program.source.encode(), title="the input"),), check_tokens)
        workload = TextWorkload(writer, self.run_in, request.baseline or Candidate(0, Revision.of(""), ""), suite)
        if request.baseline:
            return workload
        request.session.console.progress("writing the first draft")
        draft = writer.first()
        request.session.on_usage(draft.usage)
        if draft.problem:
            raise ModelError(f"the model wrote no first draft: {draft.problem}")
        outcome = workload.run_case(draft.revision, suite.cases[0])
        scored = workload.check(draft.revision, Stage.ROUND)
        request.session.on_usage(scored.usage)
        first = Candidate(
            0, draft.revision, draft.summary, (outcome,), critique=scored.critique, scores=scored.scores,
        )  # fmt: skip
        return replace(workload, baseline=first, usage=draft.usage + scored.usage)

    def profile(self) -> Any:
        """Raise UsageError: a text has no profile."""
        raise UsageError("a text is not run, so it has no profile")


@workload(matches, read=read, priority=10)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenedText]:
    """Open the workload, with a sandbox if the task's texts are programs. Raises UsageError, NoSandbox."""
    task = open_task(request.options.task, request.options.min_gain)
    if not isinstance(task, TextTask):
        raise UsageError(
            f"the task {request.options.task} is for programs", hint=f"codeopt improve --task {task.name} FILE"
        )
    if not task.runs:
        yield OpenedText(request, task, None)
        return
    with request.open_sandbox() as sandbox:
        yield OpenedText(request, task, sandbox)
