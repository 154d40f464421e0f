"""One function opened for judging: the project's copy, the sandbox that shows it, and how drafts of it run."""

from __future__ import annotations

import ast
import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from codeopt.analysis.nodes import Def
from codeopt.core.call import Call, texts_of
from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.program import TracedCalls
from codeopt.core.revision import Revision
from codeopt.core.session import Mounts
from codeopt.core.words import end_of_run
from codeopt.workloads._runs import other_environments
from codeopt.workloads.contract.declared import ClassHints, DeclaredTypes, declared_types
from codeopt.workloads.contract.function import Contracts
from codeopt.workloads.function.counterexample import CallNames
from codeopt.workloads.function.recording import known_as
from codeopt.workloads.generated.vocabulary import Vocabulary, vocabulary
from codeopt.workloads.sandbox_view.libraries import Preload
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.reached import missing_part
from codeopt.workloads.sandbox_view.view import (
    Place,
    View,
    locate,
    named_files,
    open_places,
    open_view,
    settings_module,
)
from codeopt.workloads.source.functions import Function, dotted, own_nodes
from codeopt.workloads.source.names import Scope, imported_names, scopes_below
from codeopt.workloads.tests import ProjectTests
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import (
    CallAnswer,
    CallBatch,
    CallRun,
    CallRunner,
    CallTiming,
    Failure,
    FunctionRef,
    KnownFloats,
    ProcessChanges,
)
from codeopt_sandbox.guest.request import USUAL, Environment, batch_of
from codeopt_sandbox.outcome import RunLimits, RunOptions

if TYPE_CHECKING:
    from codeopt_sandbox.guest.request import Ordered, Program


@dataclass(frozen=True)
class FunctionHarness:
    """A function, and everything it takes to call it in a sandbox."""

    function: Function
    view: View
    sandbox: Sandbox
    target: FunctionRef
    project_tests: ProjectTests
    """Test files of the project, read once for all that ask."""
    places: tuple[Place, ...] = ()
    """Tests that the user named."""
    names: CallNames = CallNames()
    loading: Preload = Preload()
    """Libraries that are loaded once for all runs of calls."""
    floats: KnownFloats = field(default_factory=KnownFloats)
    """Floats of answers."""
    left: Left = field(default_factory=dict)
    """Changes of the process that usable calls leave."""
    contracts: Contracts = field(default_factory=Contracts)
    ordered: Ordered = "all"
    """Containers whose order is part of the answers to generated calls."""
    declared: DeclaredTypes = DeclaredTypes()
    """Types that generated calls keep to."""
    traced: TracedCalls | None = None
    """Findings of an earlier run of the project's tests; None: no such run."""

    @property
    def runner(self) -> CallRunner:
        """Runs module texts."""
        return CallRunner(self.sandbox, self.target, self.names.shown, self.loading.libraries, self.floats)

    @property
    def recording_runner(self) -> TimedRuns:
        """The same, which keeps in `left` what checked runs leave of their processes."""
        return TimedRuns(self.runner, left=self.left, known=self._imported)

    @cached_property
    def _imported(self) -> frozenset[str]:
        """Top names of what the module imports."""
        return frozenset(name.partition(".")[0] for name in imported_names(self.source))

    @property
    def source(self) -> str:
        """The module as it is."""
        return self.function.source

    @property
    def revision(self) -> Revision:
        """The same as a revision."""
        return Revision.of(self.source)

    @property
    def vocabulary(self) -> Vocabulary:
        """Literals that the function's text mentions."""
        return vocabulary(self.source, self.function.text)

    @cached_property
    def environments(self) -> tuple[Environment, ...]:
        """Environments of calls that somebody makes, the usual one first; with other values of the variables that the
        module names, where it can be imported with them."""
        shifted, embedded = other_environments(self.source)
        if shifted.variables and self.runner.ask(self.source, CallBatch(()), shifted).answer is None:
            shifted = shifted.replace(variables=())
        return USUAL, shifted, embedded

    @cached_property
    def scope(self) -> Scope:
        """Names of the module, and what they represent in the project."""
        module = self.view.module
        return Scope(module.name, module.path.name == "__init__.py", ast.parse(self.source), scopes_below(module.roots))

    def ask(self, calls: Iterable[Call], program: Program = "check", **options: Any) -> CallAnswer:
        """Answers of the original. Raises ProgramError when it cannot even be imported."""
        run = self.runner.ask(self.source, CallBatch(texts_of(calls), program, **options))
        if run.answer is None:
            fact, hint = self.no_answer(run)
            raise ProgramError(fact, hint=hint)
        return run.answer

    def no_answer(self, run: CallRun) -> tuple[str, str]:
        """Why the original gave none, and what can be done."""
        said = end_of_run(run)
        named = missing_part(said, self.function.path, self.view.module)
        if not named and run.failure == Failure.IS_PROGRAM:
            named = 'put what the file does on import under `if __name__ == "__main__":`'
        what = f"{self.function.path}::{self.function.qualname} cannot be run: {said}"
        return what, named


@contextlib.contextmanager
def open_harness(
    function: Function,
    open_with: Callable[[Mounts], AbstractContextManager[Sandbox]],
    tests: tuple[Path, ...] = (),
    with_paths: tuple[Path, ...] = (),
    linked: Linked = NO_LINKS,
    beside: View | None = None,
) -> Iterator[FunctionHarness]:
    """Copy the project's view and open a sandbox that shows it; both are gone afterwards.

    open_with: opens a sandbox with these mounts. tests: shown too, from any place. with_paths: of the project, what
    git does not track. linked: what the environment imports in place. beside: the view of another version.
    """
    with contextlib.ExitStack() as stack:
        module = locate(function.path, linked)
        named = named_files(with_paths)
        for path in named:
            if module.root not in path.resolve().parents:
                raise UsageError(f"--with {path}: a function finds only what lies in its project, {module.root}")
        view = open_view(module, also=named, beside=beside)
        stack.callback(view.close)
        places, mounts = open_tests(stack, tests, view)
        sandbox = stack.enter_context(open_with((*view.mounts, *mounts)))
        target = make_target(function, view, sandbox)
        names = CallNames(method=function.qualname if "." in function.qualname else "")
        harness = FunctionHarness(
            function, view, sandbox, target, ProjectTests(module, view.folder, view.tracked), places, names
        )
        yield replace(harness, declared=declared_types(function, ClassHints(harness.scope, harness.scope)))


def open_tests(
    stack: contextlib.ExitStack, tests: tuple[Path, ...], view: View
) -> tuple[tuple[Place, ...], tuple[tuple[str, str], ...]]:
    """Tests that the user named, and what is to be mounted for them; copies go when the stack is left."""
    places = tuple(open_places(tests, view))
    mounts = []
    for place in places:
        if place.folder is not None:
            stack.callback(shutil.rmtree, place.folder, ignore_errors=True)
            mounts.append((str(place.folder), place.inside.rpartition("/")[0]))
    return places, tuple(mounts)


def make_target(
    function: Function, view: View, sandbox: Sandbox, calls_file: str | None = None, aliases: tuple[str, ...] = ()
) -> FunctionRef:
    """Reference by which the guest finds the function."""
    tree = ast.parse(function.source)
    data, classes = _names(tree)
    # Attributes that a module sets on its own functions: `f.calls`
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    stored = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
    names = (dotted(node) for node in stored)
    return FunctionRef(
        module=view.module.name,
        file=view.inside(view.module.path, sandbox.isolated),
        qualname=function.qualname,
        paths=view.paths(sandbox.isolated),
        globals=data,
        classes=classes,
        attributes=tuple(
            sorted({name for name in names if name.partition(".")[0] in functions and name.count(".") == 1})
        ),
        generator=is_a_generator_for_callers(function.node),
        receives=receives(function.node),
        first_line=function.body_line,
        asynchronous=function.asynchronous,
        calls_file=calls_file,
        memory_bytes=int(0.6 * (sandbox.limits.memory_mib << 20)),
        aliases=(*aliases, *known_as(function)),
        django=settings_module(view.module),
        test_paths=tuple(view.inside(folder, sandbox.isolated) for folder in view.test_folders),
    )


def with_calls_file(harness: FunctionHarness, text: str) -> FunctionHarness:
    """The same harness with a calls file."""
    return replace(harness, target=harness.target.replace(calls_file=text))


def _names(tree: ast.Module) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Module-level names that are assigned, and classes."""
    data: set[str] = set()
    classes: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            classes.add(node.name)
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        data |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return tuple(sorted(name for name in data if not name.startswith("__"))), tuple(sorted(classes))


def receives(node: Def) -> bool:
    """Whether a generator function takes what is sent to it."""
    own = list(own_nodes(node))
    plain = {id(n.value) for n in own if isinstance(n, ast.Expr)}
    return any(isinstance(n, ast.Yield) and id(n) not in plain for n in own)


def is_a_generator_for_callers(node: Def) -> bool:
    """Whether a function's callers may need a generator, not just an iterator: it takes what is sent to it, or what is
    thrown into it, or its annotation is `Generator`."""
    own = list(own_nodes(node))
    tried = [n for n in own if isinstance(n, ast.Try | ast.With)]
    guarded = any(isinstance(inner, ast.Yield | ast.YieldFrom) for each in tried for inner in ast.walk(each))
    hint = ast.unparse(node.returns) if node.returns is not None else ""
    yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in own)
    return yields and (receives(node) or guarded or "Generator" in hint)


def require_same_parameters(old: Function, new: Function) -> None:
    """Two functions that are to be compared must be called in the same way. Raises UsageError."""
    if old.asynchronous != new.asynchronous:
        raise UsageError(f"{old.qualname} and {new.qualname} cannot be compared: only one of them is asynchronous")


# Runs of calls that keep their timings, and what they left of their processes: all runs of a judge say more than a
# few.

T = TypeVar("T")
Left = dict[tuple[Revision, tuple[str, ...]], list[ProcessChanges]]
"""Changes that checked runs left, each once, by program and the libraries that were imported after it."""


@dataclass(frozen=True)
class TimedRun:
    """Times of one run of timed calls."""

    program: Revision
    stdin: bytes
    """The batch."""
    timing: CallTiming


@dataclass
class TimedRuns:
    """Runs calls of a module's revisions, and stores the times of each timed run."""

    calls: CallRunner
    """Runner of a module's text, which calls the target."""
    others: Mapping[Revision, FunctionRef] = field(default_factory=dict)
    """Functions to call instead of the target, for revisions in other places."""
    kept: list[TimedRun] = field(default_factory=list)
    """Oldest first."""
    left: Left = field(default_factory=dict)
    """Changes that checked runs left, each once, by program and the libraries that were imported after it."""
    known: frozenset[str] = frozenset()
    """Packages that the original imports."""
    imported: dict[Revision, tuple[str, ...]] = field(default_factory=dict)
    """Modules that a program newly imports, by program."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.calls.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> CallRun:
        """Make the calls of a batch. Libraries that any program so far newly imports are loaded before.

        So no program alone pays for an import or finds a different process. Memory is compared without the others'
        imports.
        """
        if program not in self.imported:
            names = imported_names(program.text)
            self.imported[program] = tuple(name for name in names if name.partition(".")[0] not in self.known)
        ref = self.others.get(program, self.calls.ref)
        if not batch_of(stdin).memory:
            ref = ref.replace(libraries=tuple(dict.fromkeys(chain.from_iterable(self.imported.values()))))
        calls = replace(self.calls, ref=ref)
        run = calls.run(program.text, stdin, **options)
        if run.call_timing:
            self.kept.append(TimedRun(program, stdin, run.call_timing))
        left = run.answer.left if run.answer else None
        if left is not None and left not in self.left.setdefault((program, ()), []):
            self.left[program, ()].append(left)
        return run

    def apart(self) -> TimedRuns:
        """A runner that knows as much by now, and whose further runs this one does not see."""
        return replace(self, kept=[], left={}, imported=dict(self.imported))

    def join(self, other: TimedRuns) -> None:
        """Add what the runs of one that was apart left of their processes."""
        for key, changes in other.left.items():
            self.left.setdefault(key, []).extend(each for each in changes if each not in self.left[key])

    def ask(self, program: Revision, batch: CallBatch, environment: Environment = USUAL) -> CallRun:
        """Run a batch in a fresh interpreter. Without an answer the run says why."""
        return self.run(program, batch.stdin(), mode="exec", environment=environment)

    def restart_guest(self) -> None:
        """A fresh guest, as the sandbox does it."""
        self.calls.restart_guest()

    def quiesce(self) -> None:
        """Let the sandbox settle before timing."""
        self.calls.quiesce()

    def timings(self, program: Revision, stdin: bytes | None = None) -> list[CallTiming]:
        """Return timings of all runs of a program, or of those with the calls of this batch, the oldest first.

        The other questions of a batch do not matter.
        """
        kept = [each for each in self.kept if each.program == program]
        return [each.timing for each in kept if stdin is None or _calls(each.stdin) == _calls(stdin)]

    def of_batch(self, program: Revision, stdin: bytes) -> list[CallTiming]:
        """Timings of its runs that made just this batch; oldest first."""
        return [each.timing for each in self.kept if each.program == program and each.stdin == stdin]


def side_by_side(old: Sequence[T], new: Sequence[T]) -> list[tuple[T, T]]:
    """Pair the latest runs of each, oldest first. The first runs of the longer list have no partner."""
    last = min(len(old), len(new))
    return list(zip(old[-last:], new[-last:], strict=True)) if last else []


@lru_cache(maxsize=8)  # one input is run up to fifty times
def _calls(stdin: bytes) -> tuple[str, ...]:
    return batch_of(stdin).calls
