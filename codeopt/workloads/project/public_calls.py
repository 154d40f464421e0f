"""Public functions that a candidate changes, each checked on the calls of the command and on mutations of these.

Other callers can see a difference that this command does not show.
"""

from __future__ import annotations

import ast
import base64
import pickle
import pickletools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from codeopt.core.errors import Diagnostic, ProgramError, UsageError
from codeopt.core.git import GitError, new_work_tree
from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.words import counted
from codeopt.workloads._protocol import OtherTarget, WorkloadRequest
from codeopt.workloads.function.corpus.cases import calls_of, disturbed
from codeopt.workloads.function.function_target import open_function
from codeopt.workloads.function.recording import MOST_OF_ONE, RECORDERS, Instrument, recording_file, sample
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.project.impact import Impact, ImportedNames, callers_of, impact_of, read_surface
from codeopt.workloads.project.project_program import ProjectProgram, ProtectedReason
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.watch import watched_run
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.edits import CodeEdit
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Outcome
from codeopt_sandbox.owner import temporary_folder

Copies = Callable[[], tuple[Path, Path]]
"""The project as it is and with a draft, in two folders that are made when the first function is judged."""
TESTS = (ProtectedReason.TEST, ProtectedReason.HELPER)
FAILED = "# the command ends differently under the recorder"
"""Reason that the recorder writes if calls cannot be recorded."""


@dataclass(frozen=True)
class FunctionFinding:
    """Finding about a draft by the calls of one function."""

    edit: CodeEdit
    calls: int = 0
    """Number of calls made on both sides."""
    wrong: str = ""
    """First call with a different result, as text. Empty if there is no difference."""
    caveats: tuple[Caveat, ...] = ()
    shortfall: Diagnostic | None = None
    """Reason why no call was made."""
    caller: CodeEdit | None = None
    """Function whose calls were made, as it calls the changed one, whose own cannot be written down; None: the changed
    one's own."""

    def to_json(self) -> dict[str, Any]:
        """The row of it in `compare --run --json`."""
        said = self.shortfall.words if self.shortfall else ""
        return {"file": self.edit.file, "qualname": self.edit.qualname, "calls": self.calls, "why_none": said,
                "caller": str(self.caller or "")}  # fmt: skip

    @property
    def evidence(self) -> list[str]:
        """`57 calls of it`, `3 calls of its caller shop/report.py::report`."""
        called = f"its caller {self.caller}" if self.caller else "it"
        return [f"{counted(self.calls, 'call')} of {called}"] if self.calls else []


@dataclass(frozen=True)
class JudgedDraft:
    """Findings about a draft's public functions."""

    functions: tuple[FunctionFinding, ...] = ()
    gaps: tuple[Diagnostic, ...] = ()
    """Changes that are not judged by calls."""
    caveats: tuple[Caveat, ...] = ()
    """Classes and settings of the process that are no longer as they were."""

    @property
    def wrong(self) -> str:
        """First call with a different result; empty if no call has one."""
        return next((each.wrong for each in self.functions if each.wrong), "")

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is not judged by calls."""
        return (*(found.shortfall for found in self.functions if found.shortfall), *self.gaps)


@dataclass
class PublicCalls:
    """Judges drafts; what the command calls is recorded once for each function."""

    request: WorkloadRequest
    program: ProjectProgram
    runs: CommandRuns
    seen: frozenset[CodeEdit] = frozenset()
    """Functions that the command was seen in."""
    recorded: dict[CodeEdit, tuple[str, ...]] = field(default_factory=dict)
    surfaces: dict[tuple[str, ...], ImportedNames] = field(default_factory=dict)
    """Names of the original, by the modules that are imported."""
    judged: dict[Revision, JudgedDraft] = field(default_factory=dict)
    """Findings by draft; the last one is of the draft that was asked for last."""

    @property
    def latest(self) -> JudgedDraft:
        """Findings about the draft that was judged last."""
        return next(reversed(self.judged.values()), JudgedDraft())

    def judge(self, draft: Revision) -> JudgedDraft:
        """Findings about the public functions that a draft may change. Raises SandboxError."""
        found = self.judged.pop(draft, None)
        if found is None:
            impact = self._impact(draft)
            self._record(impact.judged)
            functions: list[FunctionFinding] = []
            with ExitStack() as stack:
                copies = cache(lambda: stack.enter_context(self._copies(draft)))
                for edit in impact.judged:  # up to the first that is wrong
                    functions.append(self._finding(edit, impact.classes_without(edit), copies))
                    if functions[-1].wrong:
                        break
            found = JudgedDraft(tuple(functions), impact.gaps, impact.caveats)
        self.judged[draft] = found
        return found

    def _impact(self, draft: Revision) -> Impact:
        """Find the effect of a draft; its modules are imported on both sides, each in one run."""
        self.request.notify("importing the changed modules")
        before, script = self.program.revision, self.runs.command.script
        other = self.runs.other if self.runs.other and self.runs.other.revision == draft else None
        changed = [path for path in draft.changed_files(before) if path in before]
        gone = [path for path in changed if other and path not in other.project.contents]
        paths = tuple(path for path in changed if path not in gone and path != script)
        if paths not in self.surfaces:
            self.surfaces[paths] = read_surface(self.runs, before, paths)
        new = read_surface(self.runs, draft, paths)
        impact = impact_of(self.surfaces[paths], new, script, gone, seen=self.seen, tests=self._tests)
        by_text = [path for path in paths if path not in self.surfaces[paths].modules or path not in new.modules]
        words = "changes of {} are found by its text, not by what it does when it is imported"
        gaps = (Diagnostic(words.format(path), "it cannot be imported alone") for path in by_text)
        return replace(impact, gaps=(*impact.gaps, *gaps))

    def _finding(self, edit: CodeEdit, changed: set[str], copies: Copies) -> FunctionFinding:
        """changed: names of classes whose objects may be others."""
        self.request.notify(f"checking {edit} on the calls of the command")
        self._record([edit])
        lines = self.recorded[edit]
        if fit := _fit(lines, changed):
            return self._timed(edit, fit, copies)
        callers = callers_of(edit, self.program.revision, self.runs.command.script, self._tests)
        self._record(callers)
        for caller in callers:
            self._record([caller])
            if fit := _fit(self.recorded[caller], changed):
                judged = self._timed(caller, fit, copies)
                if judged.calls or judged.wrong:  # caveats are about calls of the caller
                    wrong = judged.wrong and f"{edit}, called by {judged.wrong}"
                    return replace(judged, edit=edit, caller=caller, wrong=wrong)
        lost = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
        why = "the command does not call it"
        if any(line.startswith("f(") for line in lines):
            why = "it is called with objects whose class the candidate changes also"
        elif lost:
            why = f"its calls cannot be written down: {lost[0]}, nor those of public functions that call it"
        return FunctionFinding(edit, shortfall=Diagnostic(f"{edit} is judged by the whole command alone", why))

    def _timed(self, function: CodeEdit, lines: list[str], copies: Copies) -> FunctionFinding:
        """The finding about a function by its recorded calls; the time that it takes is added up."""
        started = time.monotonic()
        try:
            return self._judged(function, lines, copies)
        except (ProgramError, UsageError) as error:
            missing = Diagnostic(f"{function} is not checked by its calls", str(error), error.hint)
            return FunctionFinding(function, shortfall=missing)
        finally:
            spent = self.runs.spent
            spent["functions"] = spent.get("functions", 0.0) + time.monotonic() - started

    @cached_property
    def _tests(self) -> list[str]:
        return [path for path, why in self.program.ground.files.items() if why in TESTS]

    def _record(self, functions: Iterable[CodeEdit]) -> None:
        """Record the calls of functions in one run of the command. Nothing is recorded of several if that ends
        otherwise: a run for one of them alone may end well."""
        new = [function for function in functions if function not in self.recorded]
        if not new:
            return
        arguments = ([(each.file, each.qualname) for each in new], MOST_OF_ONE)
        watcher = Instrument("tests.recorded_module", arguments, "install_in_project", RECORDERS)
        # Limit of what the recorders of one run write, MiB
        runs, limits = replace(self.runs, purpose="functions"), replace(self.runs.limits, output_mib=64.0)
        watched = watched_run(runs, self.program.revision, watcher, limits)
        if watched.run.exit == 0 and watched.run.stop is None:
            lines = dict.fromkeys(line.partition(" ")[::2] for line in watched.lines)
            for number, function in enumerate(new):
                mine = (text for first, text in lines if first == str(number))
                kept = (text for text in mine if text.startswith(("f(", "# ", "@ loaded ")))
                self.recorded[function] = tuple(kept)
        elif len(new) == 1:
            self.recorded[new[0]] = (FAILED,)

    def _judged(self, edit: CodeEdit, lines: list[str], copies: Copies) -> FunctionFinding:
        """Check a function on the recorded calls. Raises ProgramError and UsageError."""
        old, new = (Target(folder / edit.file, edit.qualname) for folder in copies())
        recording = recording_file(locate(old.path), edit.qualname)
        recording.parent.mkdir(parents=True, exist_ok=True)
        recording.write_text("".join(f"{line}\n" for line in lines), "utf-8", "surrogatepass")
        accepts_others = self.request.options.special_checker is not None
        options = replace(self.request.options, check="tokens") if accepts_others else self.request.options
        # Number of calls changed from these, within what all of them keep
        nothing_else = replace(options, run=None, calls=None, tests=(), with_paths=(), no_tests=True, max_examples=40)
        request = replace(
            self.request, target=old, program=read_program(old.path), options=nothing_else, baseline=None,
            other=OtherTarget(new, read_program(new.path)), roots=self.runs.project.linked,
        )  # fmt: skip
        with open_function(request) as opened:
            assert opened.other is not None  # the request names it
            found = _compared(edit, opened.measure_recorded(), opened.other)
        if not accepts_others or not found.wrong:
            return found
        # No checker of outputs covers the functions, which may have other results where other outputs are right.
        because = "--check accepts other outputs of the command, and does not judge its functions"
        told = Caveat(CaveatKind.EVIDENCE, "", "", found.wrong, because)
        return replace(found, wrong="", caveats=(*found.caveats, told))

    @contextmanager
    def _copies(self, draft: Revision) -> Iterator[tuple[Path, Path]]:
        """The project as it is and with the draft, as repositories: all that a run is given may be shown of them.

        Raises UsageError."""
        with temporary_folder("project") as folder:
            found = folder / "original", folder / "draft"
            for root, revision in zip(found, (self.program.revision, draft), strict=True):
                for path, content in self.runs.with_edits(revision):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_bytes(content)
                try:
                    new_work_tree(root).ask("add", "-A", "-f")
                except GitError as error:
                    raise UsageError(f"it takes git to show a copy of the project: {error.words}") from error
            yield found


def outcome_of(workload: FunctionWorkload, draft: Revision, case: Case) -> Outcome:
    """Outcome of calls of a draft, which run again if some do not end in time: other processes may have the machine."""
    outcome = workload.run_case(draft, case)
    is_late = isinstance(outcome.run, CallRun) and disturbed(outcome.run)
    return workload.run_case(draft, case) if is_late and outcome.verdict is not CaseVerdict.AC else outcome


def _compared(edit: CodeEdit, workload: FunctionWorkload, draft: Revision) -> FunctionFinding:
    caveats: list[Caveat] = []
    for case in workload.suite.cases:
        outcome = outcome_of(workload, draft, case)
        if outcome.verdict is not CaseVerdict.AC:
            said = workload.explain(draft, case, outcome)
            return FunctionFinding(edit, wrong=f"{edit}: {said.detail or said.words}")
        caveats += outcome.caveats
    calls = len(workload.corpus.known)
    tried = calls
    for case in workload.unseen_cases():
        outcome = outcome_of(workload, draft, case)
        if outcome.verdict is not CaseVerdict.AC:
            return FunctionFinding(edit, wrong=f"{edit}: calls like those of the command give other results")
        caveats += outcome.caveats
        tried += len(calls_of(case))
    # Number of calls of a function below which they are little evidence
    if tried < 5:
        few = f"{edit} is judged by {counted(tried, 'call')}"
        caveats.append(Caveat(CaveatKind.EVIDENCE, "", "", few, "the command's calls cannot be changed, or take long"))
    return FunctionFinding(edit, calls, caveats=tuple(caveats))


def _fit(lines: Sequence[str], changed: set[str]) -> list[str]:
    """A recording of as many calls as are made, without those of objects of classes that the draft changes; nothing
    where there is no other call."""
    fit = [line for line in lines if line.startswith("f(") and not changed & pickled_names(line)]
    # Maximum number of recorded calls of one function, of sizes like those of all that were recorded
    return [*(line for line in lines if not line.startswith("f(")), *sample(fit, 100)] if fit else []


def pickled_names(call: str) -> set[str]:
    """Every text in the pickles of a call, names of classes among them. Nothing is unpickled."""
    found = set[str]()
    todo = list[bytes]()
    for node in ast.walk(ast.parse(call, mode="eval")):
        match node:
            case ast.Call(func=ast.Name(id="unpickle"), args=texts):
                todo += [base64.b64decode(str(text.value)) for text in texts if isinstance(text, ast.Constant)]
    while todo:
        for _, argument, _ in pickletools.genops(todo.pop()):
            if isinstance(argument, str):
                found.update(argument.replace(" ", ".").split("."))
            elif isinstance(argument, bytes) and argument[:1] == pickle.PROTO:  # a step of an object's history
                todo.append(argument)
    return found
