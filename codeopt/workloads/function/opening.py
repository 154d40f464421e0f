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
from codeopt.workloads.contract.function.expression import contract_expression
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.kept import known_function
from codeopt.workloads.function.harness import FunctionHarness, open_bench, require_same_parameters
from codeopt.workloads.function.measure import first_workload, measure, measure_recorded
from codeopt.workloads.function.narrowing import narrowed
from codeopt.workloads.function.rival import Rival
from codeopt.workloads.function.timing.plan import choose
from codeopt.workloads.function.timing.profile import profile_function
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.sandbox_view.libraries import Preload, Side, load_libraries
from codeopt.workloads.sandbox_view.stray import is_stray
from codeopt.workloads.sandbox_view.view import INSIDE, locate, named_files, open_view
from codeopt.workloads.source.functions import Function, read_function
from codeopt_sandbox import Sandbox
from codeopt_sandbox.profile import Profile


@dataclass(frozen=True)
class OpenedFunction:
    """A function in its sandbox, not called yet."""

    request: WorkloadRequest
    bench: FunctionHarness
    rival: Rival | None = None

    @property
    def other(self) -> Revision | None:
        """Module of the rival."""
        return self.rival.revision if self.rival else None

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox that it runs in."""
        return self.bench.sandbox

    @property
    def title(self) -> str:
        """File and qualified name."""
        return f"{self.request.program.path}::{self.bench.function.qualname}"

    @property
    def name(self) -> str:
        """Stem of the file and qualified name."""
        return f"{self.request.program.path.stem}.{self.bench.function.qualname}"

    def profile(self) -> Profile:
        """Profile of its longest calls."""
        notify = self.request.session.console.progress
        known = known_function(self.request, self.bench, self.request.calls_text)
        evidence, contract = narrowed(known.bench, known.corpus, self.request.options.contract)
        bench = known.bench
        timed = choose(bench, evidence, contract, notify=notify)
        notify("profiling")
        return profile_function(bench, timed, bench.source, ("lines", "scalene"))

    def measure(self) -> FunctionWorkload:
        """Call it, by all that is known of it. Raises NotVerifiable when that is too little."""
        look = self._look if self.request.first_look is not None and self.rival is not None else None
        return self._beside_rival(measure(self.request, self.bench, look))

    def _look(self, bench: FunctionHarness, corpus: CallCorpus) -> None:
        assert self.request.first_look is not None
        assert self.rival is not None
        workload = self._beside_rival(first_workload(self.request, bench, corpus))
        self.request.first_look(workload, self.rival.revision)

    def measure_recorded(self) -> FunctionWorkload:
        """Measure it by its recorded calls alone. Raises ProgramError."""
        return self._beside_rival(measure_recorded(self.request, self.bench))

    def _beside_rival(self, found: FunctionWorkload) -> FunctionWorkload:
        """Add a runner that calls each version by its own target."""
        if self.rival is None:
            return found
        others = {self.rival.revision: self.rival.target(found.bench)}
        return replace(found, runner=replace(found.runner, others=others), rival=self.rival)


@contextmanager
def open_function(request: WorkloadRequest) -> Iterator[OpenedFunction]:
    """The project's copy, the rival's too, and a sandbox that shows them; all are gone afterwards."""
    function = read_function(request.target.path, request.target.name, request.program)
    if request.options.contract:
        contract_expression(function, request.options.contract)
    other = _other(function, request.other, request.other_program)
    with ExitStack() as stack:
        more: Mounts = ()
        rival = None
        if other is not None:
            there = locate(other.path, request.imported_in_place(other.path, function.path))
            view = open_view(there, f"{INSIDE}-new", named_files(request.options.with_paths))
            stack.callback(view.close)
            more, rival = view.mounts, Rival(other, view, request.beside)

        def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
            return request.open_sandbox((*mounts, *more))

        linked = request.imported_in_place(function.path, request.other.path if request.other else None)
        bench = stack.enter_context(
            open_bench(function, open_with, request.options.tests, request.options.with_paths, linked)
        )
        whole = request.options.special_checker is not None
        traced = request.session.traces.get((function.path.resolve(), function.qualname))
        bench = replace(bench, target=bench.target.replace(whole_answers=whole), traced=traced)
        opened = OpenedFunction(request, bench, rival)
        request.session.console.progress("importing libraries")
        yield replace(opened, bench=replace(bench, loading=_loading(opened)))


def _loading(opened: OpenedFunction) -> Preload:
    """Preload libraries. A rival in another file also loads its own modules."""
    bench, rival = opened.bench, opened.rival
    rivals = []
    if rival is not None and rival.function.path.resolve() != bench.function.path.resolve():
        rivals.append(Side(rival.target(bench), rival.function.source))
    return load_libraries(bench.sandbox, Side(bench.target, bench.source), rivals)


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
    if is_stray(other.source, other.path, function.path):
        other = read_function(function.path, target.name, make_program(function.path, other.source))
    require_same_parameters(function, other)
    return other
