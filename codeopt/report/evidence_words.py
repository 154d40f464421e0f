"""The evidence of a result in words, one place for every screen and report: its parts add up to the number of calls."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from codeopt.core.screen import COLUMNS
from codeopt.core.words import counted, plural
from codeopt.report.patch_table import has_edits

_KINDS = {
    "calls_file": "of yours",
    "tests": "from tests",
    "doctests": "from doctests",
    "recorded": "recorded",
    "type_hints": "from type hints",
    "model": "written by a model",
    "generated": "generated",
}


def evidence_line(found: Mapping[str, Any]) -> list[str]:
    """`Same results on 1,084 calls: 4 of yours, 74 from type hints, 1,006 generated.`; empty if nothing is known.

    found: object of an improvement or a comparison.
    """
    words = _of_command(found) if has_edits(found) or found.get("command") else _of_one(found)
    return textwrap.wrap(words, COLUMNS)


def calls_in_words(sources: Mapping[str, int]) -> str:
    """`1,084 calls: 4 of yours, 74 from type hints, 1,006 generated`."""
    order = sorted(sources, key=lambda kind: list(_KINDS).index(kind) if kind in _KINDS else len(_KINDS))
    parts = [f"{sources[kind]:,} {_KINDS.get(kind, 'others')}" for kind in order if sources[kind]]
    return f"{thousands(sum(sources.values()), 'call')}: {', '.join(parts)}"


def thousands(count: int, what: str) -> str:
    """`1 call`, `1,084 calls`."""
    return f"{count:,} {plural(count, what)}"


def _of_one(found: Mapping[str, Any]) -> str:
    evidence, tests = found.get("evidence") or {}, found.get("tests") or {}
    if evidence.get("calls"):
        passed = f"; {_passing(evidence['tests'])}" if evidence.get("tests") else ""
        return f"Same results on {calls_in_words(evidence['sources'])}{passed}."
    if not tests.get("total"):
        return ""
    held_out = f" ({tests['held_out']:,} held out)" if tests.get("held_out") else ""
    changed = tests.get("mutated_inputs")
    mutated = f" and {thousands(changed, 'mutated input')}" if changed else ""
    return f"Same output on {thousands(tests['total'], 'test case')}{held_out}{mutated}."


def _of_command(found: Mapping[str, Any]) -> str:
    """Return the evidence on two versions of a project."""
    said = found.get("output", "not compared")
    output = "Same output and files" if said == "compared" else f"Output: {said}"
    evidence = found.get("evidence") or {}
    calls = [each["calls"] for each in found.get("edits", ()) if each.get("calls")]
    functions, made = (len(calls), sum(calls)) if calls else (evidence.get("functions", 0), evidence.get("calls", 0))
    passed = found["project_tests"].get("passed", 0)
    agree = f"{thousands(made, 'call')} of {counted(functions, 'public function')} agree"
    parts = [output, *[agree] * bool(made), _passing(passed) if passed else "no test of the project was run"]
    return "; ".join(parts) + "."


def _passing(count: int) -> str:
    return f"{thousands(count, 'test')} {'passes' if count == 1 else 'pass'}"
