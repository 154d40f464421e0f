"""Other Pythons of this machine that can run programs, for tests of what runs inside of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from codeopt_sandbox.errors import BadInterpreter
from codeopt_sandbox.interpreter import ask_python

RELEASES = ("3.8", "3.9", "3.10", "3.12", "3.13", "3.14")


@cache
def python_of(release: str) -> str | None:
    """Its interpreter, on the path or kept by pyenv; None where there is none."""
    kept = [str(each) for each in sorted(_pyenv().glob(f"versions/{release}.*/bin/python"))]
    for candidate in filter(None, [*kept, shutil.which(f"python{release}")]):
        try:
            return ask_python(candidate).executable
        except BadInterpreter:
            continue
    return None


def _pyenv() -> Path:
    program = shutil.which("pyenv")
    if program is None:
        return Path(os.devnull)
    return Path(subprocess.run([program, "root"], capture_output=True, text=True, check=True).stdout.strip())
