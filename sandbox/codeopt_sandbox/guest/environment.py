"""Environments of runs: everything that a program can depend on except its input, as a value shared with the host.

Both sides of a comparison run in the same environments. The consequence of a difference depends on the axis. Time zone,
log level, hash seed, thread, folder, argument, variable and test mark reject. Decimal context, -O and recursion limit
are removed by `plain`, and a difference that needs them is a caveat.
"""

from __future__ import annotations

from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Self

    Filter = Literal["always", "ignore"]

    Order = Literal["given", "shuffled", "reversed"]
    Thread = Literal["main", "other"]

TEST_MARKS = (("PYTEST_CURRENT_TEST", "test_calls.py::test_calls (call)"), ("PYTEST_VERSION", "8.0.0"))
"""Variables by which code finds out that a test is running."""


class Environment(Record):
    """Environment of a run. A field that is empty or 0 leaves what the sandbox gives: UTC, C.UTF-8, one thread."""

    name: str = "usual"
    hash_seed: int = 0
    order: Order = "given"
    """Order of the calls of a run."""
    timezone: str = ""
    """Timezone as the variable TZ has it."""
    locale: str = ""
    """Locale as the variable LC_ALL has it."""
    log_level: int = 0
    """Level of the root logger."""
    warnings: Filter = "always"
    """Action of the filter for all warnings."""
    decimal: tuple[int, str] | None = None
    """Digits and rounding of decimal contexts."""
    recursion_limit: int = 0
    optimize: int = 0
    """Level of `python -O`."""
    thread: Thread = "main"
    """Thread that makes the calls; the module is imported in the main thread."""
    omp_threads: int = 0
    """Threads of libraries that are loaded with the module; one that is preloaded keeps its own."""
    folder: str = ""
    """Working folder of calls, relative to the usual one. It is created if it is missing."""
    argv: tuple[str, ...] = ()
    """Arguments of the process that makes the calls."""
    test_marks: bool = False
    variables: tuple[tuple[str, str], ...] = ()
    """Other values of variables that the original reads."""
    distinct: bool = False
    """Equal parts of the arguments are separate objects."""

    @property
    def plain(self) -> Self:
        """Return the environment without the settings whose effects are only caveats."""
        return self.replace(decimal=None, recursion_limit=0, optimize=0)

    def process_variables(self) -> dict[str, str]:
        """Return the environment variables of the process, without the hash seed."""
        found = dict(self.variables)
        found.update({"TZ": self.timezone} if self.timezone else {})
        found.update({"LC_ALL": self.locale} if self.locale else {})
        found.update({"PYTHONOPTIMIZE": str(self.optimize)} if self.optimize else {})
        found.update({"OMP_NUM_THREADS": str(self.omp_threads)} if self.omp_threads else {})
        return {**found, **(dict(TEST_MARKS) if self.test_marks else {})}


USUAL = Environment()
SHIFTED = Environment(
    "shifted", 1, "shuffled", timezone="AAA+3:30BBB,M3.2.0,M11.1.0", locale="C", log_level=10, warnings="ignore",
    decimal=(9, "ROUND_DOWN"), recursion_limit=3000, optimize=1, folder="elsewhere", argv=("--other", "1"),
)  # fmt: skip
EMBEDDED = Environment("embedded", 2, "reversed", log_level=50, thread="other", omp_threads=2, test_marks=True)
NEIGHBOUR = Environment("neighbour", 1, "shuffled", distinct=True)
"""Environment of generated calls, which OLD makes in the usual environment."""
CONFIRMING = NEIGHBOUR.replace(hash_seed=2, order="reversed")
"""Environment of calls that confirm a candidate."""


def seeded(hash_seed: int) -> Environment:
    """The usual environment with another hash seed alone."""
    return USUAL.replace(hash_seed=hash_seed)
