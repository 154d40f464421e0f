"""The functions of modules by the time that they take under their tests."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeopt.analysis.nodes import first_line
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.workloads.function.corpus.existing_tests import find_all_tests, run_tests
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.functions import Function, definitions, read_function


def any_function(path: Path) -> Function | None:
    """One function that could be improved, so that the module can be opened; None when there is none."""
    for name, _ in definitions(ast.parse(read_program(path).source)):
        try:
            return read_function(path, name)
        except UsageError:
            continue
    return None


@dataclass(frozen=True)
class Times:
    """Seconds of the functions of modules under their tests."""

    seconds: dict[Path, dict[str, float]]
    """By module: qualified name -> with all that it calls; the longest first."""
    total: float
    """Seconds of the tests themselves."""
    tests: int
    shortfall: Diagnostic | None = None
    """Why the tests did not run, or not all."""


def function_times(bench: FunctionHarness, paths: Sequence[Path]) -> Times:
    """Run the tests of modules of one project under a profiler, once; empty without tests."""
    modules = [locate(path) for path in paths]
    tests = find_all_tests(bench, modules)
    if not tests:
        what = f"no test was found for {', '.join(module.name for module in modules[:3])}{', ...' * (len(modules) > 3)}"
        return Times({}, 0.0, 0, Diagnostic(what, remedy="--tests PATH names some"))
    isolated = bench.sandbox.isolated
    inside = {bench.view.inside(module.path, isolated): path for module, path in zip(modules, paths, strict=True)}
    found = run_tests(bench, bench.source, tests, job="rank", files=list(inside))
    names = {file: _names(path) for file, path in inside.items()}
    ranked: dict[Path, dict[str, float]] = {}
    for file, line, seconds in sorted(found.ranked, key=lambda row: -row[2]):
        if line in names[file]:
            ranked.setdefault(inside[file], {})[names[file][line]] = seconds
    return Times(ranked, found.seconds, len(found.passed), found.shortfall(len(tests)))


def _names(path: Path) -> dict[int, str]:
    return {first_line(node): name for name, node in definitions(ast.parse(read_program(path).source))}
