"""Speed and error rates, as ratios within one run. Nothing here gates a test: machines are noisy."""

from __future__ import annotations

import sys
from typing import NoReturn

NOT_RUN = 77
"""The exit status of a benchmark whose data or packages are not here; Automake and Meson read it so, too."""


def not_run(why: str) -> NoReturn:
    """End with one line that says what is missing."""
    print(f"not run: {why}", file=sys.stderr)
    raise SystemExit(NOT_RUN)
