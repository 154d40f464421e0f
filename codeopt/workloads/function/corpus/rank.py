"""The functions of modules by the time that they take under their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeopt.analysis.nodes import first_line
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.traced import Traces
from codeopt.workloads.function.corpus.existing_tests import MOST_FILES, Tests, find_tests, run_tests
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.functions import Function, read_functions

LEAST_FILES = 40
"""Number of test files that are run for up to five modules; eight more for each further module."""
MOST_RECORDED = 40
"""Maximum number of functions whose calls one run of tests writes down."""

SLOW_S = 3.0
"""Time of tests from which on a draft has to pass only those that call the function, seconds."""


def any_function(path: Path) -> Function | None:
    """Return any function that can be improved: it is needed to open the module. None without such a function."""
    return next(read_functions(path).usable(), None)


@dataclass(frozen=True)
class Times:
    """Seconds of the functions of modules under their tests."""

    seconds: Mapping[Path, Mapping[str, float]]
    """Seconds by module and qualified name, with those of all that the function calls; the longest first."""
    total: float
    """Seconds of the tests themselves."""
    tests: int
    shortfall: Diagnostic | None = None
    """Diagnostic if the tests did not run, or not all."""
    own: Mapping[tuple[Path, str], float] = field(default_factory=dict)
    """Seconds of a function's own lines and the built-ins that they call."""
    traces: Traces = field(default_factory=dict)
    """Calls of functions that were asked for, and the tests that make them."""
    cut: bool = False
    """True if tests that may call the functions were left out, as they were too many or too slow."""
    reused_from: float | None = field(default=None, compare=False)
    """Time of the earlier run that they are of, seconds since the epoch; None: the tests were run now."""


def function_times(
    harness: FunctionHarness, paths: Sequence[Path], wanted: Sequence[tuple[Path, str]] = (), linked: Linked = NO_LINKS
) -> Times:
    """Run the tests of modules of one project under a profiler, once; empty without tests.

    wanted: functions, by file and qualified name, whose calls are written down on the way.
    """
    modules = [locate(path, linked) for path in paths]
    tests = find_tests(harness, modules).reaching
    most = max(LEAST_FILES, MOST_FILES * len(modules))
    if not tests:
        what = f"no test was found for {', '.join(module.name for module in modules[:3])}{', ...' * (len(modules) > 3)}"
        return Times({}, 0.0, 0, Diagnostic(what, hint="--tests PATH names some"))
    isolated = harness.sandbox.isolated
    inside = {harness.view.inside(module.path, isolated): path for module, path in zip(modules, paths, strict=True)}
    names_of = {path: module.name for path, module in zip(paths, modules, strict=True)}
    asked = {f"{names_of[path]} {name}": (path, name) for path, name in wanted if "." not in name}
    functions = list(asked)[:MOST_RECORDED]
    found = run_tests(harness, harness.source, tests[:most], job="rank", files=list(inside), functions=functions)
    names = {file: _names(path) for file, path in inside.items()}
    ranked: dict[Path, dict[str, float]] = {}
    own: dict[tuple[Path, str], float] = {}
    reached: dict[tuple[Path, str], tuple[str, ...]] = {}
    for row in sorted(found.ranked, key=lambda row: -row.seconds):
        if name := names[row.file].get(row.line):
            path = inside[row.file]
            ranked.setdefault(path, {})[name] = row.seconds
            own[path, name], reached[path, name] = row.own_s, row.tests
    traces = {
        (path.resolve(), name): replace(found.recorded[key], tests=_judging(found, reached[path, name]))
        for key, (path, name) in asked.items()
        if key in found.recorded and reached.get((path, name))
    }
    shortfall = found.shortfall(len(tests[:most]))
    return Times(ranked, found.seconds, len(found.passed), shortfall, own, traces, found.cut or len(tests) > most)


def _judging(found: Tests, calling: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that a candidate has to pass: those that call the function.

    If all tests are quick, it is all of the same files, as one may see the change without a call in this process.
    """
    if found.seconds > SLOW_S:
        wanted = set(calling)
        return tuple(each for each in found.passed if each in wanted)
    files = {test.partition("::")[0] for test in calling}
    return tuple(each for each in found.passed if each.partition("::")[0] in files)


def _names(path: Path) -> dict[int, str]:
    return {first_line(node): name for name, nodes in read_functions(path).named.items() for node in nodes}
