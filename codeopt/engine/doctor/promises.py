"""The sandbox as it is here: which backends there are, what each costs, and whether the promises hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from codeopt.core.errors import NoSandbox
from codeopt.engine.doctor.exam_row import ExamRow, Health
from codeopt_sandbox import BackendUnavailable, open_sandbox
from codeopt_sandbox.conformance import CheckResult, Cost, costs, run_checks
from codeopt_sandbox.host import BACKENDS

HOW_TO_GET = {
    "docker": "start a Docker engine that your user can reach, if bubblewrap is not enough",
    "bubblewrap": (
        "`bwrap` comes with the package; let it make user namespaces (kernel.unprivileged_userns_clone=1, "
        "kernel.apparmor_restrict_unprivileged_userns=0), or use Docker"
    ),
    "process": "run on Linux as a user who may start processes",
}
ISOLATING = tuple(name for name in BACKENDS if name != "process")


def backends(costs_of: Callable[[str], Iterator[Cost]] = costs) -> Iterator[ExamRow]:
    """Costs of each backend, or why it is not here; at the end a failure where none isolates."""
    isolating = 0
    for name in BACKENDS:
        for cost in costs_of(name):
            here = cost.open_s is not None
            isolating += here and name in ISOLATING
            state = Health.OK if here else Health.NOTE
            yield ExamRow(f"backend {name}", state, cost.words, "" if here else HOW_TO_GET[name])
    if not isolating:
        yield ExamRow(
            "isolation", Health.FAIL, "nothing here can isolate a run",
            "install one of the backends, or use --sandbox process for your own program",
        )  # fmt: skip


def promises(backend: str) -> Iterator[ExamRow]:
    """Each guarantee that is broken or cannot be given, and how many hold. Raises NoSandbox."""
    try:
        found = list(run_checks(lambda limits: open_sandbox(backend, limits=limits)))
    except BackendUnavailable as error:
        raise NoSandbox(str(error)) from error
    held = sum(each.held for each in found)
    yield ExamRow("sandbox", Health.OK, f"{held} of {len(found)} guarantees hold")
    yield from (_shortfall(each) for each in found if not each.held)


def _shortfall(result: CheckResult) -> ExamRow:
    subject, said = result.check.name, f"not guaranteed here: {result.check.promise} {result.seen}"
    if result.cannot:
        return ExamRow(subject, Health.NOTE, said, "use --sandbox docker if you need this guarantee")
    return ExamRow(subject, Health.FAIL, said, "use another backend for untrusted code: --sandbox NAME")
