"""One function, or two that are compared, in a sandbox that shows their projects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace

from codeopt.core.errors import UsageError
from codeopt.core.program import TargetFiles, make_program
from codeopt.core.revision import Revision
from codeopt.core.session import Mounts
from codeopt.core.target import Target
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.corpus_cache import known_function
from codeopt.workloads.function.harness import FunctionHarness, open_harness, require_same_parameters
from codeopt.workloads.function.measure import first_workload, measure, measure_recorded
from codeopt.workloads.function.narrowing import contract_expression, narrowed
from codeopt.workloads.function.other_version import OtherVersionOfFunction
from codeopt.workloads.function.timing.plan import choose
from codeopt.workloads.function.timing.profile import profile_function
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.sandbox_view.libraries import Preload, Side, load_libraries
from codeopt.workloads.sandbox_view.module_outside_package import is_outside_package
from codeopt.workloads.sandbox_view.view import INSIDE, locate, named_files, open_view
from codeopt.workloads.source.functions import Function, read_function
from codeopt_sandbox import Sandbox
from codeopt_sandbox.profile import Profile


@dataclass(frozen=True)
class FunctionTarget:
    """A function in its sandbox, not called yet."""

    request: WorkloadRequest
    harness: FunctionHarness
    other_version: OtherVersionOfFunction | None = None

    @property
    def other(self) -> Revision | None:
        """Module of the other version."""
        return self.other_version.revision if self.other_version else None

    @property
    def sandbox(self) -> Sandbox:
        return self.harness.sandbox

    @property
    def title(self) -> str:
        """File and qualified name."""
        return f"{self.request.program.path}::{self.harness.function.qualname}"

    @property
    def name(self) -> str:
        """Stem of the file and qualified name."""
        return f"{self.request.program.path.stem}.{self.harness.function.qualname}"

    def profile(self) -> Profile:
        """Profile of its longest calls."""
        notify = self.request.session.console.progress
        known = known_function(self.request, self.harness, self.request.calls_text)
        corpus, contract = narrowed(known.harness, known.corpus, self.request.options.contract)
        harness = known.harness
        timed = choose(harness, corpus, contract, notify=notify)
        notify("profiling")
        return profile_function(harness, timed, harness.source, ("lines", "scalene"))

    def measure(self) -> FunctionWorkload:
        """Call it, by all that is known of it. Raises NotVerifiable when that is too little."""
        look = self._look if self.request.early_check is not None and self.other_version is not None else None
        return self._beside_other_version(measure(self.request, self.harness, look))

    def _look(self, harness: FunctionHarness, corpus: CallCorpus) -> None:
        assert self.request.early_check is not None
        assert self.other_version is not None
        workload = self._beside_other_version(first_workload(self.request, harness, corpus))
        self.request.early_check(workload, self.other_version.revision)

    def measure_recorded(self) -> FunctionWorkload:
        """Measure it by its recorded calls alone. Raises ProgramError."""
        return self._beside_other_version(measure_recorded(self.request, self.harness))

    def _beside_other_version(self, found: FunctionWorkload) -> FunctionWorkload:
        """Add a runner that calls each version by its own target."""
        if self.other_version is None:
            return found
        others = {self.other_version.revision: self.other_version.target(found.harness)}
        return replace(found, runner=replace(found.runner, others=others), other_version=self.other_version)


@contextmanager
def open_function(request: WorkloadRequest) -> Iterator[FunctionTarget]:
    """The project's copy, the other version's too, and a sandbox that shows them; all are gone afterwards."""
    function = read_function(request.target.path, request.target.name, request.program)
    if request.options.contract:
        contract_expression(function, request.options.contract)
    other = _other(function, request.other, request.other_program)
    with ExitStack() as stack:
        more: Mounts = ()
        other_version = None
        if other is not None:
            there = locate(other.path, request.imported_in_place(other.path, function.path))
            view = open_view(there, f"{INSIDE}-new", named_files(request.options.with_paths))
            stack.callback(view.close)
            more, other_version = view.mounts, OtherVersionOfFunction(other, view, request.beside)

        def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
            return request.open_sandbox((*mounts, *more))

        linked = request.imported_in_place(function.path, request.other.path if request.other else None)
        harness = stack.enter_context(
            open_harness(function, open_with, request.options.tests, request.options.with_paths, linked)
        )
        whole = request.options.special_checker is not None
        traced = request.session.traces.get((function.path.resolve(), function.qualname))
        harness = replace(harness, target=harness.target.replace(whole_answers=whole), traced=traced)
        opened = FunctionTarget(request, harness, other_version)
        request.session.console.progress("importing libraries")
        yield replace(opened, harness=replace(harness, loading=_loading(opened)))


def _loading(opened: FunctionTarget) -> Preload:
    """Preload libraries. Another version in another file also loads its own modules."""
    harness, other_version = opened.harness, opened.other_version
    other_versions = []
    if other_version is not None and other_version.function.path.resolve() != harness.function.path.resolve():
        other_versions.append(Side(other_version.target(harness), other_version.function.source))
    return load_libraries(harness.sandbox, Side(harness.target, harness.source), other_versions)


def _other(function: Function, target: Target | None, program: TargetFiles | None) -> Function | None:
    """Return the other function. Raises UsageError if the parameters differ.

    A version outside of the package takes the original's place, so that it can import its siblings.
    """
    if target is None:
        return None
    if not target.name:
        raise UsageError(
            f"{target} names no function, and a function can only be compared with another", hint="write FILE::FUNCTION"
        )
    other = read_function(target.path, target.name, program)
    if is_outside_package(other.source, other.path, function.path):
        other = read_function(function.path, target.name, make_program(function.path, other.source))
    require_same_parameters(function, other)
    return other
