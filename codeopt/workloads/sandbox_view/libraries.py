"""Libraries that a function's module loads. They are imported once and not in each of a hundred runs.

They are the original's imports of installed packages and of the standard library, without the project's own code. All
drafts run with the same ones. If a draft newly imports another one, each run of both sides imports it (TimedRuns.run).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import LibraryEvidence
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.outcome import GuestRunner


@dataclass(frozen=True)
class Preload:
    """Libraries that are imported before the runs of a module, or the reason why each run imports them."""

    libraries: Libraries | None = None
    """Imported before a run is forked; None: each run imports them."""
    found: int = 0
    """Modules of libraries that the original loads."""
    seconds: float = 0.0
    """CPU time of their import, with the module's own."""
    why: str = ""
    """Reason why each run imports them."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Diagnostics where it costs something that the libraries are not imported once."""
        # Minimum time of an import that each run repeats to be reported, seconds
        if not self.why or self.seconds < 0.2:
            return ()
        return (Diagnostic(f"each run imports its libraries again, which takes {self.seconds:.1f} s", self.why),)

    def figures(self) -> LibraryEvidence:
        """For JSON; fields may be added."""
        once = self.libraries is not None
        return LibraryEvidence(self.found, round(self.seconds, 3), once, self.why)


@dataclass(frozen=True)
class Side:
    """A module that is called: the original, or what it is compared with."""

    ref: FunctionRef
    source: str


@dataclass(frozen=True)
class ImportContext:
    """Import context that a module finds when its functions are called
    (sandbox/codeopt_sandbox/guest/import_hooks.py)."""

    new: tuple[str, ...]
    early: tuple[str, ...]
    changed: tuple[str, ...]
    """Environment variables."""
    modules: Mapping[str, str]
    rest: Mapping[str, Any]


def load_libraries(sandbox: GuestRunner, original: Side, other_versions: Sequence[Side] = ()) -> Preload:
    """Test the import of libraries. If the module then finds another state than after its own import, each run imports
    them.

    A module that cannot be imported reports this when it is called.
    """
    cold, seconds, _ = _look(sandbox, original, None)
    if cold is None:
        return Preload()
    libraries = Libraries(cold.new, original.ref.paths)
    if not cold.new:  # nothing is imported before it
        return Preload(libraries, seconds=seconds)
    warm, _, why = _look(sandbox, original, libraries)
    why = why or _difference(cold, warm)
    for other in other_versions if not why else ():
        its_own, _, _ = _look(sandbox, other, None)
        beside, _, why = _look(sandbox, other, libraries)
        why = why or (_clash(its_own, beside) if its_own and beside else "")
    return Preload(None if why else libraries, len(cold.new), seconds, why)


def _look(sandbox: GuestRunner, side: Side, libraries: Libraries | None) -> tuple[ImportContext | None, float, str]:
    """(the scene, CPU seconds of the import, why the libraries were not imported before)."""
    batch = CallBatch((), "inspect", "scene", seconds=30.0)
    run = CallRunner(sandbox, side.ref, libraries=libraries).ask(side.source, batch)
    if run.answer is None:
        return None, 0.0, run.preload_failure
    try:  # lines that the code under test may have changed
        rest = json.loads(run.answer.lines[0])
        new, early, changed = (tuple(map(str, rest.pop(name))) for name in ("new", "early", "set"))
        modules = {str(name): str(origin) for name, origin in rest.pop("modules").items()}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None, run.answer.times.import_s, run.preload_failure
    scene = ImportContext(new, early, changed, modules, rest)
    return scene, run.answer.times.import_s, run.preload_failure


def _difference(cold: ImportContext, warm: ImportContext | None) -> str:
    """Between libraries that the module imports and those that were there before it, in words."""
    if warm is None:
        return "the module cannot be imported after them"
    if warm.changed:
        return f"the module sets {', '.join(warm.changed)} while it is imported, which they may read"
    if clash := _clash(cold, warm):
        return clash
    if more := sorted(warm.modules.keys() - cold.modules.keys()):
        return f"{more[0]} is loaded only where they are imported first"
    other = [name for name in cold.rest if cold.rest[name] != warm.rest.get(name)]
    return f"it finds another {other[0]} where they are imported first" if other else ""


def _clash(cold: ImportContext, warm: ImportContext) -> str:
    if warm.early:
        return f"they import {warm.early[0]}, which is the project's own"
    lost = [name for name, origin in cold.modules.items() if warm.modules.get(name) != origin]
    return f"{lost[0]} is another module where they are imported first" if lost else ""
