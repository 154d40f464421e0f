"""COFFE's programs of CodeContests: PROBLEM/slow.py, fast.py, and cases/ with the contest's tests."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.datasets._importers import ImportRequest, ProgramPair, cases_in
from codeopt.core.errors import UsageError
from codeopt_sandbox.plain_files import read_text


def read(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read one pair a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/slow.py"))
    if not folders:
        raise UsageError(f"{request.path} is no folder of COFFE's programs: it has no PROBLEM/slow.py")
    for folder in folders:
        slow, fast = folder / "slow.py", folder / "fast.py"
        target = read_text(fast, "replace") if fast.is_file() else None
        homes = [request.cases / folder.name] if request.cases else [folder / "cases"]
        yield ProgramPair(folder.name, read_text(slow, "replace"), target, cases_in(homes))
