"""Modules of the guest in a clean interpreter, as a run has it, with a fork for each row of a table."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from codeopt_sandbox.guest_bundle import loading

_ROWS = """
import os
for row in {rows!r}:
    out, into = os.pipe()
    if not os.fork():
        os.dup2(2, 1)
        try:
            found = play(*row)
        except BaseException as error:
            found = f"{{type(error).__name__}}: {{error}}"
        os.write(into, repr(found).encode())
        os._exit(0)
    os.close(into)
    with open(out, "rb") as file:
        print(file.read().decode(), flush=True)
    os.wait()
"""


def played(program: str, rows: Iterable[Any]) -> list[Any]:
    """What a program's function `play` gives for each row; `_bundle` in it has the guest's modules."""
    text = loading() + program + _ROWS.format(rows=[*rows])
    done = subprocess.run([sys.executable, "-I", "-S", "-"], input=text.encode(), capture_output=True, check=True)
    return [ast.literal_eval(line) for line in done.stdout.decode().splitlines()]
