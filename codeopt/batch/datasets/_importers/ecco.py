"""ECCO's editing half: PIE's fields, and test_cases/ with public, private and generated cases a problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codeopt.batch.datasets._importers import ImportRequest, ProgramPair, cases_in, pie

_OF_CODENET = ("codenet/public_test_cases", "codenet/generated_test_cases")
KINDS = ("public_test_cases", "private_test_cases", "generated_test_cases", *_OF_CODENET)


def read(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read one pair a line, with the cases of every kind that is there. Raises UsageError."""
    home = request.path if request.path.is_dir() else request.path.parent
    roots = [request.cases] if request.cases else [home / "test_cases", home]
    for pair in pie.read(request):
        yield replace(pair, cases=cases_in([root / kind / pair.id for root in roots for kind in KINDS]) or pair.cases)
