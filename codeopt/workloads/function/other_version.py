"""The other version of a function in a comparison: how it is called, and whether it passes the target's tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.analysis.nodes import bound_names
from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.core.words import counted
from codeopt.workloads import Checked
from codeopt.workloads.function.corpus.existing_tests import run_tests
from codeopt.workloads.function.harness import FunctionHarness, make_target
from codeopt.workloads.sandbox_view.reached import is_outside_package
from codeopt.workloads.sandbox_view.view import View
from codeopt.workloads.source.functions import Function, read_function
from codeopt_sandbox.calls import FunctionRef
from codeopt_sandbox.plain_files import read_text

MAX_NAMED = 3
"""Maximum number of missing names that a note tells."""


@dataclass(frozen=True)
class OtherVersionOfFunction:
    """A function that is compared with the target, and the view of its project."""

    function: Function
    view: View
    beside: tuple[Target, ...] = ()
    """Functions of its project that are compared on their own."""

    @property
    def revision(self) -> Revision:
        """Revision of its module, which never equals the target's: its path is in it."""
        return Revision.of(self.function.source, str(self.function.path))

    def target(self, harness: FunctionHarness) -> FunctionRef:
        """Reference by which it is called as the target is."""
        ref = make_target(
            self.function, self.view, harness.sandbox, harness.target.calls_file, (harness.target.module,)
        )
        return ref.replace(
            globals=harness.target.globals,
            classes=harness.target.classes,
            calls_paths=harness.target.paths,
            whole_answers=harness.target.whole_answers,
        )

    def tested(self, harness: FunctionHarness, tests: Sequence[str]) -> Checked:
        """Run the target's passing tests on this version.

        If it is the same module of another checkout, that checkout's tests run. Otherwise this module replaces the
        target's. Tests that cannot run become a note, and so do those that fail only for other functions.
        """
        own, kept, why = self._tests_for(harness, tests)
        left = len(tests) - len(kept)
        notes: tuple[str, ...] = (f"{counted(left, 'test')} that OLD passes not run on NEW: {why}",) if left else ()
        if not kept:
            return Checked(notes=notes)
        found = run_tests(own, self.function.source, kept)
        lost = [] if found.error else found.not_passed(kept)
        others = self._failed_for_others(own, lost) if lost and self.beside else set()
        if others:
            notes += (f"{counted(len(others), 'test')} that OLD passes failed on NEW for other functions",)
        return Checked(rejection=found.problem([test for test in kept if test not in others]), notes=notes)

    def _failed_for_others(self, own: FunctionHarness, failed: Sequence[str]) -> set[str]:
        """Return the tests that call a function that is compared on its own, and not this one."""
        places = {
            (self._inside(own, each.path), read_function(each.path, each.name).first_line)
            for each in self.beside
            if each.name and each.path.is_relative_to(self.view.module.root)
        }
        this = (self._inside(own, self.function.path), self.function.first_line)
        files = list({file for file, _ in (*places, this)})
        ranked = run_tests(own, self.function.source, failed, files=files).ranked
        calling = {(row.file, row.line): set(row.tests) for row in ranked}
        return set().union(*(calling.get(place, ()) for place in places)) - calling.get(this, set())

    def _inside(self, own: FunctionHarness, path: Path) -> str:
        """Path of a file of this version, as the sandbox sees it. The module may be a text in the target's place."""
        real = own.view.module.path if path == self.function.path else path
        return own.view.inside(real, own.sandbox.isolated)

    def _tests_for(self, harness: FunctionHarness, tests: Sequence[str]) -> tuple[FunctionHarness, Sequence[str], str]:
        """The harness and the tests to run on it, and why not the others."""
        here, there = harness.view.module, self.view.module
        if here.name == there.name and here.root != there.root:
            own = replace(harness, function=self.function, view=self.view, target=self.target(harness))
            kept = tests if harness.places else [each for each in tests if _is_there(there.root, each)]
            return own, kept, "its checkout does not have them"
        why, target = "", harness.function  # its module cannot replace the target's
        if self.function.qualname != target.qualname:
            why = f"it is named {self.function.qualname}"
        elif missing := sorted(_top_names(target.source) - _top_names(self.function.source)):
            more = ", ..." if len(missing) > MAX_NAMED else ""
            why = f"its file does not define {', '.join(missing[:MAX_NAMED])}{more}"
        elif is_outside_package(self.function.source, target.path, self.function.path):
            why = "its file imports modules that only its own folder has"
        return harness, () if why else tests, why


def changed_parameters(old: Function, new: Function) -> str:
    """Return why callers of the old function may fail with the new one. Empty if none does: it may take more."""
    before, after = old.node.args, new.node.args
    if all(_takes(after, *call) for call in _calls(before)):
        return ""
    return f"it changes the parameters of {old.qualname} from ({ast.unparse(before)}) to ({ast.unparse(after)})"


def _calls(takes: ast.arguments) -> Iterator[tuple[int, set[str]]]:
    """Yield calls that a signature takes, by the number of positional arguments and the names of the others."""
    positional, required = [*takes.posonlyargs, *takes.args], _required(takes)
    for count in range(len(takes.posonlyargs), len(positional) + 1):
        yield count, {each.arg for each in (*positional[count:], *takes.kwonlyargs)}
    yield len(positional) - len(takes.defaults), required & {each.arg for each in takes.kwonlyargs}
    if takes.vararg:
        yield len(positional) + 255, required - {each.arg for each in positional}
    if takes.kwarg:
        yield len(positional), required - {each.arg for each in positional} | {"any other name"}


def _takes(takes: ast.arguments, count: int, named: set[str]) -> bool:
    """Whether a signature takes a call."""
    positional = [*takes.posonlyargs, *takes.args]
    given = {each.arg for each in positional[:count]} | named
    by_name = {each.arg for each in (*takes.args[max(0, count - len(takes.posonlyargs)) :], *takes.kwonlyargs)}
    fits = count <= len(positional) or takes.vararg is not None
    return fits and _required(takes) <= given and (named <= by_name or takes.kwarg is not None)


def _required(takes: ast.arguments) -> set[str]:
    """Names of the parameters without a default."""
    positional = [*takes.posonlyargs, *takes.args]
    named = zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
    given = [each for each, default in named if default is None]
    return {each.arg for each in (*positional[: len(positional) - len(takes.defaults)], *given)}


def _top_names(source: str) -> set[str]:
    """Names that a module binds at its top otherwise than by importing them."""
    imports = (ast.Import, ast.ImportFrom)
    return {name for node in ast.parse(source).body if not isinstance(node, imports) for name in bound_names(node)}


def _is_there(root: Path, test: str) -> bool:
    """Return True if a project has a test with this pytest id."""
    file, *_, name = test.partition("[")[0].split("::")
    try:
        text = read_text(root / file)
    except (OSError, UnicodeDecodeError):
        return False
    return bool(re.search(rf"^\s*(async\s+)?def\s+{re.escape(name)}\b", text, re.MULTILINE))
