"""How often calls are made: a generated one once by each version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.costs.time_to_verdict import FAST, SLOW
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.program import read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.core.wrapped_sandbox import WrappedSandbox
from codeopt.engine.judge import Judge
from codeopt.workloads import WorkloadRequest, kind_of
from codeopt_sandbox import Run
from codeopt_sandbox.compare import StoppingRule
from codeopt_sandbox.guest.request import batch_of
from codeopt_sandbox.guest_bundle import GuestProgram

CALLS = "CALLS = [(([n * n % 7 for n in range(size)],), {}) for size in range(1, 16)]\n"


class CountingSandbox(WrappedSandbox):
    """A sandbox that counts how often each call is checked, by the module's text."""

    def __init__(self, inner: Any, counts: dict[str, Counter[str]]) -> None:
        super().__init__(inner)
        self.counts = counts

    def around(self, inner: Any) -> CountingSandbox:
        return CountingSandbox(inner, self.counts)

    def run(self, program: Any, stdin: bytes = b"", **options: Any) -> Run:
        """Run it, and count."""
        if isinstance(program, GuestProgram) and program.name == "calls":
            batch = batch_of(stdin)
            if batch.program == "check" and not batch.lines:  # that run ends at the call that runs the last line
                self.counts.setdefault(program.arguments[1], Counter()).update(batch.calls)
        found: Run = self._inner.run(program, stdin, **options)
        return found


@pytest.mark.full
def test_a_generated_call_is_made_once_by_each_version(tmp_path: Path) -> None:
    counts: dict[str, Counter[str]] = {}

    @contextmanager
    def open_counting(*args: Any, **wanted: Any) -> Iterator[Any]:
        with open_isolated(*args, **wanted) as sandbox:
            yield CountingSandbox(sandbox, counts)

    for name, text in (("old.py", SLOW), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    options = ImproveOptions.of({"sandbox": "bubblewrap", "calls": tmp_path / "calls.py", "no_tests": True})
    target = Target(tmp_path / "old.py", "f")
    request = WorkloadRequest(
        target, read_program(target.path), options, Session(open_sandbox=open_counting), StoppingRule()
    )
    with kind_of(target, options).open_workload(request) as opened:
        workload: Any = opened.measure()
        made = [known.text for known in workload.corpus.known if known.source == "generated"]
        candidate = Judge(workload, profiled=False).known(Revision.of(FAST), "the same, by a dictionary")
    assert candidate.correct
    assert len(made) > 100
    for side in (SLOW, FAST):
        often = Counter(counts[side][call] for call in made)
        assert often == {1: len(made)}, (side, often)
