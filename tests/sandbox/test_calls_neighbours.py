"""State that calls leave in the project's other modules: names that others go by must be left the same, numbers that a
module keeps for itself are told, and what it remembers is its own."""
# looks at sandbox/codeopt_sandbox/guest/calls/state
# looks at sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.outcome import CaveatKind
from tests.sandbox.said import answer_of

METRICS = """
from collections import Counter, OrderedDict, defaultdict, deque
COUNTS, SEEN, LAST, BY_NAME, ORDERED = {}, Counter(), deque(maxlen=3), defaultdict(int), OrderedDict()
_hits, _by_name, _rows, _memo, rows_cache = 0, {}, [], {}, {}
class Stats:
    total = 0
    def __init__(self):
        self.calls, self.names, self._kept = 0, {}, {}
STATS = Stats()
"""
MODULE = f"""
import sys, types
metrics = types.ModuleType("metrics")
metrics.__file__ = "/nowhere/metrics.py"
sys.modules["metrics"] = metrics
exec({METRICS!r}, vars(metrics))
def f(n):
    LINE
    return n + 1
"""
CALLS = tuple(f"f({n})" for n in range(5))
REFUSED = (
    "metrics.COUNTS['f'] = n", "metrics.SEEN['f'] += 1", "metrics.LAST.append(n + 1)", "metrics.BY_NAME['f'] += 1",
    "metrics.ORDERED[n] = 1", "metrics.Stats.total += 1", "metrics.STATS.calls += 1", "metrics.STATS.names['f'] = n",
)  # fmt: skip
TOLD = ("metrics._hits += 1", "metrics._by_name['f'] = metrics._by_name.get('f', 0) + 1")
THEIRS = (
    "metrics._rows.append(n)", "metrics._memo[n] = n", "metrics.rows_cache[n] = n", "metrics.STATS._kept[n] = n"
)  # fmt: skip


def different(sandbox: Sandbox, line: str) -> list[CaveatKind | None]:
    """Subjects of the caveats about each difference of a draft without the line."""
    runner = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f", ("/nowhere",)))
    old, new = (answer_of(runner.ask(MODULE.replace("LINE", each), CallBatch(CALLS))) for each in (line, "pass"))
    return [each.subject for each in AnswerComparison().differences(old, new)]


@pytest.mark.full
@pytest.mark.parametrize("line", REFUSED)
def test_what_others_go_by(isolated: Sandbox, line: str) -> None:
    assert different(isolated, line) == [None]


@pytest.mark.parametrize("line", TOLD)
def test_what_a_module_counts_for_itself(isolated: Sandbox, line: str) -> None:
    assert different(isolated, line) == [CaveatKind.PRIVATE]


@pytest.mark.parametrize("line", THEIRS)
def test_what_a_module_remembers(isolated: Sandbox, line: str) -> None:
    assert different(isolated, line) == []
