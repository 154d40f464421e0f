"""Sources of a function's calls: one a file, each with `find(ask) -> list[str]`, calls as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core import plugins
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.traced import TracedCalls
from codeopt.workloads.function.calls.derive import can_be_varied
from codeopt.workloads.function.corpus.exclusions import Exclusion
from codeopt.workloads.function.harness import FunctionHarness


@dataclass(frozen=True)
class Ask:
    """Request to a source of calls."""

    harness: FunctionHarness
    calls_file: Path | None = None
    use_tests: bool = True
    notify: Callable[[str], None] = lambda line: None
    seen: Callable[[TracedCalls], None] = lambda found: None
    """Told of what a run of the tests has shown."""


@dataclass(frozen=True)
class Found:
    """Calls by source, calls for timing, and what else was learnt."""

    calls: tuple[tuple[str, tuple[str, ...]], ...]
    big: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    """Ids of tests that pass on the original."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Diagnostics of what could not be run or made."""
    dropped: Mapping[Exclusion, int] = field(default_factory=dict)
    """Number of excluded calls by reason."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Test or doctest that made a call, by call."""


GROUP = "codeopt.workloads.function.sources"
ORDER = ("calls_file", "recorded", "tests", "doctests", "type_hints")
"""Names of the sources; those that know how a function is really called come first."""


def collect(ask: Ask) -> Found:
    """The calls of all sources; guesses from type hints are made only where too little else was found."""
    names = sorted(plugins.names(GROUP), key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER))
    calls: list[tuple[str, tuple[str, ...]]] = []
    big: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    diagnostics: list[Diagnostic] = []
    dropped: Counter[Exclusion] = Counter()
    places: dict[str, str] = {}
    for name in names:
        module = plugins.load(GROUP, name)
        if getattr(module, "GUESSES", False) and _varied(calls) >= module.ENOUGH:
            continue
        found = module.find(ask)
        if isinstance(found, Found):
            calls += found.calls
            big, tests = big or found.big, tests or found.tests
            diagnostics += found.diagnostics
            dropped.update(found.dropped)
            places |= found.places
        elif found:
            calls.append((name, tuple(found)))
    return Found(tuple(calls), big, tests, tuple(diagnostics), dropped, places)


def _varied(found: Sequence[tuple[str, Sequence[str]]]) -> int:
    """Number of calls that can be changed, or are the user's own: of a recorded object alone nothing else can be
    made."""
    texts = [(name, text) for name, calls in found for text in calls]
    return sum(name == "calls_file" or can_be_varied(text) for name, text in texts)
