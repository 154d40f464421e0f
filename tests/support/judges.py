"""Judges and comparisons as `codeopt` opens them, in a sandbox of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from codeopt.core.history import Candidate
from codeopt.core.isolation import open_isolated
from codeopt.core.options import FuzzPolicy, ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.engine.compare import ENOUGH_S, compare
from codeopt.engine.judge import MAX_FAILURES, Judge
from codeopt.workloads import WorkloadRequest, kind_of
from codeopt.workloads.program import OpenedProgram
from codeopt_sandbox import Options, Sandbox, open_sandbox
from codeopt_sandbox.compare import StoppingRule
from tests.support.files import make_repository

ENOUGH_EXAMPLES = 100
"""Calls made up where what is timed is what is tested: the judge makes a thousand, each some five times."""
BUBBLEWRAP = ImproveOptions(sandbox="bubblewrap")
"""There without a daemon, as root and as an ordinary user."""


def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
    """Bubblewrap with these folders."""
    return open_sandbox("bubblewrap", options=Options(mounts=mounts))


def always(guest: Sandbox) -> Callable[..., AbstractContextManager[Sandbox]]:
    """A Session's opener that gives a sandbox that is open already."""
    return lambda options, **wanted: nullcontext(guest)


def program_judge(
    guest: Sandbox,
    path: Path,
    *,
    rule: StoppingRule | None = None,
    strictness: FuzzPolicy = FuzzPolicy.OFF,
    needs_time: bool = True,
) -> Judge:
    """A judge of the program at `path` with the cases beside it."""
    request = WorkloadRequest(
        Target(path), read_program(path), ImproveOptions(mutated_inputs=strictness, timeout=guest.limits.seconds),
        Session(open_sandbox=always(guest)), rule or StoppingRule(), needs_time=needs_time,
    )  # fmt: skip
    return Judge(OpenedProgram(request, guest).measure().timed(), profiled=False)


@contextmanager
def function_judge(target: Target, *, max_pairs: int = 12, timed: bool = True, **options: Any) -> Iterator[Judge]:
    """A judge of a function, as `codeopt compare` has one, for as many drafts of its file as there are; one that is
    not timed only says what is right."""
    chosen = ImproveOptions.of({"sandbox": "bubblewrap", **options})
    rule = StoppingRule(max_pairs=max_pairs, enough_seconds=ENOUGH_S)
    request = WorkloadRequest(target, read_program(target.path), chosen, Session(open_sandbox=open_isolated), rule)
    with kind_of(target, chosen).open_workload(request) as opened:
        workload = opened.measure()
        yield Judge(workload.timed() if timed else workload, profiled=False)


def referee(judge: Judge, source: str) -> Candidate:
    """What becomes of a program that a person wrote."""
    found = judge.check(Revision.of(source), "a person's", failures=MAX_FAILURES)
    return judge.time(found) if found.correct else found


def compared(old: str, new: str, max_pairs: int = 12, **options: Any) -> dict[str, Any]:
    """The object that `codeopt compare --json` prints, of two targets."""
    from codeopt.core.program import as_target

    chosen = ImproveOptions.of({"sandbox": "bubblewrap", "max_pairs": max_pairs, **options})
    return compare(as_target(old), as_target(new), chosen, Session(open_sandbox=open_isolated)).to_json()


def write_project(home: Path, module: str, text: str, tests: str) -> Path:
    """One module and tests of it, which git tracks."""
    return make_repository(home, {module: text, f"tests/test_{module}": tests})
