"""Handlers of a client's operations: the functions of the command line, whose answers are what `--json` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import find_interpreter
from codeopt.core.options import ISOLATED, ImproveOptions
from codeopt.core.program import Program, Target, as_target, make_program, read_program, replace_files
from codeopt.core.run_clock import RunClock
from codeopt.core.run_store import digest
from codeopt.core.session import Session
from codeopt.engine.compare import compare
from codeopt.engine.improve import improve
from codeopt.engine.open_session import RULES, open_session
from codeopt.report.answers import profile_answer, serialize
from codeopt.report.result import diff
from codeopt.review.base_checkout import compare_with_base
from codeopt.review.check import CheckedPart, check, check_answer, listed
from codeopt.review.findings.known import open_findings
from codeopt.review.repository import open_repository
from codeopt.review.suggestion import FunctionRow
from codeopt.review.work import ReviewBudget
from codeopt.serving.request import Operation, OperationRequest, Root
from codeopt.workloads import WorkloadRequest, kind_of
from codeopt.workloads.project.watch import profile_project
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox.owner import temporary_folder

Answer = dict[str, Any]


def handle(request: OperationRequest, console: Console) -> Answer:
    """Do an operation below the current folder and return its answer. Raises CodeoptError, SandboxError."""
    options = ImproveOptions.of(request.options)
    with temporary_folder("operation") as folder:
        # nothing is left in the user's folder; a model wrote what a client sends
        sandbox = ISOLATED if options.sandbox == "auto" else options.sandbox
        options = replace(options, run_dir=folder, sandbox=sandbox)
        return HANDLERS[request.operation](request, options, console)


def _target(request: OperationRequest, options: ImproveOptions) -> Target:
    """Raise UsageError if `run` is given for a file: the command would not be isolated, unlike for a folder."""
    target = as_target(request.target)
    if options.run is not None and not target.path.is_dir():
        hint = "give a folder as target, such as '.'"
        raise UsageError(f"run takes the folder of a project, but {target} is not one", hint=hint)
    return target


def _profile(request: OperationRequest, options: ImproveOptions, console: Console) -> Answer:
    target, session = _target(request, options), _session(options, console)
    if options.run is not None:
        return profile_project(target.path, options, session).answer().to_json() | {"target": request.target}
    kind = kind_of(target, options)
    program = kind.read(target)
    options, interpreter = session.find_interpreter(options, target.path)
    with kind.open_workload(WorkloadRequest(target, program, options, session)) as opened:
        found = profile_answer(opened.profile(), interpreter).to_json()
    return found | {"target": request.target}


def _compare(request: OperationRequest, options: ImproveOptions, console: Console) -> Answer:
    target, session = _target(request, options), _session(options, console)
    if options.run is not None:
        # A project as it was in a commit, against as it is. Raises UsageError.
        if request.old_source is not None or request.new_source is not None:
            hint = "leave old_source and new_source out"
            raise UsageError("run compares the folder as it is with what it was in base", hint=hint)
        repository = open_repository(target.path.absolute())
        commit = repository.commit(request.base)
        pair = compare_with_base(repository, commit, target.path, options, session, request.limit)
        return pair.to_json() | {"target": request.target, "diff": repository.diff(commit)}
    old, new = _programs(request, target.path)
    if old.source == new.source:
        raise UsageError(_nothing_to_compare(request, target.path))
    found = compare(target, target, options, session, programs=(old, new), limit=request.limit)
    return found.to_json() | {"target": request.target, "diff": diff(old, new.revision)}


def _nothing_to_compare(request: OperationRequest, path: Path) -> str:
    """Describe the two texts that are the same, with a remedy."""
    if request.old_source is not None:
        new = path if request.new_source is None else "new_source"
        return f"{new} is the same as old_source: change one of them"
    if request.new_source is not None:
        return f"new_source is the same as {path}: change it, or leave it out to compare with {request.base}"
    return f"{path} is the same as in {request.base}: change it first, or give the changed text"


def _programs(request: OperationRequest, path: Path) -> tuple[Program, Program]:
    """The old and the new version of the file. Raises UsageError."""
    now = None if request.new_source is not None and request.old_source is not None else read_program(path)
    new = now if request.new_source is None else make_program(path, request.new_source)
    if request.old_source is not None:
        old: Program | None = make_program(path, request.old_source)
    else:
        old = now if request.new_source is not None else make_program(path, _committed(path, request.base))
    assert old is not None
    assert new is not None
    return old, new


def _committed(path: Path, base: str) -> str:
    """Text of a file in a commit. Raises UsageError."""
    advice = "give old_source, the text of the file before the change"
    try:
        repository = open_repository(path.absolute().parent)
        name = path.resolve().relative_to(repository.root.resolve()).as_posix()
        return repository.old_bytes(repository.commit(base), name).decode("utf-8-sig")
    except (UsageError, ValueError) as error:
        raise UsageError(f"what {path} was before the change is not known: {error}", hint=advice) from error


def _improve(request: OperationRequest, options: ImproveOptions, console: Console) -> Answer:
    target = _target(request, options)
    session = replace(_session(options, console), limit_s=request.max_seconds)
    result = improve(target, options, session).require_drafts()
    if known := open_findings(options, result.interpreter, session.open_cache, request.asked_by, console):
        known.keep(target.path, target.name, result)
    written = replace_files(result.program, result.revision) if request.write and result.accepted else ()
    kept = next((str(each.kept) for each in written if each.kept), None)
    is_file = result.accepted and options.run is None
    return result.to_json() | {
        "target": request.target, "diff": result.diff, "run": "",  # the folder is gone
        "new_source": result.changes[0].text if is_file else None,
        "written": bool(written), "original_kept_as": kept,
    }  # fmt: skip


def _check(request: OperationRequest, options: ImproveOptions, console: Console) -> Answer:
    paths = tuple(Path(each).absolute() for each in request.paths or (".",))
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no {path}")
    part = CheckedPart(paths, min_share=request.min_share)
    limits, checked = ReviewBudget(request.max_functions, RunClock(request.max_seconds)), None
    content = listed(part, limits)
    programs = [target for target in content.targets if not target.function]
    refused = [FunctionRow(target, why) for target in programs if (why := _leads_out(target.file))]
    content = replace(content, left_alone=(*content.left_alone, *refused))
    if targets := [each for each in content.targets if each not in [row.target for row in refused]]:
        session = _session(options, console)
        options, _ = session.find_interpreter(replace(options, model=RULES), paths[0])
        known = open_findings(options, session.interpreter, session.open_cache, request.asked_by, console)
        checked = check(part, targets, options, limits, session, known)
    found = content.completed(checked)
    changed, here = {row.path for row in found.rows if row.suggestion}, Path.cwd()

    def below(path: Path) -> str:
        return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()

    rows = [
        serialize(row.answer())
        | {"file": below(row.target.file), "line": _line(row.target.file, row.function)}
        | {"judged": row.judged, "new_source": row.suggestion.improved if row.suggestion else None}
        | {"sha256_before": digest(row.suggestion.original) if row.suggestion else None}
        for row in found.rows
    ]
    return check_answer(found).to_json() | {"functions": rows, "files_with_gains": sorted(changed)}


def _leads_out(program: Path) -> str:
    """Reason why a program is not run: its cases are links that lead out of the root. Empty: none does."""
    try:
        Root.of(Path.cwd()).target(str(program))
    except UsageError as error:
        return str(error)
    return ""


def _line(path: Path, function: str) -> int:
    """First line of a function. 1 for a program, and for a file that cannot be read."""
    if not function:
        return 1
    try:
        return read_function(path, function).first_line
    except UsageError:
        return 1


HANDLERS: Mapping[Operation, Callable[[OperationRequest, ImproveOptions, Console], Answer]] = {
    Operation.PROFILE: _profile,
    Operation.COMPARE: _compare,
    Operation.IMPROVE: _improve,
    Operation.CHECK: _check,
}


def _session(options: ImproveOptions, console: Console) -> Session:
    found = None if options.image else find_interpreter(options.python, Path.cwd())
    return replace(open_session(console), interpreter=found)
