"""A file that reads no standard input: its functions, ranked by the time they take under its tests."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from codeopt.errors import UsageError
from codeopt.functions.bench import Bench
from codeopt.functions.target import Function, definitions, first_line, read_function
from codeopt.functions.tests import Tests, find_tests, run_tests
from codeopt.program import read_program

MOST = 8
_READS = re.compile(r"\binput\s*\(|\bstdin\b|\bopen\(\s*0|\bfileinput\b|\bos\.read\(\s*0")


def reads_stdin(source: str) -> bool:
    """Whether a program's text mentions its standard input."""
    return bool(_READS.search(source))


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
    """How long the functions of a module take under its tests."""

    seconds: dict[str, float]
    """Qualified name -> with all that it calls; the longest first."""
    total: float
    """Seconds of the tests themselves."""
    tests: int


def function_times(bench: Bench) -> Times:
    """Run the tests of the module under a profiler; empty without tests."""
    tests = find_tests(bench, any_name=True)
    found = run_tests(bench, bench.source, tests, job="rank") if tests else Tests((), {}, (), (), "")
    lines = {first_line(node): name for name, node in definitions(ast.parse(bench.source))}
    pairs = [(lines[line], seconds) for line, _, seconds in found.ranked if line in lines]
    return Times(dict(sorted(pairs, key=lambda pair: -pair[1])), found.seconds, len(found.passed))


def offer(bench: Bench) -> str:
    """One line that names the functions of the module, those that take longest under its tests first."""
    path = bench.function.path
    times = function_times(bench)
    total = max(times.total, *times.seconds.values(), 0.0)
    if total > 0 and times.seconds:
        named = [f"{path}::{name} ({seconds / total:.0%})" for name, seconds in times.seconds.items()]
        return (
            f"{path} reads no standard input; name one of its functions, here with their shares of the time of "
            f"{times.tests} test{'s' * (times.tests != 1)}, all that they call included: {', '.join(named[:MOST])}"
        )
    every = [name for name, _ in definitions(ast.parse(bench.source))]
    return f"{path} reads no standard input; name one of its functions: " + ", ".join(
        f"{path}::{n}" for n in every[:MOST]
    )
