"""Cases that a script makes: `generate.py SEED small|large` prints one input. It runs in the sandbox."""

from __future__ import annotations

import os
from pathlib import Path

from codeopt.core.errors import ProgramError
from codeopt.core.words import end_of_run
from codeopt.workloads.program.cases import Request, text
from codeopt_sandbox.outcome import Case

SMALL = 4
"""Number of small inputs that are made."""
LARGE = 3
"""Number of large inputs that are made."""


def find_script(request: Request) -> Path | None:
    """Return the generator in the program's folder or among its cases."""
    return next((path for folder in request.folders if os.path.lexists(path := folder / "generate.py")), None)


def find(request: Request) -> list[Case]:
    """Inputs from the first generate.py found; the original program says what is right."""
    script = find_script(request)
    if script is None:
        return []
    source = text(script).decode("utf-8", "replace")
    cases = []
    for size, count in (("small", SMALL), ("large", LARGE)):
        for seed in range(request.first_seed, request.first_seed + count):
            run = request.run(source, (str(seed), size))
            if run.exit != 0 or run.stop:
                raise ProgramError(f"{script} {seed} {size} failed: {end_of_run(run)}")
            cases.append(Case(f"{size}.{seed}", run.stdout))
    return cases
