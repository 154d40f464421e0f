"""Guard: note the cost of a newly imported library. It is imported with the original also, so no comparison
contains it.
"""

from __future__ import annotations

from codeopt.core.words import counted, duration
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.process_state_diff import IMPORT_S
from codeopt.workloads.function.workload import CallGain
from codeopt_sandbox.calls import CallBatch

LEAST_S = 0.01
"""Minimum CPU time of an import that is worth a note, seconds."""


@guard(order=95, applies_to="comparisons")
def check_gain(gain: CallGain) -> Finding | None:
    """A note where the libraries that the draft newly imports take long, or change settings of the process."""
    runner = gain.workload.runner
    names = runner.new_libraries(gain.draft)
    if not names:
        return None
    batches = [CallBatch(wanted, "inspect", "libraries", seconds=IMPORT_S) for wanted in ((), names)]
    before, after = (runner.calls.ask(gain.original.text, batch) for batch in batches)
    left = after.answer.left if after.answer else None
    took = after.cpu_s - before.cpu_s
    if left is None or not left.libraries or (took < LEAST_S and not left.settings):
        return None
    tops = dict.fromkeys(name.partition(".")[0] for name in names)
    loaded = [top for top in tops if any(name.partition(".")[0] == top for name in left.libraries)]
    changed = f" and changes {counted(len(left.settings), 'setting')} of the process" if left.settings else ""
    words = f"it newly imports {', '.join(loaded)}, which takes {duration(max(took, 0.0))} once per process{changed}"
    return Finding(Consequence.NOTE, words)
