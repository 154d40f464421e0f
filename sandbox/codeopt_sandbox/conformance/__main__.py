"""python -m codeopt_sandbox.conformance [BACKEND]: a line for each promise; status 1 when one is broken."""

from __future__ import annotations

import sys

from codeopt_sandbox.conformance import report

if __name__ == "__main__":
    sys.exit(report(*sys.argv[1:2]))
