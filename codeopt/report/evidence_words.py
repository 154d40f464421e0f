"""The evidence of a result in words, one place for every screen and report: its parts add up to the number of calls."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from codeopt.core.evidence import CallEvidence, CommandEvidence, PatchEvidence, VersionEvidence, WorkloadEvidence
from codeopt.core.screen import COLUMNS
from codeopt.core.words import counted, plural

_KINDS = {
    "calls_file": "of yours",
    "tests": "from tests",
    "doctests": "from doctests",
    "recorded": "recorded",
    "type_hints": "from type hints",
    "model": "written by a model",
    "generated": "generated",
}


def evidence_line(found: WorkloadEvidence) -> list[str]:
    """`Same results on 1,084 calls: 4 of yours, 74 from type hints, 1,006 generated.`; empty if nothing is known."""
    return textwrap.wrap(_of_command(found, found.command) if found.command else _of_one(found), COLUMNS)


def calls_in_words(sources: Mapping[str, int]) -> str:
    """`1,084 calls: 4 of yours, 74 from type hints, 1,006 generated`."""
    order = sorted(sources, key=lambda kind: list(_KINDS).index(kind) if kind in _KINDS else len(_KINDS))
    parts = [f"{sources[kind]:,} {_KINDS.get(kind, 'others')}" for kind in order if sources[kind]]
    return f"{thousands(sum(sources.values()), 'call')}: {', '.join(parts)}"


def thousands(count: int, what: str) -> str:
    """`1 call`, `1,084 calls`."""
    return f"{count:,} {plural(count, what)}"


def _of_one(found: WorkloadEvidence) -> str:
    calls, cases = found.checked, found.cases
    if isinstance(calls, CallEvidence) and calls.calls:
        passed = f"; {_passing(calls.tests)}" if calls.tests else ""
        return f"Same results on {calls_in_words(calls.sources)}{passed}."
    if cases is None or not cases.total:
        return ""
    held_out = f" ({cases.held_out:,} held out)" if cases.held_out else ""
    mutated = f" and {thousands(cases.mutated_inputs, 'mutated input')}" if cases.mutated_inputs else ""
    return f"Same output on {thousands(cases.total, 'test case')}{held_out}{mutated}."


def _of_command(found: WorkloadEvidence, command: CommandEvidence) -> str:
    """Return the evidence on two versions of a project."""
    output = "Same output and files" if command.output == "compared" else f"Output: {command.output}"
    edits = command.edits if isinstance(command, PatchEvidence) else ()
    versions = found.checked if isinstance(found.checked, VersionEvidence) else None
    calls = [each["calls"] for each in edits if each.get("calls")] or [versions.calls if versions else 0]
    functions = versions.functions if versions else len(calls)
    agree = f"{thousands(sum(calls), 'call')} of {counted(functions, 'public function')} agree"
    passed = command.project_tests.get("passed", 0)
    parts = [output, *[agree] * any(calls), _passing(passed) if passed else "no test of the project was run"]
    return "; ".join(parts) + "."


def _passing(count: int) -> str:
    return f"{thousands(count, 'test')} {'passes' if count == 1 else 'pass'}"
