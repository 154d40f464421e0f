"""Existing tests as evidence: which pass on the original, which calls they make, and whether a draft passes the
same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeopt.functions.bench import Bench
from codeopt.functions.project import Module, tracked
from sandbox.calls import test_run
from sandbox.outcome import Limits

MOST_FILES, MOST_CALLS = 8, 120
SECONDS = 60.0
ENOUGH_S = 20.0
"""Of a suite that takes longer no further test is begun; a draft then has the rest of SECONDS for the same ones."""


@dataclass(frozen=True)
class Tests:
    """One run of tests."""

    passed: tuple[str, ...]
    failed: dict[str, str]
    calls: tuple[str, ...]
    ranked: tuple[tuple[int, int, float], ...]
    """(first line, calls, seconds with all that it calls) of the module's functions; only of a "rank" job."""
    error: str
    """Why there is no result; empty when there is one."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Why calls cannot be written down (`key: a lambda`) -> how many."""
    seconds: float = 0.0
    """Of the clock, that the tests themselves took."""
    places: dict[str, str] = field(default_factory=dict)
    """By call: the test or doctest that made it first."""


def find_tests(bench: Bench, *, any_name: bool = False) -> list[str]:
    """Paths, as the sandbox sees them, of the tests that the user named; else of tests that name the function and
    import its
    module."""
    isolated = bench.sandbox.isolated
    if bench.places:
        return [place.at(isolated) for place in bench.places]
    if not bench.view.copied:
        return []
    module = bench.view.module
    package, last = module.name.partition(".")[0], module.name.rpartition(".")[2]
    imports = re.compile(rf"^\s*(from|import)\s+.*\b({re.escape(package)}|{re.escape(last)})\b", re.MULTILINE)
    name = re.compile(rf"\b{re.escape(bench.function.name)}\b")
    found: list[tuple[int, str]] = []
    for path in tracked(module):
        if re.fullmatch(r"test_.*\.py|.*_test\.py", path.name) and (bench.view.folder / path).is_file():
            text = (bench.view.folder / path).read_text("utf-8", "replace")
            if imports.search(text) and (any_name or name.search(text)):
                found.append((_distance(path, text, module), bench.view.inside(module.root / path, isolated)))
    return [path for _, path in sorted(found)[:MOST_FILES]]


def _distance(path: Path, text: str, module: Module) -> int:
    """How far a test is from a module, the nearest first: by its name, by what it imports, by where it lies."""
    last = module.name.rpartition(".")[2]
    near = module.path.parent in (module.root / path).parents
    named = path.stem.strip("_") in (f"test_{last.strip('_')}", f"{last.strip('_')}_test")
    return 4 * (not named) + 2 * (module.name not in text) + (not near)


def run_tests(bench: Bench, source: str, tests: Sequence[str], *, record: bool = False, job: str = "pytest") -> Tests:
    """Run tests (paths or ids) on a module text in the sandbox."""
    folder = bench.view.inside(bench.view.module.root, bench.sandbox.isolated) if bench.view.copied else ""
    if bench.places:
        first = Path(bench.places[0].at(bench.sandbox.isolated))
        folder = str(first if bench.places[0].path.is_dir() else first.parent)
    program = test_run(
        bench.target, source, job, tests, folder, MOST_CALLS if record else 0, ENOUGH_S if record else SECONDS
    )
    limits: Limits = replace(bench.sandbox.limits, seconds=SECONDS)
    run = bench.sandbox.run(program, b"", mode="exec", limits=limits)
    try:
        found: dict[str, Any] = json.loads(run.stdout.decode("utf-8", "replace"))
        return Tests(
            tuple(map(str, found["passed"])),
            {str(key): str(value) for key, value in found["failed"].items()},
            tuple(str(call) for call, _ in found["calls"]),
            tuple((int(line), int(calls), float(total)) for line, calls, total in found.get("ranked", ())),
            str(found["error"]),
            {str(why): int(count) for why, count in found.get("lost", {}).items()},
            float(found.get("seconds", 0.0)),
            {str(call): str(place) for call, place in found["calls"]},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        last = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return Tests((), {}, (), (), run.evidence or last or f"exit status {run.exit}")


def failing(bench: Bench, draft: str, ids: Sequence[str]) -> str:
    """Which of the tests that pass on the original a draft does not pass, in one line; empty when it passes all."""
    found = run_tests(bench, draft, ids)
    if found.error:
        return f"the tests do not run: {found.error}"
    lost = [name for name in ids if name not in found.passed]
    return f"test {lost[0]} fails: {found.failed.get(lost[0], 'it was not run')}" if lost else ""
