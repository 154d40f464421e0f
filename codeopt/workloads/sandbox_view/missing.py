"""Advice about what a run in the sandbox did not find."""

from __future__ import annotations

import os
import re
from pathlib import Path

from codeopt.workloads.sandbox_view.untracked import module_files
from codeopt.workloads.sandbox_view.view import INSIDE, Module

_MODULE = re.compile(r"No module named '([\w.]+)'")
_FILE = re.compile(r"(?:No such file or directory|Not a directory): '([^'\n]+)'")


def missing_part(said: str, program: Path, module: Module) -> str:
    """Advice about a module or a file that a run did not find, by the user's name for it; empty if there is none."""
    names = _MODULE.findall(said)
    for name in reversed(names):
        found = list(module_files(name.split("."), (program.resolve().parent, *module.roots)))
        if found:
            return f"--with {os.path.relpath(found[-1])} gives it that module"
    for text in reversed(_FILE.findall(said)):
        path = Path(text)
        if path.is_relative_to(INSIDE):
            path = module.root / path.relative_to(INSIDE)
        elif path.is_absolute() and not path.exists():
            path = program.absolute().parent / path.name
        if path.exists():
            return f"--with {os.path.relpath(path)} gives it that file"
    return f"--python PATH names a Python that has {names[-1]}" if names else ""
