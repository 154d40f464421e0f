"""One function, or two that are compared, in a sandbox: opened, its calls collected, its workload made."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.analysis.facts import is_hinted
from codeopt.core.cache import CacheKind
from codeopt.core.errors import ModelError, NotVerifiable, UsageError
from codeopt.core.git import work_trees
from codeopt.core.history import Candidate
from codeopt.core.next_step import other_command
from codeopt.core.program import make_program
from codeopt.core.revision import Revision
from codeopt.core.session import Mounts
from codeopt.workloads import OtherTarget, Suite, WorkloadRequest
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads._runs import compared_in
from codeopt.workloads.contract.function import Contract
from codeopt.workloads.function.corpus import observe
from codeopt.workloads.function.corpus.cases import CaseMaker, shown_and_held, special_checker
from codeopt.workloads.function.corpus.collect import ask_for_calls, with_names
from codeopt.workloads.function.corpus.corpus import CallCorpus, EarlyCheck, TooThin
from codeopt.workloads.function.corpus.existing_tests import find_tests
from codeopt.workloads.function.corpus.scenarios import scenario_cases
from codeopt.workloads.function.corpus.sources import Found
from codeopt.workloads.function.corpus_cache import KnownFunction, known_function
from codeopt.workloads.function.harness import FunctionHarness, open_harness, require_same_parameters
from codeopt.workloads.function.judging import comparison_of
from codeopt.workloads.function.narrowing import contract_expression, narrowed
from codeopt.workloads.function.other_version import OtherVersionOfFunction
from codeopt.workloads.function.recording import recorded_calls
from codeopt.workloads.function.timed_again import profile_function
from codeopt.workloads.function.timing import choose
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt.workloads.sandbox_view.libraries import Side, load_libraries
from codeopt.workloads.sandbox_view.linked import project_top
from codeopt.workloads.sandbox_view.reached import is_outside_package
from codeopt.workloads.sandbox_view.view import INSIDE, MANAGE, locate, named_files, open_view
from codeopt.workloads.source.functions import Function, read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox import Sandbox
from codeopt_sandbox.comparing import AnswerChecker, Observable
from codeopt_sandbox.outcome import CaseVerdict, Outcome, Run, Tier
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
        notify = self.request.notify
        known = known_function(self.request, self.harness, self.request.calls_text)
        corpus, contract = narrowed(known.harness, known.corpus, self.request.options.contract)
        harness = known.harness
        timed = choose(harness, corpus, contract, notify=notify)
        notify("profiling")
        return profile_function(harness, timed, harness.source, ("lines", "scalene"))

    def measure(self) -> FunctionWorkload:
        """Call it, by all that is known of it. Raises NotVerifiable when that is too little."""
        look = self._look if self.other_version is not None else None
        return self._beside_other_version(measure(self.request, self.harness, look))

    def _look(self, harness: FunctionHarness, corpus: CallCorpus) -> None:
        assert self.request.other is not None
        assert self.other_version is not None
        # Judged by the calls that the sources gave, before any is made from them: enough to refuse a draft that answers
        # one of them otherwise.
        harness = with_names(harness, [each.call for each in corpus.known])
        corpus, contract = narrowed(harness, corpus, self.request.options.contract)
        found = _workload(self.request, harness, corpus, contract, list(corpus.known), [], None)
        workload = self._beside_other_version(found)
        self.request.other.early_check(workload, self.other_version.revision)

    def measure_recorded(self) -> FunctionWorkload:
        """Measure it by its recorded calls alone, as many as the original makes in RECORDED.total seconds, all of which
        may be shown: quick, and nobody need ask what others may call it with. Raises ProgramError."""
        harness = self.harness
        texts = recorded_calls(harness.function)
        given = Found((("recorded", tuple(texts)),)).with_recorded_ends()
        known = observe.observe_quick(harness, [*map(read, given.calls[0][1])], "recorded", RECORDED)
        known, elsewhere = observe.as_recorded(known, given.recorded, harness.function.qualname)
        if not known:
            raise NotVerifiable(f"none of its {len(texts)} recorded calls can be made again and does the same twice")
        harness = with_names(harness, [each.call for each in known])
        left_out = observe.Exclusions(elsewhere)
        corpus = CallCorpus(tuple(known), left_out=left_out, diagnostics=left_out.unsteady())
        corpus, contract = narrowed(harness, corpus, self.request.options.contract)
        every = list(corpus.known)
        return self._beside_other_version(_workload(self.request, harness, corpus, contract, every, [], every))

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
    asked, other = request.other, _other(function, request.other) if request.other else None
    with ExitStack() as stack:
        more: Mounts = ()
        other_version, view = None, None
        if asked is not None and other is not None:
            there = locate(other.path, request.imported_in_place(other.path, function.path))
            view = open_view(there, f"{INSIDE}-new", named_files(request.options.with_paths))
            stack.callback(view.close)
            more, other_version = view.mounts, OtherVersionOfFunction(other, view, asked.beside)

        def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
            return request.open_sandbox((*mounts, *more))

        linked = request.imported_in_place(function.path, asked.target.path if asked else None)
        harness = stack.enter_context(
            open_harness(function, open_with, request.options.tests, request.options.with_paths, linked, view)
        )
        whole = request.options.special_checker is not None
        traced = request.session.traces.get((function.path.resolve(), function.qualname))
        harness = replace(harness, target=harness.target.replace(whole_answers=whole), traced=traced)
        request.notify("importing libraries")
        sides = []  # another version in another file also loads its own modules
        if other_version is not None and other_version.function.path.resolve() != function.path.resolve():
            sides.append(Side(other_version.target(harness), other_version.function.source))
        loading = load_libraries(harness.sandbox, Side(harness.target, harness.source), sides)
        yield FunctionTarget(request, replace(harness, loading=loading), other_version)


def _other(function: Function, asked: OtherTarget) -> Function:
    """Return the other function. Raises UsageError if the parameters differ.

    A version outside of the package takes the original's place, so that it can import its siblings.
    """
    target = asked.target
    if not target.name:
        raise UsageError(
            f"{target} names no function, and a function can only be compared with another", hint="write FILE::FUNCTION"
        )
    other = read_function(target.path, target.name, asked.program)
    if is_outside_package(other.source, other.path, function.path):
        other = read_function(function.path, target.name, make_program(function.path, other.source))
    require_same_parameters(function, other)
    return other


# Measure a function: collect its calls, and make the workload that judges drafts by them.

RECORDED = observe.CallTimeLimit(0.5, 1.0)
"""Seconds that one recorded call and all of them may take where nothing else is asked of a draft."""


def measure(
    request: WorkloadRequest, harness: FunctionHarness, early_check: EarlyCheck | None = None
) -> FunctionWorkload:
    """Find out what the function does, by calls of every source. Raises ProgramError when too little can be known.

    A language model writes calls where it may, and nothing else gives enough.
    """
    try:
        return _measured(request, harness, request.calls_text, early_check)
    except NotVerifiable as error:
        if not isinstance(error, TooThin) or request.options.calls or not request.model_calls:
            said = advice(request, harness, error.tests if isinstance(error, TooThin) else ())
            if not said:
                raise
            raise NotVerifiable(str(error), error.diagnostics, hint=said) from error
        session = request.session
        session.console.aside(f"{error}: asking the model for calls")
        written = ask_for_calls(session.open_model(request.options, session.console.warn), harness, str(error))
        session.on_usage(written.usage)
        if written.problem:
            raise ModelError(f"the model wrote no calls: {written.problem}") from error
        return replace(_measured(request, harness, written.text, early_check), usage=written.usage)


def _measured(
    request: WorkloadRequest, harness: FunctionHarness, calls_text: str, early_check: EarlyCheck | None
) -> FunctionWorkload:
    known = known_function(request, harness, calls_text, early_check=early_check)
    try:
        return _from_corpus(request, known)
    except NotVerifiable:
        if known.corpus.reused_from is None:
            raise
        known.kept.forget(CacheKind.CORPUS, CacheKind.TIMING)
        return _from_corpus(request, known_function(request, harness, calls_text, fresh=True))


def _from_corpus(request: WorkloadRequest, function: KnownFunction) -> FunctionWorkload:
    """The workload of a known function. Raises NotVerifiable, ProgramError."""
    corpus, contract = narrowed(function.harness, function.corpus, request.options.contract)
    # nothing is claimed by calls that the user's expression excludes
    inside = replace(corpus, known=tuple(each for each in corpus.known if not contract.outside(each.call)))
    if reason := inside.thin(hinted=is_hinted(function.harness.function.node)):
        raise TooThin(reason, corpus.diagnostics, corpus.tests)
    corpus = replace(corpus, diagnostics=(*corpus.diagnostics, *corpus.left_out.unsteady(), *inside.few()))
    given = [known for known in corpus.known if not known.made_of_others]
    derived = [known for known in corpus.known if known.made_of_others]
    # nothing is held back from a version that is there already
    shown, held = shown_and_held(given, derived) if request.other is None else ([*given, *derived], [])
    harness = observe.informed(function.harness, given)
    found = _workload(request, harness, corpus, contract, shown, held, given or derived)
    return replace(found, kept=function.kept)


def _workload(
    request: WorkloadRequest, harness: FunctionHarness, corpus: CallCorpus, contract: Contract,
    shown: list[observe.KnownCall], held: list[observe.KnownCall], read_on: list[observe.KnownCall] | None,
) -> FunctionWorkload:  # fmt: skip
    """The workload of known calls. read_on: calls whose iterators may be read on. None: nothing but the calls
    themselves is looked at, no other environment, and no several of them together."""
    options = request.options
    runner = harness.recording_runner
    check: AnswerChecker = comparison_of(options)
    special = special_checker(harness, options, corpus.known)
    if special:
        check = special
    policy = InputPolicy(options.mutated_inputs)
    maker = CaseMaker(harness, runner, check, contract, policy)
    cases = maker.by_tier(shown, "calls", elsewhere=read_on is not None)
    cases += replace(maker, held_out=True).by_tier(held, "held")
    cases += maker.read_on([each for each in read_on or () if not contract.outside(each.call)])
    if read_on is not None and not special:  # what several calls answer together is no value to be accepted
        usual = [each for each in shown if policy.rejects(Tier.SIMILAR) or not each.made_of_others]
        inside = [each for each in usual if not contract.beyond(each.call)]
        may_change = Observable.ARGUMENTS in options.ignore_difference
        cases += scenario_cases(harness, runner, inside, contract, may_change=may_change, policy=policy)
    right = Run(0, None, 0.0, 0.0, 0, b"", b"")
    outcomes = tuple(Outcome(case.name, CaseVerdict.AC, right) for case in cases)
    original = replace(request.baseline or Candidate(0, harness.revision, "the original"), outcomes=outcomes)
    once = replace(request.rule, pair_seconds=0.0)  # a run is as many passes as it takes: see timing.PAIR_S
    suite = Suite(tuple(cases), check)
    found = FunctionWorkload(request, harness, corpus, runner, original, suite, once, contract=contract)
    request.session.console.detail(compared_in(found.environments, "calls"))
    return found


def advice(request: WorkloadRequest, harness: FunctionHarness, tests: Sequence[str] = ()) -> str:
    """`check it by a command instead: codeopt ...`; empty where no test is known, or the tests are not the project's.

    tests: ids of tests that call the function; empty: those that name it, or import its module.
    """
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests)) or _found(harness)
    root = harness.view.module.root
    # maximum number of test files that the command names
    files = [file for file in files if (root / file).is_file()][:4]
    if not files or not any(work_trees(root)):
        return ""
    command = shlex.join(_words(request, harness, files))
    # NEW's folder, if OLD is a checkout made for a comparison with a commit
    here = next(work_trees(Path.cwd()), None)
    if request.other is not None and here is not None and not root.resolve().is_relative_to(here):
        new = project_top(request.other.target.path.resolve())
        root = new if new.is_relative_to(here) else root
    folder = os.path.relpath(root)
    where = [] if folder == os.curdir else [folder]
    asked = request.session.command
    if request.other is None:
        return f"check it by a command instead: {other_command(asked, 'improve', *where, '--run', command)}"
    base = [] if "--base" in asked else ["--base", "HEAD"]
    line = other_command(asked, "compare", *where, *base, "--run", command)
    return f"check it by a command instead, with NEW in the place of OLD: {line}"


def _words(request: WorkloadRequest, harness: FunctionHarness, files: Sequence[str]) -> list[str]:
    """Command that runs test files: Django's where the project is one of its, unittest where there is no pytest."""
    dotted = [file.removesuffix(".py").replace("/", ".") for file in files]
    if harness.target.django and (harness.view.module.root / MANAGE).is_file():
        return ["python", MANAGE, "test", *dotted]
    if request.interpreter is None or request.interpreter.pytest:
        return ["pytest", "-q", *files]
    return ["python", "-m", "unittest", *dotted]


def _found(harness: FunctionHarness) -> list[str]:
    """Test files that name the function, else those that may reach its module, relative to the project."""
    base = Path(harness.view.shown_at) if harness.sandbox.isolated else harness.view.folder
    near = find_tests(harness)
    inside = (Path(path) for path in near.calling or near.reaching)
    return [path.relative_to(base).as_posix() for path in inside if path.is_relative_to(base)]
