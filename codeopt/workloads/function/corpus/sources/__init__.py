"""Sources of a function's calls: one a file, each with `find(ask) -> list[str]`, calls as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeopt.core import plugins
from codeopt.core.errors import Diagnostic
from codeopt.core.target import TracedCalls
from codeopt.workloads.function.corpus.observe import Exclusion
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.generated.derive import can_be_varied


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

    def __add__(self, other: Found) -> Found:
        return Found(
            self.calls + other.calls,
            self.big or other.big,
            self.tests or other.tests,
            self.diagnostics + other.diagnostics,
            Counter(self.dropped) + Counter(other.dropped),
            {**self.places, **other.places},
        )

    def limited(self) -> Found:
        """At most MOST_GIVEN calls of each source, evenly spaced, and a line on those that are left out."""
        kept = tuple(
            (name, tuple(texts[at * len(texts) // MOST_GIVEN] for at in range(MOST_GIVEN)))
            if len(texts) > MOST_GIVEN
            else (name, texts)
            for name, texts in self.calls
        )
        cut = [len(texts) for _, texts in self.calls if len(texts) > MOST_GIVEN]
        why = f"of {', '.join(f'{count:,}' for count in cut)} calls {MOST_GIVEN:,} are made, evenly spaced"
        left = sum(cut) - len(cut) * MOST_GIVEN
        left_out = Diagnostic(f"{left:,} known call{'s' * (left != 1)} left out", why)
        return replace(self, calls=kept, diagnostics=(*self.diagnostics, *[left_out] * bool(cut)))


MOST_GIVEN = 10_000
"""Number of calls of one source that are made. The original makes each in three environments, which takes half a
minute; 100,000 took more than five minutes."""
GROUP = "codeopt.workloads.function.sources"
ORDER = ("calls_file", "recorded", "tests", "doctests", "type_hints")
"""Names of the sources; those that know how a function is really called come first."""


def collect(ask: Ask) -> Found:
    """The calls of all sources that do not guess."""
    return _found(ask, {name: module for name, module in _sources() if not getattr(module, "GUESSES", False)})


def guess(ask: Ask, known: Found) -> Found:
    """Guesses, such as from type hints; none if enough calls are known."""
    guessing = [(name, module) for name, module in _sources() if getattr(module, "GUESSES", False)]
    return _found(ask, {name: module for name, module in guessing if _varied(known.calls) < module.ENOUGH})


def _sources() -> list[tuple[str, Any]]:
    names = sorted(plugins.names(GROUP), key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER))
    return [(name, plugins.load(GROUP, name)) for name in names]


def _found(ask: Ask, sources: Mapping[str, Any]) -> Found:
    every = Found(())
    for name, module in sources.items():
        found = module.find(ask)
        every += found if isinstance(found, Found) else Found(((name, tuple(found)),) if found else ())
    return every


def _varied(found: Sequence[tuple[str, Sequence[str]]]) -> int:
    """Number of calls that can be changed, or are the user's own: of a recorded object alone nothing else can be
    made."""
    texts = [(name, text) for name, calls in found for text in calls]
    return sum(name == "calls_file" or can_be_varied(text) for name, text in texts)
